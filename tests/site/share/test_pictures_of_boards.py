"""Boards outside a match are drawn by the same templates."""

from __future__ import annotations

from typing import Any

import pytest

from games import GAMES, newest
from robosite.play.template_functions import board

POSITIONS = {
    "pigs": "A=d8S0 B=e1N0",
    "roboxing": "A1@a1 B1@h8",
    "robosoccer": "lmssml/3o2/6/6/6/6/2O3/LMSSML b",
    "robble": "7/7/7/3b3/7/7/7 w",
}


def draw(slug: str, **more: Any) -> str:
    return board(newest(slug), POSITIONS[slug], **more)


@pytest.mark.parametrize("slug", GAMES)
def test_a_position_of_any_game_is_drawn(slug: str) -> None:
    assert 'class="board-sheet' in draw(slug)


def test_it_shows_what_comes_of_an_order() -> None:
    drawn = draw("pigs", title="A walks", seat="A", order="^ ^ ^ ^ ^")
    assert "A walks" in drawn and 'data-ghost="5"' in drawn
    assert "data-ghost" not in draw("pigs")

"""Puzzles on their pages: the day's for everybody, solved or shown how an order fails, without JavaScript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from games import GAMES
from games.puzzles import Puzzle
from robosite.matches.pages.puzzles import of_today, puzzles
from tests.site.browsers import text

client = Client()


def page(slug: str, at: int, order: str = "", *, played: bool = False) -> Any:
    query = urlencode({"order": order, **({"played": ""} if played else {})})
    return client.get(f"/puzzles/{slug}/{at}/?{query}")


@pytest.mark.parametrize("slug", GAMES)
def test_the_answer_solves_it_and_the_page_says_how_many_do(slug: str) -> None:
    puzzle = puzzles(slug)[0]
    told = text(page(slug, 1, puzzle.answer, played=True))
    assert "Solved." in told and "Not for certain" not in told
    assert ("the only one of" if puzzle.solutions == 1 else f"{puzzle.solutions} of") in told


@pytest.mark.parametrize("slug", GAMES)
def test_an_order_that_fails_is_shown_failing(slug: str) -> None:
    puzzle = puzzles(slug)[0]
    state = puzzle.state()
    legal = state.legal(puzzle.seat, 40_000) or []
    proofs = puzzle.proofs()
    solving = [puzzle.answer] if slug == "pigs" else proofs.solutions(state, puzzle.seat, legal, puzzle.moves)
    wrong = next(order for order in legal if order not in solving)
    tried = puzzle.play_out(state, wrong)
    assert not tried.solved
    told = text(page(slug, 1, wrong, played=True))
    assert "Not for certain." in told and "Solved." not in told and "Try again" in told


@pytest.mark.parametrize("slug", GAMES)
def test_a_puzzle_does_not_give_its_answer_away(slug: str) -> None:
    """Whoever looks at it sees no solution, and of a hidden robot nothing but what was seen."""
    puzzle = puzzles(slug)[0]
    shown = page(slug, 1)
    assert shown.status_code == 200 and "Solved." not in text(shown)
    if slug == "roboxing":
        state = puzzle.state()
        enemy = next(i for i, owner in enumerate(state.ring.owners) if owner != puzzle.seat)  # type: ignore[attr-defined]
        layout = state.layouts[enemy]  # type: ignore[attr-defined]
        assert layout.shown(state.gone[enemy]) not in shown.content.decode()  # type: ignore[attr-defined]


def test_a_tap_without_javascript_leads_to_the_plan_and_a_typed_order_is_played() -> None:
    puzzle: Puzzle = puzzles("robosoccer")[0]
    answer = client.post("/puzzles/robosoccer/1/", {"typed": puzzle.answer, "seal": "", "turn": "0"})
    assert answer.status_code == 302 and "played" in answer["Location"]
    assert "Solved." in text(client.get(answer["Location"].partition("#")[0]))
    refused = client.post("/puzzles/robosoccer/1/", {"typed": "z9", "seal": "", "turn": "0"})
    assert refused.status_code == 422


def test_a_hint_comes_when_it_is_asked_for() -> None:
    at = f"The first action begins on {puzzles('robosoccer')[0].answer[:2]}."
    assert at not in text(page("robosoccer", 1))
    assert at in text(client.get("/puzzles/robosoccer/1/?again"))


@pytest.mark.parametrize("path", ["pigs/0", "pigs/999", "chess/1"])
def test_there_are_no_others(path: str) -> None:
    assert client.get(f"/puzzles/{path}/").status_code == 404


def test_the_day_has_one_of_each_game_and_the_next_day_another(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.utils import timezone

    days = [datetime(2026, 3, day, 23, 59, tzinfo=UTC) for day in (1, 2)]
    found = []
    for day in days:
        monkeypatch.setattr(timezone, "now", lambda day=day: day)
        found.append({slug: of_today(slug) for slug in GAMES})
        overview = client.get("/puzzles/").content.decode()
        assert all(f'href="/puzzles/{slug}/{at}/"' in overview for slug, at in found[-1].items())
        assert "Today’s puzzle" in text(page("pigs", found[-1]["pigs"]))
    assert all(found[0][slug] != found[1][slug] for slug in GAMES)
    assert days[1] - days[0] == timedelta(days=1)

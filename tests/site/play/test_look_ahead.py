"""Looking one tap ahead: what the board would show after each next tap, for this seat's eyes, and lightly."""

from __future__ import annotations

import gzip
import re

import pytest

from robosite.matches import flow
from robosite.matches.models import Hold
from tests.browser.scales import UPDATE
from tests.site.browsers import OTHER, Answer, Browser, Table, sit_down, text

AHEAD = {"HX-Request": "true", "HX-Target": "ahead"}
TAP = {"HX-Request": "true", "HX-Target": "plan"}


def look(table: Table, at: Browser | None = None) -> Answer:
    return (at or table.alice).get(table.a.get_absolute_url(), headers=AHEAD)


def drawn(text: str, name: str) -> str:
    """The elements of a group of the board."""
    found = re.search(rf'<g id="{name}"[^>]*>(.*?)\s*</svg>', text.partition('<g id="taps')[0], re.DOTALL)
    assert found, text
    return " ".join(found[1].partition('<g id="badges"')[0].split())


@pytest.mark.parametrize(("game", "turns"), [("pigs", 2), ("roboxing", 0)])
def test_what_is_shown_ahead_is_what_the_tap_then_brings(
    alice: Browser, bob: Browser, charlie: Browser, game: str, turns: int
) -> None:
    table = sit_down(alice, bob, charlie, game)
    table.play_some(turns)
    answer = look(table)
    plans = dict(re.findall(r'<template data-choose="([^"]+)">(.*?)</template>', answer.text, re.DOTALL))
    assert len(plans) > 5
    seen = re.search(r'data-seen="(\w+)"', answer.text)
    assert seen
    key = list(plans)[2]
    begins = re.search(r'name="ready" value="([^"]*)"', text(table.alice.get(table.a.get_absolute_url())))
    given = {
        "ready": begins[1] if begins else "",  # a newcomer's planner begins with an order
        "turn": table.match.turn,
        "taken_back": "0",
        "seen": seen[1],
        "choose": key.replace("&amp;", "&"),
    }
    tapped = table.alice.post(f"{table.a.get_absolute_url()}plan/", given, headers=TAP)
    assert "data-stale" not in tapped.text
    ghosts = tapped.text[tapped.text.index('<g id="ghosts"') :]
    assert drawn(ghosts, "ghosts") == drawn(plans[key], "ghosts")


@pytest.mark.parametrize("game", ["pigs", "roboxing", "robosoccer", "robble"])
def test_it_is_no_heavier_than_an_update(alice: Browser, bob: Browser, charlie: Browser, game: str) -> None:
    table = sit_down(alice, bob, charlie, game)
    table.play_some(4)
    size = len(gzip.compress(look(table).content))
    print(game, size)
    assert size < UPDATE


def test_it_counts_as_no_visit(table: Table) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.play(("F F F F F", OTHER))
    before = Hold.objects.get(seat=table.a).seen_turn
    assert look(table).status_code == 200
    assert Hold.objects.get(seat=table.a).seen_turn == before


def test_only_the_seat_itself_is_shown_it_and_only_while_it_plans(table: Table) -> None:
    assert look(table, table.bob).status_code == 403
    flow.seal(table.a, 0, "F F F F F")
    assert look(table).status_code == 204

"""A match of each game by link, in each engine."""

from __future__ import annotations

import os

import pytest

from games import GAMES
from games.core import Seat
from tests.engines.conftest import ENGINES, Visit
from tests.engines.shadow import Shadow
from tests.servers import Server

TURNS = 4 if os.environ.get("LONG_MATCHES") else 1
"""The number of turns that are played by hand before the players agree on a draw."""


OFTEN = {
    ("webkit", "roboxing"),
    ("webkit", "robble"),
    ("firefox", "pigs"),
    ("firefox", "robosoccer"),
    ("poorest", "roboxing"),
}
"""Of each game one match is played by `make test-integration`; tests/browser plays them all in Chromium."""
CASES = [
    pytest.param(engine, game, marks=() if (engine, game) in OFTEN else pytest.mark.more)
    for engine in ENGINES
    for game in GAMES
]


@pytest.mark.timeout(900 * TURNS)
@pytest.mark.parametrize(("engine", "game"), CASES, indirect=["engine"])
def test_a_match_by_link(visit: Visit, site: Server, game: str) -> None:
    alice, bob = visit("Alice"), visit("Bob")
    bob.sit_down(alice.make_match(game))
    key, letter = alice.seat
    guests = {Seat(letter): alice, Seat(bob.seat[1]): bob}
    match = Shadow(site.url, key, seed=game)
    for guest in guests.values():
        guest.keep_count()

    for turn in range(1, TURNS + 1):
        for seat in sorted(match.state.to_act()):
            guests[seat].choose(*match.taps(seat, guests[seat].ready()))
            guests[seat].seal()
        steps = match.play()
        for guest in guests.values():
            guest.watches(turn, steps)

    alice.say("Good game")
    bob.open_talk()
    bob.hears("Good game")
    alice.press("#more", "")
    alice.press("button", "Offer a draw")
    bob.press("section button", "Accept")
    for guest in guests.values():
        guest.sees("#status", "Draw by agreement.")
    assert match.on_the_site()[:TURNS] == match.played

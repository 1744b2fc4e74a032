"""A match of each game by link, in each of three engines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from games import GAMES
from games.core import Seat
from tests.engines import chromium, firefox, webkit
from tests.engines.guests import WATCH, Guest
from tests.engines.shadow import Shadow
from tests.engines.windows import Engine
from tests.servers import Server

LAUNCHES = {"chromium": chromium.launch, "webkit": webkit.launch, "firefox": firefox.launch}
TURNS = 3


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("engines")
    with Server(folder, DJANGO_SETTINGS_MODULE="tests.engines.settings") as running:
        yield running


@pytest.fixture(scope="module", params=LAUNCHES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with LAUNCHES[request.param]() as running:
        yield running


@pytest.mark.parametrize("game", GAMES)
def test_a_match_by_link(engine: Engine, site: Server, game: str) -> None:
    alice, bob = (Guest(name, engine.window(), site.url) for name in ("Alice", "Bob"))
    bob.sit_down(alice.make_match(game))
    key, _ = alice.seat
    guests = {Seat(guest.seat[1]): guest for guest in (alice, bob)}
    match = Shadow(site.url, key, seed=game)
    for guest in guests.values():
        guest.window.evaluate(WATCH)
    for turn in range(1, TURNS + 1):
        for seat in sorted(match.state.to_act()):
            guests[seat].choose(*match.taps(seat))
            guests[seat].seal()
        steps = match.play()
        for guest in guests.values():
            guest.watches(turn, steps)
    alice.say("Good game")
    bob.press("a#bubble")
    bob.hears("Good game")
    alice.press("button", "Offer a draw")
    bob.press("section button", "Accept")
    for guest in guests.values():
        guest.sees("#status", "A draw, agreed.")
        assert not guest.complaints(), "\n".join(guest.complaints())

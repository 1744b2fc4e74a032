"""The pig of docs/examples knows the rules, beats the site's quick program, and plays on a real server."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import httpx
import pytest

from games import newest
from games import search as quick
from games.core import Seat, State, play_turn
from tests.servers import ROOT, Server
from tests.site.bots.test_example_bot import once, running

pytestmark = pytest.mark.more

EXAMPLES = ROOT / "docs" / "examples"
MATCHES, WON = 6, 4


@pytest.fixture(scope="module")
def pig() -> Iterator[ModuleType]:
    """The example as a module, which finds the ones beside it."""
    sys.path.insert(0, str(EXAMPLES))
    import pig  # type: ignore[import-not-found]

    yield pig
    sys.path.remove(str(EXAMPLES))
    for name in ("pig", "bot"):
        del sys.modules[name]


def begun() -> State:
    game = newest("pigs")
    return game.state.start(game.read_options({}), 2, {})


def as_pigs(pig: ModuleType, state: State, seat: Seat) -> list[Any]:
    """The two pigs as the example has them, the seat's own first."""
    return [pig.pig(text) for text in sorted(state.position().split(), key=lambda text: text[0] != seat)]


def test_what_it_foresees_of_a_round_is_what_the_rules_make_of_it(pig: ModuleType) -> None:
    rng, rounds = Random(7), 0
    while rounds < 3_000:
        state = begun()
        while not state.ended:
            orders = {seat: state.sample(seat, rng) for seat in state.seats}
            before = as_pigs(pig, state, state.seats[0])
            hopes = pig.hopes(*before, *(tuple(orders[seat].split()) for seat in state.seats))
            *_, state = play_turn(state, orders)
            rounds += 1
            if state.ended:
                assert hopes == state.ended.scores[state.seats[0]]
            else:
                (mine, hurt), (its, struck) = as_pigs(pig, state, state.seats[0])
                lines = (its >> 2 in pig.FIRED[mine]) - (mine >> 2 in pig.FIRED[its])
                own, other = pig.SHARE**hurt * pig.AIM**lines, pig.SHARE**struck * pig.AIM**-lines
                assert hopes == pytest.approx(own / (own + other))


def test_it_wins_against_the_quick_program(pig: ModuleType) -> None:
    points = 0.0
    for number in range(MATCHES):
        rng, state = Random(number), begun()
        seat, other = state.seats if number % 2 else reversed(state.seats)
        random.seed(number)
        while not state.ended:
            own = " ".join(pig.mixed(*as_pigs(pig, state, seat)))
            *_, state = play_turn(state, {seat: own, other: quick.order(state.view(other), other, rng)})
        points += state.ended.scores[seat]
    assert points >= WON


def test_it_plays_a_match_to_the_end_though_the_site_and_it_are_killed(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        token = httpx.post(f"{server.url}/api/v1/programs", json={"name": "Ham"}).json()["token"]
        own = {"Authorization": f"Bearer {token}"}
        asked = {"game": "pigs", "name": "Ham", "bots": {"B": "quick"}}
        made = httpx.post(f"{server.url}/api/v1/matches", json=asked, headers=own).json()
        at = f"{server.url}/api/v1/matches/{made['match']}"

        def reached(turn: int) -> dict[str, Any] | None:
            match = httpx.get(at).json()
            return match if match["turn"] >= turn or match["outcome"] else None

        playing = partial(running, server.url, token, EXAMPLES / "pig.py")
        with playing():
            once(partial(reached, 1))
        server.kill()
        server.prepare = False
        server.start()
        with playing():
            assert once(lambda: httpx.get(at).json()["outcome"])
        assert httpx.get(f"{at}/record").json()["turns"]

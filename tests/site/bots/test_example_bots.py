"""The example bots, as a newcomer runs them."""

from __future__ import annotations

import random
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import httpx
import pytest

from games import GAMES, newest
from games import search as quick
from games.core import Seat, State, play_turn, seat_letters
from tests.servers import ROOT, Server

BOT = ROOT / "docs" / "examples" / "bot.py"
PATIENCE = 60


@contextmanager
def running(url: str, token: str, program: Path = BOT) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, str(program), url], env={"ROBOSITE_TOKEN": token, "PATH": ""})
    try:
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def once(happens: Callable[[], Any]) -> Any:
    """Waits for output, and returns it."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if found := happens():
            return found
        time.sleep(0.1)
    raise AssertionError("nothing has happened")


@pytest.mark.more
def test_it_sits_down_where_a_person_invites_it(tmp_path: Path) -> None:
    with Server(tmp_path) as server, httpx.Client(base_url=server.url, timeout=60, verify=False) as browser:
        token = httpx.post(f"{server.url}/api/v1/programs", json={"name": "Hal"}).json()["token"]
        with running(server.url, token):
            once(lambda: "Hal" in browser.get("/programs/").text)

            def send(path: str, **form: str) -> httpx.Response:
                form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
                return browser.post(path, data=form, headers={"Referer": server.url})

            made = send("/matches/", name="Ada", game="robble", seats="2", preset="standard")
            seat = made.headers["location"]
            number = re.findall(r'name="program" value="(\d+)"', browser.get(f"{seat}programs/").text)
            assert send(f"{seat}programs/", program=number[0]).status_code == 302
            match = f"{server.url}/api/v1/matches/{seat.split('/')[2]}"
            sits = {"name": "Hal", "kind": "bot"}
            once(lambda: sits in httpx.get(match).json()["seats"].values())


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


@pytest.mark.more
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


@pytest.mark.more
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


@pytest.mark.more
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


FIRST = ROOT / "docs" / "examples" / "first.py"


@pytest.mark.more
@pytest.mark.parametrize("slug", GAMES)
def test_it_plays_until_its_friend_resigns(slug: str, tmp_path: Path) -> None:
    order_of = runpy.run_path(str(FIRST))["order_of"]
    with ExitStack() as stack:
        server = stack.enter_context(Server(tmp_path))
        program = [sys.executable, "-u", str(FIRST), server.url, slug]
        first = stack.enter_context(subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env={}))
        stack.callback(first.kill)
        site = stack.enter_context(httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False))
        assert first.stdout
        invite, key = (link.rstrip("/").rpartition("/")[2] for link in first.stdout.readline().split())
        at = f"matches/{key}"
        sat = site.post(f"{at}/seats", json={"name": "Ada", "invite": invite}).raise_for_status().json()
        site.headers["Authorization"] = f"Bearer {sat['token']}"

        def has_played() -> dict[str, Any] | None:
            """Plays wherever it is to act; the match once three turns are behind."""
            match: dict[str, Any] = site.get(f"{at}?legal=1").json()
            if match["turn"] < 3 and sat["seat"] in match["to_act"]:
                order = {"turn": match["turn"], "order": order_of(site, at, match)}
                site.put(f"{at}/order", json=order).raise_for_status()
            return match if match["turn"] >= 3 else None

        once(has_played)
        ended = site.post(f"{at}/resign").raise_for_status().json()["outcome"]
        assert ended["reason"] == "resigned" and first.stdout.readline() == f"{ended}\n"
        assert first.wait(30) == 0


@pytest.mark.parametrize("slug", GAMES)
def test_a_newcomer_has_a_seat_of_the_match_in_every_preset(slug: str) -> None:
    game = newest(slug)
    for preset in game.presets.values():
        options = game.read_options(preset.options)
        for seats in game.seats(options):
            assert game.newcomers_seat(options, seats) in seat_letters(seats)


def test_a_newcomers_pig_looks_up_the_screen() -> None:
    game = newest("pigs")
    for preset in game.presets.values():
        options = game.read_options(preset.options)
        state = game.state.start(options, 2, {})
        own = game.newcomers_seat(options, 2)
        (pig,) = [piece for piece in state.drawing()["pieces"] if piece.seat == own]
        assert pig.facing == "north"

"""Bots and the processes that they think in may die at any moment: no match hangs, nothing counts twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from games.record import replay
from tests.faults.conftest import address_of
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Beside
from tests.faults.programs import Match, Site
from tests.servers import Server, new_database

pytestmark = pytest.mark.more


class Quiet(Server):
    """A server that leaves bots to other processes."""

    flags = ("--no-bots",)


TURNS = 6
SOON = 90.0
"""Seconds in which a bot answers on a busy machine; what it takes is far less."""
BOTS = {"game": "pigs", "preset": "bash", "name": "Alice", "seats": 4, "bots": dict.fromkeys("BCD", "quick")}


def make(site: Site) -> Match:
    made = site.ask("POST", "matches", BOTS)
    assert made.status_code == 201, made.text
    return Match(made.json()["match"], {"A": made.json()["token"]})


def bots_have_sealed(site: Site, match: Match) -> dict[str, Any]:
    wait_until(lambda: site.see(match)["to_act"] in (["A"], []), SOON)
    return site.see(match)


def play(site: Site, match: Match, turn: int) -> bool:
    """Waits for the bots, then seals for Alice; says whether the match goes on with her."""
    seen = bots_have_sealed(site, match)
    if not seen["to_act"]:
        return False
    before = seen["seals"][turn]
    owed = [0, "X", "X X", "X X X", "X X X X"][_damage(seen["position"])]
    order = " ".join(["TL"] * 5) if not owed else " ".join([*str(owed).split(), *["TL"] * 5][:5])
    assert site.seal(match, "A", order, turn).status_code == 200
    assert site.see(match)["seals"][turn].items() >= before.items()
    return site.see(match)["status"] == "playing"


def _damage(position: str) -> int:
    return int(position.split(" ", maxsplit=1)[0][-1])


def workers(of: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == of and b"robosite.bots.worker" in words:
            found.append(int(entry.name))
    return found


@contextmanager
def runners(server: Server, count: int) -> Iterator[list[Beside]]:
    running = [Beside("bots", server.env, server.data / f"bots-{n}.log").start() for n in range(count)]
    try:
        yield running
    finally:
        for one in running:
            one.kill()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_process_that_dies_is_replaced_and_its_question_asked_again(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = make(site)
        for turn in range(TURNS):
            for pid in workers(server.process.pid):
                os.kill(pid, signal.SIGKILL)
            if not play(site, match, turn):
                break
        assert replay(site.record(match)).fault is None


@pytest.mark.slow
def test_what_bots_owe_outlives_the_server(tmp_path: Path) -> None:
    quiet = Quiet(tmp_path).start()
    try:
        with Site(quiet.url) as site:
            match = make(site)
            time.sleep(2)
            assert site.see(match)["to_act"] == ["A", "B", "C", "D"]
    finally:
        quiet.kill()
    for turn in range(3):
        server = Server(tmp_path, prepare=False).start()
        try:
            with Site(server.url) as site:
                going_on = play(site, match, turn)
        finally:
            server.kill()
        if not going_on:
            break


@pytest.fixture(
    params=["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.redis])]
)
def quiet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server without bots, on a database of either kind; with PostgreSQL it speaks to others by Redis."""
    if request.param == "SQLite":
        with Quiet(tmp_path) as server:
            yield server
        return
    redis = address_of("TEST_REDIS_URL")
    with (
        new_database(address_of("TEST_POSTGRES_URL")) as postgres,
        Quiet(tmp_path, DATABASE_URL=postgres, REDIS_URL=redis) as server,
    ):
        yield server


@pytest.mark.slow
def test_two_runners_beside_a_server_and_one_is_killed(quiet: Server) -> None:
    server = quiet
    with Site(server.url) as site:
        matches = [make(site) for _ in range(3)]
        with runners(server, 2) as running:
            for turn in range(4):
                matches = [match for match in matches if play(site, match, turn)]
                if turn == 1:
                    running[0].kill()
        for match in matches:
            assert site.see(match)["turn"] >= 4  # bots go on when Alice is out
            assert replay(site.record(match)).fault is None


def test_a_server_stops_politely_with_its_bots(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = make(site)
        play(site, match, 0)
        thinking = workers(server.process.pid)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in thinking))
    assert "Traceback" not in server.logged()

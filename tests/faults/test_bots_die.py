"""Bots and the processes that they think in may die at any moment: no match hangs, nothing counts twice."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from games.record import replay
from tests.faults.drills.services import wait_until
from tests.faults.programs import Match, Site
from tests.servers import Server

pytestmark = pytest.mark.more


class Quiet(Server):
    """A server that leaves bots to other processes."""

    flags = ("--no-bots",)


SOON = 90.0
"""Seconds in which a bot answers on a busy machine; what it takes is far less."""


def make(site: Site) -> Match:
    return site.make(preset="bash", seats=4, bots=dict.fromkeys("BCD", "quick"))


def play(site: Site, match: Match, turn: int) -> bool:
    """Waits for the bots, then seals for Alice; says whether the match goes on with her."""
    wait_until(lambda: site.see(match)["to_act"] in (["A"], []), SOON)
    seen = site.see(match)
    if not seen["to_act"]:
        return False
    damage = int(seen["position"].split(" ", maxsplit=1)[0][-1])
    order = " ".join([*["X"] * damage, *["TL"] * 5][:5])
    assert site.seal(match, "A", order, turn).status_code == 200
    assert site.see(match)["seals"][turn].items() >= seen["seals"][turn].items()
    return bool(site.see(match)["status"] == "playing")


def workers(of: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == of and b"robosite.bots.worker" in words:
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_a_process_that_dies_is_replaced_and_its_question_asked_again(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = make(site)
        for turn in range(6):
            for pid in workers(server.process.pid):
                os.kill(pid, signal.SIGKILL)
            if not play(site, match, turn):
                break
        assert replay(site.record(match)).fault is None


@pytest.mark.slow
def test_what_bots_owe_outlives_the_server(tmp_path: Path) -> None:
    with Quiet(tmp_path) as quiet, Site(quiet.url) as site:
        match = make(site)
        time.sleep(2)
        assert site.see(match)["to_act"] == ["A", "B", "C", "D"]
        quiet.kill()
    for turn in range(3):
        with Server(tmp_path, prepare=False) as server, Site(server.url) as site:
            if not play(site, match, turn):
                break
            server.kill()


def test_a_server_stops_politely_with_its_bots(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = make(site)
        play(site, match, 0)
        thinking = workers(server.process.pid)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in thinking))
    assert "Traceback" not in server.logged()

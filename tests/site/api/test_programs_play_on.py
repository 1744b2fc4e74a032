"""Two programs of docs/examples play all games to the end, while one of them and the site are stopped.

Here a few short matches; `make programs N=10` plays ten of each game, half of them rematches.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from games import GAMES
from tests.servers import ROOT, Server, manage

pytestmark = [pytest.mark.more, pytest.mark.timeout(1500)]

BOT = ROOT / "docs" / "examples" / "bot.py"
EACH = int(os.environ.get("PROGRAM_MATCHES", 2))
"""The number of matches of each game, every second one a rematch."""
DRAW_AFTER = int(os.environ.get("PROGRAM_DRAW_AFTER", 60 if EACH > 2 else 3))
"""From this turn on Hal offers a draw, so that no match by chance lasts for ever."""
PATIENCE = 120 + 60 * EACH
NAMES = ("Hal", "Eve")


class Table:
    """The matches that Hal makes with Eve; both are played by their programs."""

    def __init__(self, site: httpx.Client, tokens: dict[str, str]) -> None:
        self.site = site
        self.own = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
        self.last: dict[str, dict[str, Any]] = {}
        self.offered = self.rematches = 0

    def post(self, who: str, path: str, /, **body: Any) -> httpx.Response:
        return self.site.post(path, json=body, headers=self.own[who])

    def make(self, game: str) -> None:
        made = self.post("Hal", "matches", game=game, name="Hal").json()
        joined = self.post("Eve", f"matches/{made['match']}/seats", name="Eve", invite=made["invite"])
        assert joined.status_code == 201, joined.text
        self.last[made["match"]] = {"status": "playing", "game": game}

    def look(self) -> None:
        """Looks at what goes on; Hal offers draws in long matches, and rematches."""
        for key in [key for key, seen in self.last.items() if seen["status"] != "over"]:
            now = self.site.get(f"matches/{key}", headers=self.own["Hal"]).json()
            self.last[key] = now
            if now["status"] == "playing" and now["turn"] >= DRAW_AFTER and "draw" in now["may_propose"]:
                self.offered += self.post("Hal", f"matches/{key}/draw", offer=True).status_code == 200
            elif now["status"] == "over" and self.first_of_two(now["game"]):
                after = self.post("Hal", f"matches/{key}/rematch").json()["match"]
                self.last[after] = {"status": "open", "game": now["game"]}
                self.rematches += 1

    def first_of_two(self, game: str) -> bool:
        """Tell whether a finished match of this game is to be followed by a rematch."""
        return sum(seen["game"] == game for seen in self.last.values()) < EACH

    def until(self, over: int) -> None:
        """Until so many matches are over."""
        ends = time.monotonic() + PATIENCE
        while self.over() < over:
            assert time.monotonic() < ends, [(k, s.get("turn"), s["status"]) for k, s in self.last.items()]
            self.look()
            time.sleep(0.2)

    def over(self) -> int:
        return sum(seen["status"] == "over" for seen in self.last.values())


def play(url: str, token: str) -> subprocess.Popen[bytes]:
    env = {"ROBOSITE_TOKEN": token, "PATH": ""}
    return subprocess.Popen([sys.executable, str(BOT), url], env=env)


def name_program(url: str, name: str) -> str:
    return str(httpx.post(f"{url}/api/v1/programs", json={"name": name}, timeout=60).json()["token"])


def test_programs_play_all_games_to_the_end(tmp_path: Path) -> None:
    began, total = time.monotonic(), EACH * len(GAMES)
    with (
        Server(tmp_path) as server,
        httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as site,
    ):
        tokens = {name: name_program(server.url, name) for name in NAMES}
        table = Table(site, tokens)
        for game in GAMES:
            for _ in range(EACH // 2):
                table.make(game)
        running = {name: play(server.url, token) for name, token in tokens.items()}
        try:
            table.until(total // 4)
            running["Eve"].send_signal(signal.SIGKILL)
            running["Eve"].wait()
            running["Eve"] = play(server.url, tokens["Eve"])
            table.until(total // 2)
            server.stop()
            server.start()
            table.until(total)
            assert all(process.poll() is None for process in running.values())
        finally:
            for process in running.values():
                process.kill()
                process.wait()
        check(table)
    print(figures(table, time.monotonic() - began))
    manage("verify", env=server.env)


def check(table: Table) -> None:
    """Each match has an outcome and a record with a seal for every order; each game was played as often."""
    for key, seen in table.last.items():
        assert seen["outcome"] and set(seen["outcome"]["scores"]) == {"A", "B"}
        kept = table.site.get(f"matches/{key}/record").json()
        assert len(kept["turns"]) == len(kept["seals"]) == seen["turn"], key
        assert kept["names"].keys() == {"A", "B"} and set(kept["names"].values()) == set(NAMES)
    assert Counter(seen["game"] for seen in table.last.values()) == dict.fromkeys(GAMES, EACH)
    assert table.rematches == EACH * len(GAMES) // 2


def figures(table: Table, seconds: float) -> str:
    turns = Counter[str]()
    for seen in table.last.values():
        turns[seen["game"]] += seen["turn"]
    ends = Counter(seen["outcome"]["reason"] for seen in table.last.values())
    return f"{len(table.last)} matches in {seconds:.0f} s; turns {dict(turns)}; ends {dict(ends)}"

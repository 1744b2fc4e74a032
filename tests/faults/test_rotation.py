"""New keys while people play: rotate_keys beside a running server loses no draft and no seal."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.faults.drills.load import Table, is_kept
from tests.faults.programs import FIRST, PATIENCE, Match, Site
from tests.faults.test_backup import being_played
from tests.receivers import until
from tests.servers import Server, manage


def drafts(url: str, match: Match, stop: Event) -> int:
    """Types all the time, and reads what was typed."""
    number = 0
    with Site(url) as site:
        while not stop.is_set():
            number += 1
            text = f"F {number}"
            put = site.ask("PUT", f"matches/{match.key}/draft", {"turn": 0, "order": text}, match.tokens["B"])
            assert put.status_code == 204
            assert site.see(match, "B")["draft"] == text
    return number


@pytest.mark.slow
def test_keys_change_while_people_play(tmp_path: Path) -> None:
    with Server(tmp_path, SEAL_KEYS="first") as server, Site(server.url) as site:
        kept = [site.make() for _ in range(20)]
        for match in kept:
            assert site.seal(match, "A", FIRST).status_code == 200
        running, typing = [Table(site.make()) for _ in range(2)], site.make()
    stop = Event()
    server = Server(tmp_path, prepare=False, SEAL_KEYS="second,first")
    with server, ThreadPoolExecutor(1) as threads:
        typist = threads.submit(drafts, server.url, typing, stop)
        try:
            with being_played(server.url, running):
                for _ in range(2):
                    said = manage("rotate_keys", env=server.env)
        finally:
            stop.set()
        assert typist.result(PATIENCE) > 3
        assert "From now on the first of SEAL_KEYS is enough" in said
        assert "Traceback" not in server.logged()
    with Server(tmp_path, prepare=False, SEAL_KEYS="second") as alone, Site(alone.url) as site:
        for one in running:
            is_kept(site, one)
        for match in kept:
            assert site.see(match, "A")["order"] == FIRST
        assert site.see(typing, "B")["draft"].startswith("F ")
        assert "no faults" in manage("verify", env=alone.env)
    with sqlite3.connect(tmp_path / "robosite.sqlite3") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


RESTS = ("the clock rests", "the bots rest", "no notices are sent")


@pytest.mark.more
def test_a_site_that_starts_without_one_of_its_keys_rests_and_loses_nothing(tmp_path: Path) -> None:
    with Server(tmp_path, SEAL_KEYS="first") as server, Site(server.url) as site:
        match = site.make()
        sealed = site.seal(match, "A", FIRST).json()["seal"]
    both = Server(tmp_path, prepare=False, SEAL_KEYS="second,first")
    with both, Site(both.url) as site:
        assert site.seal(site.make(), "A", FIRST).status_code == 200
    half = Server(tmp_path, prepare=False, SEAL_KEYS="second", CLOCK_SECONDS="0.2")
    with half, Site(half.url) as site:
        refused = site.seal(match, "B", FIRST)
        assert refused.status_code == 503 and "key of this site is missing" in refused.json()["detail"]
        until(lambda: all(said in half.logged() for said in RESTS))
        for _ in range(3):
            answer = httpx.get(f"{half.url}/readyz", timeout=PATIENCE, trust_env=False)
            assert answer.status_code == 503 and "A key is missing from SEAL_KEYS." in answer.text
        time.sleep(2.5)  # in which clock and bots make more rounds
    for once in (*RESTS, "/readyz answers 503"):
        assert half.logged().count(once) == 1, once
    assert "Traceback" not in half.logged()
    with both.beside() as whole, Site(whole.url) as site:
        assert site.seal(match, "B", FIRST).json()["revealed"]
        record = site.record(match)
        assert record["seals"][0]["A"]["seal"] == sealed

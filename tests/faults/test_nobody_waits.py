"""While one client's request is long, or waits for a lock, the same process answers everybody else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from tests.faults.drills.faults import locked
from tests.faults.programs import PATIENCE, Site
from tests.servers import Server

pytestmark = [pytest.mark.more, pytest.mark.timeout(1800)]
Servers = tuple[Server, Server]
SOON = 5.0
"""Seconds: far more than a look takes on a busy machine, far less than the start of a large league did."""
HELD = 2.0
"""Seconds for which a lock is held: longer than a request waited for it on the thread at first."""


def look_until(url: str, done: Future[Any]) -> list[float]:
    """How long each look at a page took, until something else is done."""
    took = []
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
        while not done.done():
            began = time.monotonic()
            assert client.get("/api/v1/leagues").status_code == 200
            took.append(time.monotonic() - began)
    return took


def test_the_start_of_the_largest_league_keeps_nobody_waiting(servers: Servers) -> None:
    with Site(servers[0].url) as site, ThreadPoolExecutor(1) as threads:
        made = site.league(64, places=64, legs=2, ends_days=60)
        started = threads.submit(site.start, made)
        assert max(look_until(servers[0].url, started)) < SOON
        told = started.result().json()
        assert told["status"] == "playing" and told["matches"] == 522
        with Site(servers[1].url) as other:
            end = time.monotonic() + PATIENCE
            while any(one["match"] is None for one in other.fixtures(made, begun=False)):
                assert time.monotonic() < end
                began = time.monotonic()
                assert other.ask("GET", f"leagues/{made.key}").status_code == 200
                assert time.monotonic() - began < SOON
            matches = other.fixtures(made, begun=False)
        assert len({one["match"] for one in matches}) == 522 == len(matches)


@contextmanager
def held(server: Server) -> Iterator[None]:
    """Another process has locked every league, or the whole file."""
    if "DATABASE_URL" in server.env:
        with psycopg.connect(server.env["DATABASE_URL"]) as other:
            other.execute("SELECT * FROM leagues_league FOR UPDATE")
            yield
            other.rollback()
    else:
        with locked(server.data):
            yield


def test_who_waits_for_a_lock_holds_nobody_up_and_gets_it(servers: Servers) -> None:
    with Site(servers[0].url) as site, ThreadPoolExecutor(2) as threads:
        made = site.league(4, places=4)
        with held(servers[0]):
            started = threads.submit(site.start, made)
            looks = threads.submit(look_until, servers[0].url, threads_end := Future[None]())
            time.sleep(HELD)
            threads_end.set_result(None)
            assert not started.done()
            assert len(looks.result()) >= 3 and max(looks.result()) < HELD / 2
        assert started.result().status_code == 200, started.result().text
        assert len(site.fixtures(made, begun=False)) == 6

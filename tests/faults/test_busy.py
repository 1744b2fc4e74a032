"""Somebody else writes and does not stop: the site says that it is busy, and loses nothing."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError, connections

from robosite.engine.sqlite.base import WAITS, WAITS_AGAIN, DatabaseWrapper
from tests.faults.drills.faults import locked
from tests.faults.programs import FIRST, OTHER, Browser, Site, Window
from tests.servers import Server, manage

SOON = 30.0
"""Far longer than the site waits, far shorter than the lock below would be held."""


@pytest.mark.more
def test_a_locked_database_is_a_page_that_says_so_and_nothing_is_lost(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = site.make()
        with Window(server.url, match, "B") as bob:
            assert site.seal(match, "A", FIRST).status_code == 200
            plan = {"turn": "0", "taken_back": "0", "typed": OTHER, "seal": "1"}
            with locked(tmp_path):
                began = time.monotonic()
                page, call = bob.do("plan", **plan), site.seal(match, "B", OTHER)
                assert time.monotonic() - began < SOON
                for answer in (page, call):
                    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0, answer.text
                assert "Nothing is lost" in page.text
                assert call.headers["Content-Type"] == "application/problem+json"
                assert site.see(match)["sealed"] == ["A"]  # who only looks need not wait
                assert bob.get(bob.address).status_code == 200
                assert bob.get(f"{server.url}/readyz").status_code == 200
                # A new visitor gets a session: that is a write outside of any view's own.
                with Browser(server.url) as new:
                    assert new.get("/").status_code == 200
            assert bob.do("plan", **plan).status_code == 200
            assert site.see(match)["turn"] == 1
        assert "no faults" in manage("verify", env=server.env)


@pytest.mark.more
def test_a_lock_that_ends_soon_is_waited_for(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Site(server.url) as site:
        match = site.make()
        with locked(tmp_path) as other, ThreadPoolExecutor(1) as threads:
            answer = threads.submit(site.seal, match, "A", FIRST)
            time.sleep(2.5)  # longer than it waits for its first try
            other.execute("ROLLBACK")
            assert answer.result(SOON).status_code == 200


@pytest.mark.more
@pytest.mark.django_db
def test_who_has_waited_in_vain_holds_others_up_no_longer(tmp_path: Path) -> None:
    """The process has one thread: while one waits, those who only look wait too."""
    own = {
        **connections.settings["default"],
        **settings.DATABASES["default"],
        "NAME": str(tmp_path / "robosite.sqlite3"),
    }
    line = DatabaseWrapper({**own, "OPTIONS": {**own["OPTIONS"], "timeout": 0.01}}, "locked")
    try:
        with line.cursor() as cursor:
            cursor.execute("CREATE TABLE said (word text)")
            cursor.execute("PRAGMA busy_timeout = 10")  # so that this test waits no two seconds

        def waits() -> int:
            with line.cursor() as cursor:
                return int(cursor.execute("PRAGMA busy_timeout").fetchone()[0])

        with locked(tmp_path), pytest.raises(OperationalError, match="locked"):
            line._start_transaction_under_autocommit()
        assert waits() == WAITS_AGAIN < WAITS / 10
        line._start_transaction_under_autocommit()
        assert waits() == WAITS
    finally:
        line.close()


@pytest.mark.more
def test_who_starts_a_second_process_without_redis_is_told(tmp_path: Path) -> None:
    with Server(tmp_path) as first:
        assert "REDIS_URL" not in first.logged()
        with Server(tmp_path, prepare=False) as second:
            assert "Another process of this site runs already, and REDIS_URL is not set" in second.logged()
    with Server(tmp_path, prepare=False) as third:
        assert "REDIS_URL" not in third.logged()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
def test_with_redis_nobody_is_told(empty_postgres: str, redis_url: str, tmp_path: Path) -> None:
    with Server(tmp_path, DATABASE_URL=empty_postgres) as alone:
        assert "only one process may serve this database" in alone.logged()
    env = {"DATABASE_URL": empty_postgres, "REDIS_URL": redis_url}
    with Server(tmp_path, prepare=False, **env) as one, Server(tmp_path, prepare=False, **env) as two:
        assert "REDIS_URL" not in one.logged() + two.logged()

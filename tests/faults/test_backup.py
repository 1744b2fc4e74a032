"""The drill: a backup while seals come in, restored elsewhere, holds whole matches and nothing else."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from games.record import replay
from tests.faults.drills.load import Table
from tests.faults.programs import PATIENCE, Site
from tests.receivers import until
from tests.servers import DATABASE, Server, manage, new_database


def play(url: str, played: Table, stop: Event, chance: random.Random) -> None:
    """Rounds that hurt nobody, one after the other."""
    with Site(url) as site:
        turn = site.see(played.match)["turn"]
        while not stop.is_set():
            for seat in chance.sample("AB", 2):
                played.seal(site, seat, turn, chance)
            turn += 1


@contextmanager
def being_played(url: str, tables: list[Table]) -> Iterator[None]:
    """Somebody plays at each of these tables meanwhile."""
    stop = Event()
    with ThreadPoolExecutor(len(tables)) as threads:
        players = [threads.submit(play, url, one, stop, random.Random(n)) for n, one in enumerate(tables)]
        try:
            seen = [len(one.told) for one in tables]
            until(lambda: all(len(one.told) >= n + 6 for one, n in zip(tables, seen, strict=True)))
            yield
        finally:
            stop.set()
        for player in players:
            player.result(PATIENCE)


@pytest.mark.more
@pytest.mark.parametrize("kind", ["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.postgres)])
def test_a_backup_under_load_is_whole_and_is_played_on_elsewhere(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    file, chance = tmp_path / "backup", random.Random(8)
    of_here: dict[str, Any] = {}
    of_there: dict[str, Any] = {}
    with ExitStack() as stack:
        if kind == "PostgreSQL":
            url = urlsplit(request.getfixturevalue("postgres_url"))
            password = url._replace(netloc=url.netloc.replace("@", ":not-needed%23here@")).geturl()
            of_here["DATABASE_URL"] = stack.enter_context(new_database(password))
            of_there["DATABASE_URL"] = stack.enter_context(new_database(password))
        server = stack.enter_context(Server(here, **of_here))
        site = stack.enter_context(Site(server.url))
        ended, running = Table(site.make()), [Table(site.make()) for _ in range(3)]
        for turn in range(2):
            for seat in "AB":
                ended.seal(site, seat, turn, chance)
        resign = f"matches/{ended.match.key}/resign"
        assert site.ask("POST", resign, {}, ended.match.tokens["A"]).status_code == 200
        with being_played(server.url, running):
            before = [dict(one.told) for one in running]
            assert "keep them apart" in manage("backup", str(file), "--with-keys", env=server.env)
            after = [dict(one.sent) for one in running]
        lived_on = [site.record(one.match) for one in running]
        outcome = site.see(ended.match)["outcome"]
        assert "Traceback" not in server.logged()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        if kind == "PostgreSQL":
            assert "already has tables" in refused("restore", str(file), "--overwrite", env=server.env)

        elsewhere = Server(there, prepare=False, **of_there)
        manage("restore", str(file), "--with-keys", env=elsewhere.env)
        said = manage("verify", env=elsewhere.env)
        assert "1 matches that are over and 3 others" in said and "no faults" in said and "no key" not in said
        site = stack.enter_context(Site(stack.enter_context(elsewhere).url))
        shown = replay(record := site.record(ended.match))
        assert shown.fault is None and shown.outcome.as_json() == record["result"] == outcome
        for one, told, sent, whole in zip(running, before, after, lived_on, strict=True):
            record = site.record(one.match)
            turns = len(record["turns"])
            assert replay(record).fault is None
            assert record["turns"] == whole["turns"][:turns] and record["seals"] == whole["seals"][:turns]
            sealed = site.see(one.match)["seals"]
            for (turn, seat), seal in told.items():  # what was acknowledged before it began is in it
                assert sealed[turn][seat] == seal
            assert turns * 2 <= len(sent)
            for seat in site.see(one.match)["to_act"]:  # and it goes on from there
                one.sent.pop((turns, seat), None)
                one.told.pop((turns, seat), None)
                one.seal(site, seat, turns, chance)
            assert site.see(one.match)["turn"] == turns + 1


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    there = Server(tmp_path / "site")
    (tmp_path / "site").mkdir()
    there.fill()
    return there.env


def refused(*args: str, env: dict[str, str]) -> str:
    with pytest.raises(AssertionError) as fault:
        manage(*args, env=env)
    return str(fault.value)


@pytest.mark.more
def test_a_backup_has_no_keys_unless_asked_and_is_for_its_owner_alone(
    tmp_path: Path, site: dict[str, str]
) -> None:
    file = tmp_path / "backup"
    assert "The keys are not in it" in manage("backup", str(file), env=site)
    assert not (tmp_path / "backup.keys").exists()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for name in ("seal_keys", "secret_key"):
        key = (tmp_path / "site" / name).read_bytes().strip()
        assert key not in file.read_bytes()
    assert "--overwrite" in refused("backup", str(file), env=site)
    manage("backup", str(file), "--overwrite", "--with-keys", env=site)
    kept = (tmp_path / "backup.keys").read_text()
    assert (tmp_path / "site" / "seal_keys").read_text().strip() in kept
    assert stat.S_IMODE((tmp_path / "backup.keys").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "backup.keys", "site"]


@pytest.mark.slow
def test_nothing_is_overwritten_unasked_or_by_what_is_no_whole_backup(
    tmp_path: Path, site: dict[str, str]
) -> None:
    file = tmp_path / "backup"
    own = tmp_path / "site" / "robosite.sqlite3"
    assert "There is no file" in refused("restore", str(file), "--overwrite", env=site)
    file.write_text("a letter to Alice")
    assert "not a readable SQLite database" in refused("restore", str(file), "--overwrite", env=site)
    sqlite3.connect(file.with_name("other")).executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    assert "not a Robosite database" in refused("restore", str(tmp_path / "other"), "--overwrite", env=site)
    file.unlink()
    manage("backup", str(file), env=site)
    assert "add --overwrite" in refused("restore", str(file), env=site)
    said = manage("restore", str(file), "--overwrite", env=site)
    (kept,) = own.parent.glob(f"{DATABASE}.before-*")
    assert str(kept) in said
    before = own.read_bytes()
    damaged = bytearray(file.read_bytes())
    middle = len(damaged) // 8192 * 4096
    damaged[middle : middle + 16_384] = b"\xff" * 16_384
    (tmp_path / "damaged").write_bytes(damaged)
    said = refused("restore", str(tmp_path / "damaged"), "--overwrite", env=site)
    assert "damaged" in said or "cannot be read" in said or "not a readable" in said
    with sqlite3.connect(file) as newer:
        newer.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('matches', '9999_x', '')")
    assert "newer Robosite (matches 9999_x)" in refused("restore", str(file), "--overwrite", env=site)
    assert own.read_bytes() == before


@pytest.mark.more
def test_a_database_in_use_is_not_replaced(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        with Site(server.url) as site:
            site.make()
        manage("backup", str(tmp_path / "backup"), env=server.env)
        said = refused("restore", str(tmp_path / "backup"), "--overwrite", env=server.env)
        assert "is in use. Stop every process" in said
        with Site(server.url) as site:
            site.make()


@pytest.mark.more
@pytest.mark.postgres
def test_of_postgresql_what_is_no_backup_is_refused_and_tools_never_see_the_password_as_an_argument(
    tmp_path: Path, site: dict[str, str], empty_postgres: str
) -> None:
    address = empty_postgres.replace("@", ":se%23cret@", 1)
    env = {**site, "DATABASE_URL": address}
    file, tools = tmp_path / "file", tmp_path / "tools"
    assert "There is no file" in refused("restore", str(file), env=env)
    file.write_text("a letter to Alice")
    assert "not a backup of a PostgreSQL database" in refused("restore", str(file), env=env)
    file.unlink()
    manage("backup", str(file), env=site)
    assert "manage.py move_from_sqlite" in refused("restore", str(file), env=env)
    assert "is not installed" in refused("backup", str(tmp_path / "new"), env={**env, "PATH": str(tools)})
    tools.mkdir()
    old = tools / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n")
    old.chmod(0o755)
    said = refused("backup", str(tmp_path / "new"), env={**env, "PATH": str(tools)})
    assert "pg_dump is of version 9" in said
    old.write_text(f'#!/bin/sh\nenv > {tools}/env; echo "$@" >> {tools}/words; exec /usr/bin/pg_dump "$@"\n')
    manage("migrate", env=env)
    manage("backup", str(tmp_path / "new"), env={**env, "PATH": f"{tools}:{os.environ['PATH']}"})
    assert "PGPASSWORD=se#cret\n" in (tools / "env").read_text()
    assert "cret" not in (tools / "words").read_text()
    with psycopg.connect(empty_postgres, autocommit=True) as newer:
        newer.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('matches', '9999_x', now())"
        )
    manage("backup", str(file), "--overwrite", env=env)
    with new_database(empty_postgres) as other:
        said = refused("restore", str(file), env={**env, "DATABASE_URL": other})
    assert "newer Robosite (matches 9999_x)" in said


@pytest.mark.more
def test_one_daily_job_that_fails_does_not_stop_the_others(tmp_path: Path, site: dict[str, str]) -> None:
    folder = tmp_path / "site" / "backups"
    folder.mkdir()
    for day in ("2020-01-01", "2020-01-01T063000", "2999-01-01"):
        (folder / f"robosite-{day}.backup").touch()
    (folder / "mine.backup").touch()
    said = manage("daily", env=site)
    assert all(f"{job}:" in said for job in ("backup", "prune", "verify", "audit"))
    (new,) = {path.name for path in folder.iterdir()} - {"mine.backup", "robosite-2999-01-01.backup"}
    manage("restore", str(folder / new), env={**site, "DATA_DIR": str(tmp_path / "elsewhere")})
    first = (folder / new).read_bytes()
    manage("daily", env=site)
    assert (folder / new).read_bytes() == first
    assert len([*folder.glob(new.replace(".backup", "T??????.backup"))]) == 1
    shutil.rmtree(folder)
    folder.write_text("in the way")
    said_last = f"{datetime.now(UTC):%F %T}"
    said = refused("daily", env=site)
    assert "Failed: backup.\n" in said and "entries, each as it was written" in said
    with closing(sqlite3.connect(tmp_path / "site" / DATABASE)) as database:
        at = dict(database.execute("SELECT job, at FROM ops_jobrun"))
    assert at["backup"] < at["prune"] and at.keys() == {"backup", "prune", "verify", "audit"}
    assert at["backup"] < said_last <= at["verify"], "the job that failed keeps the time of its last success"

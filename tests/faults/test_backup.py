"""The drill: a backup while seals come in, restored elsewhere, holds whole matches and nothing else."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import psycopg
import pytest

from games.record import replay
from tests.faults.drills.load import Table
from tests.faults.programs import PATIENCE, Match, Site
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


def end(site: Site, match: Match) -> None:
    answer = site.ask("POST", f"matches/{match.key}/resign", {}, match.tokens["A"])
    assert answer.status_code == 200, answer.text


@pytest.mark.more
def test_a_backup_under_load_is_whole_and_replays_elsewhere(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    file = tmp_path / "backup.sqlite3"
    chance, stop = random.Random(8), Event()
    with Server(here) as server, Site(server.url) as site, ThreadPoolExecutor(4) as threads:
        ended, running = [Table(site.make()) for _ in range(3)], [Table(site.make()) for _ in range(4)]
        for one in ended:
            for turn in range(2):
                for seat in "AB":
                    one.seal(site, seat, turn, chance)
            end(site, one.match)
        outcomes = {one.match.key: site.see(one.match)["outcome"] for one in ended}
        players = [
            threads.submit(play, server.url, one, stop, random.Random(n)) for n, one in enumerate(running)
        ]
        try:
            while sum(len(one.told) for one in running) < 40:
                assert not any(player.done() for player in players)
                Event().wait(0.05)
            before = {one.match.key: dict(one.told) for one in running}
            said = manage("backup", str(file), "--with-keys", env=server.env)
            after = {one.match.key: dict(one.sent) for one in running}
            Event().wait(0.3)
        finally:
            stop.set()
        for player in players:
            player.result(PATIENCE)
        assert "keep them apart" in said
        lived_on = {one.match.key: site.record(one.match) for one in running}
        assert "Traceback" not in server.logged()
    assert any(len(before[key]) < len(one.told) for key, one in zip(before, running, strict=True))

    elsewhere = Server(there, prepare=False)
    manage("restore", str(file), "--with-keys", env=elsewhere.env)
    said = manage("verify", env=elsewhere.env)
    assert "3 matches that are over and 4 others" in said and "no faults" in said and "no key" not in said
    with elsewhere, Site(elsewhere.url) as site:
        for one in ended:
            record = site.record(one.match)
            shown = replay(record)
            assert shown.fault is None
            assert shown.outcome.as_json() == record["result"] == outcomes[one.match.key]
        for one in running:
            record, whole = site.record(one.match), lived_on[one.match.key]
            turns = len(record["turns"])
            assert replay(record).fault is None
            assert record["turns"] == whole["turns"][:turns] and record["seals"] == whole["seals"][:turns]
            for turn, seat in before[one.match.key]:  # what was acknowledged before it began is in it
                sealed = site.see(one.match)["seals"][turn]
                assert sealed[seat] == before[one.match.key][turn, seat]
            assert turns * 2 <= len(after[one.match.key])
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
def test_nothing_that_is_there_is_overwritten_without_being_asked(
    tmp_path: Path, site: dict[str, str]
) -> None:
    file = tmp_path / "backup"
    manage("backup", str(file), env=site)
    assert "add --overwrite" in refused("restore", str(file), env=site)
    said = manage("restore", str(file), "--overwrite", env=site)
    (before,) = (tmp_path / "site").glob("robosite.sqlite3.before-*")
    assert str(before) in said


@pytest.mark.slow
def test_what_is_no_whole_backup_is_not_restored(tmp_path: Path, site: dict[str, str]) -> None:
    file = tmp_path / "backup"
    own = tmp_path / "site" / "robosite.sqlite3"
    assert "There is no file" in refused("restore", str(file), "--overwrite", env=site)
    file.write_text("a letter to Alice")
    assert "not a readable SQLite database" in refused("restore", str(file), "--overwrite", env=site)
    sqlite3.connect(file.with_name("other")).executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    assert "not a Robosite database" in refused("restore", str(tmp_path / "other"), "--overwrite", env=site)
    file.unlink()
    manage("backup", str(file), env=site)
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


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str) -> Iterator[Server]:
    (tmp_path / "site").mkdir()
    password = urlsplit(postgres_url)._replace(
        netloc=urlsplit(postgres_url).netloc.replace("@", ":not-needed%23here@")
    )
    with (
        new_database(password.geturl()) as address,
        Server(tmp_path / "site", DATABASE_URL=address) as server,
    ):
        yield server


@pytest.mark.more
@pytest.mark.postgres
def test_a_backup_of_postgresql_under_load_is_whole_elsewhere(
    tmp_path: Path, on_postgres: Server, empty_postgres: str
) -> None:
    file, chance, stop = tmp_path / "backup", random.Random(9), Event()
    with Site(on_postgres.url) as site, ThreadPoolExecutor(2) as threads:
        running = [Table(site.make()) for _ in range(2)]
        players = [
            threads.submit(play, on_postgres.url, one, stop, random.Random(n))
            for n, one in enumerate(running)
        ]
        try:
            until(lambda: sum(len(one.told) for one in running) >= 12 or any(p.done() for p in players))
            before = [dict(one.told) for one in running]
            manage("backup", str(file), env=on_postgres.env)
        finally:
            stop.set()
        for player in players:
            player.result(PATIENCE)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "already has tables" in refused("restore", str(file), "--overwrite", env=on_postgres.env)
    there = on_postgres.beside(DATABASE_URL=empty_postgres)
    manage("restore", str(file), env=there.env)
    assert "2 others" in (said := manage("verify", env=there.env)) and "no faults" in said
    with there, Site(there.url) as site:
        for one, told in zip(running, before, strict=True):
            record = site.record(one.match)
            turns = len(record["turns"])
            assert replay(record).fault is None
            assert turns * 2 >= len(told) - 2
            assert all(
                record["seals"][turn][seat]["seal"] == seal
                for (turn, seat), seal in told.items()
                if turn < turns
            )
            for seat in site.see(one.match)["to_act"]:
                one.sent.pop((turns, seat), None)
                one.told.pop((turns, seat), None)
                one.seal(site, seat, turns, chance)


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

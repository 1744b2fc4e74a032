"""The drill: a backup while seals come in, restored elsewhere, holds whole matches and nothing else."""

from __future__ import annotations

import random
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from games.record import replay
from tests.faults.programs import PATIENCE, Match, Site
from tests.faults.test_kill import Played
from tests.servers import Server, manage


def play(url: str, played: Played, stop: Event, chance: random.Random) -> None:
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
        ended, running = [Played(site.make()) for _ in range(3)], [Played(site.make()) for _ in range(4)]
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
    """The environment of a site with an empty database."""
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


@pytest.mark.slow
@pytest.mark.postgres
def test_for_postgresql_it_says_what_to_use(empty_postgres: str, site: dict[str, str]) -> None:
    env: dict[str, Any] = {**site, "DATABASE_URL": empty_postgres}
    for command in ("backup", "restore"):
        said = refused(command, "file", env=env)
        assert "pg_dump --format=custom" in said and "pg_restore" in said
        assert empty_postgres not in said

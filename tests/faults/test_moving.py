"""The drill: a site moves from SQLite to PostgreSQL, and nobody notices but by what is faster."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from random import Random

import psycopg
import pytest

from tests.faults.drills.load import Table
from tests.faults.programs import Site, Window
from tests.faults.test_backup import refused
from tests.receivers import until
from tests.servers import DATABASE, ROOT, Server, manage

pytestmark = pytest.mark.more

FULL = "INSERT INTO django_session (session_key, session_data, expire_date) VALUES ('k', 'x', '2999-01-01')"
SAID = "¡Hola! ☃ \\u0000 'quoted'"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Table]]:
    """The folder of a site that has stopped: a match that is over and others, a talk, staff, a trail."""
    folder, chance = tmp_path_factory.mktemp("once"), Random(5)
    with Server(folder) as server, Site(server.url) as site:
        found = [Table(site.make()) for _ in range(3)]
        for one in found:
            for turn in range(2):
                for seat in "AB":
                    one.seal(site, seat, turn, chance)
        found[0].seal(site, "A", 2, chance)
        site.ask("POST", f"matches/{found[1].match.key}/resign", {}, found[1].match.tokens["A"])
        with Window(server.url, found[0].match, "A") as window:
            assert window.do("talk", text=SAID, once="1").status_code == 200
    manage("staff", "mia", "--group", "host", env=server.env)
    return folder, found


@pytest.fixture
def played(tmp_path: Path, once: tuple[Path, list[Table]]) -> tuple[Server, list[Table]]:
    """The same for one test, which may change it."""
    folder, found = once
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True, symlinks=True)
    return Server(tmp_path, prepare=False), deepcopy(found)


@pytest.mark.postgres
def test_all_rows_move_and_play_goes_on(
    tmp_path: Path, played: tuple[Server, list[Table]], empty_postgres: str
) -> None:
    server, found = played
    there = server.beside(DATABASE_URL=empty_postgres)
    before = _rows(tmp_path / DATABASE)
    said = manage("move_from_sqlite", env=there.env)
    assert "each as it was" in said and "no faults" in said and "entries, each as it was written" in said
    (kept,) = tmp_path.glob(f"{DATABASE}.moved-*")
    assert _rows(kept) == before and not (tmp_path / DATABASE).exists()
    with psycopg.connect(empty_postgres) as line:
        for table, keys in before.items():
            column = _key(kept, table)
            assert {row[0] for row in line.execute(f'SELECT "{column}" FROM "{table}"')} == keys, table
        assert line.execute("SELECT text FROM talk_message").fetchall() == [(SAID,)]
        with pytest.raises(psycopg.errors.IntegrityError):  # the trail's guards stand there too
            line.execute("DELETE FROM trail_entry")
    with there, Site(there.url) as site:
        for one in found:
            if site.see(one.match)["status"] == "over":
                continue
            for (turn, seat), seal in one.told.items():
                assert turn == 2 or site.see(one.match)["seals"][turn][seat] == seal
            assert site.see(one.match)["turn"] == 2
            for seat in "AB":
                one.seal(site, seat, 2, Random(6))
        site.make()  # new rows get keys of their own
        with Window(there.url, found[0].match, "B") as window:
            assert window.do("talk", text="still here", once="2").status_code == 200
    manage("staff", "max", "--group", "moderator", env=there.env)
    assert "no faults" in manage("verify", env=there.env)
    assert "has rows already" in refused("move_from_sqlite", str(kept), env=there.env)


def _rows(file: Path) -> dict[str, set[object]]:
    with closing(sqlite3.connect(file)) as line:
        tables = line.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: {row[0] for row in line.execute(f'SELECT "{_key(file, name)}" FROM "{name}"')}
            for (name,) in tables
            if not name.startswith("sqlite_") and name != "django_migrations"
        }


def _key(file: Path, table: str) -> str:
    with closing(sqlite3.connect(file)) as line:
        return str(next(row[1] for row in line.execute(f'PRAGMA table_info("{table}")') if row[5]))


@pytest.mark.postgres
def test_a_process_that_opened_the_file_while_it_was_moved_cannot_write_to_it_afterwards(
    tmp_path: Path, played: tuple[Server, list[Table]], empty_postgres: str
) -> None:
    env = {**played[0].env, "DATABASE_URL": empty_postgres}
    manage("migrate", "--verbosity", "0", env=env)
    with psycopg.connect(empty_postgres) as holder:
        holder.execute("LOCK TABLE django_session IN SHARE MODE")  # the copy waits here, half done
        moving = subprocess.Popen([sys.executable, "manage.py", "move_from_sqlite"], cwd=ROOT, env=env)
        until(lambda: moving.poll() is not None or _is_held(tmp_path / DATABASE))
        late = sqlite3.connect(tmp_path / DATABASE, timeout=0, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError):
            late.execute(FULL)
        holder.rollback()
    assert moving.wait(120) == 0
    for words in (FULL, "PRAGMA journal_mode = WAL", FULL):
        with suppress(sqlite3.OperationalError):
            late.execute(words)
    late.close()
    (kept,) = tmp_path.glob(f"{DATABASE}.moved-*")
    assert not any(key == "k" for key in _rows(kept)["django_session"])


def _is_held(file: Path) -> bool:
    """Tell whether the move keeps others out of the file; opening it here could disturb the move."""
    status = file.stat()
    lock = f":{status.st_ino} "
    return any("WRITE" in line and lock in line for line in Path("/proc/locks").read_text().splitlines())


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            "UPDATE talk_message SET text = 'a' || char(0);"
            'UPDATE matches_match SET given_options = \'{"a": "\\u0000"}\' WHERE id = 1;'
            f"UPDATE django_session SET session_key = '{'k' * 60}' WHERE rowid = 1",
            (
                "talk_message.text where id = 1 holds the character NUL",
                "matches_match.given_options where id = 1 holds the character NUL",
                "is longer than 40 characters",
            ),
        ),
        ("UPDATE matches_match SET turn = 99999999999", ("PostgreSQL does not take a row",)),
        (
            "DELETE FROM django_migrations WHERE name = '0022_time_reserve_and_open_tables'",
            ("is from an older Robosite (matches 0022_time_reserve_and_open_tables is missing)",),
        ),
    ],
    ids=["text", "number", "version"],
)
def test_a_row_that_does_not_fit_is_named_and_nothing_is_changed(
    tmp_path: Path, played: tuple[Server, list[Table]], empty_postgres: str, spoil: str, says: tuple[str, ...]
) -> None:
    with closing(sqlite3.connect(tmp_path / DATABASE)) as line:
        line.executescript(spoil)
    before = _rows(tmp_path / DATABASE)
    said = refused("move_from_sqlite", env={**played[0].env, "DATABASE_URL": empty_postgres})
    assert all(sentence in said for sentence in says), said
    assert _rows(tmp_path / DATABASE) == before
    with psycopg.connect(empty_postgres) as line:
        there = line.execute("SELECT to_regclass('matches_match')").fetchone()
        assert there == (None,) or line.execute("SELECT count(*) FROM matches_match").fetchone() == (0,)


def test_on_sqlite_it_says_where_to_begin(tmp_path: Path) -> None:
    env = Server(tmp_path, prepare=False).env
    assert "DATABASE_URL is to be that of the PostgreSQL" in refused("move_from_sqlite", env=env)

"""Backs up the database while the site runs, and restores it.

A backup is an SQLite database, or pg_dump's output (`postgres_dump.py`). The site's keys are not in it, so
that it alone reveals no sealed order; on demand they are written to a second file (FILE.keys).
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader

from robosite.ops import Unfit, postgres_dump

NEEDED = {"django_migrations", "matches_match", "matches_seat", "matches_program"}
KEYS = ("SECRET_KEY", "SEAL_KEYS")


def keys_beside(file: Path) -> Path:
    return file.with_name(file.name + ".keys")


def backup(file: Path, *, with_keys: bool = False, overwrite: bool = False) -> int:
    """Writes a consistent copy of the database, complete or not at all; returns its size. Raises Unfit."""
    targets = [file, keys_beside(file)] if with_keys else [file]
    for target in targets:
        if target.exists() and not overwrite:
            raise Unfit(f"{target} already exists. Choose another name, or add --overwrite.")
    if is_postgres():
        with whole(file) as part:
            postgres_dump.dump(part)
    else:
        own = own_file()
        if file.resolve() == own:
            raise Unfit("This is the database itself. Choose another name for its backup.")
        with whole(file) as part:
            _copy(own, part)
    if with_keys:
        with whole(keys_beside(file)) as part:
            part.write_text(f"SECRET_KEY={settings.SECRET_KEY}\nSEAL_KEYS={','.join(settings.SEAL_KEYS)}\n")
    return file.stat().st_size


def restore(file: Path, *, with_keys: bool = False, overwrite: bool = False) -> list[Path]:
    """Puts a backup in place and migrates it; returns the paths of files moved aside. Raises Unfit."""
    if is_postgres():
        check_dump(file)
        _check_empty()
    else:
        check(file)
    keys = _read_keys(keys_beside(file)) if with_keys else {}
    moved = []
    if is_postgres():
        connections.close_all()
        postgres_dump.restore(file)
    else:
        moved = _replace(own_file(), file, overwrite=overwrite)
    for name, value in keys.items():
        moved += _put_key(settings.DATA_DIR / name.lower(), value.split(","))
    call_command("migrate", verbosity=0)
    return moved


def _replace(own: Path, file: Path, *, overwrite: bool) -> list[Path]:
    there = own.exists() and own.stat().st_size > 0
    if there and not overwrite:
        raise Unfit(f"{own} already exists. To put the backup in its place, add --overwrite.")
    connections.close_all()
    if there:
        settle(own)
    moved = []
    with whole(own) as part:
        _copy(file, part)
        if there:
            moved.append(aside(own))
        for rest in ("-wal", "-shm"):
            own.with_name(own.name + rest).unlink(missing_ok=True)
    return moved


def _put_key(path: Path, keys: list[str]) -> list[Path]:
    moved = []
    if path.exists():
        if path.read_text().split() == keys:
            return []
        moved.append(aside(path))
    with whole(path) as part:
        part.write_text("\n".join(keys) + "\n")
    return moved


def check(file: Path) -> None:
    """Raises Unfit unless the file is an intact SQLite database of this or an older version of Robosite."""
    if not file.is_file():
        raise Unfit(f"There is no file {file}.")
    try:
        with _opened(file) as database:
            faults = [row[0] for row in database.execute("PRAGMA integrity_check(3)")]
            loose = database.execute("PRAGMA foreign_key_check").fetchone()
            tables = {
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            done = (
                set(database.execute("SELECT app, name FROM django_migrations"))
                if "django_migrations" in tables
                else set()
            )
    except sqlite3.DatabaseError as fault:
        raise Unfit(f"{file} is not a readable SQLite database: {fault}.") from None
    if faults != ["ok"]:
        raise Unfit(f"{file} is damaged: {'; '.join(faults)}.")
    if loose:
        raise Unfit(f"{file} is damaged: a row of {loose[0]} belongs to nothing in {loose[2]}.")
    if not tables >= NEEDED:
        raise Unfit(f"{file} is not a Robosite database.")
    _check_migrations(file, done)


def _check_migrations(file: Path, done: set[tuple[str, str]]) -> None:
    """Raises Unfit if the backup has a migration of an app of ours that this version does not have."""
    own = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    known = {*own, *(before for one in own.values() for before in one.replaces)}
    own_apps = {app for app, _ in own}
    newer = sorted(f"{app} {name}" for app, name in done - known if app in own_apps)
    if newer:
        raise Unfit(f"{file} is from a newer Robosite ({', '.join(newer)}). Update this one first.")


def check_dump(file: Path) -> None:
    """Raises Unfit unless the file is a PostgreSQL dump of this or an older version of Robosite."""
    if file.is_file() and _is_sqlite(file):
        raise Unfit(
            f"{file} is an SQLite database, and this site's is PostgreSQL. To copy it there: "
            f"manage.py move_from_sqlite {file}"
        )
    if not postgres_dump.contents(file) >= NEEDED:
        raise Unfit(f"{file} is not a Robosite database.")
    _check_migrations(file, postgres_dump.migrations_in(file))


def _check_empty() -> None:
    name = connection.settings_dict["NAME"]
    if connection.introspection.table_names():
        raise Unfit(
            f"The database {name} already has tables. Make an empty one (createdb), name that in "
            f"DATABASE_URL, and restore into it. Nothing of {name} was changed."
        )


def _is_sqlite(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(16) == b"SQLite format 3\0"


def is_postgres() -> bool:
    return connection.vendor == "postgresql"


def own_file() -> Path:
    """The path of the site's SQLite database; raises Unfit if the database is not SQLite or is in memory."""
    if connection.vendor != "sqlite":
        raise Unfit("This site's database is neither SQLite nor PostgreSQL: use its own tools.")
    name = str(settings.DATABASES["default"]["NAME"])
    if ":memory:" in name or "mode=memory" in name:
        raise Unfit("This site's database is in memory only.")
    return Path(name).resolve()


def own_file_of_sqlite() -> Path:
    """The path of the SQLite database that the site uses if DATABASE_URL is empty."""
    file: Path = settings.DATA_DIR / "robosite.sqlite3"
    return file


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Opens an SQLite database read-only, with what is in its write-ahead log."""
    database = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=30)
    try:
        yield database
    finally:
        database.close()


def _copy(source: Path, target: Path) -> None:
    with _opened(source) as database:
        copy = sqlite3.connect(target)
        try:
            database.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            (fault,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            copy.close()
    if fault != "ok":
        raise Unfit(f"The copy of {source} is damaged: {fault}.")


def settle(file: Path) -> None:
    """Moves an SQLite database's write-ahead log into its file; raises Unfit if it is in use."""
    database = sqlite3.connect(file, timeout=2)
    try:
        (mode,) = database.execute("PRAGMA journal_mode=DELETE").fetchone()
    except sqlite3.OperationalError:
        mode = "locked"
    except sqlite3.DatabaseError:
        return  # not a database, so no process uses it
    finally:
        database.close()
    if mode != "delete":
        raise Unfit(f"{file} is in use. Stop every process of the site first.")


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yields the path of a temporary file (owner-only), which replaces `file` unless the block raises."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield part
        sync(part)
        part.replace(file)
        sync(file.parent)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def aside(path: Path) -> Path:
    """Renames a file to make room for another one at its path, and returns the new path."""
    to = name_aside(path, "before")
    path.rename(to)
    return to


def name_aside(path: Path, word: str) -> Path:
    """The path of a file with a word and the present time (UTC) added to its name."""
    return path.with_name(f"{path.name}.{word}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")


def _read_keys(file: Path) -> dict[str, str]:
    """The keys by name; raises Unfit if they are incomplete, or overridden by the environment."""
    if not file.is_file():
        raise Unfit(f"There is no file {file} with the keys. Restore without --with-keys.")
    keys = dict(line.split("=", 1) for line in file.read_text().split() if "=" in line)
    if keys.keys() != set(KEYS):
        raise Unfit(f"{file} does not hold {' and '.join(KEYS)}.")
    for name in KEYS:
        if os.environ.get(name):
            raise Unfit(f"{name} is set in the environment. Set it to the one in {file}, and add no flag.")
    return keys

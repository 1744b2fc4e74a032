"""Things kept from one run of the tests to the next: databases without matches, and the static files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent
DATABASE = "robosite.sqlite3"
FOLDER = ROOT / ".pytest_cache" / "robosite"
NEWEST = 4
"""The number of a kind that is kept: other branches, and runs that have not ended, may need older ones."""


def database() -> Path:
    """An SQLite database with all tables and no matches."""
    return _made("database", _code(), "migrate") / DATABASE


def postgres(address: str) -> str:
    """The name of a database with all tables and no matches on that PostgreSQL: to copy takes no time."""
    import psycopg

    name = f"robosite_kept_{_key(_code())}"
    with _locked(), psycopg.connect(address, autocommit=True) as server:
        kept = server.execute(
            "SELECT datname FROM pg_database WHERE starts_with(datname, 'robosite_kept_') ORDER BY oid DESC"
        ).fetchall()
        if (name,) in kept:
            return name
        new = f"robosite_new_{os.getpid()}"
        server.execute(f'DROP DATABASE IF EXISTS "{new}"')  # of a run that was killed
        server.execute(f'CREATE DATABASE "{new}"')
        with tempfile.TemporaryDirectory() as data:
            _manage(
                "migrate", DATA_DIR=data, DATABASE_URL=urlsplit(address)._replace(path=f"/{new}").geturl()
            )
        server.execute(f'ALTER DATABASE "{new}" RENAME TO "{name}"')
        for (old,) in kept[NEWEST - 1 :]:
            with suppress(psycopg.Error):  # it is being copied
                server.execute(f'DROP DATABASE "{old}"')
    return name


def fill_postgres(address: str) -> bool:
    """Makes an empty database of PostgreSQL a copy of the one that is kept; False if it has tables."""
    import psycopg

    at = urlsplit(address)
    with psycopg.connect(address) as there:
        row = there.execute("SELECT to_regclass('django_migrations') IS NULL").fetchone()
    if row != (True,):
        return False
    server = at._replace(path="/postgres").geturl()
    kept = postgres(server)
    with psycopg.connect(server, autocommit=True) as there:
        there.execute(f'DROP DATABASE "{at.path[1:]}"')
        there.execute(f'CREATE DATABASE "{at.path[1:]}" TEMPLATE "{kept}"')
    return True


def static_files() -> Path:
    """A folder with the static files, compressed, under hashed names."""
    files = [path for path in (ROOT / "static").rglob("*") if path.is_file()]
    makers = [ROOT / "robosite" / "settings.py", *(ROOT / "robosite" / "web").glob("*.py")]
    return _made("static", [*files, *makers], "collectstatic", "--no-input") / "static"


def _made(kind: str, files: Iterable[Path], *command: str) -> Path:
    """The data folder in which that management command was run, now or in an earlier run."""
    made = FOLDER / f"{kind}-{_key(files)}"
    with _locked():
        if made.exists():
            os.utime(made)
            return made
        data = tempfile.mkdtemp(dir=FOLDER)
        _manage(*command, DATA_DIR=data)
        Path(data).rename(made)
        for old in sorted(FOLDER.glob(f"{kind}-*"), key=lambda one: one.stat().st_mtime)[:-NEWEST]:
            shutil.rmtree(old, ignore_errors=True)
    return made


@contextmanager
def _locked() -> Iterator[None]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _manage(*command: str, **given: str) -> None:
    env = {name: text for name, text in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    env |= {"DJANGO_SETTINGS_MODULE": "robosite.settings", **given}
    manage = [sys.executable, "manage.py", *command, "--verbosity", "0"]
    subprocess.run(manage, cwd=ROOT, env=env, check=True)


def _code() -> list[Path]:
    return [*(ROOT / "robosite").rglob("*.py"), *(ROOT / "games").rglob("*.py")]


def _key(files: Iterable[Path]) -> str:
    known = hashlib.sha256(f"{sys.version} {sys.prefix}".encode())
    for path in sorted([*files, ROOT / "requirements/site.txt", ROOT / "requirements/dev.txt"]):
        known.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return known.hexdigest()[:20]

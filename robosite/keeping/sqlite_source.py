"""The former SQLite database of a site that moves to PostgreSQL, held so that nobody can write to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.utils import OperationalError

from robosite.keeping.backup import name_aside, settle, whole
from robosite.keeping.unfit import Unfit

ALIAS = "moved_from"


@contextmanager
def held(file: Path) -> Iterator[None]:
    """The database under ALIAS, in a transaction that keeps every other process out of it.

    Unfit if a process has it open, or if its tables are not of this version.
    """
    settle(file)
    connections.settings[ALIAS] = connections.configure_settings(
        {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(file),
                "OPTIONS": {
                    "transaction_mode": "EXCLUSIVE",
                    "timeout": 2,
                    "init_command": "PRAGMA foreign_keys = OFF",  # so that tables can be dropped in any order
                },
            }
        }
    )["default"]
    try:
        with transaction.atomic(using=ALIAS):
            _check_version(file)
            yield
    except OperationalError as fault:
        if "locked" in str(fault):
            raise Unfit(f"{file} is in use. Stop every process of the site first.") from None
        raise
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def _check_version(file: Path) -> None:
    loader = MigrationLoader(connections[ALIAS], ignore_no_migrations=True)
    if missing := sorted(set(loader.disk_migrations) - set(loader.applied_migrations)):
        app, name = missing[0]
        raise Unfit(
            f"{file} is from an older Robosite ({app} {name} is missing). Run manage.py migrate while "
            "DATABASE_URL is still that of SQLite, and then move."
        )


def set_aside(file: Path) -> Path:
    """Keeps a copy of the database under another name, which is returned, and drops its tables.

    A process that has opened the file meanwhile, and waits for it, would otherwise write into it after all.
    """
    to = name_aside(file, "moved")
    with whole(to) as part:
        shutil.copyfile(file, part)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'DROP TABLE "{table}"')
    return to

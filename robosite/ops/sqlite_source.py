"""The former SQLite database of a site that moves to PostgreSQL, locked so that nobody can write to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.utils import OperationalError

from robosite.ops.backups import name_aside, settle, sync
from robosite.ops.unfit import Unfit

ALIAS = "moved_from"


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Opens `file` as database ALIAS in a transaction that locks out other processes.

    Raises Unfit if it is in use, or of an older version.
    """
    settle(file)
    connections.settings[ALIAS] = connections.configure_settings(
        {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(file),
                "OPTIONS": {"transaction_mode": "EXCLUSIVE", "timeout": 2},
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
    """Renames the file of a database that is `held`, and returns its new path."""
    to = name_aside(file, "moved")
    file.rename(to)
    sync(file.parent)
    return to

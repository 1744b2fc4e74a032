"""Warns if several processes may run without Redis: open pages then learn of others' changes late."""

import fcntl
import os
from typing import IO

from django.conf import settings
from django.db import connection

_held: list[IO[str]] = []


def warning() -> str:
    """The warning for a process without Redis beside another one, or on PostgreSQL; or ""."""
    if settings.REDIS_URL:
        return ""
    if _is_first():
        if connection.vendor == "sqlite":
            return ""
        return (
            "REDIS_URL is not set, so only one process may serve this database: open pages hear nothing "
            "of what others do, and ask only every half minute."
        )
    return (
        "Another process of this site runs already, and REDIS_URL is not set: open pages of each process "
        "learn what the other has done only when they ask, every half minute. Set REDIS_URL for all of them."
    )


def _is_first() -> bool:
    """Returns True if this process gets the lock of DATA_DIR, which it holds until it ends."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    file = (settings.DATA_DIR / "running").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    os.set_inheritable(file.fileno(), False)
    _held.append(file)
    return True

"""Warns if several processes may run without Redis; each then misses the changes that others make.

Open pages then learn of changes made by another process only when they ask, every half minute.
"""

from __future__ import annotations

import fcntl
import os
from typing import IO

from django.conf import settings
from django.db import connection

_held: list[IO[str]] = []


def warning() -> str:
    """Returns the warning to print when a process starts, or "" if there is nothing to warn of.

    There is a warning if REDIS_URL is not set, and one of these is true:
    - Another process of the site runs already on this machine.
    - The database is PostgreSQL, which processes on other machines may use too.
    """
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
    """Returns True if this process gets the lock of DATA_DIR, which it then holds until it ends.

    Returns False if another process holds the lock.
    """
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

"""The checks behind `/readyz`, which apps register in `AppConfig.ready`; the warning if Redis is missing."""

import fcntl
import logging
import os
from collections.abc import Callable
from typing import IO, NamedTuple

from django.conf import settings
from django.db import connection

log = logging.getLogger("robosite")

Finds = Callable[[], str]


class Report(NamedTuple):
    """Sentences on checks that failed: `faults` make the process unready, `warnings` do not."""

    faults: list[str]
    warnings: list[str]


class Draining:
    """A flag: `begun` is True once the shutdown begins: unready, but accepting requests for DRAIN_SECONDS."""

    begun = False


draining = Draining()

needed: list[Finds] = []
watched: list[Finds] = []
"""Checks that return a fault or "": those of `needed` make the process unready, of `watched` only warn."""


def report() -> Report:
    """Runs all checks; a process that is shutting down is unready without them."""
    if draining.begun:
        return Report(["this process is about to end"], [])
    faults, warnings = ([finding for finds in checks if (finding := finds())] for checks in (needed, watched))
    return Report(faults, warnings)


class LastLogged:
    """The state that was logged last: the faults, joined by semicolons, and whether there were warnings."""

    faults = ""
    warned = False


last_logged = LastLogged()


def log_changes(found: Report) -> None:
    """Logs faults when they change, and warnings when they begin or end, not at every `/readyz`."""
    faults, warnings = "; ".join(found.faults), "; ".join(found.warnings)
    if faults != last_logged.faults and not draining.begun:
        if faults:
            log.error("/readyz answers 503: %s", faults)
        else:
            log.warning("/readyz answers 200 again")
        last_logged.faults = faults
    if bool(warnings) != last_logged.warned and not faults:
        log.warning("/readyz warns: %s", warnings or "of nothing any more")
        last_logged.warned = bool(warnings)


_held: list[IO[str]] = []


def alone_warning() -> str:
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

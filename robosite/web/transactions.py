"""Row locks for models other than Match, how long a process waits for any lock, and signals of a change."""

import logging
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Model, QuerySet
from django.dispatch import Signal

Row = TypeVar("Row", bound=Model)

BRIEFLY = 100
"""Milliseconds that a process which answers requests waits for a lock, before others get their turn."""
LOCKED = ("55P03", "40P01")
"""PostgreSQL's codes for a lock that was not available in time, and for a deadlock."""
SQLITE_BUSY = 5


def wait_briefly(connection: Any, **_signal: Any) -> None:
    """Signal receiver (`connection_created`): lets a new connection wait for a lock only BRIEFLY."""
    if connection.vendor == "sqlite":
        connection.waits = BRIEFLY
    with connection.cursor() as cursor:
        setting = "PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SET lock_timeout"
        cursor.execute(f"{setting} = {BRIEFLY}")


def is_lock_timeout(fault: OperationalError) -> bool:
    cause = fault.__cause__
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    return code == SQLITE_BUSY or getattr(cause, "sqlstate", "") in LOCKED


def lock_rows(rows: QuerySet[Row], *, no_key: bool = False, skip_locked: bool = False) -> QuerySet[Row]:
    """Returns the rows in the order of their primary keys, as a queryset that locks them when it is read."""
    return rows.order_by("pk").select_for_update(no_key=no_key, skip_locked=skip_locked, of=("self",))


def lock_name(name: str) -> None:
    """Locks a name that stands for no row until the transaction ends; does nothing on SQLite (one writer)."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


log = logging.getLogger("robosite")


def send_to_all(signal: Signal, sender: type, key: str, **facts: Any) -> None:
    """Sends a signal to all receivers, which write in savepoints of their own, and logs their exceptions.

    One that has rolled back the whole transaction (a full disk on SQLite) is raised instead.
    """
    for _listener, fault in signal.send_robust(sender, **facts):
        if fault and transaction.get_rollback():
            raise fault
        if fault:
            log.error("match %s: a listener failed", key, exc_info=fault)

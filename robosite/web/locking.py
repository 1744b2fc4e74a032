"""Locks of rows other than matches: those have `matches/locks.py`, and are locked first."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def lock_rows(rows: QuerySet[Row], *, no_key: bool = False, skip_locked: bool = False) -> QuerySet[Row]:
    """These rows, each locked until the transaction ends as it is read, in the order of their primary keys.

    `no_key`: others may still refer to a row meanwhile. `skip_locked`: without the rows that others hold.
    Joined rows (`select_related`) are not locked. On SQLite the transaction is the lock.
    """
    return rows.order_by("pk").select_for_update(no_key=no_key, skip_locked=skip_locked, of=("self",))

"""Row locks for models other than Match; `matches/locks.py` locks matches, always before any other row."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def lock_rows(rows: QuerySet[Row], *, no_key: bool = False, skip_locked: bool = False) -> QuerySet[Row]:
    """Returns the rows in the order of their primary keys, as a queryset that locks them when it is read.

    The locks last until the transaction ends. With `no_key`, other transactions may still insert references
    to a locked row. With `skip_locked`, rows that other transactions have locked are left out. Joined rows
    (`select_related`) are not locked. On SQLite, the transaction itself is the lock.
    """
    return rows.order_by("pk").select_for_update(no_key=no_key, skip_locked=skip_locked, of=("self",))

"""Row locks for models other than Match. Matches are locked by `matches/locks.py`, and always first."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def lock_rows(rows: QuerySet[Row], *, no_key: bool = False, skip_locked: bool = False) -> QuerySet[Row]:
    """Returns the queryset, ordered by primary key, such that reading it locks its rows.

    The locks last until the transaction ends. With `no_key`, others may still insert references to a
    locked row. With `skip_locked`, rows that others have locked are skipped. Joined rows
    (`select_related`) are not locked. On SQLite, the transaction itself is the lock.
    """
    return rows.order_by("pk").select_for_update(no_key=no_key, skip_locked=skip_locked, of=("self",))

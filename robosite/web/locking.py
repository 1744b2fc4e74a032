"""Row locks for models other than Match. Matches have `matches/locks.py`, and are always locked first."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def lock_rows(rows: QuerySet[Row], *, no_key: bool = False, skip_locked: bool = False) -> QuerySet[Row]:
    """The queryset, which locks its rows until the transaction ends as it reads them, ordered by primary key.

    `no_key`: others may still insert references to a locked row. `skip_locked`: skips rows that others have
    locked. Joined rows (`select_related`) are not locked. On SQLite the transaction is the lock.
    """
    return rows.order_by("pk").select_for_update(no_key=no_key, skip_locked=skip_locked, of=("self",))

"""Rows that were read already, for a relation of a model: as `prefetch_related` leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Model, QuerySet


def known_rows(of: Model, name: str) -> Sequence[Any] | None:
    """The rows that `of.<name>.all()` returns without a query; None if it would make one."""
    known: Sequence[Any] | None = getattr(of, "_prefetched_objects_cache", {}).get(name)
    return known


def know_rows(of: Model, name: str, rows: Sequence[Model], model: type[Model], by: str) -> None:
    """Makes `of.<name>.all()` return these rows of `model`, whose field `by` refers to `of`.

    Known rows of its other relations are forgotten.
    """
    known: Any = QuerySet(model, using=of._state.db)
    known._deferred_filter = (False, (), {by: of})  # what somebody filters on is built then
    known._result_cache = list(rows)
    forget_rows(of)
    of._prefetched_objects_cache[name] = known  # type: ignore[attr-defined]


def forget_rows(of: Model) -> None:
    """Makes all relations of `of` read their rows anew."""
    of._prefetched_objects_cache = {}  # type: ignore[attr-defined]

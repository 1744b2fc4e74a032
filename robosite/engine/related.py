"""Access to the cache in which `prefetch_related` keeps the rows of an instance's to-many relations."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Model, QuerySet


def known_rows(of: Model, name: str) -> Sequence[Any] | None:
    """The cached rows that `of.<name>.all()` returns; None if no rows are cached for that call."""
    known: Sequence[Any] | None = getattr(of, "_prefetched_objects_cache", {}).get(name)
    return known


def know_rows(of: Model, name: str, rows: Sequence[Model], model: type[Model], by: str) -> None:
    """Makes `of.<name>.all()` return these rows of `model`, whose field `by` refers to `of`."""
    known: Any = QuerySet(model, using=of._state.db)
    known._deferred_filter = (False, (), {by: of})  # what somebody filters on is built then
    known._result_cache = list(rows)
    forget_rows(of)
    of._prefetched_objects_cache[name] = known  # type: ignore[attr-defined]


def forget_rows(of: Model) -> None:
    """Clears the cached rows of all to-many relations of `of`, so that the next `.all()` reads them anew."""
    of._prefetched_objects_cache = {}  # type: ignore[attr-defined]

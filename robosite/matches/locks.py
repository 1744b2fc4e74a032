"""Row locks of matches: of one, or of several in the order of their primary keys, which prevents deadlocks.

On SQLite the transaction itself, which is IMMEDIATE, is the lock. A transaction locks matches first, and rows
of other tables (guests, parcels, channels) after them.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction
from django.db.models import QuerySet

from robosite.matches import reading
from robosite.matches.models import Match

_locked: ContextVar[frozenset[int]] = ContextVar("the matches that are locked here", default=frozenset())


def is_locked() -> bool:
    return bool(_locked.get())


@contextmanager
def inside(*keys: int) -> Iterator[None]:
    """Context manager that marks matches, which are locked or not yet visible to others, for `is_locked`."""
    token = _locked.set(_locked.get() | set(keys))
    try:
        yield
    finally:
        _locked.reset(token)


@contextmanager
def locked(pk: int) -> Iterator[Match]:
    """Context manager that locks a match in a transaction and yields it, or raises Match.DoesNotExist."""
    with transaction.atomic():
        match = reading.for_update.first(pk)
        if match is None:
            raise Match.DoesNotExist
        with inside(pk):
            yield match


@contextmanager
def all_locked(keys: Collection[int]) -> Iterator[list[Match]]:
    """Context manager that locks these matches, by primary key, and yields those that exist, freshly read."""
    with transaction.atomic():
        matches = list(Match.objects.select_for_update().filter(pk__in=list(keys)).order_by("pk"))
        with inside(*(match.pk for match in matches)):
            yield matches


def lock_all(matches: QuerySet[Match]) -> list[int]:
    return list(matches.select_for_update().order_by("pk").values_list("pk", flat=True))

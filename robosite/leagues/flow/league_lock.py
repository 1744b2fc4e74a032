"""Context managers that lock the row of a league, which is always locked before its matches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from robosite.leagues.models import League
from robosite.matches import locks


@contextmanager
def locked_league(pk: int) -> Iterator[League]:
    """Opens a transaction, locks the row of a league, and yields the league as freshly read.

    Raises League.DoesNotExist if there is no league with this primary key.
    """
    with transaction.atomic():
        yield League.objects.select_for_update().get(pk=pk)


@contextmanager
def all_locked(pk: int) -> Iterator[League]:
    """Locks a league and then, by primary key, all its matches that have no stored result; yields the league.

    Use this context manager for any action on several matches, because ending a match locks guests, and all
    matches must be locked before any guest.
    """
    with locked_league(pk) as league:
        going_on = league.fixtures.filter(decided="").exclude(match=None)
        with locks.all_locked(list(going_on.values_list("match", flat=True))):
            yield league

"""The row lock of a league, which comes before the locks of its matches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from robosite.leagues.models import League
from robosite.matches import locks


@contextmanager
def locked_league(pk: int) -> Iterator[League]:
    """The league, fresh and locked, in a transaction; raises League.DoesNotExist."""
    with transaction.atomic():
        yield League.objects.select_for_update().get(pk=pk)


@contextmanager
def all_locked(pk: int) -> Iterator[League]:
    """The league, locked, and then all its matches that go on, in the order of their keys.

    So must whoever acts on several of them: ending one locks guests, who come after all matches.
    """
    with locked_league(pk) as league:
        going_on = league.fixtures.filter(decided="").exclude(match=None)
        with locks.all_locked(list(going_on.values_list("match", flat=True))):
            yield league

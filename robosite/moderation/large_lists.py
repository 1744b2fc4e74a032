"""Keeps the admin's lists fast on a large site, whose one thread a slow list would block."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import Upper
from django.http import HttpRequest

from games import GAMES, newest
from robosite.matches.models import Hold, Match, Seat
from robosite.people.models import Guest

MOST_COUNTED = 10_000
"""The maximum number of rows that a list counts. Further rows are on no page of the list."""
MOST_NAMED = 1_000
"""The maximum number of rows with the same name that a search returns. The newest rows are returned."""
SECONDS = 5
"""The time limit, in seconds, for each SQL statement of a list on PostgreSQL."""


class CountsSome(Paginator):
    """A paginator that counts at most MOST_COUNTED rows, since counting more would take too long."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Match] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MOST_COUNTED].count()


class OfGame(admin.SimpleListFilter):
    """Filters by game, without reading all rows to find the games, as Django's own filter would do."""

    title, parameter_name = "game", "game_slug"

    def lookups(self, request: HttpRequest, page: object) -> list[tuple[str, str]]:
        return [(slug, str(newest(slug).name)) for slug in GAMES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(game_slug=self.value()) if self.value() else queryset


class Programs(admin.SimpleListFilter):
    """A filter for guests: if it is chosen, only named programs are listed."""

    title, parameter_name = "program", "program"

    def lookups(self, request: HttpRequest, page: object) -> list[tuple[str, str]]:
        return [("1", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Guest]) -> QuerySet[Guest]:
        return queryset.filter(program__isnull=False) if self.value() else queryset


def found_matches(term: str) -> Q:
    """Returns a condition for the match with the key `term`, and for matches with a player named `term`."""
    return Q(pk__in=[*_with_key(term), *_named_seats(term).values_list("match", flat=True)])


def found_seats(term: str) -> Q:
    """A condition for seats with a player named `term`, and seats of the match with the key `term`."""
    named = list(_named_seats(term).values_list("pk", flat=True))
    return Q(pk__in=named) | Q(match__in=_with_key(term))


def found_by_seat(term: str) -> Q:
    """Returns a condition for rows whose field `seat` refers to a seat that `found_seats` finds."""
    return Q(seat__in=list(Seat.objects.filter(found_seats(term)).values_list("pk", flat=True)))


def found_guests(term: str) -> Q:
    """Returns a condition for the newest MOST_NAMED guests named `term`, ignoring case."""
    named = _named(Guest, term).order_by("-pk")
    return Q(pk__in=list(named.values_list("pk", flat=True)[:MOST_NAMED]))


def found_for_data_request(term: str) -> Q:
    """Returns a condition for guests by name, by e-mail address, or by a match in which they hold a seat."""
    sitting = Hold.objects.filter(seat__match__in=_with_key(term)).values("guest")
    at_address = Q(email=term.lower()) if "@" in term else Q(pk=None)
    return found_guests(term) | Q(pk__in=sitting) | at_address


def _named(model: type[Model], term: str) -> QuerySet[Any]:
    named: QuerySet[Any] = model._default_manager.alias(upper=Upper("name"))
    return named.filter(upper=Upper(Value(term)))


def _with_key(term: str) -> list[int]:
    return list(Match.objects.filter(key=term).values_list("pk", flat=True))


def _named_seats(term: str) -> QuerySet[Seat]:
    return _named(Seat, term).order_by("-pk")[:MOST_NAMED]


@contextmanager
def in_time() -> Iterator[None]:
    """Limits each SQL statement to SECONDS on PostgreSQL; a longer one raises OperationalError."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{SECONDS}s"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")

"""Prepared queries say what the querysets say from which they are made."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.matches import reading
from robosite.matches.models import Hold, Match, Seat
from robosite.people.models import Guest
from robosite.prepared import Prepared
from tests.site.browsers import Table

VALUES: dict[type[Any], list[Any]] = {
    str: ["abc", "50% of “it's” <0>"],
    int: [1, 7],
    datetime: [datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=timezone.get_default_timezone())],
}


def asked(query: Any) -> str:
    with CaptureQueriesContext(connection) as captured:
        query()
    (one,) = captured.captured_queries
    return one["sql"]


@pytest.mark.django_db
@pytest.mark.parametrize("which", [0, 1])
def test_every_prepared_query_asks_what_its_queryset_asks(which: int) -> None:
    assert len(Prepared.every) > 8
    for query in Prepared.every:
        values = [VALUES[kind][which % len(VALUES[kind])] for kind in query.types]
        values = [value + n if isinstance(value, int) else value for n, value in enumerate(values)]
        assert asked(partial(query.rows, *values)) == asked(partial(list, query.build(*values)))


def state(rows: list[Any]) -> list[dict[str, Any]]:
    return [{**vars(row), "_state": row._state.db} for row in rows]


@pytest.mark.django_db
def test_its_rows_are_those_of_the_queryset(table: Table) -> None:
    guest = Guest.objects.get(name="Alice").pk
    for query, values in (
        (reading._match_by_key, [table.key]),
        (reading._seats_for, [guest, table.match.pk]),
        (reading._programs, [table.match.pk, 0]),
    ):
        assert state(query.rows(*values)) == state(list(query.build(*values)))
    (mine,) = reading.held_seats(table.match, Guest.objects.get(name="Alice"))
    assert mine.hold == Hold.objects.get(guest=guest)


@pytest.mark.django_db
def test_joined_rows_come_along(table: Table) -> None:
    query = Prepared(lambda key: Seat.objects.select_related("match").filter(match__key=key), str)
    with CaptureQueriesContext(connection) as captured:
        assert [seat.match.key for seat in query.rows(table.key)] == [table.key] * 2
    assert len(captured) == 1


@pytest.mark.django_db
def test_what_is_no_parameter_of_the_query_is_refused() -> None:
    with pytest.raises(TypeError, match="parameter"):
        Prepared(lambda _key: Match.objects.all(), str).rows("abc")


@pytest.mark.django_db
def test_a_number_that_no_column_holds_finds_nothing(table: Table) -> None:
    assert reading.program_of(table.a, 10**40) is None
    assert reading.program_of(table.a, 2**62) is None


@pytest.mark.django_db
def test_a_query_is_compiled_once() -> None:
    built = []

    def build(pk: int) -> QuerySet[Match]:
        built.append(pk)
        return Match.objects.filter(pk=pk)

    query = Prepared(build, int)
    assert [query.first(1), query.first(2)] == [None, None]
    assert len(built) == 1

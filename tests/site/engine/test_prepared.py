"""Prepared queries say what the querysets say from which they are made."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.engine import is_on
from robosite.engine.prepared import Prepared
from robosite.matches import reading
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people.models import Guest
from tests.site.browsers import Table

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not is_on("prepared"), reason="prepared queries are off (ENGINE_OFF)"),
]

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


@pytest.mark.parametrize("which", [0, 1])
def test_every_prepared_query_asks_what_its_queryset_asks(which: int) -> None:
    assert len(Prepared.every) > 8
    for query in Prepared.every:
        values = [VALUES[kind][which % len(VALUES[kind])] for kind in query.types]
        values = [value + n if isinstance(value, int) else value for n, value in enumerate(values)]
        assert asked(partial(query.rows, *values)) == asked(partial(list, query.build(*values)))


def state(rows: list[Any]) -> list[dict[str, Any]]:
    return [{**vars(row), "_state": row._state.db} for row in rows]


def test_its_rows_are_those_of_the_queryset(table: Table) -> None:
    guest = Guest.objects.get(name="Alice").pk
    for query, values in (
        (reading._match_by_key, [table.key]),
        (reading._seats_for, [guest, table.match.pk]),
        (reading.programs, [table.match.pk, 0]),
    ):
        assert state(query.rows(*values)) == state(list(query.build(*values)))
    (mine,) = reading.held_seats(table.match, Guest.objects.get(name="Alice"))
    assert mine.hold == Hold.objects.get(guest=guest)
    read = reading.match_by_key(table.key)
    assert read == table.match and not read._state.adding and read.changed_at == table.match.changed_at
    read.turn = 7
    read.save()
    assert reading.match_by_key(table.key).turn == 7


@pytest.mark.django_db(transaction=True)
def test_a_broken_transaction_asks_nothing_more(table: Table) -> None:
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            reading.match_by_key(table.key)


def test_a_percent_sign_of_the_query_is_one_of_the_database(table: Table) -> None:
    query = Prepared(lambda key: Match.objects.extra(where=["'a%%' = 'a%%'"]).filter(key=key), str)
    assert [match.key for match in query.rows(table.key)] == [table.key]


def test_the_database_s_own_errors_are_django_s(monkeypatch: pytest.MonkeyPatch) -> None:
    query = Prepared(lambda key: Match.objects.filter(key=key), str)
    query.rows("abc")
    ((vendor, compiled),) = query._compiled.items()
    query._compiled[vendor] = compiled._replace(sql="SELECT nothing", given=(), places={})
    with pytest.raises(DatabaseError, match="nothing"):
        query.rows("abc")


def test_tuples_have_what_was_asked_for_and_not_by_what_it_is_sorted(table: Table) -> None:
    def ask(key: str) -> QuerySet[Any, Any]:
        return Match.objects.filter(key=key).order_by("changed_at").values_list("pk", "turn").distinct()

    assert Prepared(ask, str).rows(table.key) == list(ask(table.key)) == [(table.match.pk, 0)]


def test_joined_rows_come_along(table: Table) -> None:
    query = Prepared(lambda key: Seat.objects.select_related("match").filter(match__key=key), str)
    with CaptureQueriesContext(connection) as captured:
        a, b = query.rows(table.key)
        assert a.match.key == b.match.key == table.key
    assert len(captured) == 1
    assert vars(a.match)["changed_at"] == table.match.changed_at


def test_rows_joined_to_joined_rows_and_to_none_come_along(table: Table) -> None:
    query = Prepared(
        lambda key: Program.objects.select_related("seat__match").filter(seat__match__key=key), str
    )
    table.play_some(2)
    programs = query.rows(table.key)
    assert [(one.seat.letter, one.turn) for one in programs] == [
        (one.seat.letter, one.turn) for one in query.build(table.key)
    ]
    assert {one.seat.match.changed_at for one in programs} == {table.match.changed_at}
    alone = Prepared(lambda key: Match.objects.select_related("rematch_of").filter(key=key), str)
    with CaptureQueriesContext(connection) as captured:
        assert alone.rows(table.key)[0].rematch_of is None
    assert len(captured) == 1


def test_what_is_no_parameter_of_the_query_is_refused() -> None:
    with pytest.raises(TypeError, match="parameter"):
        Prepared(lambda _key: Match.objects.all(), str).rows("abc")


def test_a_number_that_no_column_holds_finds_nothing(table: Table) -> None:
    assert reading.program_of(table.a, 10**40) is None
    assert reading.program_of(table.a, 2**62) is None


def test_a_query_is_compiled_once() -> None:
    built = []

    def build(pk: int) -> QuerySet[Match]:
        built.append(pk)
        return Match.objects.filter(pk=pk)

    query = Prepared(build, int)
    assert [query.first(1), query.first(2)] == [None, None]
    assert len(built) == 1

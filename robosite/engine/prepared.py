"""Prepared queries, compiled to SQL once a process and executed with new values each time.

Compiling takes several times as long as a look-up by key, so the most frequent queries are prepared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakSet

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators  # type: ignore[attr-defined]

from robosite.engine import is_on

Row = TypeVar("Row")
Value = str | int | datetime
LARGEST = 2**63 - 1


class _Compiled(NamedTuple):
    sql: str
    given: tuple[Any, ...]
    """The parameters of the SQL. Each use replaces the stand-ins among them by values."""
    places: dict[int, int]
    """Maps the index of a stand-in in `given` to the index of the value that replaces it."""
    read: Callable[[Sequence[Any]], Any]
    """Makes a row of the result an instance of the model, or a tuple."""

    def filled(self, values: Sequence[Value]) -> list[Any]:
        given = list(self.given)
        for place, which in self.places.items():
            given[place] = _adapted(values[which])
        return given


class Prepared(Generic[Row]):
    """A prepared query; `build` makes the queryset from values of the given `types`.

    Each value must be a parameter of the query, so neither None nor a list. `build` runs once for each
    kind of database, with stand-ins. The tuples of a `values_list` are as the database returns them.
    """

    every: WeakSet[Prepared[Any]] = WeakSet()
    """All prepared queries of this process."""

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], *types: type[Value]) -> None:
        self.build = build
        self.types = types
        self._compiled: dict[str, _Compiled] = {}
        Prepared.every.add(self)

    def rows(self, *values: Value) -> list[Row]:
        if any(isinstance(value, int) and abs(value) > LARGEST for value in values):
            return []  # no column of any database holds it
        if not is_on("prepared"):
            return list(self.build(*values))
        compiled = self._compiled.get(connection.vendor) or self._compile()
        with connection.cursor() as cursor:
            cursor.execute(compiled.sql, compiled.filled(values))
            return [compiled.read(row) for row in cursor.fetchall()]

    def first(self, *values: Value) -> Row | None:
        rows = self.rows(*values)
        return rows[0] if rows else None

    def _compile(self) -> _Compiled:
        stand_ins = [_STAND_INS[kind](n) for n, kind in enumerate(self.types)]
        query = self.build(*stand_ins)
        compiler: Any = query.query.get_compiler(connection.alias)
        sql, given = compiler.as_sql()
        places = {
            place: which
            for which, stand_in in enumerate(map(_adapted, stand_ins))
            for place, one in enumerate(given)
            if one == stand_in
        }
        if set(places.values()) != set(range(len(stand_ins))):
            raise TypeError(f"not each value is a parameter of the query: {sql}")
        compiled = _Compiled(sql, tuple(given), places, _reader(query, compiler))
        self._compiled[connection.vendor] = compiled
        return compiled


def prepared(*types: type[Value]) -> Callable[[Callable[..., QuerySet[Any, Row]]], Prepared[Row]]:
    """Decorator: makes a function that returns a queryset for values of these `types` a prepared query."""
    return lambda build: Prepared(build, *types)


def _reader(query: Any, compiler: Any) -> Callable[[Sequence[Any]], Any]:
    """Returns a function that converts a row as Django's iterables do; looks up converters and joins once."""
    width = len(compiler.select)  # columns that are only used for sorting may follow
    if query._fields is not None:
        return lambda row: tuple(row[:width])
    fields = compiler.klass_info["select_fields"]
    own = slice(fields[0], fields[-1] + 1)
    names = [compiler.select[at][0].target.attname for at in fields]
    added = dict(compiler.annotation_col_map or {})
    joined = get_related_populators(compiler.klass_info, compiler.select, compiler.using)
    found = compiler.get_converters([column for column, _sql, _alias in compiler.select])
    converters = [(at, one, column) for at, (every, column) in found.items() for one in every]

    def read(row: Sequence[Any]) -> Any:
        columns = list(row)
        for at, convert, column in converters:
            columns[at] = convert(columns[at], column, connection)
        instance = query.model.from_db(compiler.using, names, columns[own])
        for populator in joined:
            populator.populate(columns, instance)
        for name, at in added.items():
            setattr(instance, name, columns[at])
        return instance

    return read


def moment_of(value: Any) -> datetime:
    """Converts a time in a raw row to an aware datetime; raises ValueError if the value is not a time."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(at, datetime):
        raise ValueError("there is no time in this column")
    return at if at.tzinfo else at.replace(tzinfo=UTC)


_STAND_INS: dict[type[Any], Callable[[int], Value]] = {
    str: lambda n: f"<{n}>",
    int: lambda n: 2_000_000_000 + n,  # within what a column of any database holds, and nobody's key yet
    datetime: lambda n: datetime(1000, 1, 1, tzinfo=UTC) + timedelta(days=n),
}


def _adapted(value: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def known_rows(of: Model, name: str) -> Sequence[Any] | None:
    """The cached rows that `of.<name>.all()` returns; None if no rows are cached for that call."""
    known: Sequence[Any] | None = getattr(of, "_prefetched_objects_cache", {}).get(name)
    return known


def know_rows(of: Model, name: str, rows: Sequence[Model], model: type[Model], by: str) -> None:
    """Makes `of.<name>.all()` return `rows`, whose field `by` is `of`; clears what `of` had cached before."""
    known: Any = QuerySet(model, using=of._state.db)
    known._deferred_filter = (False, (), {by: of})  # what somebody filters on is built then
    known._result_cache = list(rows)
    forget_rows(of)
    of._prefetched_objects_cache[name] = known  # type: ignore[attr-defined]


def forget_rows(of: Model) -> None:
    """Clears the cached rows of all to-many relations of `of`, so that the next `.all()` reads them anew."""
    of._prefetched_objects_cache = {}  # type: ignore[attr-defined]

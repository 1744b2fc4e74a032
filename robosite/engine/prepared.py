"""Prepared queries, compiled to SQL once a process and executed with new values each time.

Compiling takes several times as long as a look-up by key, so the most frequent queries are prepared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakSet

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators  # type: ignore[attr-defined]

from robosite.engine import is_on

Row = TypeVar("Row", bound=Model)
Value = str | int | datetime
LARGEST = 2**63 - 1


_Converters = list[tuple[int, list[Any], Any]]
"""For each column with converters: its index, the converter functions in order, and its expression."""


class Statement(NamedTuple):
    """An SQL statement that is executed many times, each time with other values for some parameters."""

    sql: str
    given: tuple[Any, ...]
    """The parameters of the SQL. Each use replaces the stand-ins among them by values."""
    places: dict[int, int]
    """Maps the index of a stand-in in `given` to the index of the value that replaces it."""

    def filled(self, values: Sequence[Value]) -> list[Any]:
        given = list(self.given)
        for place, which in self.places.items():
            given[place] = _adapted(values[which])
        return given


def statement(build: Callable[..., tuple[str, Sequence[Any]]], types: Sequence[type[Value]]) -> Statement:
    """Builds an SQL statement from `build`, which returns SQL and parameters for values of the `types`."""
    stand_ins = [_STAND_INS[kind](n) for n, kind in enumerate(types)]
    sql, given = build(*stand_ins)
    places = {
        place: which
        for which, stand_in in enumerate(stand_ins)
        for place, one in enumerate(given)
        if one == _adapted(stand_in)
    }
    if set(places.values()) != set(range(len(stand_ins))):
        raise TypeError(f"not each value is a parameter of the query: {sql}")
    return Statement(sql, tuple(given), places)


class _Compiled(NamedTuple):
    statement: Statement
    columns: slice
    """The result's columns that hold the fields of the model itself."""
    names: list[str]
    """The model's field names, in the order of the result's columns."""
    added: dict[str, int]
    """The names of annotations, each with the index of its column in the result."""
    joined: list[Any]
    """Django's populators, which create the instances that `select_related` joins."""
    converters: _Converters
    width: int
    """The number of selected columns. Columns that are only used for sorting may follow them."""


class Prepared(Generic[Row]):
    """A prepared query for model instances; `build` makes the queryset from values of the given `types`.

    Each value must be a parameter of the query, so neither None nor a list. `build` runs once for each
    kind of database, with stand-ins.
    """

    every: WeakSet[Prepared[Any]] = WeakSet()
    """All prepared queries of this process."""

    def __init__(self, build: Callable[..., QuerySet[Row]], *types: type[Value]) -> None:
        self.build = build
        self.types = types
        self._compiled: dict[str, _Compiled] = {}
        Prepared.every.add(self)

    def rows(self, *values: Value) -> list[Row]:
        if any(isinstance(value, int) and abs(value) > LARGEST for value in values):
            return []  # no column of any database holds it
        if not is_on("prepared"):
            return list(self.build(*values))
        here = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled.get(here.vendor) or self._compile()
        return [self._row(compiled, here, row) for row in _answer(compiled, here, values)]

    def first(self, *values: Value) -> Row | None:
        rows = self.rows(*values)
        return rows[0] if rows else None

    def _row(self, compiled: _Compiled, here: BaseDatabaseWrapper, row: Sequence[Any]) -> Row:
        columns = list(row)
        _convert(compiled.converters, here, columns)
        instance: Row = self.model.from_db(here.alias, compiled.names, columns[compiled.columns])
        for joined in compiled.joined:
            joined.populate(columns, instance)
        for name, place in compiled.added.items():
            setattr(instance, name, columns[place])
        return instance

    def _compile(self) -> _Compiled:
        compiler: Any = None

        def build(*values: Value) -> tuple[str, Sequence[Any]]:
            nonlocal compiler
            built = self.build(*values)
            self.model, compiler = built.model, built.query.get_compiler(connection.alias)
            sql_and_params: tuple[str, Sequence[Any]] = compiler.as_sql()
            return sql_and_params

        asked = statement(build, self.types)
        found = compiler.get_converters([column for column, _sql, _alias in compiler.select])
        converters = [(place, convert, column) for place, (convert, column) in found.items()]
        width = len(compiler.select)
        compiled = _Compiled(asked, width=width, **self._of_model(compiler, converters))
        self._compiled[connection.vendor] = compiled
        return compiled

    def _of_model(self, compiler: Any, converters: _Converters) -> dict[str, Any]:
        fields = compiler.klass_info["select_fields"]
        return {
            "converters": converters,
            "columns": slice(fields[0], fields[-1] + 1),
            "names": [compiler.select[at][0].target.attname for at in fields],
            "added": dict(compiler.annotation_col_map or {}),
            "joined": get_related_populators(compiler.klass_info, compiler.select, connection.alias),
        }


class PreparedTuples(Prepared[Any]):
    """A prepared query of `values_list`; with `raw`, values are as the database returns them."""

    def __init__(
        self, build: Callable[..., QuerySet[Any, Any]], *types: type[Value], raw: bool = False
    ) -> None:
        super().__init__(build, *types)
        self.raw = raw

    def rows(self, *values: Value) -> list[Any]:
        if not self.raw or not is_on("prepared"):
            return super().rows(*values)
        here = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled.get(here.vendor) or self._compile()
        answer = _answer(compiled, here, values)
        if answer and len(answer[0]) > compiled.width:
            return [row[: compiled.width] for row in answer]
        return list(answer)

    def _row(self, compiled: _Compiled, here: BaseDatabaseWrapper, row: Sequence[Any]) -> tuple[Any, ...]:
        answer = list(row[: compiled.width])
        _convert(compiled.converters, here, answer)
        return tuple(answer)

    def _of_model(self, compiler: Any, converters: _Converters) -> dict[str, Any]:
        own = [] if self.raw else converters
        return {"columns": slice(0), "names": [], "added": {}, "joined": [], "converters": own}


def _answer(
    compiled: _Compiled, here: BaseDatabaseWrapper, values: Sequence[Value]
) -> Sequence[Sequence[Any]]:
    with here.cursor() as cursor:
        cursor.execute(compiled.statement.sql, compiled.statement.filled(values))
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
    return rows


def _convert(converters: _Converters, here: BaseDatabaseWrapper, columns: list[Any]) -> None:
    for place, convert, expression in converters:
        for one in convert:
            columns[place] = one(columns[place], expression, here)


def moment_of(value: Any) -> datetime:
    """Converts a time in a raw row to an aware datetime; raises ValueError if the value is none."""
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
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value

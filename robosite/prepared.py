"""Queries that a process compiles once and asks many times, each time with other values.

Django builds and compiles a query anew whenever it is asked, which takes several times as long as the
database needs to answer it by a key. So the queries of almost every request are prepared here; all others are
plain querysets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakSet

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import JSONField, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import get_related_populators  # type: ignore[attr-defined]
from django.db.models.query_utils import DeferredAttribute
from django.db.models.signals import post_init, pre_init

Row = TypeVar("Row", bound=Model)
Value = str | int | datetime
LARGEST = 2**63 - 1


_Converters = list[tuple[int, list[Any], Any]]
"""The place of a column, what makes a value of it, one after another, and its expression."""


class _Joined(NamedTuple):
    """A row that comes along with another one by `select_related`, and perhaps with several."""

    populator: Any
    """Django's own."""
    converters: _Converters
    key: int
    """The place of its primary key in the answer."""

    def join(self, here: BaseDatabaseWrapper, columns: list[Any], made: Model, known: dict[Any, Any]) -> None:
        """Give `made` the joined row of these columns: the one that another row of the same answer has."""
        key = self.key, columns[self.key]
        if key[1] is None:
            self.populator.local_setter(made, None)
            return
        row = known.get(key)
        if row is None:
            _convert(self.converters, here, columns)
            of, start, end = self.populator, self.populator.cols_start, self.populator.cols_end
            row = known[key] = of.model_cls.from_db(of.db, of.init_list, columns[start:end])
            for further in of.related_populators:
                further.populate(columns, row)
        self.populator.local_setter(made, row)
        self.populator.remote_setter(row, made)


class Statement(NamedTuple):
    """A statement as SQL."""

    sql: str
    given: tuple[Any, ...]
    """Its parameters, with stand-ins where values belong."""
    places: dict[int, int]
    """Which of `given` is which of the values."""

    def filled(self, values: Sequence[Value]) -> list[Any]:
        """Its parameters with these values."""
        given = list(self.given)
        for place, which in self.places.items():
            given[place] = _adapted(values[which])
        return given


def statement(build: Callable[..., tuple[str, Sequence[Any]]], types: Sequence[type[Value]]) -> Statement:
    """What `build` makes of values that stand for others; each must be a parameter of it (TypeError)."""
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
    """A query as SQL, and how its result becomes rows of a model."""

    statement: Statement
    sqlite: str
    """The same with SQLite's own marks where parameters belong."""
    columns: slice
    names: list[str]
    """The model's columns, in the order of the answer."""
    added: dict[str, int]
    """What is annotated, by its place in the answer."""
    joined: list[_Joined]
    converters: _Converters
    """Those of all columns but of joined rows."""
    width: int
    """How many columns were asked for; those by which it is sorted may come after them."""
    plain: bool
    """Whether a row may be put together without Django's help."""


class Prepared(Generic[Row]):
    """A query of rows, made by `build` from values of these types: `str`, `int` or `datetime`.

    `build` may do with a value only what leaves it one parameter of the query: so no `None`, and no list.
    It is called once a process, with values that stand for others.
    """

    every: WeakSet[Prepared[Any]] = WeakSet()

    def __init__(self, build: Callable[..., QuerySet[Row]], *types: type[Value]) -> None:
        self.build = build
        self.types = types
        self._compiled: dict[str, _Compiled] = {}
        Prepared.every.add(self)

    def rows(self, *values: Value) -> list[Row]:
        """All rows, asked of the database now; none for a number that no column can hold."""
        if any(isinstance(value, int) and abs(value) > LARGEST for value in values):
            return []
        here = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled.get(here.vendor) or self._compile()
        known: dict[Any, Any] = {}
        return [self._row(compiled, here, row, known) for row in _answer(compiled, here, values)]

    def first(self, *values: Value) -> Row | None:
        """The first row, or None."""
        rows = self.rows(*values)
        return rows[0] if rows else None

    def _row(
        self, compiled: _Compiled, here: BaseDatabaseWrapper, row: Sequence[Any], known: dict[Any, Any]
    ) -> Row:
        """A row of the model. `known` are the joined rows of the answer so far."""
        columns = list(row)
        _convert(compiled.converters, here, columns)
        values = columns[compiled.columns]
        made: Row = (
            _plainly(self.model, here.alias, compiled.names, values)
            if compiled.plain
            else self.model.from_db(here.alias, compiled.names, values)
        )
        for joined in compiled.joined:
            joined.join(here, columns, made, known)
        for name, place in compiled.added.items():
            setattr(made, name, columns[place])
        return made

    def _compile(self) -> _Compiled:
        compiler: Any = None

        def build(*values: Value) -> tuple[str, Sequence[Any]]:
            nonlocal compiler
            built = self.build(*values)
            self.model, compiler = built.model, built.query.get_compiler(connection.alias)
            made: tuple[str, Sequence[Any]] = compiler.as_sql()
            return made

        asked = statement(build, self.types)
        found = compiler.get_converters([column for column, _sql, _alias in compiler.select])
        compiled = _Compiled(
            asked,
            asked.sql.replace("%%", "\0").replace("%s", "?").replace("\0", "%"),
            width=len(compiler.select),
            **self._of_model(
                compiler,
                [
                    (place, [_remembering(one) for one in converters], column)
                    for place, (converters, column) in found.items()
                ],
            ),
        )
        self._compiled[connection.vendor] = compiled
        return compiled

    def _of_model(self, compiler: Any, converters: _Converters) -> dict[str, Any]:
        """Where the model's columns are in the answer, and what else belongs to a row."""
        fields = compiler.klass_info["select_fields"]
        populators = get_related_populators(compiler.klass_info, compiler.select, connection.alias)
        joined = [_joined(one, converters) for one in populators]
        apart = {place for one in joined for place, *_ in one.converters}
        return {
            "converters": [one for one in converters if one[0] not in apart],
            "columns": slice(fields[0], fields[-1] + 1),
            "names": [compiler.select[at][0].target.attname for at in fields],
            "added": dict(compiler.annotation_col_map or {}),
            "joined": joined,
            "plain": _is_plain(self.model),
        }


class PreparedTuples(Prepared[Any]):
    """The same for a queryset of `values_list`: its rows are tuples.

    `raw` ones have what the database says in its own form: in SQLite, times are texts, and truth is a number.
    """

    def __init__(
        self, build: Callable[..., QuerySet[Any, Any]], *types: type[Value], raw: bool = False
    ) -> None:
        super().__init__(build, *types)
        self.raw = raw

    def rows(self, *values: Value) -> list[Any]:
        """All rows as tuples; raw ones are not copied where every column was asked for."""
        if not self.raw:
            return super().rows(*values)
        here = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled.get(here.vendor) or self._compile()
        answer = _answer(compiled, here, values)
        if answer and len(answer[0]) > compiled.width:
            return [row[: compiled.width] for row in answer]
        return list(answer)

    def _row(
        self, compiled: _Compiled, here: BaseDatabaseWrapper, row: Sequence[Any], known: dict[Any, Any]
    ) -> tuple[Any, ...]:
        answer = list(row[: compiled.width])
        _convert(compiled.converters, here, answer)
        return tuple(answer)

    def _of_model(self, compiler: Any, converters: _Converters) -> dict[str, Any]:
        own = [] if self.raw else converters
        return {
            "columns": slice(0),
            "names": [],
            "added": {},
            "joined": [],
            "plain": False,
            "converters": own,
        }


def _answer(
    compiled: _Compiled, here: BaseDatabaseWrapper, values: Sequence[Value]
) -> Sequence[Sequence[Any]]:
    """What the database says. SQLite is asked directly, unless somebody wants to hear of each query."""
    given = compiled.statement.filled(values)
    if here.vendor == "sqlite" and not (here.execute_wrappers or here.queries_logged):
        here.ensure_connection()
        here.validate_no_broken_transaction()
        with here.wrap_database_errors:
            return here.connection.execute(compiled.sqlite, given).fetchall()
    with here.cursor() as cursor:
        cursor.execute(compiled.statement.sql, given)
        return cursor.fetchall()


def _convert(converters: _Converters, here: BaseDatabaseWrapper, columns: list[Any]) -> None:
    for place, convert, expression in converters:
        for one in convert:
            columns[place] = one(columns[place], expression, here)


def _remembering(convert: Callable[..., Any]) -> Callable[..., Any]:
    """The same converter. SQLite has times as text, and one that was read before is not read again; what is
    empty in JSON need not be read."""
    if getattr(convert, "__func__", None) is JSONField.from_db_value:
        return lambda value, expression, here: {} if value == "{}" else convert(value, expression, here)
    if getattr(convert, "__name__", "") != "convert_datetimefield_value":
        return convert
    return lambda value, _expression, _connection: _time(value)


@lru_cache(8192)
def _time(given: Any) -> datetime | None:
    """A time as SQLite has it. All columns have one such memory in common, so that a process bounds it."""
    ops: Any = connections[DEFAULT_DB_ALIAS].ops
    at: datetime | None = ops.convert_datetimefield_value(given, None, None)
    return at


def moment_of(value: Any) -> datetime:
    """A time that stands in a raw row: SQLite gives it without a zone, or as text."""
    at = value if isinstance(value, datetime) and value.tzinfo else _time(value)
    if at is None:
        raise ValueError("there is no time in this column")
    return at


def _is_plain(model: type[Model]) -> bool:
    """Whether a row of the model is its columns and nothing else that somebody does when it is read."""
    columns = [getattr(model, field.attname) for field in model._meta.concrete_fields]
    return (
        model.__init__ is Model.__init__
        and model.from_db.__func__ is Model.from_db.__func__  # type: ignore[attr-defined]
        and not (pre_init.has_listeners(model) or post_init.has_listeners(model))
        and all(isinstance(column, DeferredAttribute) for column in columns)
    )


def _joined(populator: Any, converters: _Converters) -> _Joined:
    """What makes the joined rows of a populator of Django's, and of those within it."""
    if populator.reorder_for_init:
        raise TypeError("a row that shares columns with its parent's is not prepared")
    places = _places_of(populator)
    model = populator.model_cls
    if _is_plain(model):
        populator.model_cls = SimpleNamespace(
            from_db=lambda alias, names, values: _plainly(model, alias, names, values)
        )
    own = [one for one in converters if one[0] in places]
    return _Joined(populator, own, populator.cols_start + populator.pk_idx)


def _places_of(populator: Any) -> set[int]:
    places = set(range(populator.cols_start, populator.cols_end))
    return places.union(*(_places_of(one) for one in populator.related_populators))


def _plainly(model: type[Row], alias: str, names: list[str], values: list[Any]) -> Row:
    """The row that `Model.from_db` makes, put together in a fifth of the time."""
    made = model.__new__(model)
    made._state = ModelState()
    made._state.adding, made._state.db = False, alias
    made.__dict__.update(zip(names, values, strict=True))
    return made


_STAND_INS: dict[type[Any], Callable[[int], Value]] = {
    str: lambda n: f"<{n}>",
    int: lambda n: 2_000_000_000 + n,  # within what a column of any database holds, and nobody's key yet
    datetime: lambda n: datetime(1000, 1, 1, tzinfo=UTC) + timedelta(days=n),
}


def _adapted(value: Any) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value

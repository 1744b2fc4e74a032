"""Inserts many rows without creating a model instance for each row; instances would take much longer."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model

AS_THEY_ARE = frozenset((str, int))
"""Types whose values are passed to the database unchanged, whatever the column."""


def insert_rows(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Inserts many rows at once, without signals; what `names` leaves out gets its default."""
    if model._meta.parents:
        raise TypeError(f"{model.__name__} has parents: save it plainly.")
    here = connections[DEFAULT_DB_ALIAS]
    fields: dict[str, Any] = {
        field.attname: field for field in model._meta.concrete_fields if not field.primary_key
    }
    usual = {name: field.get_db_prep_save(field.get_default(), here) for name, field in fields.items()}
    given = [fields[name] for name in names]
    rest = [value for name, value in usual.items() if name not in names]
    columns = [*names, *(name for name in usual if name not in names)]
    values = [
        [
            value if value is None or type(value) in AS_THEY_ARE else field.get_db_prep_save(value, here)
            for field, value in zip(given, row, strict=True)
        ]
        + rest
        for row in rows
    ]
    quote: Any = here.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(quote(fields[name].column) for name in columns)})"
    with here.cursor() as cursor:
        marks = ", ".join(["%s"] * len(columns))
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", values)  # noqa: S608

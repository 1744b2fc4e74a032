"""Moves a site from SQLite to PostgreSQL: one transaction copies all rows, and compares the copies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, connections, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.utils import DataError, IntegrityError, OperationalError

from robosite.ops import Unfit
from robosite.ops.backups import check, is_postgres, name_aside, own_file_of_sqlite, settle, sync
from robosite.trail import guards

MADE_BY_MIGRATE = {"auth.Permission", "auth.Group", "auth.Group_permissions", "contenttypes.ContentType"}
"""Models whose tables have rows as soon as the database is migrated; these rows are replaced."""
AT_A_TIME = 2_000
NAMED_AT_MOST = 10


@dataclass
class Moved:
    """The outcome of a move: `rows` by table; `kept` is the SQLite file's new path, None if not renamed."""

    rows: dict[str, int] = field(default_factory=dict)
    kept: Path | None = None


def move(file: Path | None = None) -> Moved:
    """Copies an SQLite file, or the site's (then renamed), into PostgreSQL, all or nothing. Raises Unfit."""
    if not is_postgres():
        raise Unfit("DATABASE_URL is to be that of the PostgreSQL database to which the site moves.")
    source = file or own_file_of_sqlite()
    check(source)
    moved = Moved()
    with held(source):
        _check_rows()
        call_command("migrate", verbosity=0)
        with transaction.atomic():
            connection.cursor().execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            _check_empty()
            _empty()
            for model in tables():
                moved.rows[model._meta.db_table] = _copy(model)
            with connection.cursor() as cursor:
                for words in connection.ops.sequence_reset_sql(no_style(), tables()):
                    cursor.execute(words)
            connection.check_constraints()
            _compare()
        if file is None:
            moved.kept = name_aside(source, "moved")
            source.rename(moved.kept)
            sync(source.parent)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return moved


def tables() -> list[type[models.Model]]:
    """The models of all tables that are copied: all except the table of applied migrations."""
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.managed and not model._meta.proxy]


def _rows(model: type[models.Model], alias: str) -> Iterator[tuple[Any, ...]]:
    names = [column.attname for column in model._meta.local_concrete_fields]
    rows: Any = models.QuerySet(model, using=alias).order_by().values_list(*names)
    yield from rows.iterator(chunk_size=AT_A_TIME)


def _check_rows() -> None:
    """Raises Unfit and says where texts contain NUL or are too long for their column."""
    found = [
        fault
        for model in tables()
        for row in _rows(model, ALIAS)
        for column, value in zip(model._meta.local_concrete_fields, row, strict=True)
        if (fault := _fault(model, column, value, row))
    ]
    if found:
        more = f"\n… and {len(found) - NAMED_AT_MOST} more" if len(found) > NAMED_AT_MOST else ""
        raise Unfit("PostgreSQL does not take these:\n" + "\n".join(found[:NAMED_AT_MOST]) + more)


def _fault(
    model: type[models.Model], column: models.Field[Any, Any], value: Any, row: tuple[Any, ...]
) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    if not isinstance(text, str):
        return ""
    meta = model._meta
    names = [one.attname for one in meta.local_concrete_fields]
    at = f"{meta.db_table}.{column.column} where {meta.pk.column} = {row[names.index(meta.pk.attname)]!r}"
    if "\0" in text or (text is not value and "\\u0000" in text):
        return f"  {at} holds the character NUL. Take it out with SQLite's replace(…, char(0), '')."
    if column.max_length is not None and len(text) > column.max_length and text is value:
        return f"  {at} is longer than {column.max_length} characters. Shorten it."
    return ""


def _check_empty() -> None:
    full = [
        model._meta.db_table
        for model in tables()
        if model._meta.label not in MADE_BY_MIGRATE and models.QuerySet(model).exists()
    ]
    if full:
        raise Unfit(
            f"The database {connection.settings_dict['NAME']} has rows already (in {', '.join(full[:5])}). "
            "Make an empty one (createdb), and name that in DATABASE_URL."
        )


def _empty() -> None:
    names = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in tables())
    guards.drop_triggers(connection)
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {names}")
    guards.create_triggers(connection)


def _copy(model: type[models.Model]) -> int:
    columns = model._meta.local_concrete_fields
    quote = connection.ops.quote_name
    names = ", ".join(quote(column.column) for column in columns)
    count = 0
    try:
        with (
            connection.wrap_database_errors,
            connection.cursor() as cursor,
            cursor.copy(f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN") as lines,
        ):
            for row in _rows(model, ALIAS):
                pairs = zip(columns, row, strict=True)
                lines.write_row([column.get_db_prep_save(value, connection) for column, value in pairs])
                count += 1
    except (DataError, IntegrityError) as fault:
        raise Unfit(f"{model._meta.db_table}: PostgreSQL does not take a row: {fault}") from None
    return count


def _compare() -> None:
    for model in tables():
        before, now = digest(model, ALIAS), digest(model, connection.alias)
        if before != now:
            raise Unfit(
                f"{model._meta.db_table} differs after it was copied: {before[0]} rows before, {now[0]} now. "
                "Nothing was changed; please report this."
            )


def digest(model: type[models.Model], alias: str) -> tuple[int, str]:
    """The number of rows in a model's table, and a hash of all rows that does not depend on their order."""
    count = total = 0
    for row in _rows(model, alias):
        text = json.dumps([_plain(value) for value in row], sort_keys=True)
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
        count += 1
    return count, f"{total % 2**256:064x}"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    return value if isinstance(value, dict | list | str | int | float | bool | None) else str(value)


ALIAS = "moved_from"


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Opens the SQLite `file` as the database ALIAS, locked for others; raises Unfit if in use, or old."""
    settle(file)
    connections.settings[ALIAS] = connections.configure_settings(
        {
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(file),
                "OPTIONS": {"transaction_mode": "EXCLUSIVE", "timeout": 2},
            }
        }
    )["default"]
    try:
        with transaction.atomic(using=ALIAS):
            _check_version(file)
            yield
    except OperationalError as fault:
        if "locked" in str(fault):
            raise Unfit(f"{file} is in use. Stop every process of the site first.") from None
        raise
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.settings[ALIAS]


def _check_version(file: Path) -> None:
    loader = MigrationLoader(connections[ALIAS], ignore_no_migrations=True)
    if missing := sorted(set(loader.disk_migrations) - set(loader.applied_migrations)):
        app, name = missing[0]
        raise Unfit(
            f"{file} is from an older Robosite ({app} {name} is missing). Run manage.py migrate while "
            "DATABASE_URL is still that of SQLite, and then move."
        )

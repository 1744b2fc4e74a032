"""A database with very many matches: copies of a few that were played, a query for each row copied."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Max, Model

from games import newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people.models import Guest

PLAYED = 2
"""The number of turns that have been played in each match."""
DAYS = 365
"""Over so many days before now they are spread."""


def fill(over: int, going_on: int) -> None:
    """Fills the database with matches of two guests that are over and that go on, as copies of two."""
    for copies, ends in ((over, True), (going_on, False)):
        match = _play(ends=ends)
        seats = list(match.seats.all())
        made = Copies(copies)
        made.add(
            [match],
            key=f"CAST({1 + ends}00000000000 + n.i AS TEXT)",
            created_at=made.moment,
            changed_at=made.moment,
        )
        made.add([hold.guest for hold in Hold.objects.filter(seat__match=match)], name="'Robot ' || {n}")
        made.add(seats, name="'Robot ' || {n}", link_hash="{n}")
        made.add(list(Hold.objects.filter(seat__match=match)))
        made.add(list(Program.objects.filter(seat__match=match)))
        with connection.cursor() as cursor:
            for sql in connection.ops.sequence_reset_sql(no_style(), [Match, Guest, Seat, Hold, Program]):
                cursor.execute(sql)
            cursor.execute("ANALYZE")


class Copies:
    """Copies of rows. What refers to a row that was copied too refers to the copy of the same number."""

    def __init__(self, copies: int) -> None:
        self.copies = copies
        self.keys: dict[tuple[type[Model], Any], str] = {}
        age = f"CAST(n.i AS BIGINT) * {DAYS * 1440} / {copies}"
        self.moment = (
            f"now() - ({age}) * interval '1 minute'"
            if connection.vendor == "postgresql"
            else f"datetime('now', '-' || ({age}) || ' minutes')"
        )

    def add(self, rows: Sequence[Model], **changed: str) -> None:
        """Copies these rows; `changed` gives columns other values, as SQL with the copy's number as {n}."""
        model = type(rows[0])
        first = (model._base_manager.aggregate(last=Max("pk"))["last"] or 0) + 1
        for place, row in enumerate(rows):
            self.keys[model, row.pk] = f"{first + place} + n.i * {len(rows)}"
        for row in rows:
            self._copy(row, {name: sql.format(n="CAST(n.i AS TEXT)") for name, sql in changed.items()})

    def _copy(self, row: Model, changed: dict[str, str]) -> None:
        quoted = connection.ops.quote_name
        columns = {
            field.attname: changed.get(field.attname) or self._key(row, field) or quoted(field.column)
            for field in row._meta.concrete_fields
        }
        last, table = self.copies - 1, quoted(row._meta.db_table)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(map(quoted, columns))}) "
                f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last}) "
                f"SELECT {', '.join(columns.values())} FROM {table}, n WHERE id = %s",
                [row.pk],
            )

    def _key(self, row: Model, field: Any) -> str | None:
        if not field.primary_key and not field.is_relation:
            return None
        model = type(row) if field.primary_key else field.related_model
        return self.keys.get((model, getattr(row, field.attname)))


def _play(*, ends: bool) -> Match:
    """A match in its third turn, or over by a resignation in it."""
    game, chance = newest("pigs"), Random(1)
    ada, ben = Guest.objects.create(name="Ada"), Guest.objects.create(name="Ben")
    made, taken, invite = flow.create(game, game.read_options({}), 2, "Ada", guest=ada, deadline_hours=24)
    seats = [taken.seat, flow.join(made, "Ben", invite=invite, guest=ben).seat]
    for turn in range(PLAYED):
        for seat in seats:
            flow.seal(seat, turn, state_of(made).sample(Letter(seat.letter), chance))
        made.refresh_from_db()
    if ends:
        flow.resign(seats[1])
    return Match.objects.get(pk=made.pk)

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
from robosite.leagues import flow as league_flow
from robosite.leagues.models import Fixture, League, Place, PlaceHold
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people.models import Guest

PLAYED = 2
"""The number of turns that have been played in each match."""
DAYS = 365
"""Over so many days before now they are spread."""
PLACES = 10
"""The number of players of a league, who play 45 matches."""


def fill(over: int, going_on: int) -> None:
    """Fills the database with matches of two guests that are over and that go on, as copies of two."""
    for copies, ends in ((over, True), (going_on, False)):
        match, made = _play(ends=ends), Copies(copies)
        made.add([hold.guest for hold in Hold.objects.filter(seat__match=match)], name="'Robot ' || {n}")
        made.add_match(match, 1 + ends, created_at=made.moment, changed_at=made.moment)
        _put_in_order(Match, Guest, Seat, Hold, Program)


def fill_leagues(leagues: int) -> None:
    """Fills the database with leagues of ten that go on, in half of whose matches somebody has resigned."""
    league, made = _play_league(), Copies(leagues)
    holders = list(PlaceHold.objects.filter(place__league=league).select_related("guest"))
    made.add([hold.guest for hold in holders], name="'Robot ' || {n}")
    made.add([league], key="CAST(900000000000 + n.i AS TEXT)")
    made.add(list(league.places.all()), link_hash="{n}")
    made.add(holders)
    for at, fixture in enumerate(league.fixtures.select_related("match")):
        assert fixture.match
        made.add_match(fixture.match, 300 + at)
        made.add([fixture])
    _put_in_order(Match, Guest, Seat, Hold, Program, League, Place, PlaceHold, Fixture)


def _put_in_order(*models: type[Model]) -> None:
    """Lets new rows follow those that were copied, and the database know how many there are."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), list(models)):
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
        if first <= self.copies:  # PostgreSQL would read all of what it takes for empty, for each row
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")

    def add_match(self, match: Match, first: int, **changed: str) -> None:
        """Copies a match with its seats and programs; the keys of the copies begin with `first`."""
        self.add([match], key=f"CAST({first:0<12} + n.i AS TEXT)", **changed)
        self.add(list(match.seats.all()), name="'Robot ' || {n}", link_hash="{n}")
        self.add(list(Hold.objects.filter(seat__match=match)))
        self.add(list(Program.objects.filter(seat__match=match)))

    def _copy(self, row: Model, changed: dict[str, str]) -> None:
        quoted = connection.ops.quote_name
        columns = {
            field.column: changed.get(field.attname) or self._key(row, field) or quoted(field.column)
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


def _play_league() -> League:
    """A league in which two turns of each match were played, and somebody has resigned in every second."""
    game, chance = newest("pigs"), Random(1)
    guests = [Guest.objects.create(name=f"Robot {letter}") for letter in "ABCDEFGHIJ"[:PLACES]]
    terms: dict[str, Any] = {"most_places": PLACES, "deadline_hours": 48, "ends_days": 60}
    made = league_flow.create("Robots", game, game.read_options({}), guests[0].name, guest=guests[0], **terms)
    for guest in guests[1:]:
        league_flow.join(made.league, guest.name, invite=made.invite, guest=guest)
    league_flow.start(made.league)
    for at, fixture in enumerate(made.league.fixtures.select_related("match")):
        match = fixture.match
        assert match
        seats = list(match.seats.all())
        for turn in range(PLAYED):
            for seat in seats:
                flow.seal(seat, turn, state_of(match).sample(Letter(seat.letter), chance))
            match.refresh_from_db()
        if at % 2:
            flow.resign(seats[at // 2 % 2])
    league_flow.settle(made.league.pk)
    return League.objects.get(pk=made.league.pk)

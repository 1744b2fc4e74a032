"""A league read at once: its places, its pairings with their matches, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.pairing import divisions_of, drawn
from robosite.leagues.table import Decided, Left, Result, does_count, left_as, withdrawn_of
from robosite.leagues.table_data import table_data
from robosite.matches.models import FORGOTTEN, Match
from robosite.web.caches import BoundedCache

_tables: BoundedCache[str, dict[str, Any]] = BoundedCache(256)
"""Tables by all that they are computed from; nobody changes them."""


@dataclass
class Standings:
    """A league with its places, but those that are gone, and its pairings in the order of the schedule."""

    league: League
    places: list[Place]
    fixtures: list[Fixture]

    @property
    def started(self) -> bool:
        return self.league.started_at is not None

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number that each place was drawn, by the place's own; {} before the start."""
        if not self.started:
            return {}
        order = drawn(self.league.nonce, [place.number for place in self.places])
        return {place: number for number, place in enumerate(order, 1)}

    @cached_property
    def divisions(self) -> list[list[int]]:
        """The places of each division in the order of their numbers; [] before the start."""
        return divisions_of(sorted(self.numbers, key=self.numbers.__getitem__)) if self.started else []

    @cached_property
    def by_key(self) -> dict[int, Place]:
        """The places by their primary keys."""
        return {place.pk: place for place in self.places}

    @cached_property
    def results(self) -> list[Result]:
        """The result of each pairing."""
        return [self.result_of(fixture) for fixture in self.fixtures]

    def result_of(self, fixture: Fixture) -> Result:
        """The result of one pairing."""
        a, b = self.by_key[fixture.a_id].number, self.by_key[fixture.b_id].number
        if not fixture.decided:
            return Result(a, b)
        if fixture.decided == Decided.NOBODY:
            return Result(a, b, (0.0, 0.0), Decided.NOBODY)
        if fixture.match_id is None and (fixture.forfeit or fixture.decided == Decided.LAST_DAY):
            return Result.without_a_match(a, b, Decided(fixture.decided), fixture.forfeit)
        scores = (
            fixture.match.outcome_json["scores"] if fixture.match and fixture.match.outcome_json else None
        )
        if fixture.decided == Fixture.VOID or scores is None:
            return Result(a, b, void=True)
        return Result(a, b, (float(scores["A"]), float(scores["B"])), Decided(fixture.decided))

    @cached_property
    def gone(self) -> set[int]:
        """The numbers of the places that were left after the start."""
        return {place.number for place in self.places if place.left_at}

    @cached_property
    def withdrawn(self) -> set[int]:
        """Those of them of which nothing counts."""
        return withdrawn_of([place.number for place in self.places], self.results, self.gone)

    def left(self, place: Place) -> Left | None:
        """The fate of the results of a place that was left after the start; None if it was not."""
        return left_as(place.number, self.results) if place.left_at else None

    def counts(self, result: Result) -> bool:
        """Tell whether a result is in the table."""
        return does_count(result, self.withdrawn)

    @cached_property
    def table(self) -> dict[str, Any]:
        """The table as data."""
        names = {place.number: "" if place.name == FORGOTTEN else place.name for place in self.places}
        key = repr((self.divisions, self.results, sorted(self.gone), sorted(names.items())))
        table: dict[str, Any] | None = _tables.get(key)
        if table is None:
            _tables[key] = table = table_data(self.divisions, self.results, self.gone, names)
        return table


COLUMNS = (
    "key",
    "status",
    "outcome_json",
    "to_act",
    "turn",
    "version",
    "deadline",
    "changed_at",
    "game_slug",
    "rules",
)
"""The columns of a match that its league needs."""


def standings_of(league: League) -> Standings:
    """Reads the present standings of a league."""
    places = list(league.places.filter(gone=False))
    own = [f"match__{column}" for column in COLUMNS]
    ours = ("division", "round", "decided", "forfeit", "a_id", "b_id", "league_id", "match_id")
    fixtures = league.fixtures.select_related("match").only(*ours, *own)
    return Standings(league, places, list(fixtures) if league.started_at else [])


def match_status(fixture: Fixture) -> str:
    """The status of a pairing's match; one that is still to be made waits, unless it was decided before."""
    if fixture.match:
        return fixture.match.status
    return Match.Status.OVER if fixture.decided else "waiting"

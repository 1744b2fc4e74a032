"""A league read at once: its places, its pairings with their matches, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from robosite.leagues.bot_strengths import fixed_points
from robosite.leagues.designs import Meetings
from robosite.leagues.models import COLUMNS as SEAT_COLUMNS
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.pairing import divisions_of, drawn, fewest_places, meetings
from robosite.leagues.table import Left, Result, does_count, left_as, withdrawn_of
from robosite.leagues.table_data import result_at, table_data
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
        if not self.started:
            return []
        return divisions_of(sorted(self.numbers, key=self.numbers.__getitem__), self.league.table_seats)

    @property
    def taken(self) -> list[Place]:
        """The places that somebody has taken: of a league that has started, all."""
        return [place for place in self.places if place.taken]

    @property
    def meetings(self) -> Meetings | None:
        """The meetings of the players who are there; None as long as they are too few."""
        league, here = self.league, len(self.taken)
        if here < fewest_places(league.table_seats):
            return None
        return meetings(here, league.table_seats, league.legs)

    @cached_property
    def by_key(self) -> dict[int, Place]:
        """The places by their primary keys."""
        return {place.pk: place for place in self.places}

    @cached_property
    def results(self) -> list[Result]:
        """The result of each pairing."""
        return [self.result_of(fixture) for fixture in self.fixtures]

    def seats_of(self, fixture: Fixture) -> dict[str, int]:
        """The numbers of the places of a pairing, by the letters of their seats."""
        return {letter: self.by_key[pk].number for letter, pk in fixture.seats.items()}

    def result_of(self, fixture: Fixture) -> Result:
        """The result of one pairing."""
        outcome = fixture.match.outcome_json if fixture.match else None
        return result_at(
            self.seats_of(fixture),
            fixture.decided,
            has_match=fixture.match_id is not None,
            scores=outcome and outcome["scores"],
            forfeit=fixture.forfeit,
            finish=fixture.finish.split("/"),
            by_places=self.league.scoring == League.Scoring.PLACES,
        )

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
        known = self.fixed_points
        key = repr((self.divisions, self.results, sorted(self.gone), sorted(names.items()), known))
        table: dict[str, Any] | None = _tables.get(key)
        if table is None:
            _tables[key] = table = table_data(self.divisions, self.results, self.gone, names, fixed=known)
        return table

    @property
    def fixed_points(self) -> dict[int, float]:
        """The known strengths of the places that bots play."""
        players = {place.number: place.player for place in self.places if place.player}
        league = self.league
        return fixed_points(league.game, league.given_options, league.table_seats, players) if players else {}


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
FIXTURE_COLUMNS = (
    *("league_id", "match_id", "division", "round", "decided", "forfeit", "finish"),
    *(f"{at}_id" for at in SEAT_COLUMNS),
    *(f"match__{column}" for column in COLUMNS),
)
"""The columns of a pairing and its match that are read together."""


def standings_of(league: League) -> Standings:
    """Reads the present standings of a league."""
    places = list(league.places.filter(gone=False))
    fixtures = league.fixtures.select_related("match").only(*FIXTURE_COLUMNS)
    return Standings(league, places, list(fixtures) if league.started_at else [])


def match_status(fixture: Fixture) -> str:
    """The status of a pairing's match; one that is still to be made waits, unless it was decided before."""
    if fixture.match:
        return fixture.match.status
    return Match.Status.OVER if fixture.decided else "waiting"

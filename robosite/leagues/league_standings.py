"""A league with its places, fixtures and matches, and everything that is computed from them."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from robosite.leagues.arithmetic import strength
from robosite.leagues.arithmetic.bracket import Bracket, CupMatch, bracket_of
from robosite.leagues.arithmetic.designs import Meetings
from robosite.leagues.arithmetic.table import Left, Result, does_count
from robosite.leagues.arithmetic.table_data import result_at
from robosite.leagues.formats import cup_match
from robosite.leagues.models import COLUMNS as SEAT_COLUMNS
from robosite.leagues.models import Fixture, League, Place
from robosite.matches.models import Match
from robosite.web.caches import once_made
from robosite.web.written_names import FORGOTTEN


@dataclass
class Standings:
    """A league with its participants (`places`) and its schedule (`fixtures`).

    Participants who gave up before the start are left out; fixtures are in the order of schedule or bracket.
    """

    league: League
    places: list[Place]
    fixtures: list[Fixture]

    @property
    def started(self) -> bool:
        return self.league.started_at is not None

    @cached_property
    def lot_numbers(self) -> dict[int, int]:
        """The number, from 1, that was drawn by lot for each place number; {} before the start."""
        order = (place for division in self.divisions for place in division)
        return {place: number for number, place in enumerate(order, 1)}

    @cached_property
    def divisions(self) -> list[list[int]]:
        """The divisions, each a list of the participants' numbers, in the order drawn by lot."""
        return self.league.kind.divisions(self) if self.started else []

    @property
    def taken(self) -> list[Place]:
        """The places in the league that somebody has taken; after the start, these are all places."""
        return [place for place in self.places if place.taken]

    @property
    def meetings(self) -> Meetings | None:
        """The matches that each participant would play, in all and with each other; None if too few came."""
        league, here = self.league, len(self.taken)
        return None if here < league.least_places else league.kind.meetings(league, here)

    @cached_property
    def by_key(self) -> dict[int, Place]:
        return {place.pk: place for place in self.places}

    @cached_property
    def results(self) -> list[Result]:
        """The result of each fixture, in the order of `fixtures`."""
        return [self.result_of(fixture) for fixture in self.fixtures]

    def seats_of(self, fixture: Fixture) -> dict[str, int]:
        """Returns the place numbers of the participants in a fixture, keyed by the letters of their seats."""
        return {letter: self.by_key[pk].number for letter, pk in fixture.seats.items()}

    def result_of(self, fixture: Fixture) -> Result:
        outcome = fixture.match.outcome_json if fixture.match else None
        return result_at(
            self.seats_of(fixture),
            fixture.decided,
            has_match=fixture.match_id is not None,
            scores=outcome and outcome["scores"],
            forfeit=fixture.forfeit,
            finish=fixture.finish.split("/"),
            by_finish=self.league.scoring == League.Scoring.FINISH,
            early=fixture.early,
        )

    @cached_property
    def cup_matches(self) -> list[CupMatch]:
        """The cup match that each fixture of a cup stores, in the order of `fixtures`."""
        return [cup_match(fixture, self.by_key) for fixture in self.fixtures]

    @cached_property
    def bracket(self) -> Bracket:
        places = [place.number for place in self.places]
        return bracket_of(self.league.nonce, places, dict(zip(self.cup_matches, self.results, strict=True)))

    @cached_property
    def left_numbers(self) -> set[int]:
        """The place numbers of the participants who left after the start."""
        return {place.number for place in self.places if place.left_at}

    @cached_property
    def withdrawn(self) -> set[int]:
        """The place numbers of those who left so early that none of their results count; empty in a cup."""
        return self.league.kind.withdrawn(self)

    def left(self, place: Place) -> Left | None:
        """Returns how the results of a participant who left after the start are treated; None for others."""
        return self.league.kind.left(self, place.number) if place.left_at else None

    def counts(self, result: Result) -> bool:
        return does_count(result, self.withdrawn)

    @cached_property
    def table(self) -> dict[str, Any]:
        """The league's table as JSON-like data (`table_data.py`), which is shared: never change it."""
        names = {place.number: "" if place.name == FORGOTTEN else place.name for place in self.places}
        known = self.fixed_points
        own, left = self.league.kind.facts(self), sorted(self.left_numbers)
        key = repr((own, self.divisions, self.results, left, sorted(names.items()), known))
        make = partial(self.league.kind.table, self, names, known)
        return once_made(("league", key), make, lambda _table: 2 * len(key))

    @property
    def fixed_points(self) -> dict[int, float]:
        """The measured strengths (θ of the Bradley–Terry model) of the bots, keyed by their place numbers."""
        players = {place.number: place.player for place in self.places if place.player}
        league, scale = self.league, strength.SCALE
        terms = league.game, league.given_options, league.table_seats
        return strength.fixed_points(*terms, players, scale=scale) if players else {}


COLUMNS = (
    *("key", "status", "outcome_json", "to_act", "turn"),
    *("version", "deadline", "changed_at", "game_slug", "rules"),
)
"""The columns of `Match` that are read with a league."""
FIXTURE_COLUMNS = (
    *("league_id", "match_id", "division", "round", "decided", "forfeit", "finish", "early"),
    *(f"{at}_id" for at in SEAT_COLUMNS),
    *(f"match__{column}" for column in COLUMNS),
)
"""The columns of a fixture and of its match that are read in one query."""


def standings_of(league: League) -> Standings:
    """Reads a league's participants from the database and, if the league has started, its schedule."""
    places = list(league.places.filter(gone=False))
    fixtures = league.fixtures.select_related("match").only(*FIXTURE_COLUMNS)
    if not league.started_at:
        return Standings(league, places, [])
    return Standings(league, places, league.kind.in_order(fixtures))


def match_status(fixture: Fixture) -> str:
    """The status of a fixture's match; without a match, "over" if it was decided, otherwise "waiting"."""
    if fixture.match:
        return fixture.match.status
    return Match.Status.OVER if fixture.decided else "waiting"

"""A league as its page shows it to one reader: tables, crosstable, players who owe orders, own matches."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial
from time import monotonic
from typing import Any, NamedTuple

from django.db.models import Case, Exists, OuterRef, QuerySet, When
from django.template.defaultfilters import floatformat
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from games.core import SEATS
from robosite.engine.prepared import Prepared
from robosite.leagues import flow, league_talk
from robosite.leagues.arithmetic.table import Decided, Result
from robosite.leagues.league_standings import FIXTURE_COLUMNS, Standings
from robosite.leagues.models import Fixture, League, Place, PlaceHold
from robosite.leagues.next_season import goes_on, moves_of
from robosite.leagues.pages.wording import Winners, winners_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.wording import listed
from robosite.people.models import Guest
from robosite.play.drawings import is_drawn
from robosite.web.caches import BoundedCache

WEEK = timedelta(days=7)


def week_before(league: League) -> datetime:
    """Returns the time seven days ago or, for a league that is over, seven days before its end."""
    return (league.over_at or timezone.now()) - WEEK


@dataclass
class Cell:
    """A match in a cell of the crosstable, seen from the participant of the row.

    `to` leads to the match, its players to their seat; it is "" if the match was not made. `counts` is True
    also while the match is open.
    """

    text: str
    words: str
    to: str
    counts: bool
    over: bool


class ShownLeague(Standings):
    """A league as its page shows it to one reader; it is read with at most two queries."""

    @classmethod
    def read(cls, league: League, guest: Guest | None) -> ShownLeague:
        read = _listed_places if league.listed else _places
        places: Any = read.rows(league.pk, guest.pk if guest else 0, league.created_at)
        shown = cls(league, places, [])
        if league.started_at and places:
            shown._read_fixtures()
        return shown

    def _read_fixtures(self) -> None:
        """Takes this version's schedule and results from the cache, or reads them; never change a row."""
        league, now = self.league, monotonic()
        known = _kept.get((league.key, league.version))
        if known is None or now > known.until:
            fixtures = _fixtures(league)
            self.fixtures = league.kind.in_order(fixtures)
            known = Kept(self.fixtures, self.results, now + SECONDS)
            _kept[league.key, league.version] = known
        self.fixtures, self.results, _until = known

    @property
    def _facts(self) -> list[Any]:
        return [
            (
                one.decided,
                one.forfeit,
                one.finish,
                one.match and (one.match.key, one.match.version, one.match.to_act),
            )
            for one in self.fixtures
        ]

    def is_due(self) -> bool:
        """Returns True if a result is not stored yet, or if the next round or the league's end is due."""
        if self.league.status != League.Status.PLAYING:
            return False
        ended = any(
            one.match and not one.decided and one.match.status in flow.FINISHED for one in self.fixtures
        )
        return ended or self.is_being_set_up or self.is_past_last_day

    @property
    def is_being_set_up(self) -> bool:
        """Returns True if matches are due to begin that the clock has not made yet."""
        league = self.league
        is_due = league.next_round_at is not None and league.next_round_at <= timezone.now()
        return is_due and league.status == League.Status.PLAYING and not self.is_past_last_day

    @property
    def is_past_last_day(self) -> bool:
        """Returns True if the league's last day is over, and matches are left that the clock will decide."""
        league = self.league
        return league.status == League.Status.PLAYING and bool(league.ends and league.ends <= timezone.now())

    @cached_property
    def tables_mark(self) -> str:
        """A cache key for the tables: a hash of everything that they depend on, as this reader sees them."""
        league, mine = self.league, self.mine
        places = [
            (one.number, one.name, one.left_at, one.removed, one.passed_at, one in self.vacant, goes_on(one))
            for one in self.places
        ]
        here = get_script_prefix(), timezone.get_current_timezone_name()
        parts = here, league.key, league.status, mine and mine.number, places, self._facts
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def mark(self) -> str:
        """A hash of everything that the page shows; while it stays the same, an open page needs no update."""
        taken = [one.number for one in self.taken]
        league, after = self.league, self.league.next_season
        terms = league.deadline_hours, league.reserve_hours, league.ends_days, league.every_days, league.legs
        start = league.starts_at
        yes = [one.number for one in self.places if one.stays_at]
        season = terms, start, league.ends, yes, after and (after.key, after.status)
        due = self.is_being_set_up, self.is_past_last_day, league.organiser_place
        parts = self.tables_mark, league.name, taken, getattr(self.mine, "unread", None), season, due
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def has_moment(self) -> bool:
        """Returns True if a match of several turns has ended since `week_before`, for a `moment_of`."""
        since = week_before(self.league)
        return is_drawn(self.league.game_slug) and any(
            one.decided == Decided.PLAY and one.match and one.match.turn > 1 and one.match.changed_at >= since
            for one in self.fixtures
        )

    @cached_property
    def mine(self) -> Place | None:
        """The reader's place in the league; None if they do not take part."""
        return next((place for place in self.places if getattr(place, "mine", False)), None)

    @cached_property
    def vacant(self) -> list[Place]:
        """The places of a running league for which nobody can play."""
        if self.league.status != League.Status.PLAYING:
            return []
        return [
            place
            for place in self.places
            if place.taken and not place.is_bot and not place.link_hash and not place.left_at
        ]

    @property
    def removable(self) -> list[Place]:
        """The participants whom the organiser may remove: all who have not left, except the reader."""
        return [place for place in self.places if not place.left_at and place != self.mine]

    @property
    def organiser(self) -> Place | None:
        """The place whose holder organises the league; None if its maker does so without a place."""
        own = self.league.organiser_place
        return next((place for place in self.places if place.number == own and not place.gone), None)

    @property
    def heirs(self) -> list[Place]:
        """The places to which the organiser's role can be handed on (`flow/organising.py`)."""
        there = [place for place in self.places if place.taken and not place.is_bot and place.link_hash]
        there = [place for place in there if not (place.left_at or place.removed)]
        return [place for place in there if place.number != self.league.organiser_place]

    @property
    def by_number(self) -> dict[int, Place]:
        return {place.number: place for place in self.places}

    def winners(self, at: int) -> Winners:
        """Returns the winners of the division at index `at`, and how a tie with others was broken."""
        rows = [row for row in self.table["divisions"][at]["rows"] if row["counts"]]
        names = {row["place"]: self.by_number[row["place"]].shown_name for row in rows}
        return winners_of(rows, names, self.league.table_seats)

    @property
    def deciders(self) -> list[tuple[str, Match, str]]:
        """Rivals who share first place with the reader, and their last match, if no rematch has decided it.

        Such a rematch is no match of the league, whose table and record stay as they are.
        """
        league = self.league
        is_over = league.status == League.Status.OVER and not league.closed and not league.kind.knocks_out
        if self.mine is None or not is_over:
            return []
        tied = next((won for won in map(self.winners, range(len(self.divisions))) if self._shares(won)), None)
        last = {}
        for fixture, result in zip(self.fixtures, self.results, strict=True):
            others = frozenset(result.seats) - {self.mine.number}
            is_among_them = tied and self.mine.number in result.seats and others <= set(tied.places)
            if is_among_them and fixture.match and fixture.match.status == Match.Status.OVER:
                last[others] = fixture.match, fixture.seat_of(self.mine)
        names = {place.number: place.shown_name for place in self.places}
        played = Match.objects.filter(
            rematch_of__in=[match for match, _ in last.values()], status=Match.Status.OVER
        )
        decided = set(played.values_list("rematch_of", flat=True))
        return [
            (listed([names[one] for one in sorted(others)]), match, seat)
            for others, (match, seat) in last.items()
            if match.pk not in decided
        ]

    def _shares(self, won: Winners) -> bool:
        return self.mine is not None and self.mine.number in won.places and len(won.places) > 1

    def division(self, at: int) -> dict[str, Any]:
        """Returns the template context of the table of the division at index `at`."""
        rows = [self._row(row) for row in self.table["divisions"][at]["rows"]]
        most = sum(row["counts"] for row in rows)
        for row in rows:
            row["reach_tells"] = row["reach"] is not None and tuple(row["reach"]) != (1, most)
        if self.league.kind.draws_grid:
            order = [row["place"] for row in rows]
            cells = self._cells
            for row in rows:
                row["cells"] = [cells[row["place"], other] for other in order]
        return {
            "rows": rows,
            "has_results": any(row["played"] for row in rows),
            "has_strength": any(row["strength"] for row in rows),
            "tells_reach": self.league.status == League.Status.PLAYING
            and any(row["reach_tells"] for row in rows),
        }

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        place = self.by_number[row["place"]]
        return {
            **row,
            "name": place.shown_name,
            "mine": place == self.mine,
            "bot": place.is_bot,
            "left": self.left(place),
            "removed": place.removed,
            "vacant": place in self.vacant,
            "has_played_all": place.number in self._have_played_all,
            "passed_at": place.passed_at,
            "moves": self._moves.get(place.number),
            "points": written_points(row["points"]),
            "direct": written_points(row["direct"]),
            "sonneborn_berger": written_points(row["sonneborn_berger"]),
        }

    @cached_property
    def _have_played_all(self) -> set[int]:
        if self.league.status != League.Status.PLAYING or self.league.kind.knocks_out:
            return set()
        at_it = {place for result in self.results if not result.over for place in result.seats}
        return {place.number for place in self.places if not place.left_at} - at_it

    @cached_property
    def _moves(self) -> dict[int, str]:
        """The place numbers of those who would change division next season, mapped to "up" or "down"."""
        return moves_of(self) if len(self.divisions) > 1 else {}

    @cached_property
    def _cells(self) -> dict[tuple[int, int], list[Cell]]:
        cells: defaultdict[tuple[int, int], list[Cell]] = defaultdict(list)
        for fixture, result in zip(self.fixtures, self.results, strict=True):
            counts, owing = self.counts(result) or not result.over, dict(_owing(fixture)).values()
            for at, (place, other) in enumerate((result.seats, result.seats[::-1])):
                own = result.points[at] if result.points else None
                text = "×" if result.void else "–" if own is None else written_points(own)
                words = _result_in_words(own, result, counts=counts)
                if not result.over:
                    text, words = _progress(fixture, at_turn=self.by_number[place].pk in owing)
                cells[place, other].append(Cell(text, words, self.way_to(fixture), counts, result.over))
        return cells

    def progress(self, fixture: Fixture) -> tuple[str, str]:
        """Returns the sign and the words for a match that is not over, seen by the reader."""
        if fixture.match and not (self.mine and self.mine.pk in fixture.seats.values()):
            return "…", _("being played")
        return _progress(fixture, at_turn=bool(self.mine and self.mine.pk in dict(_owing(fixture)).values()))

    def way_to(self, fixture: Fixture) -> str:
        """Returns the address of a match, for its players that of their seat; "" if it was not made."""
        if fixture.match is None:
            return ""
        if self.mine and self.mine.pk in fixture.seats.values():
            return reverse("seat", args=[fixture.match.key, fixture.seat_of(self.mine)])
        return reverse("match", args=[fixture.match.key])

    @property
    def own_turns(self) -> list[dict[str, Any]]:
        """The reader's matches in which they owe an order, most urgent first, as dicts for the template."""
        mine, names = self.mine, {place.pk: place.shown_name for place in self.places}
        turns = [
            {
                "to": self.way_to(fixture),
                "against": listed([names[pk] for pk in fixture.seats.values() if pk != mine.pk]),
                "deadline": fixture.match.deadline,
            }
            for fixture in self.fixtures
            if mine and fixture.match and not fixture.decided and mine.pk in dict(_owing(fixture)).values()
        ]
        return sorted(turns, key=lambda one: (one["deadline"] is None, one["deadline"]))

    @property
    def awaited(self) -> list[dict[str, Any]]:
        """The other people who owe orders, as dicts: `place`, `n` matches, `near` if the reader waits."""
        matches: Counter[int] = Counter()
        near: set[int] = set()
        for fixture in self.fixtures:
            owing = dict(_owing(fixture)).values()
            matches.update(owing)
            if self.mine and self.mine.pk in fixture.seats.values() and self.mine.pk not in owing:
                near.update(owing)
        people = {one.pk: one for one in self.places if not one.is_bot and one != self.mine}
        return [
            {"place": people[pk], "n": n, "near": pk in near}
            for pk, n in matches.most_common()
            if pk in people
        ]

    def tables_of(self, at: int) -> list[dict[str, Any]]:
        """The matches of the division at index `at`, as dicts for the template."""
        matches = []
        for number, (fixture, result) in enumerate(zip(self.fixtures, self.results, strict=True), 1):
            if fixture.division != at + 1:
                continue
            points, owing = dict(result.points_by_place()), dict(_owing(fixture)).values()
            seats = [
                {
                    "name": self.by_number[place].shown_name,
                    "points": written_points(points[place]) if place in points else "",
                    "left": place in result.left,
                    "owes": self.by_number[place].pk in owing,
                }
                for place in result.seats
            ]
            matches.append(
                {
                    "number": number,
                    "to": self.way_to(fixture),
                    "mine": self.mine is not None and self.mine.number in result.seats,
                    "seats": seats,
                    "words": _("doesn’t count") if result.void else how_decided(result),
                    "over": result.over,
                    "counts": self.counts(result) or not result.over,
                }
            )
        return matches


class Kept(NamedTuple):
    """A league's schedule and results as they are cached for one version of the league."""

    fixtures: list[Fixture]
    results: list[Result]
    until: float
    """The time (of `monotonic`) until which the cached rows are used."""


_kept: BoundedCache[tuple[str, int], Kept] = BoundedCache(5_000, lambda kept: max(len(kept.fixtures), 1))
"""A cache of fixtures, keyed by the league's key and version; bounded by the total number of fixtures."""
SECONDS = 60
"""Seconds for which a cached schedule is used: an older release may change matches without a new version."""


def _places_for(league: int, guest: int, created_at: datetime, *, listed: bool = False) -> QuerySet[Place]:
    held = PlaceHold.objects.filter(place=OuterRef("pk"), guest=guest)
    unread = league_talk.unread(guest, created_at, listed=listed)
    rows = Place.objects.filter(league=league, gone=False).annotate(mine=Exists(held))
    return rows.annotate(unread=Case(When(mine=True, then=unread)))


_places = Prepared(_places_for, int, int, datetime)
_listed_places = Prepared(partial(_places_for, listed=True), int, int, datetime)


def _fixtures(league: League) -> Any:
    """Returns the league's fixtures with their matches, annotated with `a_ready`, `b_ready` and so on."""
    sealed = Program.objects.filter(seat__match=OuterRef("match"), turn=OuterRef("match__turn")).exclude(
        seal=""
    )
    resigning = Seat.objects.filter(match=OuterRef("match"), resigned_turn=OuterRef("match__turn"))
    ready: dict[str, Any] = {}
    for letter in SEATS[: league.table_seats]:
        ready[f"{letter.lower()}_ready"] = of_seat = Exists(sealed.filter(seat__letter=letter))
        if league.table_seats > 2:  # between two, a resignation ends the match at once
            ready[f"{letter.lower()}_ready"] = of_seat | Exists(resigning.filter(letter=letter))
    return league.fixtures.select_related("match").only(*FIXTURE_COLUMNS).annotate(**ready)


def _owing(fixture: Any) -> list[tuple[str, int]]:
    """Returns the seats that still owe an order, as pairs of seat letter and the place's primary key."""
    match = fixture.match
    if match is None or match.status != Match.Status.PLAYING:
        return []
    return [
        (letter, place)
        for letter, place in fixture.seats.items()
        if letter in (match.to_act or "") and not getattr(fixture, f"{letter.lower()}_ready")
    ]


def owed_in(league: League) -> Counter[int]:
    """Returns in how many matches of a league each place (primary key) owes an order."""
    return Counter(place for fixture in _fixtures(league) for _letter, place in _owing(fixture))


FRACTIONS = {0.25: "¼", 0.5: "½", 0.75: "¾", round(1 / 3, 6): "⅓", round(2 / 3, 6): "⅔"}


def written_points(points: float) -> str:
    """Formats points as people write them, such as `3½`; with two decimals if no sign fits the fraction."""
    whole, rest = divmod(round(points, 6), 1)
    fraction = FRACTIONS.get(round(rest, 6), "")
    if rest and not fraction:
        return floatformat(points, 2)
    return f"{int(whole) if whole or not fraction else ''}{fraction}"


def _progress(fixture: Fixture, *, at_turn: bool) -> tuple[str, str]:
    if fixture.match is None:
        return "·", _("not begun")
    return ("●", _("has the move")) if at_turn else ("○", _("waits"))


def _result_in_words(own: float | None, result: Any, *, counts: bool) -> str:
    if result.void or own is None:
        return _("doesn’t count")
    outcome = {1.0: _("won"), 0.5: _("drawn"), 0.0: _("lost")}[own]
    how = how_decided(result) if counts else _("doesn’t count")
    return f"{outcome}, {how}" if how else outcome


def how_decided(result: Any) -> str:
    """Returns, in words, why a match was not decided by play; "" for other matches."""
    words = {
        Decided.DEFAULT: _("by default"),
        Decided.LAST_DAY: _("on the last day"),
        Decided.NOBODY: _("no one showed up"),
    }
    return words.get(result.decided, "")

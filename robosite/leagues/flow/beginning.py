"""The start of a league, its schedule, and the creation of the matches of each round."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from robosite.leagues import pairing, seasons
from robosite.leagues.flow import cup_rounds
from robosite.leagues.flow.league_lock import locked_league
from robosite.leagues.live import notify_pages
from robosite.leagues.models import COLUMNS, Fixture, League, Place, PlaceHold, last_moment
from robosite.matches.flow import Refused, arbiter
from robosite.matches.models import Match, MatchFlag
from robosite.matches.time.timekeeping import Allowance
from robosite.people.models import Guest
from robosite.web.signals import send_to_all

begun = Signal()
"""Signal with the arguments `league` and `matches`, a list of matches that begin together.

The signal is sent inside the transaction that makes the last of these matches.
"""
STEP = 45
"""The maximum number of matches of a schedule that are made in one transaction.

If ten places all play each other once, there are 45 matches. The matches of a cup are not limited.
"""
HOLIDAYS = timedelta(days=7)
"""The maximum total time for which a player's holidays stop the clocks in one season.

Holidays do not postpone the season's last day.
"""


def start(league: League) -> None:
    """Starts a league and makes its first matches; does nothing if the league has started already.

    Places that nobody has taken are removed. In a cup, the matches of the first round are made in one
    transaction. In a league, up to STEP matches are made in each transaction. If the process stops in
    between, the clock or the next request for the league makes the missing ones.

    Raises Refused if there are too few players, or if all players are bots.
    """
    now = timezone.now()
    arbiter.give_time_back()
    with locked_league(league.pk) as fresh:
        if fresh.status == League.Status.OPEN:
            _start(fresh, now)
            notify_pages(fresh)
            transaction.on_commit(partial(begin_the_rest, league.pk, now), robust=True)
    league.refresh_from_db()


def _start(league: League, now: datetime) -> None:
    waiting = league.places.filter(gone=False, taken_at=None)
    waiting.update(gone=True, name="")
    places = {place.number: place for place in league.places.filter(gone=False)}
    if league.is_cup and len(places) < league.least_places:
        raise Refused(
            "A cup needs at least {n} players. Send the link to more people.", n=league.least_places
        )
    if len(places) < league.least_places:
        raise Refused(
            "A league needs at least {n} players. Send the link to more people.", n=league.least_places
        )
    if all(place.is_bot for place in places.values()):
        raise Refused("Nobody but bots would play. Send the link to somebody.")
    league.status, league.started_at = League.Status.PLAYING, now
    league.ends = last_moment(now, league)
    league.save()
    if league.is_cup:
        begin_cup_matches(league, now)
    else:
        _pair(league, places)
        league.next_round_at = now
        begin_some(league, now)
    league.save()


def _pair(league: League, places: dict[int, Place]) -> None:
    """Stores the whole schedule of a league; `places` is keyed by place number."""
    divisions = seasons.divisions_of(league, places.values())
    Fixture.objects.bulk_create(
        Fixture(
            league=league,
            division=one.division,
            round=one.round,
            **{at: places[place] for at, place in zip(COLUMNS, one.seats, strict=False)},
        )
        for one in pairing.schedule_of(divisions, league.legs, league.table_seats)
    )


def begin_cup_matches(league: League, now: datetime) -> None:
    """Makes the matches of a cup that can begin at the time `now`; sends the signal `begun` if there are any.

    The caller must have locked the league.
    """
    fixtures = cup_rounds.lay_out(league, now)
    if fixtures:
        _make_matches(league, fixtures)
        matches = Match.objects.filter(fixture__in=fixtures).order_by("fixture")
        send_to_all(begun, League, league.key, league=league, matches=list(matches))


def begin_the_rest(pk: int, now: datetime) -> None:
    """Makes all matches of a league that are due at the time `now`, up to STEP in each transaction.

    `pk` is the primary key of the league.
    """
    due = League.objects.filter(pk=pk, status=League.Status.PLAYING, next_round_at__lte=now)
    while due.exists():
        arbiter.give_time_back()
        with locked_league(pk) as league:
            if league.status == League.Status.PLAYING:
                begin_some(league, now)
                league.save(update_fields=["next_round_at"])


def begin_some(league: League, now: datetime) -> None:
    """Makes up to STEP matches of the round that is due, or of the whole schedule if there are no rounds.

    Does nothing if no round is due at the time `now`. After the last match of a round, sends the signal
    `begun` for the whole round. Also sets `next_round_at` to the time of the next round, or to None after the
    last round. The caller must have locked the league, and must save `next_round_at` afterwards.
    """
    if not (league.next_round_at and league.next_round_at <= now):
        return
    waiting = league.fixtures.filter(match=None, decided="").order_by("pk")
    of_round = league.fixtures.all()
    if league.every_days:
        first = waiting.order_by("round").first()
        of_round = of_round.filter(round=first.round if first else 0)
    step = list(waiting.filter(pk__in=of_round.values("pk"))[: STEP + 1])
    _make_matches(league, step[:STEP])
    if len(step) > STEP:
        return
    matches = Match.objects.filter(fixture__in=of_round.filter(decided="")).order_by("fixture")
    send_to_all(begun, League, league.key, league=league, matches=list(matches))
    days = timedelta(days=league.every_days or 0)
    league.next_round_at = league.next_round_at + days if days and waiting.exists() else None


def _terms(league: League) -> dict[str, Any]:
    """The values that each match copies from its league, by column name."""
    return {
        "deadline_hours": league.deadline_hours,
        "reserve_hours": league.reserve_hours,
        "reveal_at": league.reveal_at,
        "late": league.late,
        "zone": league.zone,
    }


def _make_matches(league: League, fixtures: list[Fixture]) -> None:
    places = league.places.in_bulk({pk for fixture in fixtures for pk in fixture.seats.values()})
    guests: dict[int, list[Guest]] = {pk: [] for pk in places}
    for hold in PlaceHold.objects.filter(place__in=places).select_related("guest").order_by("guest"):
        guests[hold.place_id].append(hold.guest)
    game, options, terms = league.game, league.options, _terms(league)
    for fixture in fixtures:
        seated = {letter: places[pk] for letter, pk in fixture.seats.items()}
        entrants = [
            arbiter.Entrant(
                place.name,
                place.kind,
                [] if letter in fixture.forfeit else guests[place.pk],
                place.player,
            )
            for letter, place in seated.items()
        ]
        strangers = any(place.stranger for place in seated.values())
        fixture.match = arbiter.begin_together(game, options, entrants, strangers=strangers, **terms)
    Fixture.objects.bulk_update(fixtures, ["match"])
    for fixture in fixtures:
        assert fixture.match
        if fixture.match.may_have(MatchFlag.HOLIDAYS):
            arbiter.set_clock(fixture.match)  # by the season's allowance, which is found by the fixture
    for fixture in fixtures:
        for letter in fixture.forfeit:  # seats of players who left before the match began
            assert fixture.match
            arbiter.resign_for(fixture.match, letter)


def holidays_of(match: Match) -> Allowance | None:
    """Returns the days off that each player of a league's match may take in the whole season (HOLIDAYS).

    Returns None for a match outside of leagues.
    """
    if not match.may_have(MatchFlag.BINDING):
        return None
    begun_at = League.objects.filter(fixtures__match=match).values_list("started_at", flat=True).first()
    return Allowance(begun_at, HOLIDAYS) if begun_at else None

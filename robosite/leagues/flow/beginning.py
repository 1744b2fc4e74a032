"""The start of a league, its schedule, and the creation of the matches of each round."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from robosite.leagues.arithmetic import pairing
from robosite.leagues.arithmetic.bracket import Stage
from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.flow.league_lock import May, locked_league, notify_pages
from robosite.leagues.last_day import end_of
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import COLUMNS, Fixture, League, Place, PlaceHold
from robosite.matches import clock
from robosite.matches.flow import Refused, arbiter
from robosite.matches.models import Match, MatchFlag
from robosite.matches.time.calendar import read_spans
from robosite.matches.time.timekeeping import Allowance
from robosite.people.models import Guest
from robosite.people.zones import zone_named
from robosite.web.transactions import send_to_all

begun = Signal()
"""Signal with `league` and `matches` that begin together, in the transaction that makes the last of them."""
STEP = 45
"""The maximum number of matches made in one step: those of ten places that all meet once."""
HOLIDAYS = timedelta(days=7)
"""The time for which a player's holidays stop clocks in a season; they do not postpone its last day."""


def start(league: League, organises: May | None = None) -> None:
    """Starts a league and makes its first matches, unless it has started; raises Refused or SeatLost."""
    arbiter.give_time_back()
    now = timezone.now()
    with locked_league(league.pk, organises) as fresh:
        if fresh.status == League.Status.OPEN:
            _start(fresh, now)
            notify_pages(fresh)
            transaction.on_commit(clock.wake)
    league.refresh_from_db()


def start_on_time(league: League, now: datetime) -> None:
    """Starts a season whose hour has come, or puts it off by a day if too few have said yes.

    The caller must have locked the league.
    """
    try:
        with transaction.atomic():
            _start(league, now)
        notify_pages(league)
    except Refused:
        assert league.starts_at
        local = league.starts_at.astimezone(zone_named(league.zone))
        while local <= now:
            local += timedelta(days=1)  # the same hour by the league's clocks
        league.starts_at = local
        league.save(update_fields=["starts_at"])


def _start(league: League, now: datetime) -> None:
    waiting = [place.pk for place in league.places.filter(gone=False) if not place.taken or place.is_asked]
    PlaceHold.objects.filter(place__in=waiting).delete()
    league.places.filter(pk__in=waiting).update(gone=True, name="")
    places = {place.number: place for place in league.places.filter(gone=False)}
    if len(places) < league.least_places:
        raise Refused(league.kind.too_few, n=league.least_places)
    if all(place.is_bot for place in places.values()):
        raise Refused("Only bots would play. Send someone the link.")
    league.places.exclude(stranger_from="").update(stranger_from="")
    league.listed_from = ""
    league.status, league.started_at = League.Status.PLAYING, now
    league.ends = end_of(league, now)
    league.save()
    if league.kind.knocks_out:
        begin_cup_matches(league, now)
    else:
        _pair(league, places)
        league.next_round_at = now
        begin_some(league, now)
    league.save()


def _pair(league: League, places: dict[int, Place]) -> None:
    divisions = Standings(league, list(places.values()), []).divisions
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
    """Makes the cup matches that can begin, and sends `begun` for them. The league must be locked."""
    fixtures = lay_out(league, now)
    if fixtures:
        _make_matches(league, fixtures)
        matches = Match.objects.filter(fixture__in=fixtures).order_by("fixture")
        send_to_all(begun, League, league.key, league=league, matches=list(matches))


def begin_some(league: League, now: datetime) -> None:
    """Makes up to STEP matches of the round that is due, or of the whole schedule if there are no rounds.

    Sends `begun` after the last one of a round, and sets `next_round_at`. The caller must have locked the
    league, and must save `next_round_at`.
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


COPIED = ("deadline_hours", "reserve_hours", "reveal_at", "late", "zone")
"""The columns that each match copies from its league."""


def _make_matches(league: League, fixtures: list[Fixture]) -> None:
    places = league.places.in_bulk({pk for fixture in fixtures for pk in fixture.seats.values()})
    guests: dict[int, list[Guest]] = {pk: [] for pk in places}
    for hold in PlaceHold.objects.filter(place__in=places).select_related("guest").order_by("guest"):
        guests[hold.place_id].append(hold.guest)
    game, options = league.game, league.options
    terms = {column: getattr(league, column) for column in COPIED}
    batch, made = arbiter.Batch(), list[Match]()
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
        match = arbiter.begin_together(game, options, entrants, strangers=strangers, batch=batch, **terms)
        made.append(match)
    batch.store()
    for fixture, match in zip(fixtures, made, strict=True):
        fixture.match = match
    Fixture.objects.bulk_update(fixtures, ["match"])
    with_holidays = [match for match in made if match.may_have(MatchFlag.HOLIDAYS)]
    arbiter.set_clocks(with_holidays)  # by the season's allowance, which is found by the fixture
    for fixture in fixtures:
        for letter in fixture.forfeit:  # seats of players who left before the match began
            assert fixture.match
            arbiter.resign_for(fixture.match, letter)


def holidays_of(match: Match) -> Allowance | None:
    """Returns the days off that players of a league's match may take in the season; None outside of one."""
    if not match.may_have(MatchFlag.BINDING):
        return None
    fixture = Fixture.objects.filter(match=match).select_related("league").first()
    if fixture is None or fixture.league.started_at is None:
        return None
    taken = dict(Place.objects.filter(pk__in=fixture.seats.values()).values_list("pk", "holidays_taken"))
    by_seat = {letter: read_spans(taken[pk]) for letter, pk in fixture.seats.items()}
    return Allowance(fixture.league.started_at, HOLIDAYS, by_seat)


def lay_out(league: League, now: datetime) -> list[Fixture]:
    """Stores each match of the cup's bracket that is not stored yet; returns the matches that have to begin.

    A match with a player who has left is decided by default; after the last day, any other is a draw. What
    follows from these results is stored, too. The caller must have locked the league.
    """
    begin: list[Fixture] = []
    while True:
        standings = standings_of(league)
        by_number = {place.number: place for place in standings.places}
        known = set(standings.cup_matches)
        rows = []
        for match in standings.bracket.matches:
            if match not in known:
                a, b = (by_number[number] for number in match.seats)
                count = (match.round - 1) * len(Stage) + match.stage
                rows.append(Fixture(league_id=a.league_id, division=match.tie, round=count, a=a, b=b))
        if not rows:
            return begin
        for row in rows:
            row.forfeit = "".join(letter for letter in row.seats if getattr(row, letter.lower()).left_at)
            if row.forfeit:
                row.decided = Decided.DEFAULT
            elif league.ends and league.ends <= now:
                row.decided = Decided.LAST_DAY
        Fixture.objects.bulk_create(rows)
        begin += [row for row in rows if not row.decided]


def may_meet(league: League, place: Place, others: Collection[int]) -> bool:
    """Returns True if one of `others` (primary keys of places) can be the next opponent of a participant."""
    found = standings_of(league).bracket
    tie = found.next_tie(place.number)
    numbers = league.places.filter(pk__in=others).values_list("number", flat=True)
    return tie is not None and not found.contenders(tie).isdisjoint(numbers)


def is_in(league: League, place: Place) -> bool:
    """Returns True if a participant was not eliminated from a cup and still has a tie to play."""
    return standings_of(league).bracket.next_tie(place.number) is not None

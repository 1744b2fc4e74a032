"""Notes the endings of matches, and ends those of leavers; callers lock the league and its matches."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from games.core import finishing_order
from robosite.leagues.arithmetic.table import ENOUGH_SEALS, Decided
from robosite.leagues.models import Fixture, League, Place, seating
from robosite.matches import clock, locks
from robosite.matches.flow import arbiter
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Match

FINISHED = (Match.Status.OVER, Match.Status.ABORTED)
NOTED = ("decided", "forfeit", "finish", "early")
"""The columns of a fixture that note how its match ended."""
AT_ONCE = 10
"""The maximum number of matches that end in one step, of a request or of the clock."""


def note_endings(league: League, most: int | None = None) -> int:
    """Stores the results of up to `most` matches that have ended; returns their number."""
    finished = league.fixtures.filter(decided="", match__status__in=FINISHED).select_related("match")
    fixtures = list(finished.order_by("match")[:most])
    for fixture in fixtures:
        note_ending(fixture)
        fixture.save(update_fields=NOTED)
    return len(fixtures)


@contextmanager
def locked_matches(fixtures: QuerySet[Fixture], most: int | None = None) -> Iterator[list[Fixture]]:
    """Locks the matches of up to `most` of these fixtures, and yields the fixtures in their order.

    Use it before a guest is locked, since ending a match locks guests.
    """
    rows = fixtures.exclude(match=None).order_by("match")
    keys = list(rows.values_list("match", flat=True)[:most])
    with locks.all_locked(keys):
        yield list(Fixture.objects.filter(match__in=keys).select_related("league", "match").order_by("match"))


def note_ending(fixture: Fixture, decided: str = "") -> None:
    """Writes into a row of the schedule how its match was decided; does not save the row.

    `decided` is the value for `Fixture.decided`, or "" to derive it. A larger match also gets its seats given
    up and, if the league scores by it, its finishing order.
    """
    match = fixture.match
    assert match
    fixture.decided, fixture.early = decided or _how(match), _is_early(fixture)
    if fixture.league.table_seats == 2 or match.status == Match.Status.ABORTED:
        return
    give_seats_up(fixture, arbiter.absent_from(match))
    if not decided:
        fixture.decided = Decided.PLAY if len(fixture.still_there) > 1 else Decided.DEFAULT
    if fixture.league.scoring == League.Scoring.FINISH:
        fixture.finish = written_order(finishing_order(states_of(match)[0], turns_of(match)))


def _is_early(fixture: Fixture) -> bool:
    match = fixture.match
    assert match
    seats = match.seats.exclude(resigned_turn__lt=match.turn - 1)
    of_match = Q(programs__turn__lt=match.turn) & ~Q(programs__seal="")
    sealed = seats.annotate(n=Count("programs", filter=of_match)).values_list("n", flat=True)
    return any(count < ENOUGH_SEALS for count in sealed)


def written_order(order: Iterable[Collection[str]]) -> str:
    """Converts groups of seat letters in finishing order into text such as `B/AC/D` (A and C are level)."""
    return "/".join("".join(sorted(group)) for group in order)


def _how(match: Match) -> str:
    if match.status == Match.Status.ABORTED:
        return Decided.NOBODY if match.overdue else Fixture.VOID
    return Decided.DEFAULT if arbiter.absent_from(match) else Decided.PLAY


def unfinished(league: League, place: Place) -> QuerySet[Fixture]:
    return league.fixtures.filter(seating(place), decided="")


def mark_left(
    league: League, place: Place, *, removed: bool = False, organisers: Collection[int] = ()
) -> None:
    """Marks a participant as having left a league, and gives up their seats in all unfinished matches.

    Of matches of two, which the opponents win, up to AT_ONCE end here; the clock ends the others. A larger
    match goes on while two are in it. `organisers` are the organiser's own places, which must gain nothing: a
    match of two against them is void, and in a larger one they resign, too.
    """
    place.left_at, place.removed = timezone.now(), removed
    place.save(update_fields=["left_at", "removed"])
    if league.table_seats == 2:
        between = unfinished(league, place).filter(seating(organisers))
        with locked_matches(between) as going_on:
            for fixture in [*going_on, *between.filter(match=None)]:
                _void(fixture)
                fixture.save(update_fields=NOTED)
        end_some_of_leavers(league)
        return
    at_tables = unfinished(league, place)
    with locked_matches(at_tables) as going_on:
        for fixture in [*going_on, *at_tables.filter(match=None)]:
            theirs = [letter for letter, pk in fixture.seats.items() if pk in organisers]
            _leave_table(fixture, fixture.seat_of(place), theirs)
            fixture.save(update_fields=NOTED)


def end_some_of_leavers(league: League) -> None:
    """Ends up to AT_ONCE matches for two that one has left; sets `league.unsettled` if there are more."""
    undecided = league.fixtures.filter(decided="", c=None)
    left = [undecided.filter(**{f"{at}__left_at__isnull": False}) for at in ("a", "b")]
    for seat, of_seat in zip("AB", left, strict=True):
        of_seat.filter(match=None).update(decided=Decided.DEFAULT, forfeit=seat)
    gone = set(league.places.exclude(left_at=None).values_list("pk", flat=True))
    with locked_matches(left[0] | left[1], AT_ONCE) as going_on:
        for fixture in going_on:
            assert fixture.match
            own = next(letter for letter, pk in fixture.seats.items() if pk in gone)
            gave_up = arbiter.resign_for(fixture.match, own)
            fixture.decided = Decided.DEFAULT if gave_up else _how(fixture.match)
            fixture.save(update_fields=NOTED)
    _note_unsettled(league, going_on)


def call_off_some(league: League) -> None:
    """Voids the matches of a closed league: all that have not begun, and up to AT_ONCE of the others."""
    undecided = league.fixtures.filter(decided="")
    undecided.filter(match=None).update(decided=Fixture.VOID)
    with locked_matches(undecided, AT_ONCE) as going_on:
        for fixture in going_on:
            assert fixture.match
            if arbiter.call_off(fixture.match):
                fixture.decided = Fixture.VOID
            else:
                fixture.match.refresh_from_db()
                note_ending(fixture)
            fixture.save(update_fields=NOTED)
    _note_unsettled(league, going_on)


def _note_unsettled(league: League, ended: list[Fixture]) -> None:
    league.unsettled = len(ended) == AT_ONCE
    league.save(update_fields=["unsettled"])
    if league.unsettled:
        transaction.on_commit(clock.wake)


def _void(fixture: Fixture) -> None:
    if fixture.match:
        arbiter.call_off(fixture.match)
    fixture.decided = Fixture.VOID


def _leave_table(fixture: Fixture, own: str, organisers: Collection[str]) -> None:
    if fixture.match is None:
        give_seats_up(fixture, {own})
        if len(fixture.still_there) < 2:
            fixture.decided = Fixture.VOID if organisers else Decided.DEFAULT
        return
    playing, _leaving = arbiter.still_in(fixture.match)
    theirs = set(organisers).intersection(playing) if own in playing else set()
    if theirs and set(playing) <= {own, *theirs}:
        _void(fixture)
        return
    gave_up = {letter for letter in (own, *theirs) if arbiter.resign_for(fixture.match, letter)}
    give_seats_up(fixture, gave_up or {own} & arbiter.absent_from(fixture.match))
    fixture.match.refresh_from_db()
    if fixture.match.status in FINISHED:
        note_ending(fixture)


def give_seats_up(fixture: Fixture, letters: Collection[str]) -> None:
    fixture.forfeit = "".join(letter for letter in fixture.seats if letter in {*fixture.forfeit, *letters})

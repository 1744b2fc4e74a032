"""Acts of a match's creator: the list of open tables, putting somebody out, a start with fewer players."""

from collections.abc import Iterable
from random import SystemRandom

from django.db.models import Q, QuerySet
from django.utils import timezone

from games.core import IllegalOption, Setup
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.origins import MOST_LISTED, TooManyTables, check_listed_here
from robosite.matches.flow.series import other_of_pair
from robosite.matches.flow.sittings import vacate
from robosite.matches.flow.turn import abort
from robosite.matches.live import push
from robosite.matches.models import GOING_ON, LISTED_FOR, Hold, Match, MatchFlag, Program, Seat, held_by
from robosite.people.models import Guest
from robosite.people.shares import NOWHERE, Origin
from robosite.web.transactions import lock_rows


def renew(seat: Seat, origin: Origin = NOWHERE) -> None:
    """Puts the creator's match on the list of open tables for another LISTED_FOR; raises TooManyTables."""
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if not match.listed:
            raise flow.Refused("This match is no longer an open table.")
        check_room(match, origin)
        match.listed_at = timezone.now()
        flow.mark_changed(match)


def take_off(seat: Seat) -> None:
    """Takes the creator's match off the list of open tables for good; its invite still works."""
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if match.listed:
            match.listed = False
            flow.mark_changed(match)


def _check(match: Match, seat: Seat) -> None:
    flow.confirm_seat(seat)
    if not seat.host:
        raise flow.Refused("Only the creator of the match decides whether it’s an open table.")
    if match.status != Match.Status.OPEN:
        raise flow.Refused("The match has begun, so it’s no longer on the list.")


def open_tables() -> QuerySet[Match]:
    """The matches that anybody may join without an invite, newest first."""
    since = timezone.now() - LISTED_FOR
    fresh = Q(listed_at__gt=since) | Q(listed_at=None, created_at__gt=since)
    return Match.objects.filter(fresh, status=Match.Status.OPEN, listed=True).order_by("-pk")


def check_room(match: Match, origin: Origin = NOWHERE) -> None:
    """Raises TooManyTables if the creator, or the `origin`, has MOST_LISTED other open tables.

    Also sets `match.listed_from` to the origin. Call it inside the match's lock. Locks the guests who hold
    the creator's seat, so that two matches listed at the same time are both counted.
    """
    check_listed_here(open_tables().exclude(pk=match.pk), origin)
    match.listed_from = origin.key
    host = Seat.objects.filter(match=match, host=True).first()
    for guest in lock_rows(Guest.objects.filter(holds__in=Hold.objects.filter(seat=host)), no_key=True):
        own = Seat.objects.filter(held_by(guest), host=True).exclude(match=match).values("match")
        if open_tables().filter(pk__in=own).count() >= MOST_LISTED:
            raise TooManyTables("You already have {n} open tables. Wait until someone joins.", n=MOST_LISTED)


def put_out(host: Seat, at: str) -> None:
    """Removes the player of the seat `at`, who has sealed nothing, on behalf of the creator's seat `host`.

    A match that has begun is open again, at its first turn: orders sealed for it stay, and turns played
    without the seat are taken back.
    """
    with flow.locked_seat(host) as match:
        if not host.host:
            raise Refused("Only the creator of the match can remove someone.")
        if at not in may_put_out(host, match, match.seats.all()):
            raise Refused("Only someone who has sealed nothing yet can be removed.")
        if match.status == Match.Status.PLAYING:
            _open_again(match)
        seat = match.seats.get(letter=at)
        vacate(seat)
        push.seat_changed(seat)
        flow.mark_changed(match)


def may_put_out(host: Seat, match: Match, seats: Iterable[Seat]) -> list[Letter]:
    """The seats that the creator's seat `host` may free: those of people who have sealed nothing; else []."""
    later = match.series and match.series["number"] > 1
    if not host.host or match.status not in GOING_ON or match.is_binding or later:
        return []
    others = [one for one in seats if one.taken and not one.host and not one.is_bot]
    if match.may_have(MatchFlag.TAKEN_OVER) or not others:
        return []
    sealed = Program.objects.filter(seat__in=others, by="").exclude(seal="").values_list("seat", flat=True)
    return [one.at for one in others if one.pk not in {*sealed}]


def _open_again(match: Match) -> None:
    if match.turn:
        takeback.rewind(match, 0)
    if match.series and (other := other_of_pair(match)):
        with flow.locked_match(other) as second:
            abort(second)
    match.status, match.reserves = Match.Status.OPEN, None
    match.open_since = match.left = match.deadline = match.due = None
    match.overdue = False


_chance = SystemRandom()


def can_start(match: Match, seats: list[Seat]) -> bool:
    """Returns True if the open match, with a free seat, can begin with the players who have sat down."""
    taken = sum(seat.taken for seat in seats)
    return (
        match.status == Match.Status.OPEN and taken < len(seats) and taken in match.game.seats(match.options)
    )


def start_with_fewer(host: Seat) -> None:
    """Begins the match with only the players who have sat down, for its creator's seat `host`."""
    with flow.locked_seat(host) as match:
        if not host.host:
            raise flow.Refused("Only the creator of the match can start it with fewer players.")
        seats = list(match.seats.all())
        if not can_start(match, seats):
            raise flow.Refused(
                "The match can’t begin like this: too few players have joined, or all seats are taken."
            )
        taken = [seat for seat in seats if seat.taken]
        flow.begin_with_seats(match, taken, _setup(match, len(taken)))


def _setup(match: Match, seats: int) -> Setup:
    game, options = match.game, match.options
    try:
        game.check_setup(options, seats, match.setup)
    except IllegalOption:
        return game.draw(options, seats, _chance, {})
    setup: Setup = match.setup
    return setup

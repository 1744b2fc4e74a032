"""The list of open tables: the matches on it, and functions by which creators renew or end a listing."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow.origins import MOST_LISTED, TooManyTables, check_listed_here
from robosite.matches.models import LISTED_FOR, Hold, Match, Seat, held_by
from robosite.people.models import Guest
from robosite.people.shares import NOWHERE, Origin
from robosite.web.locking import lock_rows


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

    The match then counts as listed from there. Call it inside the match's lock. Locks the guests who hold the
    creator's seat, so that two matches listed at the same time are both counted.
    """
    check_listed_here(open_tables().exclude(pk=match.pk), origin)
    match.listed_from = origin.key
    host = Seat.objects.filter(match=match, host=True).first()
    for guest in lock_rows(Guest.objects.filter(holds__in=Hold.objects.filter(seat=host)), no_key=True):
        own = Seat.objects.filter(held_by(guest), host=True).exclude(match=match).values("match")
        if open_tables().filter(pk__in=own).count() >= MOST_LISTED:
            raise TooManyTables("You already have {n} open tables. Wait until someone joins.", n=MOST_LISTED)

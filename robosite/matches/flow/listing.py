"""The list of open tables: the matches on it, and functions by which creators renew or end a listing."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import LISTED_FOR, Hold, Match, Seat, held_by
from robosite.people.models import Guest
from robosite.web.locking import lock_rows

MOST = 5
"""The maximum number of matches that a guest may have on the list of open tables at once."""


class TooManyTables(flow.Refused):
    """Raised if the creator of a match has too many other open tables (matches that anybody may join)."""


def renew(seat: Seat) -> None:
    """Puts the match on the list of open tables (which anybody may join) for another LISTED_FOR (7 days).

    Raises Refused if `seat` is not the creator's, if the match was taken off the list, or if it has begun.
    Raises TooManyTables if the creator has too many other matches on the list (`check_room`).
    """
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if not match.listed:
            raise flow.Refused("This table is not on the list of open tables any more.")
        check_room(match)
        match.listed_at = timezone.now()
        flow.mark_changed(match)


def take_off(seat: Seat) -> None:
    """Takes the match off the list of open tables. The match's invite still works.

    The creator cannot list the match again. Raises Refused if `seat` is not the creator's, or if the match
    has begun. If the match is not on the list, nothing changes.
    """
    with flow.locked_match(seat.match) as match:
        _check(match, seat)
        if match.listed:
            match.listed = False
            flow.mark_changed(match)


def _check(match: Match, seat: Seat) -> None:
    flow.confirm_seat(seat)
    if not seat.host:
        raise flow.Refused("Only the creator of the match decides whether it is an open table.")
    if match.status != Match.Status.OPEN:
        raise flow.Refused("The match has begun, so it is no longer on the list.")


def open_tables() -> QuerySet[Match]:
    """Returns the open tables: matches that anybody may join without an invite, newest first."""
    since = timezone.now() - LISTED_FOR
    fresh = Q(listed_at__gt=since) | Q(listed_at=None, created_at__gt=since)
    return Match.objects.filter(fresh, status=Match.Status.OPEN, listed=True).order_by("-pk")


def check_room(match: Match) -> None:
    """Raises TooManyTables if the creator of a match has MOST other matches, or more, on the public list.

    The public list is that of open tables, and the creator is any guest who holds the creator's seat. Must be
    called inside the match's lock. Locks these guests' rows until the transaction ends, so that two matches
    that are listed at the same time are both counted.
    """
    host = Seat.objects.filter(match=match, host=True).first()
    for guest in lock_rows(Guest.objects.filter(holds__in=Hold.objects.filter(seat=host)), no_key=True):
        own = Seat.objects.filter(held_by(guest), host=True).exclude(match=match).values("match")
        if open_tables().filter(pk__in=own).count() >= MOST:
            raise TooManyTables("You have {n} open tables already. Wait until somebody sits down.", n=MOST)

"""A lost seat is asked for from one's own browser: "I am Ben".

Who made the match says yes or no; if it is his own seat, or he is the one who asks, or is gone, any other
player does. All at the table see it. An hour after the yes the seat passes (`flow.door`), unless the browser
that holds it objects. Nobody is ever shown a link to it, and what was sealed or drafted for the turn that is
not revealed does not pass: it is owed again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow import Refused
from robosite.matches.models import Asking, Hold, Match, Seat
from robosite.people.models import Guest

PAUSE = timedelta(hours=1)
"""How long the browser that holds a seat may object after the yes."""
MOST = 4
"""How many may ask at one table at once."""

_STANDS = Q(answer__in=(Asking.Answer.OPEN, Asking.Answer.YES))


def standing(match: Match) -> list[Asking]:
    """The askings at this table that are open or have had a yes, the oldest first."""
    askings = Asking.objects.filter(_STANDS, seat__match=match).select_related("seat", "guest", "answered_by")
    return list(askings.order_by("asked_at", "pk"))


def of(guest: Guest | None, seat: Seat) -> Asking | None:
    """This guest's asking for this seat, answered or not."""
    askings = Asking.objects.filter(guest=guest, seat=seat).select_related("answered_by")
    return askings.first() if guest else None


def asks_at(guest: Guest | None, match: Match) -> bool:
    return guest is not None and Asking.objects.filter(guest=guest, seat__match=match).exists()


def deciders(seats: Iterable[Seat], asking: Asking) -> list[Seat]:
    """Who may say yes or no to it: who made the match, or else any other player."""
    sitting = [seat for seat in seats if seat.taken and not seat.is_bot and seat.pk != asking.seat_id]
    holds = Hold.objects.filter(seat__in=sitting).values_list("seat_id", "guest_id")
    own = {seat for seat, guest in holds if guest == asking.guest_id}
    held = {seat for seat, _guest in holds}
    others = [seat for seat in sitting if seat.pk in held - own]
    return [seat for seat in others if seat.host] or others


def may_be_asked_for(match: Match, seat: Seat) -> None:
    """Refuses for a seat that nobody can have lost."""
    if match.status == Match.Status.ABORTED or not seat.taken or seat.is_bot:
        raise Refused("This seat cannot be asked for: nobody has lost it.")


def ask(seat: Seat, guest: Guest) -> None:
    """Asks for a seat, again after a no; a guest asks for one seat of a table at a time."""
    with flow.door(seat.match) as match:
        seat.refresh_from_db()
        may_be_asked_for(match, seat)
        if Hold.objects.filter(seat=seat, guest=guest).exists():
            raise Refused("You sit here already.")
        here = Asking.objects.filter(seat__match=match)
        own = here.filter(guest=guest, seat=seat).first()
        if own and own.stands:
            return
        if here.filter(_STANDS).exclude(guest=guest).count() >= MOST:
            raise Refused("Several people ask for seats of this table already. Please try again later.")
        here.filter(guest=guest).delete()
        Asking.objects.create(seat=seat, guest=guest, asked_at=timezone.now())
        _changed(match)


def withdraw(seat: Seat, guest: Guest) -> None:
    """Asks no more."""
    with flow.door(seat.match) as match:
        if Asking.objects.filter(seat=seat, guest=guest).delete()[0]:
            _changed(match)


def answer(by: Seat, asking: int, *, yes: bool) -> None:
    """Says yes or no to an asking; after a yes it may still be a no until the seat passes."""
    with flow.door(by.match) as match:
        found = _found(match, asking)
        if by.pk not in {seat.pk for seat in deciders(match.seats.all(), found)}:
            raise Refused("It is not for you to say who sits there.")
        if yes and found.answer == Asking.Answer.YES:
            return
        found.answer = Asking.Answer.YES if yes else Asking.Answer.NO
        found.answered_by = by
        found.due = timezone.now() + PAUSE if yes else None
        found.save()
        _changed(match)


def object_to(by: Seat, asking: int) -> None:
    """Who sits there is here, and keeps the seat."""
    with flow.door(by.match) as match:
        found = _found(match, asking)
        if found.seat_id != by.pk:
            raise Refused("Only who sits there can object.")
        found.answer, found.answered_by, found.due = Asking.Answer.OBJECTED, by, None
        found.save()
        _changed(match)


def _found(match: Match, asking: int) -> Asking:
    found = Asking.objects.filter(_STANDS, pk=asking, seat__match=match).select_related("seat").first()
    if found is None:
        raise Refused("Nobody asks for this seat any more.")
    return found


def _changed(match: Match) -> None:
    flow.note_handover(match)
    flow.changed(match)

"""Hand-overs: a lost seat passes to the guest who asked for it, when the time to object is over."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min
from django.dispatch import Signal

from robosite.matches.flow.sittings import give_hold, reseat
from robosite.matches.flow.turn import mark_changed
from robosite.matches.live import push
from robosite.matches.models import Asking, Hold, Match, Program, Replies, Seat
from robosite.matches.time import timekeeping
from robosite.people.models import Guest

passed = Signal()
"""A signal that `seat` passes to `guest`, and that the guests in `before` lose their holds on the seat.

The signal is sent inside the transaction. Receivers must erase stored data that only the former player may
read.
"""


def note_handover(match: Match) -> None:
    """Sets `handover_at` to the time at which the next seat passes to somebody who asked for it, or to None.

    Must be called inside the match's lock.
    """
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES)
    match.handover_at = due.aggregate(first=Min("due"))["first"]


def hand_over_due(match: Match, now: datetime) -> None:
    """Passes requested seats to the guests who asked for them, once the time to object is over.

    Only requests (Asking) that got a yes are handled. Must be called inside the match's lock. For each
    request, one of three things happens:

    - If a holder of the requested seat is on holiday, or the match is paused, the time to object begins anew.
    - If the guest who asks also holds the seat that said yes, or if the seat that said yes is gone, the
      request waits for another answer.
    - Otherwise, the requested seat passes to the guest who asks (`pass_seat`).
    """
    if match.handover_at is None or match.handover_at > now:
        return
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES, due__lte=now)
    for pk in list(due.order_by("due", "pk").values_list("pk", flat=True)):
        asking = due.filter(pk=pk).select_related("seat__match", "guest__became").first()
        if asking is None:
            continue  # its seat has passed to another one just now
        if timekeeping.is_away(match, asking.seat, now):
            asking.due = timekeeping.handover(match, asking.seat, now)
            asking.save(update_fields=["due"])
        elif _answers_own_request(asking):
            asking.answer, asking.answered_by, asking.due = Asking.Answer.OPEN, None, None
            asking.save()
        else:
            pass_seat(match, asking.seat, asking.guest.became or asking.guest, now)
    note_handover(match)
    mark_changed(match)


def _answers_own_request(asking: Asking) -> bool:
    """Returns True if the seat that answered a request is held by the asking guest, or no longer exists."""
    guest = asking.guest.became or asking.guest
    return not asking.answered_by_id or Hold.objects.filter(seat=asking.answered_by, guest=guest).exists()


def pass_seat(match: Match, seat: Seat, guest: Guest, now: datetime) -> None:
    """Gives a seat to this guest alone, at the time `now`. Must be called inside the match's lock.

    The seat's link stops working, and all other guests lose the seat. All requests for the seat are deleted.
    The former player's order for the present turn, drafts and planned replies are erased, so the new player
    has to give a new order.
    """
    before = [hold.guest for hold in seat.holds.exclude(guest=guest).select_related("guest")]
    seat.passed_at, seat.passed_turn, seat.kind = now, match.turn, Seat.Kind.HUMAN
    seat.save(update_fields=["passed_at", "passed_turn", "kind"])
    reseat(seat, link_hash="")
    give_hold(match, seat, guest, seen_turn=max(match.turn - 1, 0))
    Program.objects.filter(seat=seat, turn=match.turn).delete()
    Program.objects.filter(seat=seat, order="", seal="").delete()
    Replies.objects.filter(seat=seat).delete()
    seat.askings.all().delete()
    passed.send(Match, seat=seat, guest=guest, before=before)
    push.seat_changed(seat)

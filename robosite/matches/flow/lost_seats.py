"""Lost seats: each passes to the guest who asked for it, when the time to object is over."""

from datetime import datetime, timedelta

from django.db.models import Min
from django.dispatch import Signal

from robosite.matches.flow.sittings import give_hold, reseat
from robosite.matches.flow.turn import mark_changed
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, Program, Replies, Seat
from robosite.matches.site_models import Asking, Reaction
from robosite.matches.time import timekeeping
from robosite.matches.time.calendar import DAY
from robosite.people.models import Guest

BY_ONE = timedelta(days=7)
"""The least time to object to a request for a seat to which one person alone could say yes.

Such a person gains by the hand-over: a rival is away, or is asking in a second browser of theirs.
"""

SHORTEST = timedelta(minutes=5)
"""The least time to object to a request for a seat, unless everybody else at the table says yes."""

passed = Signal()
"""A signal that `seat` passes to `guest` (None: a player without a browser), from the guests in `before`.

`given_by` is the former player's name if they have handed it over. Sent inside the transaction: receivers
must erase what only the former player may read.
"""


def note_handover(match: Match) -> None:
    """Sets `handover_at` to the time at which the next seat passes to somebody who asked for it, or None."""
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES)
    match.handover_at = due.aggregate(first=Min("due"))["first"]


def wait_for(match: Match, asking: Asking) -> timedelta:
    """The time to object after a yes: a turn, from SHORTEST to a day; BY_ONE or more if one guest decides."""
    turn = timekeeping.period(match)
    if is_for_one_to_say(asking):
        return max(BY_ONE, turn)
    return min(max(turn, SHORTEST), DAY) if turn else DAY


def is_for_one_to_say(asking: Asking) -> bool:
    """Returns True if one guest holds all the seats that could say yes to a request."""
    others = Hold.objects.filter(seat__match=asking.seat.match_id, seat__taken_at__isnull=False)
    others = others.exclude(seat=asking.seat_id).exclude(seat__kind=Seat.Kind.BOT)
    holds = list(others.values_list("seat", "guest"))
    seats = {seat for seat, _guest in holds} - {seat for seat, guest in holds if guest == asking.guest_id}
    guests = [guest for seat, guest in holds if seat in seats]
    return any(guests.count(one) == len(seats) for one in guests)


def hand_over_due(match: Match, now: datetime) -> None:
    """Passes seats to guests whose request got a yes, once the time to object is over.

    Call it inside the match's lock. If a holder is on holiday or the match is paused, that time begins anew.
    If the asking guest holds the seat that said yes, or that seat is gone, the request waits for another
    answer.
    """
    if match.handover_at is None or match.handover_at > now:
        return
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES, due__lte=now)
    for pk in list(due.order_by("due", "pk").values_list("pk", flat=True)):
        asking = due.filter(pk=pk).select_related("seat__match", "guest__became").first()
        if asking is None:
            continue  # its seat has passed to another one just now
        guest = asking.guest.became or asking.guest
        held = Hold.objects.filter(guest=guest)
        if timekeeping.is_away(match, asking.seat, now):
            asking.due = timekeeping.handover(match, asking.seat, wait_for(match, asking), now)
            asking.save(update_fields=["due"])
        elif not asking.answered_by_id or held.filter(seat=asking.answered_by).exists():
            asking.answer, asking.answered_by, asking.due = Asking.Answer.OPEN, None, None
            asking.save()
        else:
            pass_seat(match, asking.seat, guest, now)
    note_handover(match)
    mark_changed(match)


def erase_plans(seat: Seat) -> None:
    """Erases a seat's draft and planned replies."""
    Program.objects.filter(seat=seat, order="", seal="").delete()
    Replies.objects.filter(seat=seat).delete()


def pass_seat(
    match: Match,
    seat: Seat,
    guest: Guest | None,
    now: datetime,
    *,
    given: bool = False,
    name: str = "",
    kind: str = Seat.Kind.HUMAN,
    link_hash: str = "",
) -> None:
    """Gives a seat to this guest alone. Call it inside the match's lock.

    The link stops working, all other guests lose the seat, all requests for it are deleted; drafts, planned
    replies and reactions are erased. If the former player has `given` it away, the new one has this `name`,
    and an order that is sealed stays; else it is erased, and owed anew.
    """
    before = [hold.guest for hold in seat.holds.exclude(guest=guest).select_related("guest")]
    former, seat.name = seat.name, name or seat.name
    seat.passed_at, seat.passed_turn, seat.kind = now, match.turn, kind
    seat.save(update_fields=["passed_at", "passed_turn", "kind", "name"])
    reseat(seat, link_hash=link_hash)
    if given:
        seat.taken_at = now  # after `reseat`: who gave the seat away has not lost it
        seat.save(update_fields=["taken_at"])
    if guest:
        give_hold(match, seat, guest, seen_turn=max(match.turn - 1, 0))
    if not given:
        Program.objects.filter(seat=seat, turn=match.turn).delete()
    erase_plans(seat)
    Reaction.objects.filter(seat=seat).delete()
    seat.askings.all().delete()
    passed.send(Match, seat=seat, guest=guest, before=before, given_by=former if given else "")
    push.seat_changed(seat)

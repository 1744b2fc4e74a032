"""Requests for a lost seat, from a browser that does not hold it: "I am Ben".

The creator of the match answers; any other player may if the request is for the creator's seat, comes from
the creator, or if the creator has left. After a yes, the seat passes when the time to object is over
(`lost_seats.wait_for`), or at once if everybody else at the table, several people, says yes. Nobody says yes
to a request from their own internet address.
If the seat's holder acts before then, in a browser or by a program, the request ends (`end_requests`). Nobody
is ever shown a link to the seat. No sealed order or draft passes with it.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from django.db.models import F, Min
from django.utils import timezone
from django.utils.crypto import salted_hmac

from robosite.matches import flow
from robosite.matches.flow import Refused
from robosite.matches.flow.lost_seats import hand_over_due, is_for_one_to_say, wait_for
from robosite.matches.models import FormerHold, Hold, Match, MatchFlag, Seat
from robosite.matches.site_models import Asking
from robosite.matches.time import timekeeping
from robosite.people.models import Guest

MOST = 8
"""The most unanswered requests in a match by guests who never held the seat; a new one replaces one."""


def open_requests(match: Match) -> list[Asking]:
    """The open requests for seats of this match, those of former holders first, then by age."""
    if not match.may_have(MatchFlag.REQUESTS):
        return []
    askings = Asking.open().filter(seat__match=match).select_related("seat", "guest", "answered_by")
    known = _former(match)
    return sorted(askings, key=lambda one: ((one.seat_id, one.guest_id) not in known, one.asked_at, one.pk))


def is_asked_for(match: Match, seat: Seat) -> bool:
    return match.may_have(MatchFlag.REQUESTS) and Asking.open().filter(seat=seat).exists()


def _former(match: Match) -> set[tuple[int, int]]:
    """Pairs of seat and guest (primary keys): guests who lost the right to play for the seat."""
    held = FormerHold.objects.filter(seat__match=match, sat_at=F("seat__taken_at"))
    return set(held.values_list("seat_id", "guest_id"))


def open_request(match: Match, seat: Seat) -> tuple[datetime, datetime | None] | None:
    """The times when the earliest open request for a seat came, and when the seat passes after a yes."""
    if not match.may_have(MatchFlag.REQUESTS):
        return None
    rows = Asking.open().filter(seat=seat).aggregate(asked_at=Min("asked_at"), due=Min("due"))
    return (rows["asked_at"], rows["due"]) if rows["asked_at"] else None


def deciders(seats: Iterable[Seat], asking: Asking) -> list[Seat]:
    """The other seats that may answer a request: the creator's alone if it may, else all that are held."""
    sitting = [seat for seat in seats if seat.taken and not seat.is_bot and seat.pk != asking.seat_id]
    holds = Hold.objects.filter(seat__in=sitting).values_list("seat_id", "guest_id")
    own = {seat for seat, guest in holds if guest == asking.guest_id}
    held = {seat for seat, _guest in holds}
    others = [seat for seat in sitting if seat.pk in held - own]
    return [seat for seat in others if seat.host] or others


def check_may_be_asked_for(match: Match, seat: Seat) -> None:
    if match.status == Match.Status.ABORTED or match.imported or not seat.taken or seat.is_bot:
        raise Refused("You can’t ask for this seat: no one has lost it.")
    _check_may_be_given(match)


def _check_may_be_given(match: Match) -> None:
    if match.is_binding:
        raise Refused(
            "In a league or cup, no one in the match can give a seat away. Open your spot link, or "
            "use your recovery phrase or e-mail."
        )


def ask(seat: Seat, guest: Guest, address: str = "") -> None:
    """Stores that a guest asks, perhaps again, for a seat, in place of their other requests in this match."""
    with flow.locked_match(seat.match) as match:
        seat.refresh_from_db()
        check_may_be_asked_for(match, seat)
        if Hold.objects.filter(seat=seat, guest=guest).exists():
            raise Refused("This is already your seat.")
        here = Asking.objects.filter(seat__match=match)
        own = here.filter(guest=guest, seat=seat).first()
        if own and own.stands:
            return
        here.filter(guest=guest).delete()
        _make_room(match)
        match.set_flag(MatchFlag.REQUESTS)
        Asking.objects.create(
            seat=seat, guest=guest, asked_at=timezone.now(), origin=_code(match, address) if address else ""
        )
        _changed(match)


def _make_room(match: Match) -> None:
    """Makes room for one more request by a guest who never held the seat.

    If there are MOST, the oldest from the address that made the most goes, but none that has got a yes.
    """
    known = _former(match)
    open_ = [one for one in open_requests(match) if one.answer == Asking.Answer.OPEN]
    strangers = [one for one in open_ if (one.seat_id, one.guest_id) not in known]
    if len(strangers) >= MOST:
        of = Counter(one.origin or str(one.pk) for one in strangers)
        max(strangers, key=lambda one: (of[one.origin or str(one.pk)], -one.asked_at.timestamp())).delete()


def _code(match: Match, address: str) -> str:
    return salted_hmac("asking", f"{match.key} {address}", algorithm="sha256").hexdigest()[:32]


def withdraw(seat: Seat, guest: Guest) -> None:
    with flow.locked_match(seat.match) as match:
        if Asking.objects.filter(seat=seat, guest=guest).delete()[0]:
            _changed(match)


def answer_request(by: Seat, asking: int, *, yes: bool, address: str = "") -> None:
    """Answers a guest's request, on behalf of the seat `by`; a yes can become a no until the seat passes.

    A yes from the address from which the request comes does not count.
    """
    with flow.locked_match(by.match) as match:
        flow.confirm_seat(by)
        found = _found(match, asking)
        decides = by.pk in {seat.pk for seat in deciders(match.seats.all(), found)}
        if not decides and not (yes and may_agree(match.seats.all(), found, by)):
            raise Refused("You can’t decide whose seat this is.")
        if yes:
            _check_may_be_given(match)
            if found.origin and found.origin == _code(match, address):
                raise Refused(
                    "This request comes from your own internet connection, so your yes doesn’t "
                    "count. The seat link, a recovery phrase or an e-mail address still opens the "
                    "seat."
                )
        found.agreed = "".join(sorted({*found.agreed, by.letter})) if yes else ""
        if decides and (not yes or found.answer != Asking.Answer.YES):
            _decide(match, found, by, yes=yes)
        now = timezone.now()
        others = {seat.letter for seat in _others(match.seats.all(), found)}
        if yes and found.due and not match.paused and len(others) > 1 and others <= {*found.agreed}:
            found.due = now
        found.save()
        _changed(match)
        hand_over_due(match, now)


def _decide(match: Match, found: Asking, by: Seat, *, yes: bool) -> None:
    found.answer = Asking.Answer.YES if yes else Asking.Answer.NO
    found.answered_by = by
    wait = wait_for(match, found)
    found.due = timekeeping.handover(match, found.seat, wait, timezone.now()) if yes else None
    found.origin = found.origin if yes else ""


def may_agree(seats: Iterable[Seat], asking: Asking, by: Seat) -> bool:
    """Returns True if the yes of the seat `by` is missing for the requested seat to pass at once."""
    return by.letter not in asking.agreed and by.pk in {seat.pk for seat in _others(seats, asking)}


def _others(seats: Iterable[Seat], asking: Asking) -> list[Seat]:
    """All other people's seats at the table, if several people have them; else []."""
    people = [seat for seat in seats if seat.taken and not seat.is_bot and seat.pk != asking.seat_id]
    return [] if is_for_one_to_say(asking) else people


def object_to(by: Seat, asking: int) -> None:
    """Ends all open requests for the seat `by`, whose own player objects to one of them."""
    if not Asking.objects.filter(pk=asking, seat=by).exists():
        raise Refused("Only the player in that seat can object.")
    end_requests(by)


def end_requests(seat: Seat) -> bool:
    """Ends all open requests by others to get a seat, since its player has acted; True if there were any."""
    with flow.locked_seat(seat) as match:
        rows = Asking.objects.filter(pk__in=Asking.open().filter(seat=seat).values("pk"))
        ended = rows.update(answer=Asking.Answer.OBJECTED, answered_by=seat, due=None, origin="")
        if ended:
            _changed(match)
    return bool(ended)


def _found(match: Match, asking: int) -> Asking:
    found = Asking.open().filter(pk=asking, seat__match=match).select_related("seat").first()
    if found is None:
        raise Refused("No one is asking for this seat any more.")
    return found


def _changed(match: Match) -> None:
    flow.note_handover(match)
    flow.mark_changed(match)

"""Handing a seat over: its player makes a link for one use, and the person who accepts it gets the seat."""

from collections.abc import Callable

from django.utils import timezone

from games.players import USUAL
from robosite.matches.flow.errors import Refused, or_lost
from robosite.matches.flow.lock import locked_match, locked_seat
from robosite.matches.flow.lost_seats import note_handover, pass_seat
from robosite.matches.flow.sittings import Taken, chance, confirm_seat, name_at
from robosite.matches.flow.turn import mark_changed
from robosite.matches.models import GOING_ON, Hold, Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.people.names import robot_name
from robosite.web.link_secrets import hash_secret, new_secret


def may_offer(match: Match) -> bool:
    return match.status in GOING_ON and not match.may_have(MatchFlag.KEPT_SEATS) and not match.is_binding


def _check_may_offer(match: Match) -> None:
    if match.status not in GOING_ON:
        raise Refused("The match is over.")
    if match.is_binding:
        raise Refused("In a league or cup, hand over your spot there: all its matches go with it.")
    if not may_offer(match):
        raise Refused("In this match, seats can’t be handed over.")


def offer(seat: Seat) -> str:
    """Makes a link, in place of an earlier one, by which this seat can be taken over; returns its secret."""
    with locked_seat(seat) as match:
        _check_may_offer(match)
        secret = new_secret()
        seat.offer_hash = hash_secret(secret)
        seat.save(update_fields=["offer_hash"])
    return secret


def give_to_bot(seat: Seat) -> None:
    """Gives this seat to the usual bot, in place of its player; a sealed order stays sealed.

    Raises Refused as `offer` does, before the match begins, and if no other person would be left in it.
    """
    with locked_seat(seat) as match:
        _check_may_offer(match)
        seats = {one.pk: one for one in match.seats.all()}
        others = [one for one in seats.values() if one.taken and one.pk != seat.pk]
        if match.status != Match.Status.PLAYING or all(one.is_bot for one in others):
            raise Refused("Only bots would play. Send someone the link.")
        given = seats[seat.pk]
        given.match = match
        name, given.player = robot_name([one.name for one in others], chance), USUAL
        given.save(update_fields=["player"])
        pass_seat(match, given, None, timezone.now(), given=True, name=name, kind=Seat.Kind.BOT)
        match.forget_seats()
        note_handover(match)
        mark_changed(match)


def withdraw(seat: Seat) -> None:
    with locked_match(seat.match):
        confirm_seat(seat)
        seat.offer_hash = ""
        seat.save(update_fields=["offer_hash"])


def offered(secret: str) -> Seat | None:
    """The seat that a link hands over; None if the link is not valid, or not any more."""
    found = Seat.objects.filter(offer_hash=hash_secret(secret)) if secret else Seat.objects.none()
    return found.select_related("match").first()


def accept(
    secret: str, name: str, guest_of: Callable[[], Guest | None], *, kind: str = Seat.Kind.HUMAN
) -> tuple[Taken, Guest | None]:
    """Gives the seat of a link to a new player; returns it with its new link's secret, and their guest.

    `guest_of` finds or creates the guest inside the lock. Raises SeatLost if the link is not valid.
    """
    seat = or_lost(offered(secret))
    with locked_match(seat.match) as match:
        fresh = or_lost(match.seats.filter(pk=seat.pk, offer_hash=hash_secret(secret)).first())
        _check_may_offer(match)
        guest = guest_of()
        if guest and Hold.objects.filter(seat__match=match, guest=guest).exists():
            raise Refused("This is already your seat.")
        others = [one.name for one in match.seats.all() if one.taken and one.pk != fresh.pk]
        own, fresh.match = new_secret(), match
        name = name_at(match, name, guest, others)
        code = hash_secret(own)
        pass_seat(match, fresh, guest, timezone.now(), given=True, name=name, kind=kind, link_hash=code)
        match.forget_seats()
        note_handover(match)
        mark_changed(match)
    return Taken(fresh, own), guest

"""Endings of a match before its game is over: by resigning, offers, claims, moderators or lost keys."""

from games.core import Seat as Letter
from robosite.matches import locks
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.lock import locked_match, locked_seat, save
from robosite.matches.flow.lost_seats import erase_plans
from robosite.matches.flow.orders import is_unreadable, sealed_secrets, state_for, unseal_unreadable
from robosite.matches.flow.seating import give_up
from robosite.matches.flow.sittings import reseat
from robosite.matches.flow.standing import Ending, Standing, offer_stands, standing_of
from robosite.matches.flow.turn import abort, advance, mark_changed, mark_resigned
from robosite.matches.history import state_of
from robosite.matches.live import push
from robosite.matches.models import GOING_ON, Hold, Match, MatchFlag, Seat
from robosite.matches.site_models import Reaction
from robosite.matches.time import timekeeping
from robosite.people.models import Guest
from robosite.web.written_names import FORGOTTEN


def close(match: Match) -> None:
    """Calls a match off for a moderator, with nothing more revealed, or hides an imported one from all."""
    with locked_match(match) as fresh:
        if fresh.imported and fresh.watched:
            fresh.watched = False  # nobody sits there, so nobody can look at it any more
            mark_changed(fresh)
            return
        if fresh.status not in GOING_ON:
            raise Refused("This match is already over.")
        abort(fresh)


def give_up_unreadable(match: Match) -> None:
    """Unseals orders that no key decrypts; if one was played already, calls the match off at that turn."""
    with locks.locked(match.pk) as fresh:
        if fresh.status not in GOING_ON:
            return
        gone = [program for program in sealed_secrets(fresh) if is_unreadable(fresh, program.seat, program)]
        if not gone:
            return
        first = min(program.turn for program in gone)
        if first < fresh.turn:
            abort(fresh)
            fresh.turn = first
        else:
            for program in gone:
                unseal_unreadable(program)
            if fresh.status == Match.Status.PLAYING:
                timekeeping.begin_turn(fresh, refund=True)
            mark_changed(fresh)
        save(fresh)
    match.refresh_from_db()


def resign(seat: Seat) -> None:
    """Resigns for this seat's player; before the match has begun, gives the seat up instead."""
    with locked_seat(seat) as match:
        if match.status == Match.Status.OPEN:
            give_up(match, seat)
        else:
            state_for(match, seat)
            _resign_now(match, seat)
    seat.refresh_from_db()


def _resign_now(match: Match, seat: Seat) -> None:
    if seat.resigned_turn != match.turn:
        mark_resigned(match, seat)
        mark_changed(match)
        advance(match)


def forget(seat: Seat, guest: Guest) -> None:
    """Ends a guest's hold on a seat, since the guest's data are being erased.

    If nobody else holds the seat, its name, link, drafts, planned replies and reactions are erased; it is
    freed before the start, and resigns in a running match.
    """
    with locked_match(seat.match) as match:
        own = Hold.objects.filter(seat=seat, guest=guest).first()
        if own is None:
            return
        seat.refresh_from_db()
        others = [hold.guest_id for hold in Hold.objects.filter(seat=seat) if hold.pk != own.pk]
        if others:
            reseat(seat, link_hash=seat.link_hash, keep=others)
            return
        if match.status == Match.Status.OPEN:
            give_up(match, seat)
            return
        if match.status == Match.Status.PLAYING and seat.at in state_of(match).still_in():
            _resign_now(match, seat)
        seat.refresh_from_db()
        reseat(seat, link_hash="")
        erase_plans(seat)
        Reaction.objects.filter(seat=seat).delete()
        seat.name = FORGOTTEN
        seat.save(update_fields=["name"])
        mark_changed(match)
    push.seat_changed(seat)


def offer_draw(seat: Seat, offer: bool) -> None:
    offer_ending(seat, Ending.DRAW, offer)


def offer_ending(seat: Seat, ending: Ending, offer: bool, *, agrees: bool = False) -> None:
    """Offers an ending (a draw, or calling the match off), or withdraws the offer if `offer` is False.

    The match is drawn once all seats still in it offer that, called off once all people still in it do. An
    offer is valid until the turn after the present one is played. `agrees` requires another seat's offer.
    """
    with locked_match(seat.match) as match:
        state_for(match, seat)
        if ending == Ending.OFF and offer and match.may_have(MatchFlag.BINDING):
            raise Refused("This match counts in a competition, so it can’t be cancelled. You can resign.")
        if agrees:
            _check_offered(match, seat, ending)
        turn = match.turn if offer else None
        offered = offer_stands(seat, match, ending)
        if offered != offer or (offer and getattr(seat, f"{ending}_turn") != match.turn):
            _note(seat, f"{ending}_turn", turn)
            if offered != offer:
                mark_changed(match)
            advance(match)


def decline_ending(seat: Seat, ending: Ending) -> None:
    """Declines an ending that others offer and withdraws the seat's own offer; the others' remain valid."""
    with locked_match(seat.match) as match:
        state_for(match, seat)
        _check_offered(match, seat, ending)
        if getattr(seat, f"{ending}_no") != match.turn or offer_stands(seat, match, ending):
            _note(seat, f"{ending}_no", match.turn)
            _note(seat, f"{ending}_turn", None)
            mark_changed(match)


def _check_offered(match: Match, seat: Seat, ending: Ending) -> None:
    others = [other for other in match.seats.all() if other.pk != seat.pk]
    if not any(offer_stands(other, match, ending) for other in others):
        raise Refused("No one is offering that now. Look at the match again.")


def _note(seat: Seat, fact: str, turn: int | None) -> None:
    setattr(seat, fact, turn)
    seat.save(update_fields=[fact])


def claim(seat: Seat, other: Seat) -> None:
    """Makes the late seat `other` resign, on behalf of `seat`, whose player has waited long enough."""
    with locked_match(seat.match) as match:
        state_for(match, seat)
        standing = standing_of(match)
        if other.at not in standing.claimable(seat.at):
            raise _no_claim(standing, seat.at, other.at)
        other.refresh_from_db()
        mark_resigned(match, other, timed_out=seat.letter)
        mark_changed(match)
        advance(match)


def _no_claim(standing: Standing, by: Letter, other: Letter) -> Refused:
    match = standing.match
    if match.deadline_hours is None:
        return Refused("This match has no deadline, so no one is late.")
    if match.if_late != Match.Late.WAIT:
        return Refused("In this match the deadline decides what happens to a late player.")
    if other not in standing.owing:
        return Refused("It isn’t seat {at}’s turn, so it isn’t late.", at=str(other))
    if other not in standing.late:
        return Refused("Seat {at} isn’t late yet: there’s still time for this turn.", at=str(other))
    if by == other:
        return Refused("Seat {at} is your own.", at=str(by))
    return Refused("It’s still your turn too. Seal first.")

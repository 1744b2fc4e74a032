"""Taking a turn back by consent: who has just moved asks, the other accepts or declines.

Whatever the game: it can be asked where one seat acts after the other, between two who are still in. An
accepted wish undoes the last turn for both; its order leaves the match for `TakenBack`, where its seal can
still be checked, and the number of turns goes down by one. The version goes up, as with every change.
"""

from __future__ import annotations

from collections.abc import Iterable

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import Refused
from robosite.matches.history import states_of, turns_of
from robosite.matches.models import Hold, Match, Program, Seat, TakenBack


def mover(match: Match) -> Letter | None:
    """Who has just moved and may ask for it back; None where nobody may."""
    if match.status != Match.Status.PLAYING or not match.turn:
        return None
    before, now = states_of(match)[match.turn - 1 : match.turn + 1]
    last = turns_of(match)[match.turn - 1]
    in_turn = len(before.to_act()) == len(now.to_act()) == len(last) == 1 and len(now.still_in()) == 2
    (seat,) = last if in_turn else (None,)
    return seat if seat and not now.conceals(match.turn - 1, seat) else None


def may_ask(match: Match, seat: Seat) -> bool:
    """Whether this seat may ask now; once a turn, if it is declined."""
    return seat.wish_turn != match.turn and mover(match) == seat.at


def asking(match: Match, seats: Iterable[Seat]) -> Seat | None:
    """Who waits for the other's answer to his wish."""
    return next((seat for seat in seats if _stands(match, seat)), None)


def declined(match: Match, seat: Seat) -> bool:
    """Whether this seat's wish was declined, and nothing has been played since."""
    return seat.wish_turn == match.turn and seat.wish_declined


def ask(seat: Seat, turn: int, taken_back: int) -> None:
    """Asks to take the own last turn back. Asking again changes nothing."""
    with flow.door(seat.match) as match:
        _at(match, turn, taken_back)
        seat.refresh_from_db()
        if mover(match) != seat.at:
            raise Refused("Only who has just moved can ask to take it back.")
        if seat.wish_turn == match.turn:
            if seat.wish_declined:
                raise Refused("Your wish was declined. The turn stands.")
            return
        seat.wish_turn, seat.wish_declined = match.turn, False
        seat.save(update_fields=["wish_turn", "wish_declined"])
        flow.changed(match)


def withdraw(seat: Seat, turn: int, taken_back: int) -> None:
    """Gives the own wish up."""
    with flow.door(seat.match) as match:
        _at(match, turn, taken_back)
        seat.refresh_from_db()
        if _stands(match, seat):
            seat.wish_turn = None
            seat.save(update_fields=["wish_turn"])
            flow.changed(match)


def answer(seat: Seat, turn: int, taken_back: int, *, accept: bool) -> None:
    """Accepts the wish of the other, so that the last turn is undone, or declines it."""
    with flow.door(seat.match) as match:
        if accept and match.taken_back == taken_back + 1 and match.turn == turn - 1:
            return  # accepted already, and this is the same answer again
        _at(match, turn, taken_back)
        asker = asking(match, match.seats.all())
        if asker is None or asker.pk == seat.pk:
            raise Refused("Nobody asks you to take a turn back now.")
        if accept:
            _undo(match, asker)
        else:
            asker.wish_declined = True
            asker.save(update_fields=["wish_declined"])
        flow.changed(match)


def _stands(match: Match, seat: Seat) -> bool:
    return seat.wish_turn == match.turn and not seat.wish_declined and match.status == Match.Status.PLAYING


def _at(match: Match, turn: int, taken_back: int) -> None:
    """Refuses whoever speaks of another turn than the present one."""
    if match.status != Match.Status.PLAYING:
        raise Refused("This match does not go on.")
    if (turn, taken_back) != (match.turn, match.taken_back):
        raise Refused("The match has gone on meanwhile. Look at the board again.")


def _undo(match: Match, asker: Seat) -> None:
    """The match as it stood before its last turn, with nothing sealed, drafted, wished or offered."""
    turn, number = match.turn - 1, match.taken_back + 1
    program = Program.objects.get(seat=asker, turn=turn)
    TakenBack.objects.create(
        seat=asker,
        number=number,
        turn=turn,
        order=program.order,
        nonce=program.nonce,
        seal=program.seal,
        sealed_at=program.sealed_at,
    )
    Program.objects.filter(seat__match=match, turn__gte=turn).delete()
    match.seats.update(wish_turn=None, wish_declined=False, draw_turn=None)
    Hold.objects.filter(seat__match=match, seen_turn__gt=turn).update(seen_turn=turn)
    match.turn, match.taken_back = turn, number
    flow.begin_turn(match)

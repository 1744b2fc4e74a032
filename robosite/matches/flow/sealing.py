"""The functions that write drafts and seal orders for the present turn; the last seal plays the turn."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from games.core import Order, Plan, play_turn
from robosite.matches.flow import orders
from robosite.matches.flow.errors import Refused, SeatLost
from robosite.matches.flow.lock import locked_match, locked_seat
from robosite.matches.flow.orders import add_mark, new_reopening
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.standing import Standing, standing_of
from robosite.matches.flow.turn import advance, mark_changed
from robosite.matches.history import state_of
from robosite.matches.live import push
from robosite.matches.models import GOING_ON, Hold, Match, Program, Seat
from robosite.matches.reading import program_of
from robosite.matches.seals import Secret

Found = TypeVar("Found")
Change = Callable[[Match, Secret], tuple[Secret, Found]]
"""A function that returns a new draft (with marks) for the old one, and a result; may raise Refused.

If it returns the very same Secret, nothing is written.
"""


def draft(seat: Seat, turn: int, text: str, tab: str = "", *, taken_back: int | None = None) -> None:
    """Stores an unfinished order for the present turn, which only this seat may see."""
    orders.check_length(text)
    redraft(
        seat, turn, lambda _match, old: (Secret(text, add_mark(old.nonce)), None), tab, taken_back=taken_back
    )


def redraft(
    seat: Seat, turn: int, change: Change[Found], tab: str = "", *, taken_back: int | None = None
) -> tuple[Standing, Found]:
    """Applies `change` to the seat's draft, in the lock; returns the new Standing, and `change`'s result."""
    with locked_match(seat.match) as match:
        standing = standing_of(match)
        confirm_seat(seat, standing.seats)
        orders.check_taken_back(match, taken_back)
        program = _own_program(standing, seat, turn)
        if program.sealed:
            raise Refused("You’ve already sealed. Reopen it to change it.")
        before = orders.kept_secret(match, seat, program)
        after, found = change(match, before)
        if after is before:
            return replace(standing, match=seat.match), found
        orders.check_length(after.text)
        standing.state.view(seat.at).check_order_length(seat.at, after.text)
        program.by = ""
        orders.write(match, seat, program, after)
    push.draft_changed(seat, tab)
    return replace(standing.with_program(seat.at, program), match=seat.match), found


def seal(
    seat: Seat, turn: int, text: str, *, taken_back: int | None = None, shown_to: Hold | None = None
) -> orders.Receipt:
    """Seals an order for the present turn, in place of an earlier one; plays the turn if none is missing.

    The same order again gets the same receipt, even if the turn was played meanwhile. `shown_to` is the hold
    of the guest whose page will show the result: turns played at once count as seen. Raises IllegalOrder, and
    KeyMissing if a sealed order of this turn cannot be decrypted.
    """
    orders.check_length(text)
    with locked_match(seat.match) as match:
        standing = standing_of(match)
        confirm_seat(seat, standing.seats)
        orders.check_taken_back(match, taken_back)
        if turn < match.turn:
            return orders.receipt_again(match, seat, turn, text)
        program = _own_program(standing, seat, turn)
        order = orders.legal_order(match, standing.state, seat, text)
        if program.sealed and orders.secret_of(match, seat, program).text == order:
            return orders.receipt(match, seat, program, order, revealed=False)
        orders.seal_program(match, seat, program, order=order)
        if seat.missed or seat.stranger_from:
            seat.missed, seat.stranger_from = 0, ""
            seat.save(update_fields=["missed", "stranger_from"])
        mark_changed(match)
        advance(match, standing.with_program(seat.at, program))
        if shown_to and match.turn > turn:
            note_seen(shown_to, match.turn)
        return orders.receipt(match, seat, program, order, revealed=match.turn > turn)


def note_seen(hold: Hold, turns: int) -> None:
    if hold.seen_turn < turns:
        if Hold.every.filter(pk=hold.pk, seen_turn__lt=turns).update(seen_turn=turns):
            push.guest_caught_up(hold.guest_id)


def _own_program(standing: Standing, seat: Seat, turn: int) -> Program:
    orders.check_may_write(standing.match, seat, turn)
    program = standing.programs.get(seat.at) or Program(turn=turn)
    program.seat = seat
    return program


def check_order(match: Match, seat: Seat, turn: int, text: str) -> tuple[Order, str | None]:
    """Checks an order as `seal` does, but writes nothing; returns its canonical form and the position after.

    The position is None before the match has begun, if others act too, or if `seat` does not see it all.
    """
    orders.check_length(text)
    confirm_seat(seat)
    orders.check_may_write(match, seat, turn)
    state = state_of(match)
    order = orders.legal_order(match, state, seat, text)
    view = state.view(seat.at)
    if (
        match.status == Match.Status.OPEN
        or state.to_act() != {seat.at}
        or view.position() != state.position()
    ):
        return order, None
    *_, after = play_turn(state, {seat.at: order})
    return order, after.view(seat.at).position()


def plan_of(match: Match, seat: Seat, turn: int, text: str) -> Plan:
    """The plan for an unfinished order of the present turn; raises IllegalOrder if it is impossibly long."""
    orders.check_length(text)
    confirm_seat(seat)
    orders.check_may_write(match, seat, turn)
    view = state_of(match).view(seat.at)
    view.check_order_length(seat.at, text)
    return view.plan(seat.at, text)


def seal_for_bot(
    seat: Seat, turn: int, order: Order, *, by: str = "", nonce: str = "", taken_back: int | None = None
) -> bool:
    """Seals an order for a bot's seat; returns True unless no bot holds it now, or it owes no such order."""
    with locked_match(seat.match) as match:
        standing = standing_of(match)
        try:
            confirm_seat(seat, standing.seats)
        except SeatLost:
            return False
        if match.turn != turn or match.status not in GOING_ON or not seat.is_bot:
            return False
        if taken_back not in (None, match.taken_back):
            return False
        if seat.at not in standing.owing:
            return False
        program = _own_program(standing, seat, turn)
        order = orders.legal_order(match, standing.state, seat, order)
        orders.seal_program(match, seat, program, order=order, by=by, nonce=nonce)
        mark_changed(match)
        advance(match, standing.with_program(seat.at, program))
        return True


def reopen(seat: Seat, turn: int, *, taken_back: int | None = None) -> None:
    """Makes the seat's sealed order a draft again, before the turn is played; raises KeyMissing."""
    with locked_seat(seat) as match:
        orders.check_taken_back(match, taken_back)
        orders.check_may_write(match, seat, turn)
        program = program_of(seat, turn) or Program(seat=seat, turn=turn)
        if program.sealed:
            text = orders.secret_of(match, seat, program).text
            program.seal, program.sealed_at, program.by = "", None, ""
            orders.write(match, seat, program, Secret(text, new_reopening()))
            mark_changed(match)

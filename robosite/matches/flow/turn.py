"""Functions that play the present turn when no order is missing, and that end the match with its game."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from games.core import DRAW, RESIGN, Order, Outcome, State, play_turn, whole_turn
from games.core import Seat as Letter
from robosite.matches import reading
from robosite.matches.flow import replying
from robosite.matches.flow.orders import secret_of, unseal
from robosite.matches.flow.standing import Standing, standing_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.time import timekeeping


def abort(match: Match) -> None:
    match.status = Match.Status.ABORTED
    match.invite_hash = ""
    match.rematch_of = None  # another rematch may be made in its place
    unseal(Program.objects.filter(seat__match=match, turn=match.turn))
    replying.erase(match)
    match.overdue = False
    mark_changed(match)


def begin_if_full(match: Match) -> None:
    if all(seat.taken for seat in reading.seats_of(match)):
        match.status = Match.Status.PLAYING
        timekeeping.begin_turn(match)
        advance(match)


def mark_resigned(match: Match, seat: Seat, *, timed_out: str = "") -> None:
    """Stores that the seat resigns in this turn, and unseals the seat's order for the turn."""
    seat.resigned_turn, seat.timed_out = match.turn, timed_out
    seat.save(update_fields=["resigned_turn", "timed_out"])
    unseal(Program.objects.filter(seat=seat, turn=match.turn))


def advance(match: Match, standing: Standing | None = None, *, at_hour: datetime | None = None) -> None:
    """Plays the present turn if no order is missing, and then further turns that planned replies complete.

    If all people still in offer it, calls the match off instead. `standing` is given if just read inside the
    lock. If turns are played at one hour of the day, `at_hour` is that moment; without it, such a turn is
    played only if resignations or an agreed draw end the match. Raises KeyMissing.
    """
    if match.status != Match.Status.PLAYING:
        return
    standing = standing or standing_of(match)
    if standing.calling_off:
        abort(match)
        return
    state, sealed, seats = standing.state, standing.sealed, {seat.at: seat for seat in standing.seats}
    whole = _orders_to_play(standing, at_hour)
    if whole is None:
        return
    orders = {
        seat: order or secret_of(match, seats[seat], sealed[seat]).text for seat, order in whole.items()
    }
    *_, after = play_turn(state, orders)
    _reveal(match, after, orders, standing)
    timekeeping.end_turn(match, timezone.now())
    if at_hour:
        match.revealed_at, match.revealed_turn = at_hour, match.turn
    match.turn += 1
    if outcome := after.outcome():
        _end(match, outcome)
        return
    timekeeping.begin_turn(match)
    mark_changed(match)
    if replying.answer(match, orders) or after.still_in() != state.still_in():
        advance(match)  # or all who are left may have offered the same ending before


def _orders_to_play(standing: Standing, at_hour: datetime | None) -> dict[Letter, Order] | None:
    """The orders of the present turn, by seat, if it is to be played now (see `advance`); otherwise None."""
    sealed = dict.fromkeys(standing.sealed, "")
    whole = whole_turn(standing.state, sealed, standing.resigning, standing.draw_offers)
    if whole and not all(whole.values()) and standing.match.reveal_at and not at_hour:
        return None
    return whole


def _end(match: Match, outcome: Outcome) -> None:
    match.status = Match.Status.OVER
    match.outcome_json = outcome.as_json()
    match.overdue = False
    concealed = Program.objects.filter(seat__match=match, order="", turn__lt=match.turn).exclude(seal="")
    for program in concealed.select_related("seat"):
        _open(match, program.seat, program)
    replying.erase(match)
    mark_changed(match)


def _reveal(match: Match, after: State, orders: Mapping[Letter, Order], standing: Standing) -> None:
    """Decrypts the played orders that the rules do not hide, stores resignations, and unseals the rest."""
    played = {seat for seat, order in orders.items() if order not in (RESIGN, DRAW)}
    for seat in standing.seats:
        if seat.at in played:
            program = standing.sealed[seat.at]
            if not after.conceals(match.turn, seat.at):
                _open(match, seat, program)
        elif seat.at in orders:
            unseal(Program.objects.filter(seat=seat, turn=match.turn))
            values = {"order": orders[seat.at], "seal": "", "sealed_at": None, "nonce": "", "secret": None}
            Program.objects.update_or_create(seat=seat, turn=match.turn, defaults=values)
        else:
            unseal(Program.objects.filter(seat=seat, turn=match.turn))


def _open(match: Match, seat: Seat, program: Program) -> None:
    secret = secret_of(match, seat, program)
    program.order, program.nonce, program.secret = secret.text, secret.nonce, None
    program.save()


def mark_changed(match: Match) -> None:
    """Increments the match's version, so that `locked_match` saves it; call it inside the lock."""
    match.version += 1

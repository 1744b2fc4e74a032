"""A new match that begins with the first turns of a finished match, and continues them against bots.

The copied orders are sealed anew, under the new match's key, and marked as taken over.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from games.core import DRAW, RESIGN, State
from games.core import Seat as Letter
from games.record import seal
from robosite.matches import history, locks
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.imports import insert_rows
from robosite.matches.flow.lock import save
from robosite.matches.flow.orders import TAKEN_OVER
from robosite.matches.flow.seating import create
from robosite.matches.flow.series import begin
from robosite.matches.flow.sittings import Taken, sit_bot_down
from robosite.matches.history import Turn, secret_binding, states_of, turns_of
from robosite.matches.models import Match, MatchFlag, Program
from robosite.matches.seals import Secret, encrypt_secret, new_nonce
from robosite.people.models import Guest

MOST_ORDERS = 1_000
"""The most orders that can be copied; each becomes a table row."""
PROGRAM_COLUMNS = ("seat_id", "turn", "order", "nonce", "secret", "seal", "sealed_at", "by")


def may_play_again(match: Match) -> bool:
    """Returns True if a new match can continue this match: it is over, and a turn was played."""
    return match.status == Match.Status.OVER and match.turn > 0


def play_again(
    before: Match, turns: int, at: str, name: str, player: str, *, guest: Guest, lane: int = 0
) -> Taken:
    """Begins a match with the first `turns` of `before`; the guest plays `at`, the bot `player` the rest."""
    states, orders = _played_until(before, turns, at)
    state = states[-1]
    with transaction.atomic():
        match, taken, _invite = create(
            before.game,
            before.options,
            len(state.seats),
            name,
            at=at,
            guest=guest,
            setup=before.setup,
            watched=before.watched,
            lane=lane,
        )
        with locks.inside(match.pk):  # nobody else can see it yet
            for other in state.seats:
                if other != at:
                    sit_bot_down(match, other, player)
            match.forget_seats()
            _take_over(match, states, orders)
    return taken


def _played_until(match: Match, turns: int, at: str) -> tuple[list[State], list[Turn]]:
    """The states at the start of turns 0 to `turns`, and the orders between them; raises Refused."""
    if not may_play_again(match):
        raise Refused("You can play on from a turn once the match is over.")
    if not 0 <= turns < match.turn:
        raise Refused("This match has no such turn.")
    states, orders = states_of(match)[: turns + 1], turns_of(match)[:turns]
    if at not in states[-1].still_in():
        raise Refused("This player was already out. Please choose another seat.")
    if sum(map(len, orders)) > MOST_ORDERS:
        raise Refused("That’s too many turns to carry over. Please choose an earlier one.")
    return states, orders


def _take_over(match: Match, states: list[State], orders: list[Turn]) -> None:
    rows = [
        [getattr(one, name) for name in PROGRAM_COLUMNS] for one in _taken_over(match, states[-1], orders)
    ]
    insert_rows(Program, PROGRAM_COLUMNS, rows)
    match.turn = len(orders)
    match.set_flag(MatchFlag.TAKEN_OVER)
    begin(match)
    history.keep(match, orders, states)
    save(match)


def _taken_over(match: Match, at_the_end: State, orders: list[Turn]) -> list[Program]:
    """The orders as unsaved programs of the new match; those still hidden in `at_the_end` are encrypted."""
    seats, now = {seat.at: seat for seat in match.seats.all()}, timezone.now()
    return [
        _program(match, Program(seat=seats[at], turn=turn), order, now, hidden=at_the_end.conceals(turn, at))
        for turn, played in enumerate(orders)
        for at, order in played.items()
    ]


def _program(match: Match, program: Program, order: str, now: datetime, *, hidden: bool) -> Program:
    if order in (RESIGN, DRAW):
        program.order = order
        return program
    nonce, letter = new_nonce(), Letter(program.seat.letter)
    program.seal = seal(match.key, program.turn, letter, nonce=nonce, order=order)
    program.sealed_at, program.by = now, TAKEN_OVER
    if hidden:
        program.secret = encrypt_secret(secret_binding(match, program.turn, letter), Secret(order, nonce))
    else:
        program.order, program.nonce = order, nonce
    return program

"""Functions for single programs: checking, writing, sealing and reading an order, and its receipt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from games.core import DRAW, RESIGN, IllegalOrder, Order, State
from games.core import Seat as Letter
from games.players import PLAYERS, version_of
from games.record import seal as seal_of
from robosite.matches import reading
from robosite.matches.flow.errors import Refused, TooLong, TurnTakenBack
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.tap_marks import new_reopening
from robosite.matches.history import secret_binding, state_of, states_of
from robosite.matches.models import GOING_ON, Match, Program, Seat
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret, new_nonce
from robosite.matches.wording import wording_of
from robosite.web.metrics import SEALS

TAKEN_OVER = "record"
"""The origin (`Program.by`) of an order that was copied from another match."""
LONGEST_ORDER = 2_000
"""The maximum number of characters of an order or a draft."""
BYTES_PER_CHARACTER, ROOM_FOR_MARKS = 6, 256
"""The maximum number of bytes in JSON of one character of a draft, and of its marks (`tap_marks`) or a nonce.
"""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A player's proof of a sealed order, with which anybody can check later that it was not changed.

    `seal` is a hash of the order. `turn` counts from 0. `revealed` is True if the turn has been played.
    `version` is the version of the match when the receipt was made.
    """

    turn: int
    seat: Letter
    order: Order
    seal: str
    sealed_at: datetime
    revealed: bool
    version: int


def check_length(text: str) -> None:
    if len(text) > LONGEST_ORDER:
        raise TooLong("This is too long: {most} characters at most.", most=LONGEST_ORDER)


def state_for(match: Match, seat: Seat) -> State:
    """Returns the present game state of a running match, for an action of this seat.

    Raises SeatLost if the caller may not act for the seat. Raises Refused if the match is not running, or if
    the seat is out.
    """
    confirm_seat(seat)
    if match.status == Match.Status.OPEN:
        raise Refused("The match hasn’t begun yet.")
    if match.status != Match.Status.PLAYING:
        raise Refused("The match is over.")
    state = state_of(match)
    if seat.at not in state.still_in():
        raise Refused("You’re out of this match.")
    return state


_UNREADABLE = "This request can’t be read. Nothing was changed; look at the board."


def check_taken_back(match: Match, taken_back: int | None) -> None:
    """Raises TurnTakenBack if turns were undone by a take-back since the player's page was made."""
    if taken_back is not None and taken_back < 0:
        raise TurnTakenBack(_UNREADABLE)
    if taken_back is not None and taken_back != match.taken_back:
        raise TurnTakenBack("A turn has been taken back in the meantime. Look at the board again.")


def why_not_this_turn(match: Match, turn: int) -> Refused:
    """Returns (does not raise) a Refused that says why `turn` is not the present turn.

    The reason is that `turn` was played already, is still to come, or is negative.
    """
    if turn < 0:
        return Refused(_UNREADABLE)
    words = wording_of(match.game)
    return Refused(words.gone if turn < match.turn else words.to_come)


def check_current(match: Match, turn: int, taken_back: int | None) -> None:
    """Raises Refused if `turn` is not the present turn of the match."""
    check_taken_back(match, taken_back)
    if turn != match.turn:
        raise why_not_this_turn(match, turn)


def own_program(match: Match, seat: Seat, turn: int) -> Program:
    """Returns the seat's program (its draft or sealed order) for the present turn, or a new unsaved one."""
    check_may_write(match, seat, turn)
    return reading.program_of(seat, turn) or Program(seat=seat, turn=turn)


def check_may_write(match: Match, seat: Seat, turn: int) -> None:
    """Raises Refused if the seat has no order to write for this turn now.

    The seat has none if the match has ended, or if `turn` is not the present turn. It also has none if it
    does not act in that turn, or resigns in it.
    """
    if match.status not in GOING_ON:
        raise Refused("The match is over.")
    if turn != match.turn:
        raise why_not_this_turn(match, turn)
    if seat.at not in state_of(match).to_act() or seat.resigned_turn == turn:
        raise Refused("You have nothing to play now.")


def legal_order(match: Match, state: State, seat: Seat, text: str) -> Order:
    if text.strip().lower() in (RESIGN, DRAW):
        raise IllegalOrder("“{order}” isn’t an order: use the button for it.", order=text.strip().lower())
    return state.view(seat.at).check(seat.at, text)


def secret_of(match: Match, seat: Seat, program: Program) -> Secret:
    return decrypt_secret(secret_binding(match, program.turn, seat.letter), program.secret or b"")


def nonces_of(seat: Seat, before: int) -> list[str]:
    """Returns the random nonces of the orders that the seat sealed for turns before `before`, by turn."""
    played = Program.objects.filter(seat=seat, turn__lt=before).exclude(seal="").order_by("turn")
    return [one.nonce or secret_of(seat.match, seat, one).nonce for one in played]


def kept_secret(match: Match, seat: Seat, program: Program) -> Secret:
    """Decrypts and returns the secret (text and nonce) of a seat's draft or order.

    Returns an empty Secret if the program has no secret, or if no key decrypts it.
    """
    try:
        return secret_of(match, seat, program) if program.secret else Secret("")
    except KeyMissing:
        return Secret("")


def text_of(match: Match, seat: Seat, program: Program) -> str:
    """Decrypts and returns the text of a draft or order; "" if there is none, or if no key decrypts it."""
    return kept_secret(match, seat, program).text


def check_readable(match: Match, seat: Seat, program: Program | None) -> None:
    """Raises KeyMissing if `program` is a sealed order that no key decrypts; otherwise does nothing."""
    if program and program.sealed and program.secret:
        secret_of(match, seat, program)


def is_unreadable(match: Match, seat: Seat, program: Program | None) -> bool:
    """Returns True if `program` (a draft or an order) has an encrypted text that no key decrypts.

    Returns False if there is no program, or if it has no encrypted text.
    """
    if program is None or program.secret is None:
        return False
    try:
        secret_of(match, seat, program)
    except KeyMissing:
        return True
    return False


def sealed_secrets(match: Match) -> Iterable[Program]:
    """Returns the sealed orders of this match that are still encrypted, including those of played turns."""
    secrets = Program.objects.filter(seat__match=match, secret__isnull=False).exclude(seal="")
    return secrets.select_related("seat")


def unseal_unreadable(program: Program) -> None:
    """Unseals an order that no key decrypts, so that the player has to seal again."""
    program.seal, program.sealed_at, program.by = "", None, ""
    program.save(update_fields=["seal", "sealed_at", "by"])


def write(match: Match, seat: Seat, program: Program, secret: Secret) -> None:
    at = secret_binding(match, program.turn, seat.letter)
    program.secret = encrypt_secret(at, secret, room=_room(match, seat, secret.text))
    program.save()


def _room(match: Match, seat: Seat, text: str) -> int | None:
    """Returns the greatest possible number of bytes of the seat's order in this position, tap marks included.

    The number is the `room` for `seals.encrypt_secret`.
    """
    try:
        longest = state_of(match).max_order_length(seat.at)
    except KeyMissing:
        return None
    return BYTES_PER_CHARACTER * longest + ROOM_FOR_MARKS if len(text) <= longest < LONGEST_ORDER else None


def seal_program(
    match: Match, seat: Seat, program: Program, *, order: Order, by: str = "", nonce: str = ""
) -> None:
    """Seals an order (stores it encrypted, with a hash as commitment) and saves the program.

    `by` is the origin of the order (`Program.by`); "" stands for the player. Without a `nonce`, a new one is
    drawn at random.
    """
    nonce = nonce or new_nonce()
    program.seal = seal_of(match.key, program.turn, seat.letter, nonce=nonce, order=order)
    program.sealed_at = timezone.now()
    program.by = by
    program.by_version = version_of(by, match.game_slug) if by in PLAYERS else None
    write(match, seat, program, Secret(order, nonce))
    transaction.on_commit(SEALS.inc)


def receipt(match: Match, seat: Seat, program: Program, order: Order, *, revealed: bool) -> Receipt:
    """Makes the receipt of a sealed order, for the seat's player.

    `revealed` says whether the order's turn has been played.
    """
    assert program.sealed_at
    return Receipt(
        program.turn,
        seat=seat.at,
        order=order,
        seal=program.seal,
        sealed_at=program.sealed_at,
        revealed=revealed,
        version=match.version,
    )


def receipt_again(match: Match, seat: Seat, turn: int, text: str) -> Receipt:
    """Returns the receipt of an order that was sealed for an earlier turn; `text` must be that order.

    Raises Refused if `text` is another order, or if the seat sealed none for that turn.
    """
    program = reading.program_of(seat, turn)
    if program and program.seal:
        order = program.order or secret_of(match, seat, program).text
        if _same(match, turn, seat, text=text, order=order):
            return receipt(match, seat, program, order, revealed=True)
        raise Refused(wording_of(match.game).gone_otherwise)
    raise why_not_this_turn(match, turn)


def played_order(seat: Seat, turn: int) -> Order | None:
    """Returns the order that the seat sealed for a turn that was played."""
    program = reading.program_of(seat, turn) if 0 <= turn < seat.match.turn else None
    return program.order if program and program.seal and program.order else None


def _same(match: Match, turn: int, seat: Seat, *, text: str, order: Order) -> bool:
    try:
        return states_of(match)[turn].view(seat.at).check(seat.at, text) == order
    except IllegalOrder:
        return False


def unseal(programs: Any) -> None:
    """Removes the seals and nonces of sealed orders that will not be played, so that they become drafts.

    `programs` is a queryset of Program. Orders that no key decrypts do not become drafts.
    """
    for program in programs.select_related("seat__match"):
        match = program.seat.match
        if program.sealed and is_unreadable(match, program.seat, program):
            unseal_unreadable(program)
        elif program.sealed:
            text = text_of(match, program.seat, program)
            program.seal, program.sealed_at, program.by = "", None, ""
            write(match, program.seat, program, Secret(text, new_reopening()))

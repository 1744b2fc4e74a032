"""Functions for single programs: checking, writing, sealing and reading an order, and its receipt.

A draft has marks, which say which taps on the board it already contains, so that a tap sent twice counts
once. A page numbers its taps: `abc.7` is the seventh of the page `abc`. A draft has the last taps of at most
MOST_PAGES pages, the latest change first: `abc.7 xyz.3`; NOBODY is first if that was not a numbered tap.
Sealing removes the marks, so a reopened draft has a random one at the end instead: `abc.8 @5ea1ed07`.
"""

import secrets
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
from robosite.matches.history import secret_binding, state_of, states_of
from robosite.matches.models import GOING_ON, Match, Program, Seat
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret, new_nonce
from robosite.matches.wording import wording_of
from robosite.web.metrics import SEALS

TAKEN_OVER = "record"
"""The origin (`Program.by`) of an order that was copied from another match."""
LONGEST_ORDER = 2_000
BYTES_PER_CHARACTER, ROOM_FOR_MARKS = 6, 256
"""The most bytes in JSON: of one character of a draft, and of its marks or nonce."""
MOST_PAGES = 4
NOBODY, REOPENED = "-", "@"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A proof of a sealed order, with turn (from 0) and the match's version; anybody can check it later."""

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
    """The present state, for an action of this seat; raises SeatLost, or Refused if it cannot act now."""
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
    """Raises TurnTakenBack if turns were taken back since the player's page was made."""
    if taken_back is not None and taken_back < 0:
        raise TurnTakenBack(_UNREADABLE)
    if taken_back is not None and taken_back != match.taken_back:
        raise TurnTakenBack("A turn has been taken back in the meantime. Look at the board again.")


def why_not_this_turn(match: Match, turn: int) -> Refused:
    """The Refused that says why `turn` is not the present turn."""
    if turn < 0:
        return Refused(_UNREADABLE)
    words = wording_of(match.game)
    return Refused(words.gone if turn < match.turn else words.to_come)


def check_current(match: Match, turn: int, taken_back: int | None) -> None:
    """Raises Refused for any `turn` but the present one, TurnTakenBack if turns were taken back since."""
    check_taken_back(match, taken_back)
    if turn != match.turn:
        raise why_not_this_turn(match, turn)


def check_may_write(match: Match, seat: Seat, turn: int) -> None:
    """Raises Refused if the seat has no order to write for this turn now."""
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
    played = Program.objects.filter(seat=seat, turn__lt=before).exclude(seal="").order_by("turn")
    return [one.nonce or secret_of(seat.match, seat, one).nonce for one in played]


def kept_secret(match: Match, seat: Seat, program: Program) -> Secret:
    """The secret of a draft or order; an empty one if it has none, or if no key decrypts it."""
    try:
        return secret_of(match, seat, program) if program.secret else Secret("")
    except KeyMissing:
        return Secret("")


def text_of(match: Match, seat: Seat, program: Program) -> str:
    return kept_secret(match, seat, program).text


def check_readable(match: Match, seat: Seat, program: Program | None) -> None:
    """Raises KeyMissing if `program` is a sealed order that no key decrypts."""
    if program and program.sealed and program.secret:
        secret_of(match, seat, program)


def is_unreadable(match: Match, seat: Seat, program: Program | None) -> bool:
    """Returns True if a draft or an order has an encrypted text that no key decrypts."""
    if program is None or program.secret is None:
        return False
    try:
        secret_of(match, seat, program)
    except KeyMissing:
        return True
    return False


def sealed_secrets(match: Match) -> Iterable[Program]:
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
    """The `room` for `seals.encrypt_secret`: the most bytes of the seat's order in this position."""
    try:
        longest = state_of(match).max_order_length(seat.at)
    except KeyMissing:
        return None
    return BYTES_PER_CHARACTER * longest + ROOM_FOR_MARKS if len(text) <= longest < LONGEST_ORDER else None


def seal_program(
    match: Match, seat: Seat, program: Program, *, order: Order, by: str = "", nonce: str = ""
) -> None:
    """Seals an order: sets its hash and its origin `by` (`Program.by`), encrypts it, and saves `program`."""
    nonce = nonce or new_nonce()
    program.seal = seal_of(match.key, program.turn, seat.letter, nonce=nonce, order=order)
    program.sealed_at = timezone.now()
    program.by = by
    program.by_version = version_of(by, match.game_slug) if by in PLAYERS else None
    write(match, seat, program, Secret(order, nonce))
    transaction.on_commit(SEALS.inc)


def receipt(match: Match, seat: Seat, program: Program, order: Order, *, revealed: bool) -> Receipt:
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
    """The receipt of `text`, sealed for an earlier turn; raises Refused if that was another order or none."""
    program = reading.program_of(seat, turn)
    if program and program.seal:
        order = program.order or secret_of(match, seat, program).text
        if is_same(match, turn, seat, text=text, order=order):
            return receipt(match, seat, program, order, revealed=True)
        raise Refused(wording_of(match.game).gone_otherwise)
    raise why_not_this_turn(match, turn)


def played_order(seat: Seat, turn: int) -> Order | None:
    program = reading.program_of(seat, turn) if 0 <= turn < seat.match.turn else None
    return program.order if program and program.seal and program.order else None


def is_same(match: Match, turn: int, seat: Seat, *, text: str, order: Order) -> bool:
    """Returns True if a text stands for this order in a past turn."""
    try:
        return states_of(match)[turn].view(seat.at).check(seat.at, text) == order
    except IllegalOrder:
        return False


def unseal(programs: Any) -> None:
    """Unseals orders that will not be played; they become drafts, but not those that no key decrypts."""
    for program in programs.select_related("seat__match"):
        match = program.seat.match
        if program.sealed and is_unreadable(match, program.seat, program):
            unseal_unreadable(program)
        elif program.sealed:
            text = text_of(match, program.seat, program)
            program.seal, program.sealed_at, program.by = "", None, ""
            write(match, program.seat, program, Secret(text, new_reopening()))


def parse_mark(once: str) -> tuple[str, int]:
    """Splits the mark of a tap, such as `abc.7`, into the page's name and the tap's number; else ("", 0)."""
    tab, _dot, number = once.rpartition(".")
    readable = tab.isalnum() and number.isascii() and number.isdigit() and len(tab) <= 32 and len(number) < 9
    return (tab, int(number)) if readable else ("", 0)


def last_tap(marks: str, tab: str, *, empty: bool) -> int | None:
    """The last tap of the page `tab` in a draft with these marks; 0 for none, None if that is unknown."""
    changes = [one for one in marks.split() if one[0] != REOPENED]
    known = dict(parse_mark(one) for one in changes if one != NOBODY)
    if tab in known:
        return known[tab]
    return 0 if (marks or empty) and len(changes) < MOST_PAGES and not reopening_of(marks) else None


def is_last(marks: str, tab: str) -> bool:
    """Returns True if the page `tab` made the last change of the draft with these marks."""
    return bool(tab) and parse_mark(marks.partition(" ")[0])[0] == tab


def add_mark(marks: str, once: str = "") -> str:
    """The marks of a draft after one more change, made by the tap `once` if that is numbered."""
    tab, _number = parse_mark(once)
    others = [one for one in marks.split() if parse_mark(one)[0] not in ("", tab)]
    return " ".join([*[once if tab else NOBODY, *others][:MOST_PAGES], *filter(None, [reopening_of(marks)])])


def new_reopening() -> str:
    """A new random mark for a sealed order that becomes a draft again, such as `@5ea1ed07`."""
    return REOPENED + secrets.token_hex(4)


def reopening_of(marks: str) -> str:
    """The random mark that ends a reopened draft's marks; "" for any other draft."""
    last = marks.rpartition(" ")[2]
    return last if last.startswith(REOPENED) else ""

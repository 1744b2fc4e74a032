"""Conditional replies, for games in which one seat acts at a time: “if they answer c4, I play d5”.

A seat plans lines of orders, alternately the other seat's and its own. Lines are encrypted like drafts, and
are not in the record before they are played. Once the other seat has played (`turn.advance`), only the lines
that begin with the order played are kept, and their next order is sealed for the seat that planned them, in
the same transaction. If no line fits, or if the next order is not legal any more, all lines are dropped, and
the seat's page says why.

If turns are played at one hour of the day, a seal in the instant of the reveal would tell everybody that the
reply was planned. There, the reply is the seat's draft until the hour at which it is played (`seal_waiting`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.core import IllegalOrder, Order
from games.core import Seat as Letter
from robosite.matches import reading
from robosite.matches.flow.orders import legal_order, new_reopening, seal_program, text_of, write
from robosite.matches.history import secret_binding, state_of
from robosite.matches.models import Match, MatchFlag, Program, Replies, Seat
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret

MOST_LINES, LONGEST_LINE = 16, 8
BY = "reply"
"""The origin (`Program.by`) of an order that was planned as a reply and sealed by the site."""
AROUND = 8
"""The most bytes that JSON adds to an order in a line: escaped quotation marks, comma, brackets."""

Line = tuple[Order, ...]
Dropped = Replies.Dropped


@dataclass(frozen=True, slots=True)
class Planned:
    """Lines of orders, alternately the opponent's and the seat's own, beginning with the opponent's.

    `after` is the seat's own order for the present turn, which they follow; None if the opponent acts.
    """

    lines: tuple[Line, ...]
    after: Order | None = None


def planned_by(match: Match, seat: Seat) -> Planned | None:
    """The seat's valid replies; None if there are none, if they were dropped, or if no key decrypts them."""
    row = _row(match, seat)
    if row is None or row.turn != match.turn:
        return None
    try:
        return opened(match, seat, row)
    except KeyMissing:
        return None


def why_dropped(match: Match, seat: Seat) -> Dropped:
    row = _row(match, seat)
    return Dropped(row.dropped) if row else Dropped.NO


def _row(match: Match, seat: Seat) -> Replies | None:
    return Replies.objects.filter(seat=seat).first() if match.may_have(MatchFlag.REPLIES) else None


def keep(match: Match, seat: Seat, planned: Planned) -> None:
    """Stores a seat's replies for the present turn, in place of earlier ones; call it inside the lock."""
    match.set_flag(MatchFlag.REPLIES)
    text = json.dumps([planned.after, *planned.lines], ensure_ascii=False, separators=(",", ":"))
    longest = max(state_of(match).longest_order(at) for at in state_of(match).seats)
    room = (MOST_LINES * LONGEST_LINE + 1) * (longest + AROUND)
    secret = encrypt_secret(_replies_binding(match, match.turn, seat), Secret(text), room=room)
    values = {"turn": match.turn, "secret": secret, "dropped": Dropped.NO}
    Replies.objects.update_or_create(seat=seat, defaults=values)


def _replies_binding(match: Match, turn: int, seat: Seat) -> str:
    return f"{secret_binding(match, turn, seat.letter)}/replies/{match.taken_back}"


def opened(match: Match, seat: Seat, row: Replies) -> Planned | None:
    """Decrypts the replies in this row; None if they were dropped. Raises KeyMissing."""
    if row.secret is None:
        return None
    after, *lines = json.loads(decrypt_secret(_replies_binding(match, row.turn, seat), row.secret).text)
    return Planned(tuple(map(tuple, lines)), after)


def drop(row: Replies, turn: int, why: Dropped) -> None:
    row.turn, row.secret, row.dropped = turn, None, why
    row.save()


def erase(match: Match) -> None:
    if match.may_have(MatchFlag.REPLIES):
        Replies.objects.filter(seat__match=match).delete()


def drop_all(match: Match, why: Dropped) -> None:
    """Drops all replies of the match, and stores `why`; call it inside the lock."""
    if match.may_have(MatchFlag.REPLIES):
        for row in Replies.objects.filter(seat__match=match).exclude(secret=None):
            drop(row, match.turn, why)


def answer(match: Match, orders: Mapping[Letter, Order]) -> bool:
    """Advances all replies past the turn just played; True if one was sealed for the seat that acts now."""
    if not match.may_have(MatchFlag.REPLIES):
        return False
    seats = {seat.pk: seat for seat in reading.seats_of(match)}
    sealed = False
    for row in Replies.objects.filter(seat__in=seats).order_by("pk"):
        sealed |= _move_on(match, seats[row.seat_id], row, orders)
    return sealed


def _move_on(match: Match, seat: Seat, row: Replies, orders: Mapping[Letter, Order]) -> bool:
    if row.dropped:
        if seat.at in orders:  # the player has seen it by now
            row.delete()
        return False
    try:
        planned = opened(match, seat, row)
    except KeyMissing:
        planned = None
    if planned is None or row.turn != match.turn - 1:
        drop(row, match.turn, Dropped.LOST)
        return False
    if seat.at in orders:
        if planned.after == orders[seat.at]:
            keep(match, seat, Planned(planned.lines))
        else:
            drop(row, match.turn, Dropped.OWN)
        return False
    (order,) = orders.values()
    return _seal(match, seat, row, [line[1:] for line in planned.lines if line[0] == order])


def _seal(match: Match, seat: Seat, row: Replies, fitting: Sequence[Line]) -> bool:
    """Seals the `fitting` lines' reply, or drafts it for a reveal hour, or drops all; True if sealed."""
    if not fitting:
        drop(row, match.turn, Dropped.OTHERWISE)
        return False
    own = fitting[0][0]
    if not _may_play(match, seat, own):
        drop(row, match.turn, Dropped.ILLEGAL)
        return False
    rest = tuple(line[1:] for line in fitting if line[1:])
    if rest:
        keep(match, seat, Planned(rest, after=own))
    else:
        row.delete()
    program = reading.program_of(seat, match.turn) or Program(seat=seat, turn=match.turn)
    program.seat = seat
    if match.reveal_at:
        program.by = BY
        write(match, seat, program, Secret(own, new_reopening()))
        return False
    _seal_reply(match, seat, program, own)
    return True


def _seal_reply(match: Match, seat: Seat, program: Program, order: Order) -> None:
    seal_program(match, seat, program, order=order, by=BY)
    if seat.missed:
        seat.missed = 0
        seat.save(update_fields=["missed"])


def is_waiting(program: Program | None) -> bool:
    """Returns True for a planned reply that is a draft until the reveal hour, at which it is sealed."""
    return program is not None and program.by == BY and not program.sealed


def seal_waiting(match: Match) -> None:
    """Seals replies that waited for this hour, unless their players changed them; call it inside the lock."""
    if not match.may_have(MatchFlag.REPLIES):
        return
    for seat in reading.seats_of(match):
        program = reading.program_of(seat, match.turn)
        if program is not None and is_waiting(program):
            program.seat, order = seat, text_of(match, seat, program)
            if _may_play(match, seat, order):
                _seal_reply(match, seat, program, order)


def _may_play(match: Match, seat: Seat, order: Order) -> bool:
    """Returns True if the seat alone is to act, and the order is legal and in canonical form."""
    state = state_of(match)
    try:
        return state.to_act() == {seat.at} and legal_order(match, state, seat, order) == order
    except IllegalOrder:
        return False

"""Changes of a seat's own conditional replies (`replying.py`) by its player: adding and removing lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from games.core import IllegalOrder, Order, Sentence, State, play_turn
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.lock import locked_match
from robosite.matches.flow.orders import check_current, check_length, legal_order, state_for, text_of
from robosite.matches.flow.replying import LONGEST_LINE, MOST_LINES, Line, Planned, keep, opened, planned_by
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.standing import Standing, standing_of
from robosite.matches.live import push
from robosite.matches.models import Match, Replies, Seat

Lines = Sequence[Sequence[str]]

WHY_DROPPED = {
    Replies.Dropped.OTHERWISE: Sentence(
        "None of your planned replies fits what was played, so they were dropped."
    ),
    Replies.Dropped.ILLEGAL: Sentence("Your planned reply was no longer legal, so it was dropped."),
    Replies.Dropped.OWN: Sentence("You played a different turn than planned, so your replies were dropped."),
    Replies.Dropped.TAKEN_BACK: Sentence("A turn was taken back, so your planned replies were dropped."),
    Replies.Dropped.LOST: Sentence("Your planned replies could no longer be read, so they were dropped."),
}


class IllegalReply(IllegalOrder):
    """Raised if conditional replies are refused; `line` and `number` are the faulty order's indices."""

    def __init__(
        self, sentence: Sentence | str, line: int | None = None, number: int | None = None, **facts: object
    ) -> None:
        full = sentence if isinstance(sentence, Sentence) else Sentence(sentence, **facts)
        super().__init__(full.template, **full.facts)
        self.line, self.number = line, number


def may_plan(match: Match) -> bool:
    return match.game.manner == "turns" and match.status == Match.Status.PLAYING


def put(seat: Seat, turn: int, lines: Lines, *, taken_back: int | None = None) -> None:
    """Replaces all of the seat's conditional replies by `lines`; if there are no lines, deletes them."""
    check_shape(seat.match, lines)
    _rewrite(seat, turn, lambda _base, _before: lines, taken_back)


def add(seat: Seat, turn: int, line: Sequence[str], *, base: str, taken_back: int | None = None) -> None:
    """Adds a line to the seat's replies, in place of lines that it continues or that answer otherwise.

    `base` is the order in the seat's draft that the line follows, or "". Raises IllegalReply.
    """
    check_shape(seat.match, [line])

    def added(found: Base, before: Lines) -> Lines:
        if (found.after or "") != base:
            raise Refused("Your planned turn has changed. Look at the board again.")
        ((*new,),) = checked_lines(found, [line])
        others = [list(one) for one in before]
        if any(one[: len(new)] == new for one in others):
            return others
        return [*(one for one in others if not _replaced_by(one, new)), new]

    _rewrite(seat, turn, added, taken_back)


def remove(seat: Seat, turn: int, line: Sequence[str], *, taken_back: int | None = None) -> None:
    """Removes a line, if it is there; the others stay, even if the seat's draft has changed."""
    with locked_match(seat.match) as match:
        state_for(match, seat)
        check_current(match, turn, taken_back)
        planned = planned_by(match, seat)
        if planned:
            left = tuple(one for one in planned.lines if list(one) != [*line])
            _store(match, seat, replace(planned, lines=left))
    push.draft_changed(seat, "")


def _replaced_by(old: Sequence[str], new: Sequence[str]) -> bool:
    same = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), None)
    return same is None or same % 2 == 1


def _rewrite(seat: Seat, turn: int, change: Callable[[Base, Lines], Lines], taken_back: int | None) -> None:
    """Replaces the seat's lines by what `change` returns for the Base and the lines; takes the lock.

    Lines that follow another order than the one in the draft now are dropped first.
    """
    with locked_match(seat.match) as match:
        state_for(match, seat)
        check_current(match, turn, taken_back)
        base = base_of(standing_of(match), seat)
        planned = planned_by(match, seat)
        before = planned.lines if planned and planned.after == base.after else ()
        lines = change(base, before)
        check_shape(match, lines)
        _store(match, seat, Planned(checked_lines(base, lines), base.after))
    push.draft_changed(seat, "")


def _store(match: Match, seat: Seat, planned: Planned) -> None:
    if planned.lines:
        keep(match, seat, planned)
    else:
        Replies.objects.filter(seat=seat).delete()


def drop(seat: Seat) -> None:
    with locked_match(seat.match):
        confirm_seat(seat)
        Replies.objects.filter(seat=seat).delete()
    push.draft_changed(seat, "")


def check_shape(match: Match, lines: Lines) -> None:
    """Raises IllegalReply if the game has no turns or lines are ill-formed, TooLong for too long an order."""
    if match.game.manner != "turns":
        raise IllegalReply("Replies can only be planned where players take turns.")
    if len(lines) > MOST_LINES:
        raise IllegalReply("At most {most} lines of replies can be planned.", most=MOST_LINES)
    for n, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            raise IllegalReply("A line has at most {most} turns.", n, most=LONGEST_LINE)
        if not line or len(line) % 2:
            raise IllegalReply("In a line, each of your opponent’s turns is followed by one of yours.", n)
        for text in line:
            check_length(text)


@dataclass(frozen=True, slots=True)
class Base:
    """The state in which a seat's replies begin; `after` is the seat's own planned order that leads there."""

    match: Match
    seat: Seat
    other: Seat
    state: State
    after: Order | None = None


def base_of(standing: Standing, seat: Seat) -> Base:
    """The Base in which a seat's replies would begin now: if it is to act, after the order in its draft."""
    match, state = standing.match, standing.state
    other = next(one for one in standing.seats if one.at != seat.at)
    if seat.at not in state.to_act():
        return Base(match, seat, other, state)
    program = standing.programs.get(seat.at)
    planned = state.view(seat.at).plan(seat.at, text_of(match, seat, program) if program else "")
    try:
        if planned.missing:
            raise Refused("It’s your turn: plan it first, then your replies.")
        return _after(Base(match, seat, other, state), legal_order(match, state, seat, planned.order))
    except IllegalOrder as fault:
        raise Refused(fault.sentence.template, **fault.sentence.facts) from None


def _after(base: Base, order: Order) -> Base:
    *_, state = play_turn(base.state, {base.seat.at: order})
    if state.outcome():
        raise Refused("Your planned turn ends the match, so there’s nothing to reply to.")
    return replace(base, state=state, after=order)


def acting(base: Base, number: int) -> Seat:
    """The seat that plays the order at index `number` of a line: `other` if even, `seat` if odd."""
    return base.seat if number % 2 else base.other


def play_line(base: Base, line: Sequence[str]) -> State:
    """The state after all orders of a line; raises IllegalReply if the rules refuse the line."""
    return _Played(base).play(line)[1]


def checked_lines(base: Base, lines: Lines) -> tuple[Line, ...]:
    """The lines with their orders in canonical form, without duplicates; raises IllegalReply."""
    played = _Played(base)
    checked = [played.play(line, n)[0] for n, line in enumerate(lines)]
    return tuple(dict.fromkeys(checked))


class _Played:
    """Plays lines of replies, and checks that no two of them answer the same orders differently."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.after: dict[Line, State] = {(): base.state}
        self.answers: dict[Line, Order] = {}

    def play(self, line: Sequence[str], n: int = 0) -> tuple[Line, State]:
        """The `n`th line in canonical form, and the state after it; raises IllegalReply."""
        orders: Line = ()
        for number, text in enumerate(line):
            now, acts = self.after[orders], acting(self.base, number)
            order = _checked(self.base.match, now, acts, text, (n, number))
            if number % 2 and self.answers.setdefault(orders, order) != order:
                raise IllegalReply("Two lines answer the same turns differently.", n, number)
            orders = (*orders, order)
            if orders not in self.after:
                *_, self.after[orders] = play_turn(now, {acts.at: order})
        return orders, self.after[orders]


def is_playable(row: Replies) -> bool:
    """Returns True if stored replies are legal and for a running match's present turn; raises KeyMissing."""
    seat, match = row.seat, row.seat.match
    planned = opened(match, seat, row)
    if planned is None or match.status != Match.Status.PLAYING or row.turn != match.turn:
        return False
    standing = standing_of(match)
    other = next(one for one in standing.seats if one.at != seat.at)
    base = Base(match, seat, other, standing.state)
    try:
        if planned.after is not None:
            base = _after(base, legal_order(match, standing.state, seat, planned.after))
        return checked_lines(base, planned.lines) == planned.lines
    except (IllegalOrder, Refused):
        return False


def _checked(match: Match, state: State, seat: Seat, text: str, where: tuple[int, int]) -> Order:
    if state.outcome():
        raise IllegalReply("The match would be over before this turn.", *where)
    if state.to_act() != {seat.at}:
        raise IllegalReply(
            "Here the same player moves twice in a row, so the line must end before that.", *where
        )
    try:
        return legal_order(match, state, seat, text)
    except IllegalOrder as fault:
        raise IllegalReply(fault.sentence, *where) from None

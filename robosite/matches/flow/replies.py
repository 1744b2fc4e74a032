"""Planning conditional replies (`replying.py`), and dropping them: each seat does that for itself."""

from __future__ import annotations

from collections.abc import Sequence

from games.core import IllegalOrder, Order, Sentence, State, play_turn
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.lock import locked_match
from robosite.matches.flow.orders import check_current, check_length, legal_order, state_for, text_of
from robosite.matches.flow.replying import LONGEST_LINE, MOST_LINES, Line, Planned, keep, opened
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.standing import Standing, standing_of
from robosite.matches.live import push
from robosite.matches.models import Match, Replies, Seat

WHY_DROPPED = {
    Replies.Dropped.OTHERWISE: Sentence(
        "None of your planned replies fits what was played, so they were dropped."
    ),
    Replies.Dropped.ILLEGAL: Sentence("Your planned reply was not legal any more, so it was dropped."),
    Replies.Dropped.OWN: Sentence("You played another order than planned, so your replies were dropped."),
    Replies.Dropped.TAKEN_BACK: Sentence("A turn was taken back, so your planned replies were dropped."),
    Replies.Dropped.LOST: Sentence("Your planned replies could not be read any more, so they were dropped."),
}


class IllegalReply(IllegalOrder):
    """Lines of replies that are refused; `line` and `number` say where, counted from 0.

    `number`, of an order, is None where a whole line is at fault; `line` where all of them are together.
    """

    def __init__(
        self, sentence: Sentence | str, line: int | None = None, number: int | None = None, **facts: object
    ) -> None:
        told = sentence if isinstance(sentence, Sentence) else Sentence(sentence, **facts)
        super().__init__(told.template, **told.facts)
        self.line, self.number = line, number


def may_plan(match: Match) -> bool:
    """Tell whether one seat acts at a time in this match, and it is being played: else nothing is replied."""
    return match.game.manner == "turns" and match.status == Match.Status.PLAYING


def put(seat: Seat, turn: int, lines: Sequence[Sequence[str]], *, taken_back: int | None = None) -> None:
    """Keeps these lines in place of all earlier ones; no line at all drops them.

    Each begins with the other's order. While the seat itself is to act, they count after the whole order that
    it has planned. Raises IllegalReply for a line that the rules refuse, and for two lines that answer the
    same orders differently; Refused if the seat can plan no replies now.
    """
    check_shape(seat.match, lines)
    with locked_match(seat.match) as match:
        state_for(match, seat)
        check_current(match, turn, taken_back)
        standing = standing_of(match)
        after, state = base_of(standing, seat)
        kept = checked_lines(standing, state, seat, lines)
        if kept:
            keep(match, seat, Planned(kept, after))
        else:
            Replies.objects.filter(seat=seat).delete()
    push.draft_changed(seat, "")


def drop(seat: Seat) -> None:
    """Drops the seat's replies, and the word that earlier ones were dropped."""
    with locked_match(seat.match):
        confirm_seat(seat)
        Replies.objects.filter(seat=seat).delete()
    push.draft_changed(seat, "")


def check_shape(match: Match, lines: Sequence[Sequence[str]]) -> None:
    """Raises IllegalReply for too many lines, for a line that is too long or has no answer, and for a game
    in which all act at once.
    """
    if match.game.manner != "turns":
        raise IllegalReply("Replies can be planned only where one player acts after the other.")
    if len(lines) > MOST_LINES:
        raise IllegalReply("At most {most} lines of replies can be planned.", most=MOST_LINES)
    for n, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            raise IllegalReply("A line has at most {most} orders.", n, most=LONGEST_LINE)
        if not line or len(line) % 2:
            raise IllegalReply("In a line, each of the other player's orders is followed by one of yours.", n)
        for text in line:
            check_length(text)


def base_of(standing: Standing, seat: Seat) -> tuple[Order | None, State]:
    """The position to which the seat may plan replies, with the other to act.

    If the seat is to act itself, it is the one after the order that it has planned, which comes first; None
    otherwise. Raises Refused if that order is not whole, or ends the match.
    """
    match, state = standing.match, standing.state
    if seat.at not in state.to_act():
        return None, state
    program = standing.programs.get(seat.at)
    planned = state.view(seat.at).plan(seat.at, text_of(match, seat, program) if program else "")
    try:
        if planned.missing:
            raise Refused("It is your turn. Plan your own order first, then your replies.")
        order = legal_order(match, state, seat, planned.order)
    except IllegalOrder as fault:
        raise Refused(fault.sentence.template, **fault.sentence.facts) from None
    *_, after = play_turn(state, {seat.at: order})
    if after.outcome():
        raise Refused("Your planned order ends the match, so there is nothing to reply to.")
    return order, after


def checked_lines(
    standing: Standing, state: State, seat: Seat, lines: Sequence[Sequence[str]]
) -> tuple[Line, ...]:
    """The lines in canonical form, played from `state`; raises IllegalReply."""
    other = next(one for one in standing.seats if one.at != seat.at)
    after: dict[Line, State] = {(): state}
    answers: dict[Line, Order] = {}
    kept = []
    for n, line in enumerate(lines):
        orders: Line = ()
        for number, text in enumerate(line):
            now, acts = after[orders], seat if number % 2 else other
            order = _checked(standing.match, now, acts, text, (n, number))
            if number % 2 and answers.setdefault(orders, order) != order:
                raise IllegalReply("Two lines answer the same orders differently.", n, number)
            orders = (*orders, order)
            if orders not in after:
                *_, after[orders] = play_turn(now, {acts.at: order})
        kept.append(orders)
    return tuple(dict.fromkeys(kept))


def is_playable(row: Replies) -> bool:
    """Tell whether kept replies count now, and could still be planned; raises KeyMissing."""
    seat, match = row.seat, row.seat.match
    planned = opened(match, seat, row)
    if planned is None or match.status != Match.Status.PLAYING or row.turn != match.turn:
        return False
    standing = standing_of(match)
    state = standing.state
    try:
        if planned.after is not None:
            legal_order(match, state, seat, planned.after)
            *_, state = play_turn(state, {seat.at: planned.after})
        return checked_lines(standing, state, seat, planned.lines) == planned.lines
    except IllegalOrder:
        return False


def _checked(match: Match, state: State, seat: Seat, text: str, where: tuple[int, int]) -> Order:
    if state.outcome():
        raise IllegalReply("The match would be over before this order.", *where)
    if state.to_act() != {seat.at}:
        raise IllegalReply(
            "Here the same player acts twice in a row, so the line must end before that.", *where
        )
    try:
        return legal_order(match, state, seat, text)
    except IllegalOrder as fault:
        raise IllegalReply(fault.sentence, *where) from None

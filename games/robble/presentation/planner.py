"""The planner of Robble: the guest taps a square and sees the effects of a stone on it, and the new count.

An order is either empty, and then unfinished, or a square or `swap`. A tap replaces the order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from games.core import Choice, IllegalOrder, Order, Plan, Seat, Sentence
from games.robble.presentation.picture import (
    Effect,
    Link,
    Piece,
    Ring,
    SideScore,
    effects,
    links,
    pieces,
    rings,
    side_scores,
)
from games.robble.presentation.story import COLOURS, standing, tell, touched_words, touches
from games.robble.rules import Position
from games.robble.stones import (
    EMPTY,
    OFF,
    PUSHED,
    SWAP,
    SWAPPED,
    TURNED,
    Board,
    Touched,
    counted,
    touched,
)

ENDINGS = ("won", "cancelled", "repeated")


class Tap(NamedTuple):
    """An empty square, and how many stones a stone on it would push, push off the board, and turn over."""

    key: str
    name: Sentence
    chosen: bool
    x: float
    y: float
    column: int
    row: int
    pushed: int
    off: int
    turned: int


class Sum(NamedTuple):
    """A line of the summary of an order, such as “2 stones pushed”."""

    icon: str
    name: Sentence


class MoveButton(NamedTuple):
    """A button that moves the planned stone to the next empty square in a direction, if there is one."""

    way: str
    key: str
    name: Sentence
    allowed: bool


@dataclass(frozen=True, slots=True)
class RobblePlan(Plan):
    """The plan of an order in Robble, with the board as it would be after the order.

    `palette` has the swap as long as it is allowed (ruling B2). `ghosts` are the effects of the planned
    stone. `ends` says how the order would end the match, `repeats` that the position has occurred before
    (ruling B4).
    """

    palette: tuple[Choice, ...] = ()
    taps: tuple[Tap, ...] = ()
    order_name: Sentence | None = None
    sums: tuple[Sum, ...] = ()
    move_buttons: tuple[MoveButton, ...] = ()
    ghosts: tuple[Effect, ...] = ()
    pieces: tuple[Piece, ...] = ()
    groups: tuple[Ring, ...] = ()
    links: tuple[Link, ...] = ()
    side_scores: tuple[SideScore, ...] = ()
    ends: Sentence | None = None
    repeats: Sentence | None = None


def plan(state: Position, seat: Seat, partial: Order) -> RobblePlan:
    if seat not in state.to_act():
        why_not = Sentence("The match is over.") if state.ended else Sentence("It isn’t your turn.")
        return _with_board(state, "", (), why_not)
    order: Order = ""
    missing: Sentence | None = _what_to_do(state)
    if partial.strip():
        try:
            order, missing = state.check(seat, partial), None
        except IllegalOrder as fault:
            missing = fault.sentence
    swaps: tuple[Choice, ...] = ()
    if state.pie:  # White's first turn (ruling B2)
        name = Sentence("Swap colours: take {colour}", colour=COLOURS[1 - state.colour(seat)])
        why = state.why_no_swap()
        leads_to = order if why else SWAP
        swaps = (Choice(key=SWAP, name=name, leads_to=leads_to, sign=SWAP, icon=SWAP, why=why),)
    choices = (*swaps, *_squares(state, order), *_undoing(order))
    return _with_board(state, order, choices, missing)


def glimpse(state: Position, order: Order) -> RobblePlan:
    ghosts = tuple(effects(_position_after(state, order))) if order and order != SWAP else ()
    return RobblePlan(order, choices=(), missing=None, words=(), ghosts=ghosts)


def _with_board(
    state: Position, order: Order, choices: tuple[Choice, ...], missing: Sentence | None
) -> RobblePlan:
    position_after = _position_after(state, order)
    happened = position_after.events if order else []
    ends = next((tell(event) for event in happened if event["kind"] in ENDINGS), None)
    repeats = None
    if position_after.times() > 1 and position_after is not state and not ends and order != SWAP:  # B4
        repeats = Sentence("This position has occurred before. The third time is a draw.")
    words = [
        *map(tell, happened),
        *([repeats] if repeats else []),
        *([] if position_after.ended else [standing(position_after)]),
    ]
    found = counted(position_after.board, position_after.stones)
    name = Sentence("Swap colours") if order == SWAP else Sentence("Place on {at}", at=order)
    return RobblePlan(
        order,
        choices,
        missing,
        tuple(words),
        palette=tuple(choice for choice in choices if choice.key == SWAP and choice.allowed),
        taps=tuple(_taps(state, order)) if choices else (),
        order_name=name if order else None,
        sums=tuple(_sums(position_after)) if order else (),
        move_buttons=tuple(_move_buttons(state, order)) if order and order != SWAP else (),
        ghosts=tuple(effects(position_after)) if order and order != SWAP else (),
        pieces=tuple(pieces(position_after, found)),
        groups=tuple(rings(position_after.board, found)),
        links=tuple(links(position_after.board, found)),
        side_scores=tuple(side_scores(position_after, found)),
        ends=ends,
        repeats=repeats,
    )


def _position_after(state: Position, order: Order) -> Position:
    if not order:
        return state
    return state.swap() if order == SWAP else state.place(state.board.numbers[order])


DONE = (PUSHED, TURNED, OFF)
ONE = {
    PUSHED: "one stone pushed",
    TURNED: "one stone turned over",
    OFF: "one stone off the board",
}
MANY = {
    PUSHED: "{n} stones pushed",
    TURNED: "{n} stones turned over",
    OFF: "{n} stones off the board",
}


def _sums(position_after: Position) -> Iterator[Sum]:
    kinds = [touch.kind for touch in touches(position_after)]
    for kind in DONE:
        n = kinds.count(kind)
        if n:
            yield Sum(f"mark-{kind}", Sentence(ONE[kind]) if n == 1 else Sentence(MANY[kind], n=n))
    if position_after.square == SWAPPED:
        yield Sum(SWAP, Sentence("you take {colour}", colour=COLOURS[0]))
    elif not kinds:
        yield Sum("place", Sentence("Nothing else changes."))


MOVE_OFFSETS = {"left": (-1, 0), "up": (0, 1), "down": (0, -1), "right": (1, 0)}
MOVE_LABELS = {
    "left": "Move it left to {at}",
    "up": "Move it up to {at}",
    "down": "Move it down to {at}",
    "right": "Move it right to {at}",
}

BLOCKED_LABELS = {
    "left": "No square is empty to the left.",
    "up": "No square is empty above.",
    "down": "No square is empty below.",
    "right": "No square is empty to the right.",
}


def _move_buttons(state: Position, order: Order) -> Iterator[MoveButton]:
    board = state.board
    here = board.numbers[order]
    for way, (right, up) in MOVE_OFFSETS.items():
        file, rank = here % board.size + right, here // board.size + up
        while 0 <= file < board.size and 0 <= rank < board.size:
            square = rank * board.size + file
            if board.stone_at(state.stones, square) == EMPTY:
                at = board.names[square]
                yield MoveButton(way, at, Sentence(MOVE_LABELS[way], at=at), True)
                break
            file, rank = file + right, rank + up
        else:
            yield MoveButton(way, order, Sentence(BLOCKED_LABELS[way]), False)


def _what_to_do(state: Position) -> Sentence:
    if state.may_swap:
        return Sentence("Choose an empty square for your stone, or swap colours.")
    if state.square == SWAPPED:
        return Sentence(
            "{by} has swapped colours, so you play {colour} now. Choose an empty square for your stone.",
            by=state.seat(0),
            colour=COLOURS[1],
        )
    return Sentence("Choose an empty square for the stone.")


def _squares(state: Position, order: Order) -> Iterator[Choice]:
    board = state.board
    for square, at in enumerate(board.names):
        why = None
        if board.stone_at(state.stones, square) != EMPTY:
            why = Sentence("There’s a stone on {at} already. Choose an empty square.", at=at)
        yield Choice(at, Sentence("Place on {at}", at=at), order if why else at, at, "place", why)


def _undoing(order: Order) -> tuple[Choice, ...]:
    why = None if order else Sentence("There’s nothing to undo.")
    return (
        Choice("back", Sentence("Undo"), "", why=why),
        Choice("clear", Sentence("Start over"), "", why=why),
    )


def _taps(state: Position, order: Order) -> Iterator[Tap]:
    board = state.board
    for square, at in enumerate(board.names):
        if board.stone_at(state.stones, square) != EMPTY:
            continue
        done = touched(board, state.stones, square)
        kinds = [touch.kind for touch in done]
        pushed, off, turned = (kinds.count(kind) for kind in (PUSHED, OFF, TURNED))
        x, y = board.centre(square)
        name = _tap_name(board, at, done)
        # by position, as the pieces: one a square, and keywords make a plan 5 % slower
        yield Tap(at, name, at == order, x, y, int(x) + 1, int(y) + 1, pushed, off, turned)


TOLD = {
    1: "{at}: {one}",
    2: "{at}: {one} {two}",
    3: "{at}: {one} {two} {three}",
    4: "{at}: {one} {two} {three} {four}",
}


def _tap_name(board: Board, at: str, done: list[Touched]) -> Sentence:
    if not done:
        return Sentence("{at}: nothing else changes", at=at)
    effects = [touched_words(board, touch) for touch in done]
    return Sentence(
        TOLD[len(effects)], at=at, **dict(zip(("one", "two", "three", "four"), effects, strict=False))
    )

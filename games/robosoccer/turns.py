"""The possible actions of a side in Robosoccer, and the turns made of them.

A side is 0 (White, seat A) or 1 (Black, seat B). This module does not check whether a match is over.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from games.core import Order, Sentence
from games.robosoccer.board import (
    BALL,
    BIG,
    BLACK,
    DIRECTIONS,
    EMPTY,
    JUMP,
    LETTERS,
    MEDIUM,
    MOVE,
    PUSH,
    ROBOTS,
    SMALL,
    SWITCH,
    Action,
    Board,
    kind,
    owner,
)

ACTIONS = 2
"""The maximum number of actions of a turn. The minimum number, 1 or 2, is an option (ruling S7)."""
MOST_AT_HOME = 5
PLACING = (0, 1, 0, 1)
"""The side of each setup turn: White's robots, Black's robots, White's ball, Black's ball (ruling S1)."""
PLAYING = len(PLACING)
"""The stage of a position after all setup turns."""
SIZES = {SMALL: "small", MEDIUM: "medium", BIG: "big"}

CODES = range(len(LETTERS))
OWN = tuple(bytes(code if code and owner(code) == side else EMPTY for code in range(256)) for side in (0, 1))
"""For each side, a table for `bytes.translate` that empties all squares but those of the side's pieces."""
NOT_OWN = tuple(bytes(code for code in CODES if code == EMPTY or owner(code) != side) for side in (0, 1))
OWN_ROBOTS = tuple(bytes(code + BLACK * side for code in ROBOTS) for side in (0, 1))


def _meeting(code: int, met: int) -> str:
    if EMPTY in (code, met) or BALL in (kind(code), kind(met)) or owner(code) == owner(met):
        return ""
    return PUSH if kind(met) <= kind(code) else JUMP  # S5, S6


MEETING = tuple(tuple(_meeting(code, met) for met in CODES) for code in CODES)
SLOTS = tuple(
    tuple((code + BLACK * side, last, d) for code in ROBOTS for last in (False, True) for d in range(4))
    for side in (0, 1)
)
"""For each side, every robot in every direction, as (code, True for the last of its size, direction)."""
ROBOT_SLOTS = len(SLOTS[0])
TRIES = range(40)
"""The attempts of `pick` to draw an action; it is very unlikely that all of them fail."""


def cells_after(cells: bytes, action: Action) -> bytes:
    start, end = action.start, action.end
    changed = bytearray(cells)
    if action.sign == PUSH:
        changed[action.middle] = changed[end]
        changed[end] = changed[start]
        changed[start] = EMPTY
    else:  # a move and a jump change places with nothing, a switch with the ball
        changed[start], changed[end] = changed[end], changed[start]
    return bytes(changed)


def step(board: Board, cells: bytes, square: int, direction: int) -> Action | None:
    """Returns the move, push or jump of the robot on `square` in a direction, or None."""
    i = square * 4 + direction
    move = board.moves[i]
    return push_or_jump(board, cells, i, move) if move and cells[move.end] else move


def push_or_jump(board: Board, cells: bytes, i: int, move: Action) -> Action | None:
    """Returns the push or jump of a robot whose `move`, at index `i`, is blocked (S5 and S6), or None."""
    sign = MEETING[cells[move.start]][cells[move.end]]
    if sign == PUSH:
        push = board.pushes[i]
        return push if push and not cells[push.middle] else None
    if sign == JUMP:
        jump = board.jumps[i]
        return jump if jump and not cells[jump.end] else None
    return None


def switch(cells: bytes, ray: tuple[tuple[int, Action], ...], side: int) -> Action | None:
    """Returns the switch with a robot of `side`, if it is the first piece on the ray (ruling S4)."""
    for square, action in ray:
        code = cells[square]
        if code:
            return action if code in OWN_ROBOTS[side] else None
    return None


def robots(cells: bytes, side: int) -> list[int]:
    """Returns the squares of a side's robots, small robots first."""
    found = []
    for code in ROBOTS:
        first, last = cells.find(code + BLACK * side), cells.rfind(code + BLACK * side)
        if first >= 0:
            found.append(first)
        if last != first:
            found.append(last)
    return found


def ball(cells: bytes, side: int) -> int:
    """Returns the square of a side's ball, or -1."""
    return cells.find(BALL + BLACK * side)


def actions(board: Board, cells: bytes, side: int) -> Iterator[Action]:
    """Yields every possible action of a side, each once."""
    for square in robots(cells, side):
        for direction in range(4):
            action = step(board, cells, square, direction)
            if action:
                yield action
    for ray in board.rays[ball(cells, side)]:
        action = switch(cells, ray, side)
        if action:
            yield action


def can(board: Board, cells: bytes, side: int, action: Action) -> bool:
    code = cells[action.start]
    if code == EMPTY or owner(code) != side or kind(code) == BALL:
        return False
    if action.sign == SWITCH:
        return any(switch(cells, ray, side) == action for ray in board.rays[ball(cells, side)])
    return any(step(board, cells, action.start, direction) == action for direction in range(4))


def pick(board: Board, cells: bytes, side: int, random: Callable[[], float]) -> Action | None:
    """Returns a random possible action of a side, or None if TRIES attempts find none."""
    slots, rays, moves = SLOTS[side], board.rays[cells.find(BALL + BLACK * side)], board.moves
    n = ROBOT_SLOTS + len(rays)
    for _ in TRIES:
        i = int(random() * n)
        if i < ROBOT_SLOTS:
            code, last, direction = slots[i]
            square = cells.rfind(code) if last else cells.find(code)
            if square < 0:
                continue
            i = square * 4 + direction
            action = moves[i]
            if action is not None and cells[action.end]:
                action = push_or_jump(board, cells, i, action)
        else:
            action = switch(cells, rays[i - ROBOT_SLOTS], side)
        if action is not None:
            return action
    return None


def scored(board: Board, cells: bytes, side: int) -> bool:
    """Returns True if a side's ball is on its goal row (ruling S8)."""
    goal = board.goals[side]
    return cells.find(BALL + BLACK * side, goal.start, goal.stop) >= 0


def same(before: bytes, cells: bytes, side: int) -> bool:
    """Returns True if a side's own pieces are on the same squares as in `before` (ruling S9)."""
    own = OWN[side]
    return before.translate(own) == cells.translate(own)


def too_many_at_home(board: Board, cells: bytes, side: int) -> bool:
    """Returns True if six or more of a side's pieces are on its home row (ruling S10)."""
    home = board.homes[side]
    if board.columns - cells.count(EMPTY, home.start, home.stop) <= MOST_AT_HOME:
        return False
    return len(cells[home].translate(None, NOT_OWN[side])) > MOST_AT_HOME


def may_end(board: Board, before: bytes, cells: bytes, side: int) -> bool:
    """Returns True if the turn may end with `cells` (rulings S8, S9, S10)."""
    if scored(board, cells, side):
        return True
    return not same(before, cells, side) and not too_many_at_home(board, cells, side)


def may_end_with(
    board: Board, before: bytes, between: bytes, first: Action, second: Action, side: int
) -> bool:
    """Returns True if a turn may end after these actions; the first must not score (S8, S9, S10)."""
    fills = first.start in (second.start, second.end)
    if second.sign != SWITCH and not fills and has_room_at_home(board, between, side):
        return True
    return may_end(board, before, cells_after(between, second), side)


def has_room_at_home(board: Board, cells: bytes, side: int) -> bool:
    """Returns True if one more piece on the home row cannot break ruling S10 (at most five)."""
    home = board.homes[side]
    return board.columns - cells.count(EMPTY, home.start, home.stop) < MOST_AT_HOME


def line_ups(columns: int, most: int) -> list[Order]:
    """Returns the first `most` line-ups of two robots of each size on a home row (ruling S1)."""
    texts = [""]
    for left in reversed(range(columns)):
        longer = (text + letter for text in texts for letter in LETTERS[: BIG + 1])
        counted = ((text, [text.count(LETTERS[size]) for size in SIZES]) for text in longer)
        texts = [t for t, n in counted if max(n) <= 2 and 2 * len(SIZES) - sum(n) <= left][:most]
    return texts


class Cause(NamedTuple):
    """The action, or in the setup the `order`, that led to a position, and the board before it."""

    side: int
    step: int
    before: bytes
    action: Action | None = None
    order: Order = ""


CauseFields = tuple[int, int, bytes, Action | None, Order]
"""The fields of a `Cause`, as a plain tuple."""


class Turn(NamedTuple):
    actions: tuple[Action, ...]
    cells: bytes

    @property
    def text(self) -> str:
        return " ".join(action.text for action in self.actions)


def may_end_early(board: Board, before: bytes, between: bytes, side: int, least: int) -> bool:
    """Returns True if a turn may end after its first action (rulings S7 and S8)."""
    return scored(board, between, side) if least > 1 else may_end(board, before, between, side)


def turns(board: Board, cells: bytes, side: int, least: int) -> Iterator[Turn]:
    """Yields every legal turn of a side; turns of one action come first (rulings S7 and S8)."""
    firsts = [(action, cells_after(cells, action)) for action in actions(board, cells, side)]
    for first, between in firsts:
        if may_end_early(board, cells, between, side, least):
            yield Turn((first,), between)
    for first, between in firsts:
        if not scored(board, between, side):  # S8
            for second in actions(board, between, side):
                then = cells_after(between, second)
                if may_end(board, cells, then, side):
                    yield Turn((first, second), then)


def stuck(board: Board, cells: bytes, side: int, least: int) -> bool:
    """Returns True if a side has no legal turn of at least `least` actions (ruling S11)."""
    if least == 1 and has_room_at_home(board, cells, side):
        exits = board.exits
        for code in OWN_ROBOTS[side]:
            for end in exits[cells.find(code)]:
                if not cells[end]:
                    return False
    for action in actions(board, cells, side):
        if leads_on(board, cells, cells_after(cells, action), side, least):
            return False
    return True


def leads_on(board: Board, before: bytes, between: bytes, side: int, least: int) -> bool:
    """Returns True if a legal turn can begin with the action that leads to `between`."""
    return may_end_early(board, before, between, side, least) or any(
        may_end(board, before, cells_after(between, second), side) for second in actions(board, between, side)
    )


# The same rules as reasons, in the order in which a player would be told them


def why_not(board: Board, cells: bytes, side: int, *, sign: str, start: int, end: int) -> Sentence | None:
    """A sentence on why an action of `side` is not possible; None if it is possible."""
    here, there = board.names[start], board.names[end]
    code = cells[start]
    if code == EMPTY:
        return Sentence("No one stands on {square}.", square=here)
    if owner(code) != side:
        return Sentence("The piece on {square} isn’t yours.", square=here)
    if kind(code) == BALL:
        return Sentence("Your ball is on {square}. Write the square of the acting robot first.", square=here)
    if sign == SWITCH:
        return _why_no_switch(board, cells, side, start=start, end=end)
    direction = _towards(board, start, end, 2 if sign == JUMP else 1)
    if direction is None:
        if sign == JUMP:
            return Sentence(
                "A jump goes two squares up, down or sideways; from {at} it can’t reach {to}.",
                at=here,
                to=there,
            )
        return Sentence("{to} isn’t next to {at}; a robot goes up, down or sideways.", at=here, to=there)
    near = board.next(start, direction)
    fault = _why_closed(board, start, near)
    if fault:
        return fault
    if sign == MOVE:
        return Sentence("{square} isn’t empty.", square=there) if cells[end] else None
    return _why_not_over(board, cells, sign, start=start, direction=direction)


def _towards(board: Board, start: int, end: int, squares: int) -> int | None:
    """Returns the direction in which `squares` steps lead from `start` to `end`, or None."""
    for direction in range(len(DIRECTIONS)):
        to = start
        for _ in range(squares):
            to = board.next(to, direction) if to >= 0 else to
        if to == end:
            return direction
    return None


def _why_closed(board: Board, here: int, there: int) -> Sentence | None:
    """A sentence on why a robot cannot go to an adjacent square (ruling S2); None if it can."""
    names = {"at": board.names[here], "to": board.names[there]}
    if board.has_line(here, there):
        return Sentence("The red line between {at} and {to} stops robots, not a switch.", **names)
    if board.has_arrow(there, here):
        return Sentence("The arrow between {at} and {to} points the other way.", **names)
    return None


NO_ONE = {PUSH: "There’s no one on {square} to push.", JUMP: "There’s no one on {square} to jump over."}
NO_BALL = {PUSH: "A ball can’t be pushed.", JUMP: "A robot can’t jump over a ball."}
NOT_OWN_ROBOT = {
    PUSH: "The robot on {square} is your own; only the opponent’s are pushed.",
    JUMP: "The robot on {square} is your own; a robot jumps over the opponent’s.",
}


def _why_not_over(board: Board, cells: bytes, sign: str, *, start: int, direction: int) -> Sentence | None:
    near = board.next(start, direction)
    met, name = cells[near], board.names[near]
    if met == EMPTY:
        return Sentence(NO_ONE[sign], square=name)
    if kind(met) == BALL:
        return Sentence(NO_BALL[sign])
    if owner(met) == owner(cells[start]):
        return Sentence(NOT_OWN_ROBOT[sign], square=name)
    mine, other = kind(cells[start]), kind(met)
    if sign == PUSH and other > mine:
        return Sentence("The robot on {square} is bigger than yours: too heavy to push.", square=name)
    if sign == JUMP and other <= mine:
        return Sentence("The robot on {square} isn’t bigger than yours: nothing to jump over.", square=name)
    far = board.next(near, direction)
    if far < 0:
        return Sentence("Behind {square} is the end of the board.", square=name)
    fault = _why_closed(board, near, far)
    if fault:
        return fault
    return Sentence("{square} isn’t empty.", square=board.names[far]) if cells[far] else None


def _why_no_switch(board: Board, cells: bytes, side: int, *, start: int, end: int) -> Sentence | None:
    """A sentence on why robot and ball cannot change places (ruling S4); None if they can."""
    here, there = board.names[start], board.names[end]
    if cells[end] != BALL + BLACK * side:
        return Sentence("Your ball isn’t on {square}.", square=there)
    for ray in board.rays[end]:
        squares = [square for square, _ in ray]
        if start in squares:
            between = squares[: squares.index(start)]
            blocked = next((square for square in between if cells[square]), None)
            if blocked is None:
                return None
            return Sentence(
                "{square} is between {at} and the ball on {to}, and not empty.",
                square=board.names[blocked],
                at=here,
                to=there,
            )
    return Sentence(
        "A robot and its ball switch along a row or a diagonal; {at} and {to} are on neither.",
        at=here,
        to=there,
    )


def why_not_end(board: Board, before: bytes, cells: bytes, side: int) -> Sentence | None:
    """A sentence on why a turn must not end with `cells` (rulings S8, S9, S10); None if it may."""
    if may_end(board, before, cells, side):
        return None
    if same(before, cells, side):
        return Sentence("A turn may not leave your pieces as they stood at its start.")
    return Sentence(
        "At the end of a turn at most {most} of your pieces, the ball included, may stand on your home row; "
        "now there would be {n}.",
        n=len(cells[board.homes[side]].translate(None, NOT_OWN[side])),
        most=MOST_AT_HOME,
    )

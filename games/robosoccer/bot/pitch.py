"""Robosoccer for a search: the turns of a position, its value, and a test of whether a side can score.

The values were fitted to the goals that followed positions in random play and in play by bots.
"""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from games.core import Order
from games.robosoccer.board import BALL, BLACK, PUSH, ROBOTS, SWITCH, Action, Board
from games.robosoccer.turns import MOST_AT_HOME, NOT_OWN, OWN, actions, cells_after, too_many_at_home
from games.search import OutOfWork

BALL_LEFT = (9.0, 1.5, 0.8, 0.5, 0.4, 0.2, 0.1, 0.0)
"""The value of a ball by its distance from its goal row, in rows; the last one also for more."""
ROBOT_LEFT = (0.1, 0.28, 0.22, 0.14, 0.06, 0.03, 0.0, 0.0)
"""The value of a robot by its moves to its goal row on an empty board; the last one also for more."""
AT_HOME = (0.0, 0.45, 0.4, 0.1, -0.3, -0.7, -0.9)
"""The value of pieces on the home row by their number: one or two keep the goal, more are idle."""
AT_GOAL = (0.0, 0.4, 0.65, 0.75, 0.8)
"""The value of all robots of a side on its goal row, by the number of these robots."""
LINE, MOST_LINES = 0.45, 2
"""The value of a row or diagonal from a ball to its goal row, blocked or not, and how many count at most."""
SHOT, FACED, OPEN = 1.0, 0.45, 0.3
"""The values of an unblocked line from a ball to its goal row: plus SHOT if an own robot is at its end, minus
FACED if another piece is, minus OPEN if none is."""
NEAR = 3
"""The number of rows, with the goal row, from which a robot can reach the goal row with one action."""


ROBOTS_OF = tuple(tuple(size + BLACK * side for size in ROBOTS) for side in (0, 1))
NOT_ROBOTS = tuple(bytes(code for code in range(1 + 2 * BLACK) if code not in own) for own in ROBOTS_OF)
"""For each side, the codes of everything except its robots; `bytes.translate` deletes them from a board."""


class Turn(NamedTuple):
    """A turn of one or two actions, and the board after it.

    `gain` is the change in `Pitch.squares` of its side; a winning action (`scores`) is not counted.
    """

    cells: bytes
    gain: float
    first: Action
    second: Action | None = None
    scores: bool = False

    @property
    def text(self) -> Order:
        return " ".join(action.text for action in (self.first, self.second) if action)


class Tables(NamedTuple):
    """The values to White of pieces on squares, by code and square, and lines to the goal rows.

    `goal_lines`, by side and ball's square: pairs of a square in the goal row and those in between.
    """

    board: Board
    value: tuple[tuple[float, ...], ...]
    goal_lines: tuple[tuple[tuple[tuple[int, tuple[int, ...]], ...], ...], ...]


@lru_cache(maxsize=16)
def pitch_of(board: Board) -> Tables:
    squares = range(board.columns * board.rows)
    goal_lines = tuple(
        tuple(tuple(_goal_lines(board, square, side)) for square in squares) for side in (0, 1)
    )
    value: list[tuple[float, ...]] = [(0.0,) * len(squares)] * (1 + 2 * BLACK)
    for side, sign in ((0, 1), (1, -1)):
        left, goal = _moves_left(board, side), board.goals[side].start // board.columns
        robot = tuple(sign * _at(ROBOT_LEFT, left[square]) for square in squares)
        for size in ROBOTS:
            value[size + BLACK * side] = robot
        value[BALL + BLACK * side] = tuple(
            sign * (_at(BALL_LEFT, abs(square // board.columns - goal)) + LINE * min(len(seen), MOST_LINES))
            for square, seen in enumerate(goal_lines[side])
        )
    return Tables(board, tuple(value), goal_lines)


def _at(values: tuple[float, ...], number: int) -> float:
    return values[min(number, len(values) - 1)]


def _moves_left(board: Board, side: int) -> list[int]:
    """Returns the moves from each square to the goal row; if there is no way, the number of squares."""
    squares = range(board.columns * board.rows)
    found = dict.fromkeys(squares[board.goals[side]], 0)
    behind: list[list[int]] = [[] for _ in squares]
    for square in squares:
        for direction in range(4):
            to = board.open(square, direction)
            if to >= 0:
                behind[to].append(square)
    queue = deque(found)
    while queue:
        here = queue.popleft()
        for square in behind[here]:
            if square not in found:
                found[square] = found[here] + 1
                queue.append(square)
    return [found.get(square, len(squares)) for square in squares]


def _goal_lines(board: Board, ball: int, side: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    goal = board.goals[side]
    for ray in board.rays[ball]:
        squares = [square for square, _ in ray]
        for at, square in enumerate(squares):
            if goal.start <= square < goal.stop:
                yield square, tuple(squares[:at])


class Pitch:
    """Computes turns of at least `least` actions, and values, for a search of at most `work` actions."""

    def __init__(self, tables: Tables, least: int, work: int) -> None:
        self.board, self._value, self._goal_lines = tables
        self.least, self.work, self.tried = least, work, 0
        self._scoring: dict[tuple[bytes, int], bool] = {}
        self._turns: dict[tuple[bytes, int], list[Turn]] = {}

    def shoots(self, cells: bytes, side: int, ball: int) -> bool:
        """Returns True if the ball can change places with a robot on its goal row, which wins."""
        lowest = BLACK * side
        for goal, between in self._goal_lines[side][ball]:
            if lowest < cells[goal] < lowest + BALL and not any(map(cells.__getitem__, between)):
                return True
        return False

    def scores(self, cells: bytes, side: int) -> bool:
        """Returns True if a side could win in a single turn that begins with this board."""
        key = (cells, side)
        known = self._scoring.get(key)
        if known is None:
            known = self._scoring[key] = self._finds_goal(cells, side)
        return known

    def _finds_goal(self, cells: bytes, side: int) -> bool:
        board, ball = self.board, cells.find(BALL + BLACK * side)
        if self.shoots(cells, side, ball):
            return True
        squares = NEAR * board.columns
        near = cells[:squares] if side else cells[-squares:]
        if not near.translate(None, NOT_ROBOTS[side]):
            return False
        for action in actions(board, cells, side):
            self.tried += 1
            if self.shoots(cells_after(cells, action), side, action.start if action.sign == SWITCH else ball):
                return True
        return False

    def turns(self, cells: bytes, side: int) -> list[Turn]:
        """Returns one turn per resulting board, best gain first, or only one that wins; raises OutOfWork."""
        if self.tried >= self.work:
            raise OutOfWork
        key = (cells, side)
        known = self._turns.get(key)
        if known is None:
            found: dict[bytes, Turn] = {}
            for turn in self._all(cells, side):
                if turn.scores:
                    found = {turn.cells: turn}
                    break
                found.setdefault(turn.cells, turn)
            known = self._turns[key] = sorted(found.values(), key=lambda turn: -turn.gain)
        return known

    def _all(self, cells: bytes, side: int) -> Iterator[Turn]:
        """Yields every legal turn of a side (rulings S7 to S10); several may lead to the same board."""
        board, home = self.board, self.board.homes[side]
        own = cells.translate(OWN[side])
        crowded = len(cells[home].translate(None, NOT_OWN[side])) >= MOST_AT_HOME - 1
        for first in actions(board, cells, side):
            between, gain = cells_after(cells, first), self._gain(cells, first, side)
            self.tried += 1
            if self._is_goal(first, side):
                yield Turn(between, gain, first, scores=True)
                continue
            if self.least == 1 and not (crowded and too_many_at_home(board, between, side)):
                yield Turn(between, gain, first)
            for second in actions(board, between, side):
                then = cells_after(between, second)
                self.tried += 1
                if self._is_goal(second, side):
                    yield Turn(then, gain, first, second, scores=True)
                elif then.translate(OWN[side]) != own and not (
                    crowded and too_many_at_home(board, then, side)
                ):
                    yield Turn(then, gain + self._gain(between, second, side), first, second)

    def _is_goal(self, action: Action, side: int) -> bool:
        goal = self.board.goals[side]
        return action.sign == SWITCH and goal.start <= action.start < goal.stop

    def _gain(self, cells: bytes, action: Action, side: int) -> float:
        sign, start, end, middle = action.sign, action.start, action.end, action.middle
        own = self._value[cells[start]]
        gain = own[end] - own[start]
        if sign == PUSH:
            other = self._value[cells[end]]
            gain += other[middle] - other[end]
        elif sign == SWITCH:
            ball = self._value[cells[end]]
            gain += ball[start] - ball[end]
        return -gain if side else gain

    def squares(self, cells: bytes, side: int) -> float:
        """Returns the lead of a side: the summed values of all pieces on their squares."""
        value = self._value
        found = sum([value[code][square] for square, code in enumerate(cells) if code])
        return -found if side else found

    def value(self, cells: bytes, side: int) -> float:
        return self.squares(cells, side) + self._shape(cells, side) - self._shape(cells, 1 - side)

    def _shape(self, cells: bytes, side: int) -> float:
        """Returns the part of a side's value that depends on several pieces together."""
        board, others, lowest = self.board, NOT_OWN[side], BLACK * side
        found = _at(AT_HOME, len(cells[board.homes[side]].translate(None, others)))
        found += _at(AT_GOAL, len(cells[board.goals[side]].translate(None, others)))
        for goal, between in self._goal_lines[side][cells.find(lowest + BALL)]:
            if not any(map(cells.__getitem__, between)):
                code = cells[goal]
                found += SHOT if lowest < code < lowest + BALL else -FACED if code else -OPEN
        return found

"""The data for drawing Robosoccer, in squares, y downwards."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from games.core import Seat, Sentence
from games.grid import FILES, Square
from games.robosoccer.board import (
    BALL,
    JUMP,
    LETTERS,
    PUSH,
    SWITCH,
    Action,
    Board,
    kind,
    owner,
)
from games.robosoccer.presentation.story import KINDS, NAMES, action_name, ground_words, icon
from games.robosoccer.rules import Position
from games.robosoccer.turns import ball

SIDE, GOAL, UNDER = 0.4, 0.44, 0.36
"""The margins of a drawing, in squares: beside the board, behind each end row, and under it for letters."""
TAIL = 0.12
"""The extra margin, in squares, under a board with a file g, whose letter reaches below the baseline."""


class Box(NamedTuple):
    """A rectangle: its upper left corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float


class Label(NamedTuple):
    """A letter or number beside the board; an `echo` repeats the letter of the file at the other border."""

    text: str
    x: float
    y: float
    echo: bool = False


class End(NamedTuple):
    """An end row from `y` on, the home of one side and the goal of the other, and the goal behind it."""

    home: str
    scores: str
    y: float
    goal_y: float


class Home(NamedTuple):
    """The middle of a side's home row, where the side's pieces come onto the board in the setup."""

    side: str
    x: float
    y: float


class Ground(NamedTuple):
    columns: int
    rows: int
    middle: float
    box: Box
    files: tuple[Label, ...]
    ranks: tuple[Label, ...]
    ends: tuple[End, ...]


class Line(NamedTuple):
    """A red line from (x, y) to (x2, y2); one where the board's borders meet is drawn at both."""

    x: float
    y: float
    x2: float
    y2: float


class Arrow(NamedTuple):
    """An arrow, in the middle of its edge; one between the board's borders is drawn at both.

    `fixed` is False for a small arrow, which a match may turn around (ruling S2).
    """

    x: float
    y: float
    degrees: int
    from_: str
    to: str
    fixed: bool


class Piece(NamedTuple):
    """A robot or a ball on its square; `was` is the one before the last step, if it moved.

    Around the cylinder, it is drawn twice: leaving, without `square`, and entering from `start` ("x y").
    """

    seat: Seat
    side: str
    size: str
    letter: str
    x: float
    y: float
    square: str
    was: str = ""
    start: str = ""


class Effect(NamedTuple):
    """A visible effect of a step, from (x, y) to (x2, y2); half off the board around the cylinder.

    `kind` is an event's, or `shoved`. A jump or switch bends towards (bx, by), its middle is (mx, my).
    """

    kind: str
    side: str
    size: str
    x: float
    y: float
    x2: float
    y2: float
    bx: float
    by: float
    mx: float
    my: float


def drawing(state: Position) -> dict[str, Any]:
    lines, arrows = ground(state.board)
    around = surroundings(state)
    return {
        "ground": around,
        "lines": lines,
        "arrows": arrows,
        "pieces": travelling(state),
        "homes": tuple(Home(end.home, around.middle, end.y + 0.5) for end in around.ends),
        "effects": effects(state),
        "ground_words": ground_words(state.board),
    }


def centre(board: Board, square: int) -> tuple[float, float]:
    rank, file = divmod(square, board.columns)
    return Square(file, rank).centre(board.rows)


def surroundings(state: Position) -> Ground:
    columns, rows = state.board.columns, state.board.rows
    files = [Label(FILES[i], i + 0.5, rows + GOAL + 0.3) for i in range(columns)]
    around = (
        Label(FILES[columns - 1], -SIDE / 2, rows + GOAL + 0.3, echo=True),
        Label(FILES[0], columns + SIDE / 2, rows + GOAL + 0.3, echo=True),
    )
    ranks = [Label(str(rows - i), -SIDE / 2, i + 0.3) for i in range(rows)]
    sides = [state.side(seat) for seat in state.seats]
    ends = (
        End(home=sides[1], scores=sides[0], y=0, goal_y=-GOAL / 2),
        End(home=sides[0], scores=sides[1], y=rows - 1, goal_y=rows + GOAL / 2),
    )
    under = UNDER + TAIL * ("g" in FILES[:columns])
    box = Box(-SIDE, -GOAL, columns + 2 * SIDE, round(rows + 2 * GOAL + under, 2))
    return Ground(
        columns=columns,
        rows=rows,
        middle=columns / 2,
        box=box,
        files=(*files, *around),
        ranks=tuple(ranks),
        ends=ends,
    )


@lru_cache(maxsize=64)
def ground(board: Board) -> tuple[tuple[Line, ...], tuple[Arrow, ...]]:
    lines, arrows = [], []
    for here, there in board.spec.lines:
        for x, y, degrees in _edges(board, here, there):
            wide, high = (0.5, 0.0) if degrees % 180 == 0 else (0.0, 0.5)
            lines.append(Line(x=x - wide, y=y - high, x2=x + wide, y2=y + high))
    for edges, fixed in ((board.spec.arrows, False), (board.spec.fixed_arrows, True)):
        for here, there in edges:
            names = {"from_": board.names[here], "to": board.names[there]}
            for x, y, degrees in _edges(board, here, there):
                arrows.append(Arrow(x=x, y=y, degrees=degrees, fixed=fixed, **names))
    return tuple(lines), tuple(arrows)


class Spot(NamedTuple):
    """The point to tap to turn an arrow, in half squares; `around`: at an edge where the borders meet."""

    column: int
    row: int
    degrees: tuple[int, int]
    around: bool


def spots_of(board: Board) -> list[Spot]:
    spots = []
    for here, there in board.spec.arrows:
        edges = sorted(_edges(board, here, there))
        x, y, degrees = edges[0]
        spots.append(Spot(int(2 * x), int(2 * y), (degrees, (degrees + 180) % 360), len(edges) > 1))
    return spots


def edges_of(board: Board, squares: Iterable[int]) -> tuple[tuple[Line, ...], tuple[Arrow, ...]]:
    middles = [centre(board, square) for square in squares]

    def near(x: float, y: float) -> bool:
        return any(abs(x - x2) + abs(y - y2) < 0.6 for x2, y2 in middles)

    lines, arrows = ground(board)
    return (
        tuple(line for line in lines if near((line.x + line.x2) / 2, (line.y + line.y2) / 2)),
        tuple(arrow for arrow in arrows if near(arrow.x, arrow.y)),
    )


def _edges(board: Board, here: int, there: int) -> list[tuple[float, float, int]]:
    """Returns (x, y, degrees) of the edge between two squares; where the board's borders meet, at both."""
    direction = next(d for d in range(4) if board.next(here, d) == there)
    dx, dy = ((0, -0.5), (0.5, 0), (0, 0.5), (-0.5, 0))[direction]
    (x, y), (x2, y2) = centre(board, here), centre(board, there)
    middles = dict.fromkeys(((x + dx, y + dy), (x2 - dx, y2 - dy)))
    return [(*middle, direction * 90) for middle in middles]


def pieces(state: Position, cells: bytes) -> list[Piece]:
    return [piece(state, code, square) for square, code in enumerate(cells) if code]


def travelling(state: Position) -> list[Piece]:
    """Returns the pieces, those just moved with their earlier squares, and twice if they went around."""
    cause, board = state.cause, state.board
    shown = {p.square: p for p in pieces(state, state.cells)}
    if not cause or cause.action is None:
        return list(shown.values())
    leaving = []
    for _, here, there in _goes(cause.action):
        moved = shown[board.names[there]]._replace(was=board.names[here])
        ways = _ways(board, here, there, around=cause.action.sign != SWITCH)
        if len(ways) > 1:
            (_, _, x, y), (x2, y2, _, _) = ways
            leaving.append(moved._replace(x=x, y=y, square=""))
            moved = moved._replace(start=f"{x2:g} {y2:g}")
        shown[moved.square] = moved
    return [*leaving, *shown.values()]


def piece(state: Position, code: int, square: int) -> Piece:
    seat = state.seats[owner(code)]
    x, y = centre(state.board, square)
    size = kind(code)
    # by position: there are many in a plan, and keywords make it 5 % slower
    return Piece(seat, state.side(seat), NAMES[size], LETTERS[size], x, y, state.board.names[square])


def effects(state: Position) -> list[Effect]:
    cause = state.cause
    if not cause:
        return []
    board, before = state.board, cause.before
    drawn = paths(state, before, cause.action) if cause.action else []
    side = state.side(state.seats[cause.side])
    if cause.action is None and cause.order in board.names:
        here = centre(board, board.square(cause.order))
        drawn.append(_effect("placed", side, NAMES[BALL], (*here, *here)))
    if state.ended and state.ended.reason == "goal":
        here = centre(board, ball(state.cells, cause.side))
        drawn.append(_effect("scored", side, NAMES[BALL], (*here, *here)))
    return drawn


def paths(state: Position, before: bytes, action: Action) -> list[Effect]:
    drawn = []
    for name, here, there in _goes(action):
        seat = state.seats[owner(before[here])]
        ways = _ways(state.board, here, there, around=action.sign != SWITCH)
        drawn += [_effect(name, state.side(seat), NAMES[kind(before[here])], way) for way in ways]
    return drawn


def _goes(action: Action) -> list[tuple[str, int, int]]:
    """Returns (kind of movement, square before, square after) of each piece that an action moves."""
    sign, start, end, middle = action.sign, action.start, action.end, action.middle
    goes = [(KINDS[sign], start, end)]
    if sign == PUSH:
        goes.append(("shoved", end, middle))
    if sign == SWITCH:
        goes.append((KINDS[sign], end, start))
    return goes


BENT = {KINDS[JUMP]: 0.3, KINDS[SWITCH]: 0.16}
"""The bend of a path to its left, by the effect's kind, as a fraction of the path's length."""


def _effect(name: str, side: str, size: str, way: Way) -> Effect:
    x, y, x2, y2 = way
    bend = BENT.get(name, 0)
    bx, by = (x + x2) / 2 + (y2 - y) * bend, (y + y2) / 2 - (x2 - x) * bend
    mx, my = (x + x2) / 4 + bx / 2, (y + y2) / 4 + by / 2  # of a quadratic curve
    bend_at = {"bx": round(bx, 3), "by": round(by, 3), "mx": round(mx, 3), "my": round(my, 3)}
    return Effect(kind=name, side=side, size=size, x=x, y=y, x2=x2, y2=y2, **bend_at)


Way = tuple[float, float, float, float]


def _ways(board: Board, here: int, there: int, around: bool) -> list[Way]:
    """Returns the path between two squares, in two parts if it goes around the cylinder."""
    (x, y), (x2, y2) = centre(board, here), centre(board, there)
    turns = 0
    if around and abs(x2 - x) > 2:  # a step or a jump is no longer
        turns = board.columns if x2 < x else -board.columns
    if turns:
        return [(x, y, x2 + turns, y2), (x - turns, y, x2, y2)]
    return [(x, y, x2, y2)]


class Cell(NamedTuple):
    """A cell of the table of orders: the action or setup order of a seat, and its result."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence


def cell(state: Position, seat: Seat) -> Cell | None:
    cause = state.cause
    if not cause or state.seats[cause.side] != seat:
        return None
    if cause.action:
        sign, act = cause.action.text, icon(cause.action.sign)
        name = action_name(state.board, cause.action)
    else:
        sign, act, name = cause.order, "act-place", Sentence("sets {order}", order=cause.order)
    mark = "scored" if state.ended and state.ended.reason == "goal" else ""
    return Cell(sign=sign, icon=act, name=name, mark=mark, mark_name=Sentence(mark))

"""What happened in Robosoccer: as data, as sentences, and as numbers for the drawing.

Everything is derived from the board before an action and the action (`Cause`), so nothing is worked out while
a match is merely played. A turn of two actions has a picture in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from games.core import Event, Seat, Sentence
from games.grid import FILES, Square
from games.robosoccer.board import (
    BALL,
    BLACK,
    JUMP,
    LETTERS,
    MOVE,
    PUSH,
    ROBOTS,
    SWITCH,
    Action,
    Board,
    kind,
    owner,
)
from games.robosoccer.turns import SIZES, Cause, ball

if TYPE_CHECKING:
    from games.robosoccer.rules import RobosoccerState

NAMES = {**SIZES, BALL: "ball"}
KINDS = {MOVE: "moved", PUSH: "pushed", JUMP: "jumped", SWITCH: "switched"}
VERBS = {MOVE: "move", PUSH: "push", JUMP: "jump", SWITCH: "switch"}


def events(state: RobosoccerState) -> list[Event]:
    """What happened on the way here.

    Kinds: `lined up` (`robots` from file a on, `row`), `placed` (the ball, `at`), then actions, with their
    `step` from 0, the robot's `size`, `from` and `to`: `moved`; `pushed` (`pushed` is the other's size,
    `on` where it went); `jumped` (`over` is where the other stands, `jumped` its size); `switched` (the ball
    goes from `to` to `from`). Then `scored` (`at`), `stuck` or `repeated`. `by` is a seat.
    """
    cause = state.cause
    if not isinstance(cause, Cause):
        return [dict(event) for event in cause]
    by = state.seats[cause.side]
    if cause.action is None:
        told = [_set(state.board, by, cause)]
    else:
        told = [_done(state.board, by, cause, cause.action)]
    if state.ended:
        match state.ended.reason:
            case "goal":
                at = state.board.names[ball(state.cells, cause.side)]
                told.append({"kind": "scored", "by": by, "at": at})
            case "no legal turn":
                told.append({"kind": "stuck", "by": state.seats[state.mover]})
            case "repetition":
                told.append({"kind": "repeated", "by": by})
    return told


def _set(board: Board, by: Seat, cause: Cause) -> Event:
    if cause.order in board.names:
        return {"kind": "placed", "by": by, "at": cause.order}
    row = board.homes[cause.side].start // board.columns + 1
    return {"kind": "lined up", "by": by, "robots": cause.order, "row": row}


def _done(board: Board, by: Seat, cause: Cause, action: Action) -> Event:
    event: Event = {
        "kind": KINDS[action.sign],
        "step": cause.step,
        "by": by,
        "size": NAMES[kind(cause.before[action.start])],
        "from": board.names[action.start],
        "to": board.names[action.end],
    }
    if action.sign == PUSH:
        event["pushed"] = NAMES[kind(cause.before[action.end])]
        event["on"] = board.names[action.middle]
    if action.sign == JUMP:
        event["jumped"] = NAMES[kind(cause.before[action.middle])]
        event["over"] = board.names[action.middle]
    return event


SENTENCES = {
    "lined up": "{by} lines up {robots} on row {row}.",
    "placed": "{by} puts the ball on {at}.",
    "moved": "{by} moves the {size} robot from {from} to {to}.",
    "pushed": "{by} takes the {size} robot from {from} to {to} and pushes a {pushed} one to {on}.",
    "jumped": "{by} jumps with the {size} robot from {from} over the {jumped} one on {over} to {to}.",
    "switched": "{by} switches: the {size} robot goes from {from} to {to}, the ball from {to} to {from}.",
    "scored": "Goal! {by} has the ball on {at}.",
    "stuck": "{by} has no legal turn left and loses.",
    "repeated": "The same position for the third time: a draw.",
}


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "step")}
    facts["by"] = Seat(event["by"])
    for size in ("size", "pushed", "jumped"):
        if size in facts:
            facts[size] = Sentence(facts[size])
    return Sentence(SENTENCES[event["kind"]], **facts)


def words(state: RobosoccerState) -> list[Sentence]:
    """Who stands where, and whose turn it is."""
    told = []
    for side, seat in enumerate(state.seats):
        squares = {
            NAMES[code]: ", ".join(_squares(state.board, state.cells, code + BLACK * side)) or "–"
            for code in (*ROBOTS, BALL)
        }
        if set(squares.values()) == {"–"}:
            told.append(Sentence("{by} has nothing on the board yet.", by=seat))
        elif squares["ball"] == "–":
            template = "{by}: big robots on {big}; medium ones on {medium}; small ones on {small}."
            told.append(Sentence(template, by=seat, **squares))
        else:
            template = (
                "{by}: the ball on {ball}; big robots on {big}; medium ones on {medium}; "
                "small ones on {small}."
            )
            told.append(Sentence(template, by=seat, **squares))
    told += [Sentence("{by} is to act.", by=seat) for seat in sorted(state.to_act())]
    return told


def _squares(board: Board, cells: bytes, code: int) -> list[str]:
    return [board.names[square] for square, found in enumerate(cells) if found == code]


def ground_words(board: Board) -> list[Sentence]:
    """The lines and arrows in words: they are the same all match long."""
    told = []
    for template, edges, between in (
        ("Red lines, which no robot passes: {edges}.", board.spec.lines, "–"),
        ("Arrows, which robots pass one way: {edges}.", board.spec.arrows, "→"),
    ):
        if edges:
            pairs = (f"{board.names[here]}{between}{board.names[there]}" for here, there in edges)
            told.append(Sentence(template, edges=", ".join(pairs)))
    return told


# The drawing: a unit is a square, y grows downwards


SIDE, GOAL, UNDER = 0.4, 0.44, 0.36
"""How much of a drawing lies beside the board, behind each end row, and under it for the files' letters."""


class Box(NamedTuple):
    """A drawing's upper left corner, width and height."""

    x: float
    y: float
    width: float
    height: float


class Label(NamedTuple):
    """A letter or a number beside the board; `echo`: of the file that comes next around the cylinder."""

    text: str
    x: float
    y: float
    echo: bool = False


class End(NamedTuple):
    """One end of the board: whose home row it is, and whose ball wins on it.

    `y` is the row's upper edge, `goal_y` the middle of the goal behind it.
    """

    home: str
    scores: str
    scorer: Seat
    y: float
    goal_y: float


class Ground(NamedTuple):
    """The board's size in squares, and what lies around it; `box` is the whole drawing's."""

    columns: int
    rows: int
    half_columns: int
    half_rows: int
    middle: float
    halfway: float
    box: Box
    files: tuple[Label, ...]
    ranks: tuple[Label, ...]
    ends: tuple[End, ...]


class Line(NamedTuple):
    """A red line, from x, y to x2, y2. One between the last and the first file is drawn at both borders."""

    x: float
    y: float
    x2: float
    y2: float
    between: str


class Arrow(NamedTuple):
    """A small arrow on an edge: its middle, and where it points in degrees from north, clockwise."""

    x: float
    y: float
    degrees: int
    from_: str
    to: str


class Piece(NamedTuple):
    """A robot or a ball on its square.

    `was` is the square on which it stood a step before, "" if it did not move. One that goes around the
    cylinder is there twice: leaving, its place off the board and no square; and coming in, `start` ("x y")
    telling where from.
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
    """Something seen on the way here, x, y to x2, y2. `kind` is an event's, or `shoved` for who is pushed.

    The way bends towards bx, by (a jump, a switch), and has its middle at mx, my. What goes around the
    cylinder is two of them, each half off the board.
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


def drawing(state: RobosoccerState) -> dict[str, Any]:
    lines, arrows = ground(state.board)
    return {
        "ground": surroundings(state),
        "lines": lines,
        "arrows": arrows,
        "pieces": travelling(state),
        "effects": effects(state),
        "ground_words": ground_words(state.board),
    }


def centre(board: Board, square: int) -> tuple[float, float]:
    rank, file = divmod(square, board.columns)
    return Square(file, rank).centre(board.rows)


def surroundings(state: RobosoccerState) -> Ground:
    columns, rows = state.board.columns, state.board.rows
    files = [Label(FILES[i], i + 0.5, rows + GOAL + 0.3) for i in range(columns)]
    around = (
        Label(FILES[columns - 1], -SIDE / 2, rows + GOAL + 0.3, echo=True),
        Label(FILES[0], columns + SIDE / 2, rows + GOAL + 0.3, echo=True),
    )
    ranks = [Label(str(rows - i), -SIDE / 2, i + 0.3) for i in range(rows)]
    white, black = state.seats
    sides = state.side(white), state.side(black)
    ends = (
        End(sides[1], sides[0], white, 0, -GOAL / 2),
        End(sides[0], sides[1], black, rows - 1, rows + GOAL / 2),
    )
    box = Box(-SIDE, -GOAL, columns + 2 * SIDE, round(rows + 2 * GOAL + UNDER, 2))
    return Ground(
        columns,
        rows,
        2 * columns,
        2 * rows,
        columns / 2,
        rows / 2,
        box,
        (*files, *around),
        tuple(ranks),
        ends,
    )


@lru_cache(maxsize=64)
def ground(board: Board) -> tuple[tuple[Line, ...], tuple[Arrow, ...]]:
    """Lines and arrows where they are drawn."""
    lines, arrows = [], []
    for here, there in board.spec.lines:
        for x, y, degrees in _edges(board, here, there):
            wide, high = (0.5, 0.0) if degrees % 180 == 0 else (0.0, 0.5)
            between = f"{board.names[here]}–{board.names[there]}"
            lines.append(Line(x - wide, y - high, x + wide, y + high, between))
    for here, there in board.spec.arrows:
        for x, y, degrees in _edges(board, here, there):
            arrows.append(Arrow(x, y, degrees, board.names[here], board.names[there]))
    return tuple(lines), tuple(arrows)


class Spot(NamedTuple):
    """Where an arrow is to be tapped, in half squares from the upper left: those that it lies between.

    `degrees` is the way it points, and the other way; `around`: it is at the seam, at both borders.
    """

    column: int
    row: int
    degrees: tuple[int, int]
    around: bool


def spots_of(board: Board) -> list[Spot]:
    """The arrows of a board in their order."""
    spots = []
    for here, there in board.spec.arrows:
        edges = sorted(_edges(board, here, there))
        x, y, degrees = edges[0]
        spots.append(Spot(int(2 * x), int(2 * y), (degrees, (degrees + 180) % 360), len(edges) > 1))
    return spots


def edges_of(board: Board, squares: Iterable[int]) -> tuple[tuple[Line, ...], tuple[Arrow, ...]]:
    """The lines and arrows at the edges of these squares."""
    middles = [centre(board, square) for square in squares]

    def near(x: float, y: float) -> bool:
        return any(abs(x - x2) + abs(y - y2) < 0.6 for x2, y2 in middles)

    lines, arrows = ground(board)
    return (
        tuple(line for line in lines if near((line.x + line.x2) / 2, (line.y + line.y2) / 2)),
        tuple(arrow for arrow in arrows if near(arrow.x, arrow.y)),
    )


def _edges(board: Board, here: int, there: int) -> list[tuple[float, float, int]]:
    """The middle of an edge (two where it is the seam of the cylinder), and which way `there` lies."""
    direction = next(d for d in range(4) if board.next(here, d) == there)
    dx, dy = ((0, -0.5), (0.5, 0), (0, 0.5), (-0.5, 0))[direction]
    (x, y), (x2, y2) = centre(board, here), centre(board, there)
    middles = dict.fromkeys(((x + dx, y + dy), (x2 - dx, y2 - dy)))
    return [(*middle, direction * 90) for middle in middles]


def pieces(state: RobosoccerState, cells: bytes) -> list[Piece]:
    return [piece(state, code, square) for square, code in enumerate(cells) if code]


def travelling(state: RobosoccerState) -> list[Piece]:
    """The pieces where they stand, those that moved in the last step with where they come from."""
    cause, board = state.cause, state.board
    shown = {p.square: p for p in pieces(state, state.cells)}
    if not isinstance(cause, Cause) or cause.action is None:
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


def piece(state: RobosoccerState, code: int, square: int) -> Piece:
    seat = state.seats[owner(code)]
    board = state.board
    return Piece(
        seat,
        state.side(seat),
        NAMES[kind(code)],
        LETTERS[kind(code)],
        *centre(board, square),
        board.names[square],
    )


def effects(state: RobosoccerState) -> list[Effect]:
    """What a drawing of this position shows of what led here."""
    cause = state.cause
    if not isinstance(cause, Cause):
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


def paths(state: RobosoccerState, before: bytes, action: Action) -> list[Effect]:
    """The ways that pieces take in an action."""
    drawn = []
    for name, here, there in _goes(action):
        seat = state.seats[owner(before[here])]
        ways = _ways(state.board, here, there, around=action.sign != SWITCH)
        drawn += [_effect(name, state.side(seat), NAMES[kind(before[here])], way) for way in ways]
    return drawn


def _goes(action: Action) -> list[tuple[str, int, int]]:
    """Which pieces an action moves: what that is called, from where, to where."""
    _, sign, start, end, middle = action
    goes = [(KINDS[sign], start, end)]
    if sign == PUSH:
        goes.append(("shoved", end, middle))
    if sign == SWITCH:
        goes.append((KINDS[sign], end, start))
    return goes


BENT = {KINDS[JUMP]: 0.3, KINDS[SWITCH]: 0.16}
"""How far a way bends to its left, in its own length."""


def _effect(name: str, side: str, size: str, way: Way) -> Effect:
    x, y, x2, y2 = way
    bend = BENT.get(name, 0)
    bx, by = (x + x2) / 2 + (y2 - y) * bend, (y + y2) / 2 - (x2 - x) * bend
    middle = (x + x2) / 4 + bx / 2, (y + y2) / 4 + by / 2  # of a quadratic curve
    return Effect(name, side, size, *way, *(round(at, 3) for at in (bx, by, *middle)))


Way = tuple[float, float, float, float]


def _ways(board: Board, here: int, there: int, around: bool) -> list[Way]:
    """The straight way between two squares; where it goes around the cylinder, out at one side and in."""
    (x, y), (x2, y2) = centre(board, here), centre(board, there)
    turns = 0
    if around and abs(x2 - x) > 2:  # a step or a jump is no longer
        turns = board.columns if x2 < x else -board.columns
    if turns:
        return [(x, y, x2 + turns, y2), (x - turns, y, x2, y2)]
    return [(x, y, x2, y2)]


class Cell(NamedTuple):
    """What a seat did in a step, for the table of orders."""

    sign: str
    icon: str
    name: Sentence
    mark: str
    mark_name: Sentence


def cell(state: RobosoccerState, seat: Seat) -> Cell | None:
    """What `seat` did in the step that led here, or None."""
    cause = state.cause
    if not isinstance(cause, Cause) or state.seats[cause.side] != seat:
        return None
    mark = "scored" if state.ended and state.ended.reason == "goal" else ""
    if cause.action is None:
        return Cell(
            cause.order, "act-place", Sentence("sets {order}", order=cause.order), mark, Sentence(mark)
        )
    name = action_name(state.board, cause.action)
    return Cell(cause.action.text, icon(cause.action.sign), name, mark, Sentence(mark))


ACTION_NAMES = {
    MOVE: "move from {at} to {to}",
    PUSH: "push from {at} onto {to}",
    JUMP: "jump from {at} to {to}",
    SWITCH: "switch the robot on {at} with the ball on {to}",
}


def action_name(board: Board, action: Action) -> Sentence:
    names = board.names
    return Sentence(ACTION_NAMES[action.sign], at=names[action.start], to=names[action.end])


def icon(sign: str) -> str:
    """The name of an action's drawn symbol."""
    return f"act-{VERBS[sign]}"

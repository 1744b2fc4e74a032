"""What a plan of Robosoccer shows: slots, squares to tap, and the board as the plan leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from games.core import Choice, Order, Plan, Sentence
from games.robosoccer.board import JUMP, MOVE, PUSH, SWITCH, Board
from games.robosoccer.picture import Arrow, Effect, Line, Piece, centre, edges_of, pieces
from games.robosoccer.rules import Position
from games.robosoccer.story import VERBS, icon


class Slot(NamedTuple):
    """One of the turn's two actions, "" while it is free; `key` is the choice that takes it back."""

    number: int
    sign: str
    icon: str
    name: Sentence | None
    key: str
    tap_name: Sentence


class Tap(NamedTuple):
    """A square that can be tapped: `key` is its choice.

    `kind`: `pick` or `picked` (an own piece), `move`, `push`, `jump`, `switch` (what the picked piece would
    do there), `place` or `placed` (setup). `acts`: whether a piece to pick can do anything. `why`: what
    forbids what the kind says; for a piece to pick, what keeps it from switching with the one picked.
    `column` and `row` are counted from 1 at the upper left. `degrees`: where the robot goes, from north
    clockwise.
    """

    key: str
    kind: str
    allowed: bool
    acts: bool
    name: Sentence
    why: Sentence | None
    x: float
    y: float
    column: int
    row: int
    degrees: int = 0


class Sign(NamedTuple):
    """What a mark on the board means: the icon of a kind of action, and its name."""

    icon: str
    name: Sentence


LEGEND = {
    VERBS[MOVE]: Sign(icon(MOVE), Sentence("move")),
    VERBS[PUSH]: Sign(icon(PUSH), Sentence("push")),
    VERBS[JUMP]: Sign(icon(JUMP), Sentence("jump")),
    VERBS[SWITCH]: Sign(icon(SWITCH), Sentence("switch with the ball")),
}


class Left(NamedTuple):
    """A square that looks different after the planned actions; `empty`: what stood there is gone."""

    x: float
    y: float
    empty: bool


class Ghost(NamedTuple):
    """The way of a piece in the planned action of that number, for the drawing."""

    number: int
    path: Effect


@dataclass(frozen=True, slots=True)
class RobosoccerPlan(Plan):
    """`stage` is robots, ball, turn, or nothing; `may_end`: the turn can be sent; `goal`: it scores.

    `pieces` stand as the planned actions leave them; `moved` are those that stand elsewhere now, `left` the
    squares that look different, `lines` and `arrows` those at their edges. `side` is whose plan it is;
    `legend` what the piece picked up may do.
    """

    stage: str = ""
    slots: tuple[Slot, ...] = ()
    palette: tuple[Choice, ...] = ()
    taps: tuple[Tap, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    pieces: tuple[Piece, ...] = ()
    moved: tuple[Piece, ...] = ()
    left: tuple[Left, ...] = ()
    lines: tuple[Line, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    side: str = ""
    legend: tuple[Sign, ...] = ()
    picked: str = ""
    may_end: bool = False
    goal: bool = False


def shown(state: Position, cells: bytes) -> dict[str, Any]:
    """What a drawing shows of the board as the plan leaves it."""
    board = state.board
    standing = pieces(state, cells)
    changed = [square for square, code in enumerate(cells) if code != state.cells[square]]
    names = {board.names[square] for square in changed}
    lines, arrows = edges_of(board, [square for square in changed if state.cells[square]])
    return {
        "lines": lines,
        "arrows": arrows,
        "side": state.side(state.seats[state.mover]),
        "pieces": tuple(standing),
        "moved": tuple(piece for piece in standing if piece.square in names),
        "left": tuple(
            Left(*centre(board, square), not cells[square]) for square in changed if state.cells[square]
        ),
    }


def tap_on(
    board: Board,
    square: int,
    *,
    key: str,
    kind: str,
    name: Sentence,
    allowed: bool = True,
    acts: bool = True,
    why: Sentence | None = None,
    degrees: int = 0,
) -> Tap:
    """The tap on a square of the board."""
    x, y = centre(board, square)
    # by position: one a square, and keywords make a plan 5 % slower
    return Tap(key, kind, allowed, acts, name, why, x, y, int(x) + 1, int(y) + 1, degrees)


def undoing(order: Order, back: Order, clear: Order, anything: bool) -> tuple[Choice, Choice]:
    """Undoing the last tap that counts, and all of them."""
    why = None if anything else Sentence("There is nothing to take back.")
    return (
        Choice("back", Sentence("Take the last one back"), order if why else back, why=why),
        Choice("clear", Sentence("Start again"), order if why else clear, why=why),
    )

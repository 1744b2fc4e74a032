"""The parts of a plan of Robosoccer: slots, squares to tap, and the board after the planned actions."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from games.core import Choice, Order, Plan, Sentence
from games.robosoccer.board import Board
from games.robosoccer.presentation.picture import Arrow, Effect, Line, Piece, centre, edges_of, pieces
from games.robosoccer.rules import Position


class Slot(NamedTuple):
    """A slot for one of the two actions of a planned turn; a free slot has `sign` "" and `name` None."""

    number: int
    sign: str
    icon: str
    name: Sentence | None
    key: str
    tap_name: Sentence


class Tap(NamedTuple):
    """A square that can be tapped: `key` is the choice that a tap makes.

    For a piece of the player, `kind` is `pick` or `picked`; for a target of the picked one, `move`,
    `push`, `jump` or `switch`; in the setup, `place` or `placed`. `acts` is True if the piece or the
    action can be played or, in a line-up, for the square filled next. `once`: it passes an arrow, so that
    there is no way back. `switches`: this robot can change places with its ball, while no piece is
    picked.
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
    once: bool = False
    switches: bool = False


class ClosedSide(NamedTuple):
    """A square next to the picked robot to which it cannot go, push or jump, and why."""

    square: str
    why: Sentence


class VacatedSquare(NamedTuple):
    """A square that a piece has left after the planned actions; `empty` if no other piece stands there."""

    x: float
    y: float
    empty: bool


class Ghost(NamedTuple):
    """The drawing of a piece's path in a planned action; `number` is the number of the action, from 1."""

    number: int
    path: Effect


@dataclass(frozen=True, slots=True)
class RobosoccerPlan(Plan):
    """The plan of a turn or of a setup turn; `stage` is `robots`, `ball`, `turn` or "".

    `pieces` are placed as after the planned actions; `moved` are those on changed squares, `vacated` the
    squares that pieces leave, with the `lines` and `arrows` on their edges. `closed` has the sides on
    which the picked robot can do nothing. `one_way`: the board has arrows.
    """

    stage: str = ""
    slots: tuple[Slot, ...] = ()
    palette: tuple[Choice, ...] = ()
    taps: tuple[Tap, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    pieces: tuple[Piece, ...] = ()
    moved: tuple[Piece, ...] = ()
    vacated: tuple[VacatedSquare, ...] = ()
    lines: tuple[Line, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    side: str = ""
    closed: tuple[ClosedSide, ...] = ()
    picked: str = ""
    goal: bool = False
    one_way: bool = False


def shown(state: Position, cells: bytes) -> dict[str, Any]:
    """Returns the fields of a plan that draw the board."""
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
        "vacated": tuple(
            VacatedSquare(*centre(board, square), not cells[square])
            for square in changed
            if state.cells[square]
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
    once: bool = False,
) -> Tap:
    x, y = centre(board, square)
    # by position: one a square, and keywords make a plan 5 % slower
    return Tap(key, kind, allowed, acts, name, why, x, y, int(x) + 1, int(y) + 1, degrees, once)


def undoing(order: Order, back: Order, clear: Order, anything: bool) -> tuple[Choice, Choice]:
    why = None if anything else Sentence("There’s nothing to undo.")
    return (
        Choice("back", Sentence("Undo"), order if why else back, why=why),
        Choice("clear", Sentence("Start over"), order if why else clear, why=why),
    )

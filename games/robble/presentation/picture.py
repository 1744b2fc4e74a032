"""The drawing data of Robble: stones and groups, the effects of a turn, and the table of orders."""

from typing import Any, NamedTuple

from games.core import Seat, Sentence
from games.grid import FILES
from games.robble.presentation.story import PLACED, seat_of_turn, squares_of, touches
from games.robble.rules import Position
from games.robble.stones import (
    LETTERS,
    OFF,
    PUSHED,
    SWAPPED,
    TURNED,
    Board,
    Group,
    bits,
    counted,
    score,
)


class Piece(NamedTuple):
    """A stone as the board draws it, on (x, y), y downwards; before the turn on the square `was`.

    `mark` is placed, pushed, turned or ""; `degrees` leads to it from the placed stone, clockwise from
    north. `group` is its group's size; `cancels` if that would be paired off on a full board (B3).
    """

    seat: Seat
    side: str
    x: float
    y: float
    square: str
    was: str
    mark: str
    degrees: int
    group: int
    cancels: bool


class Ring(NamedTuple):
    """A group of at least two stones; its size is drawn on the stone nearest to its middle, at x, y."""

    side: str
    size: int
    x: float
    y: float
    squares: str
    cancels: bool


class Link(NamedTuple):
    """A bar that the board draws between two stones of a group that touch along an edge."""

    side: str
    x: float
    y: float
    x2: float
    y2: float


class Effect(NamedTuple):
    """A visible effect of a turn on a stone: `placed`, `pushed`, `off`, `turned` or `swapped` (`kind`).

    It goes from x, y to x2, y2, off the board if it is pushed off. `seat` and `side` are its owner's
    after the turn, `square` is its square before it, and `degrees` leads there from the placed stone.
    """

    kind: str
    seat: Seat
    side: str
    x: float
    y: float
    x2: float
    y2: float
    square: str
    degrees: int


class Size(NamedTuple):
    size: int
    cancels: bool


class SideScore(NamedTuple):
    """The score that a side would have if the board were full now; `biggest`: its biggest group (B3)."""

    seat: Seat
    side: str
    stones: int
    groups: tuple[Size, ...]
    biggest: int
    leads: bool


class Label(NamedTuple):
    """The letter of a file or the number of a rank, and its distance along the edge, in squares."""

    text: str
    at: float


def drawing(state: Position) -> dict[str, Any]:
    size = state.board.size
    found = counted(state.board, state.stones)
    return {
        "size": size,
        "files": [Label(FILES[i], i + 0.5) for i in range(size)],
        "ranks": [Label(str(size - i), i + 0.5) for i in range(size)],
        "pieces": pieces(state, found),
        "groups": rings(state.board, found),
        "links": links(state.board, found),
        "side_scores": side_scores(state, found),
        "has_ended": state.ended is not None,
        "effects": effects(state),
    }


def pieces(state: Position, found: list[Group]) -> list[Piece]:
    """The stones in the groups `found`, sorted by rank from the bottom, then by file."""
    board = state.board
    marks = {
        touch.at if touch.to is None else touch.to: touch for touch in touches(state) if touch.kind != OFF
    }
    drawn = []
    for group in found:
        seat = state.seat(group.colour)
        for square in bits(group.squares):
            touch = marks.get(square)
            mark = PLACED if square == state.square else touch.kind if touch else ""
            was = touch.at if touch else square
            x, y = board.centre(square)
            drawn.append(
                Piece(  # by position: one a stone, and keywords make a plan 5 % slower
                    seat,
                    LETTERS[group.colour],
                    x,
                    y,
                    board.names[square],
                    board.names[was],
                    mark,
                    _degrees(board, state.square, was) if touch else 0,
                    group.size,
                    group.cancels,
                )
            )
    return sorted(drawn, key=lambda piece: (-piece.y, piece.x))


def _degrees(board: Board, placed: int, at: int) -> int:
    (x, y), (x2, y2) = board.centre(placed), board.centre(at)
    return {(0, -1): 0, (1, 0): 90, (0, 1): 180, (-1, 0): 270}[int(x2 - x), int(y2 - y)]


def links(board: Board, found: list[Group]) -> list[Link]:
    """The bars between neighbouring stones of a group, each once; Black's come first."""
    return [
        Link(LETTERS[group.colour], *board.centre(square), *board.centre(other))
        for group in sorted(found, key=lambda group: group.colour)
        for square in bits(group.squares)
        for other in (side.near for side in board.sides[square])
        if other > square and group.squares >> other & 1
    ]


def rings(board: Board, found: list[Group]) -> list[Ring]:
    return [_ring(board, group) for group in found if group.size > 1]


def _ring(board: Board, group: Group) -> Ring:
    centres = [board.centre(square) for square in bits(group.squares)]
    mx, my = (sum(numbers) / len(centres) for numbers in zip(*centres, strict=True))
    x, y = min(centres, key=lambda at: (at[0] - mx) ** 2 + (at[1] - my) ** 2)
    return Ring(
        side=LETTERS[group.colour],
        size=group.size,
        x=x,
        y=y,
        squares=squares_of(board, group),
        cancels=group.cancels,
    )


def side_scores(state: Position, found: list[Group]) -> list[SideScore]:
    """The score that each seat would have if the board were full now (ruling B3), in seat order."""
    result = score(state.board, state.stones)
    scores = []
    for seat in state.seats:
        colour = state.colour(seat)
        own = [group for group in found if group.colour == colour]
        scores.append(
            SideScore(
                seat=seat,
                side=LETTERS[colour],
                stones=sum(group.size for group in own),
                groups=tuple(Size(group.size, group.cancels) for group in own),
                biggest=result[colour],
                leads=result.winner == colour,
            )
        )
    return scores


def effects(state: Position) -> list[Effect]:
    """The effects of the turn that led here; a swap affects all stones."""
    board, by = state.board, seat_of_turn(state)
    if by is None:
        return []
    if state.square == SWAPPED:
        return [
            _still("swapped", one.seat, one.side, (one.x, one.y), one.square)
            for one in pieces(state, counted(board, state.stones))
        ]
    x, y = board.centre(state.square)
    drawn = [_still(PLACED, by, state.side(by), (x, y), board.names[state.square])]
    for kind, colour, at, to in touches(state):
        x1, y1 = board.centre(at)
        x2, y2 = (2 * x1 - x, 2 * y1 - y) if to is None else board.centre(to)
        shown = 1 - colour if kind == TURNED else colour
        drawn.append(
            Effect(
                kind=kind,
                seat=state.seat(shown),
                side=LETTERS[shown],
                x=x1,
                y=y1,
                x2=x2,
                y2=y2,
                square=board.names[at],
                degrees=_degrees(board, state.square, at),
            )
        )
    return drawn


def _still(kind: str, seat: Seat, side: str, at: tuple[float, float], square: str) -> Effect:
    x, y = at
    return Effect(kind=kind, seat=seat, side=side, x=x, y=y, x2=x, y2=y, square=square, degrees=0)


class Cell(NamedTuple):
    """An order that was played, and the numbers of stones that it pushed, pushed off, and turned over."""

    sign: str
    icon: str
    name: Sentence
    pushed: int
    off: int
    turned: int


def cell(state: Position, seat: Seat) -> Cell | None:
    if seat_of_turn(state) != seat:
        return None
    if state.square == SWAPPED:
        return Cell(sign="swap", icon="swap", name=Sentence("swaps colours"), pushed=0, off=0, turned=0)
    kinds = [touch.kind for touch in touches(state)]
    at = state.board.names[state.square]
    return Cell(
        sign=at,
        icon=f"stone-{state.side(seat)}",
        name=Sentence("places on {at}", at=at),
        pushed=kinds.count(PUSHED),
        off=kinds.count(OFF),
        turned=kinds.count(TURNED),
    )

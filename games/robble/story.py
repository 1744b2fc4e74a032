"""What happened in a turn of Robble: as data, as sentences, and as numbers for the drawing.

Everything is derived from the stones before the turn and the square in it, so nothing is worked out while a
match is merely played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from games.core import Event, Seat, Sentence
from games.grid import FILES
from games.robble.stones import (
    LETTERS,
    OFF,
    PUSHED,
    SWAPPED,
    TURNED,
    Board,
    Group,
    Touched,
    bits,
    counted,
    score,
    touched,
)

if TYPE_CHECKING:
    from games.robble.rules import RobbleState

COLOURS = (Sentence("Black"), Sentence("White"))
PLACED = "placed"

# What happened, as data


def events(state: RobbleState) -> list[Event]:
    """What happened on the way here: the placement, its neighbours from the north around, the match's end.

    Kinds: `placed` (`side` b or w, `at`), `pushed` (`side`, `from`, `to`), `off` (`side`, `from`), `turned`
    (`side` it has now, `at`), `swapped` (`side` that `by` has now), `won` (`by`, `size`, and `other`, the
    biggest group that the other side has left), `cancelled` (`by` wins), `repeated`; squares by name, every
    one with its seat `by`.
    """
    seat = who(state)
    if seat is None:
        return [dict(event) for event in state.told]
    side, names = state.side(seat), state.board.names
    if state.square == SWAPPED:
        return [{"kind": "swapped", "by": seat, "side": side}]
    told: list[Event] = [{"kind": PLACED, "by": seat, "side": side, "at": names[state.square]}]
    for kind, colour, at, to in touches(state):
        if kind == TURNED:
            told.append({"kind": kind, "by": seat, "side": LETTERS[1 - colour], "at": names[at]})
        else:
            event = {"kind": kind, "by": seat, "side": LETTERS[colour], "from": names[at]}
            told.append(event if to is None else {**event, "to": names[to]})
    return told + _ending(state, seat)


def _ending(state: RobbleState, by: Seat) -> list[Event]:
    if not state.ended:
        return []
    if state.ended.reason == "repetition":
        return [{"kind": "repeated", "by": by}]
    result = score(state.board, state.stones)
    if result.winner is None:
        return [{"kind": "cancelled", "by": state.seat(state.colour_to_move)}]
    by = state.seat(result.winner)
    return [{"kind": "won", "by": by, "size": result.bigger, "other": result.smaller}]


def who(state: RobbleState) -> Seat | None:
    """Whose turn led here, None where no turn of the game did."""
    if state.square == SWAPPED:
        return state.seat(0)
    return state.seat(state.board.to_move(state.before)) if state.square >= 0 else None


def touches(state: RobbleState) -> list[Touched]:
    """What the placement that led here did to its neighbours, if there was one."""
    return touched(state.board, state.before, state.square) if state.square >= 0 else []


# Sentences

TOLD = {
    (PLACED, "b"): "{by} places a black stone on {at}.",
    (PLACED, "w"): "{by} places a white stone on {at}.",
    (PUSHED, "b"): "The black stone on {start} is pushed to {to}.",
    (PUSHED, "w"): "The white stone on {start} is pushed to {to}.",
    (OFF, "b"): "The black stone on {start} is pushed off the board.",
    (OFF, "w"): "The white stone on {start} is pushed off the board.",
    (TURNED, "b"): "The white stone on {at} turns over and is black.",
    (TURNED, "w"): "The black stone on {at} turns over and is white.",
    ("swapped", "b"): "{by} swaps and plays Black from now on.",
    ("swapped", "w"): "{by} swaps and plays White from now on.",
}


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "side", "from")}
    facts["by"] = Seat(event["by"])
    if "from" in event:
        facts["start"] = event["from"]
    match event:
        case {"kind": "won", "other": 0}:
            return Sentence(
                "The board is full. {by} wins: a group of {size} is left, and the other side has none.",
                **facts,
            )
        case {"kind": "won"}:
            return Sentence("The board is full. {by} wins: biggest groups left {size} to {other}.", **facts)
        case {"kind": "cancelled"}:
            return Sentence(
                "The board is full and all groups cancel out. Whoever placed last loses: {by} wins.", **facts
            )
        case {"kind": "repeated"}:
            return Sentence("This position is there for the third time: a draw.", **facts)
        case {"kind": kind, "side": side} if (kind, side) in TOLD:
            return Sentence(TOLD[kind, side], **facts)
    raise ValueError(f"no sentence for {event}")


def words(state: RobbleState) -> list[Sentence]:
    """The board in words: each side's groups with their squares, who would win, who is to move."""
    found = counted(state.board, state.stones)
    told = [sentence for colour in (0, 1) for sentence in _side_in_words(state, colour, found)]
    if not state.ended:
        told.append(standing(state))
        told.append(Sentence("{by} is to move.", by=state.seat(state.colour_to_move)))
    return told


def _side_in_words(state: RobbleState, colour: int, found: list[Group]) -> list[Sentence]:
    own = [group for group in found if group.colour == colour]
    facts: dict[str, Any] = {"by": state.seat(colour), "colour": COLOURS[colour]}
    if not own:
        return [Sentence("{by} plays {colour} and has no stones on the board.", **facts)]
    told = [Sentence("{by} plays {colour}: {n} stones.", n=sum(group.size for group in own), **facts)]
    if sum(group.size for group in own) == 1:
        told = [Sentence("{by} plays {colour}: one stone.", **facts)]
    for group in own:
        if group.size > 1:
            squares = squares_of(state.board, group)
            told.append(
                Sentence("{colour}: a group of {n} on {squares}.", n=group.size, squares=squares, **facts)
            )
    alone = ", ".join(sorted(squares_of(state.board, group) for group in own if group.size == 1))
    if alone:
        told.append(Sentence("{colour}: alone on {squares}.", squares=alone, **facts))
    return told


def squares_of(board: Board, group: Group) -> str:
    return ", ".join(sorted(board.names[square] for square in bits(group.squares)))


def standing(state: RobbleState) -> Sentence:
    """Who would win if the board were full now (B3)."""
    result = score(state.board, state.stones)
    if not state.board.of(state.stones, 0) | state.board.of(state.stones, 1):
        return Sentence("The board is empty.")
    if result.winner is None:
        return Sentence(
            "If the board were full now, all groups would cancel out, and whoever placed last would lose."
        )
    facts = {"by": state.seat(result.winner), "size": result.bigger, "other": result.smaller}
    if not result.smaller:
        return Sentence(
            "If the board were full now, {by} would win: a group of {size} left, and the other side none.",
            **facts,
        )
    return Sentence(
        "If the board were full now, {by} would win: biggest groups left {size} to {other}.", **facts
    )


# Numbers for the drawing


class Piece(NamedTuple):
    """A stone as the board draws it: its square's centre, y downwards; x0, y0: where it was before the turn.

    `was`: the name of that square. `mark`: placed, pushed, turned, or nothing; `degrees`: the way it was
    pushed or turned, clockwise from north. `group` is the size of its group, `cancels` whether that would go
    if the board were full now.
    """

    seat: Seat
    side: str
    x: float
    y: float
    x0: float
    y0: float
    square: str
    was: str
    mark: str
    degrees: int
    group: int
    cancels: bool


class Ring(NamedTuple):
    """A group of at least two stones: its size, to be written on the stone nearest to its middle."""

    side: str
    size: int
    x: float
    y: float
    squares: str
    cancels: bool


class Link(NamedTuple):
    """Two stones of a group that are joined along an edge."""

    side: str
    x: float
    y: float
    x2: float
    y2: float


class Effect(NamedTuple):
    """Something seen in a turn: `placed`, `pushed`, `off`, `turned`, of a stone from x, y to x2, y2.

    `seat` and `side` tell whose the stone is, after turning over if it does; one that is pushed off ends off
    the board. `degrees`: the way from the placed stone, clockwise from north.
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
    """A group in the count: `cancels` if a group of the other side takes it away."""

    size: int
    cancels: bool


class Tally(NamedTuple):
    """What a side has: stones, groups (biggest first), the biggest left over; `leads`: it would win."""

    seat: Seat
    side: str
    stones: int
    groups: tuple[Size, ...]
    biggest: int
    leads: bool


class Label(NamedTuple):
    """A letter of a file or a number of a rank, and how far along the edge it stands."""

    text: str
    at: float


def drawing(state: RobbleState) -> dict[str, Any]:
    """The board's `size`, `files` and `ranks`, what lies on it, and `effects` of the turn that led here."""
    size = state.board.size
    found = counted(state.board, state.stones)
    return {
        "size": size,
        "files": [Label(FILES[i], i + 0.5) for i in range(size)],
        "ranks": [Label(str(size - i), i + 0.5) for i in range(size)],
        "pieces": pieces(state, found),
        "groups": rings(state.board, found),
        "links": links(state.board, found),
        "tallies": tallies(state, found),
        "effects": effects(state),
    }


def pieces(state: RobbleState, found: list[Group]) -> list[Piece]:
    """The stones, in order of their squares."""
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
            drawn.append(
                Piece(
                    seat,
                    LETTERS[group.colour],
                    *board.centre(square),
                    *board.centre(was),
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
    """The way from the placed stone to its neighbour, clockwise from north."""
    (x, y), (x2, y2) = board.centre(placed), board.centre(at)
    return {(0, -1): 0, (1, 0): 90, (0, 1): 180, (-1, 0): 270}[int(x2 - x), int(y2 - y)]


def links(board: Board, found: list[Group]) -> list[Link]:
    """Each pair of neighbours of one colour once, to the east and to the north; Black's first."""
    return [
        Link(LETTERS[group.colour], *board.centre(square), *board.centre(other))
        for group in sorted(found, key=lambda group: group.colour)
        for square in bits(group.squares)
        for other in _after(board, square)
        if group.squares >> other & 1
    ]


def _after(board: Board, square: int) -> list[int]:
    """The neighbours to the east and to the north."""
    return [side.near for side in board.sides[square] if side.near > square]


def rings(board: Board, found: list[Group]) -> list[Ring]:
    return [_ring(board, group) for group in found if group.size > 1]


def _ring(board: Board, group: Group) -> Ring:
    centres = [board.centre(square) for square in bits(group.squares)]
    mx, my = (sum(numbers) / len(centres) for numbers in zip(*centres, strict=True))
    x, y = min(centres, key=lambda at: (at[0] - mx) ** 2 + (at[1] - my) ** 2)
    return Ring(LETTERS[group.colour], group.size, x, y, squares_of(board, group), group.cancels)


def tallies(state: RobbleState, found: list[Group]) -> list[Tally]:
    """What each seat has, in seat order (B3)."""
    result = score(state.board, state.stones)
    told = []
    for seat in state.seats:
        colour = state.colour(seat)
        own = [group for group in found if group.colour == colour]
        told.append(
            Tally(
                seat,
                LETTERS[colour],
                sum(group.size for group in own),
                tuple(Size(group.size, group.cancels) for group in own),
                result[colour],
                result.winner == colour,
            )
        )
    return told


def effects(state: RobbleState) -> list[Effect]:
    """What a drawing of this position shows of the turn that led here."""
    board, by = state.board, who(state)
    if by is None or state.square == SWAPPED:
        return []
    x, y = board.centre(state.square)
    drawn = [Effect(PLACED, by, state.side(by), x, y, x, y, board.names[state.square], 0)]
    for kind, colour, at, to in touches(state):
        x1, y1 = board.centre(at)
        x2, y2 = (2 * x1 - x, 2 * y1 - y) if to is None else board.centre(to)
        now = 1 - colour if kind == TURNED else colour
        degrees = _degrees(board, state.square, at)
        seat, side = state.seat(now), LETTERS[now]
        drawn.append(Effect(kind, seat, side, x1, y1, x2, y2, board.names[at], degrees))
    return drawn


class Cell(NamedTuple):
    """An order that was played, and to how many stones it did what."""

    sign: str
    icon: str
    name: Sentence
    pushed: int
    off: int
    turned: int


def cell(state: RobbleState, seat: Seat) -> Cell | None:
    """What the table of orders shows of `seat` in the turn that led here, or None."""
    if who(state) != seat:
        return None
    if state.square == SWAPPED:
        return Cell("swap", "swap", Sentence("swaps colours"), 0, 0, 0)
    kinds = [touch.kind for touch in touches(state)]
    at = state.board.names[state.square]
    counts = (kinds.count(kind) for kind in (PUSHED, OFF, TURNED))
    return Cell(at, f"stone-{state.side(seat)}", Sentence("places on {at}", at=at), *counts)

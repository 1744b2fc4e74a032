"""Stones on a board of Robble: the effects of a placement, groups, and the score.

A position is one number (ruling B4): on n squares, bits 0 to n-1 are the black stones, the next n the white
ones, and one more is set while White is to move. The effect of a placement in one direction depends on two
squares only (ruling B1); the effects are looked up in tables.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from games.grid import Square

SIZES = (7, 5, 6, 8, 9)
"""The possible numbers of squares along a side of the board; the first is the default."""

BLACK, WHITE = 0, 1
LETTERS = "bw"
EMPTY, EDGE = 2, 3
"""The codes of an empty square and of a point off the board; a stone's code is its colour."""

DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
PUSHED, OFF, TURNED = "pushed", "off", "turned"

SWAP = "swap"
"""The order of swapping colours (ruling B2); all other orders are names of squares."""
NOWHERE, SWAPPED = -1, -2
"""The values of `Position.square` after a swap (SWAPPED), or if nothing was placed."""


def effect(a: int, b: int) -> tuple[int, int, str]:
    """The contents of an adjacent square `a` and `b` behind it after a placement, and its effect (B1)."""
    if a == EMPTY:
        return a, b, ""
    if b == EMPTY:
        return EMPTY, a, PUSHED
    if b == EDGE:
        return EMPTY, EDGE, OFF
    return 1 - a, b, TURNED


class Side(NamedTuple):
    """One direction from a square: the adjacent square, and the one behind it, None at the edge."""

    near: int
    behind: int | None


Table = tuple[int, dict[int, int]]
"""A mask of the two squares in one direction, and the bits to flip by the bits of a position in the mask."""


class Board:
    """The board of one size with its tables; there is one object for each size, in `BOARDS`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.squares = squares = size * size
        self.full = (1 << squares) - 1
        self.mover = 2 * squares
        """The number of the bit that is set while White is to move."""
        grid = [Square(i % size, i // size) for i in range(squares)]
        self.names = tuple(map(str, grid))
        self.numbers = {name: i for i, name in enumerate(self.names)}
        self.sides = tuple(self._sides(square) for square in grid)
        around = [tuple(self._table(side) for side in sides) for sides in self.sides]
        self.placing = tuple(
            tuple((self.bit(colour, i) | 1 << self.mover, around[i]) for i in range(squares))
            for colour in (BLACK, WHITE)
        )
        """By colour and square: the bits that a placement flips, and the tables (`Table`) around it."""
        self.stones = tuple(self.bit(BLACK, i) | self.bit(WHITE, i) for i in range(squares))
        """The bits of a black and a white stone together, by their square."""
        last_file = sum(1 << i for i in range(squares) if i % size == size - 1)
        self.shiftable = (self.full & ~last_file, self.full & ~(last_file >> (size - 1)))
        """Two sets of squares, as bits: those with an eastern neighbour, and those with a western one."""

    def __repr__(self) -> str:
        return f"Board({self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _board, (self.size,)  # there is one of each size

    def _sides(self, square: Square) -> tuple[Side, ...]:
        found = []
        for dx, dy in DIRECTIONS:
            near = Square(square.file + dx, square.rank + dy)
            behind = Square(near.file + dx, near.rank + dy)
            if near.on(self.size, self.size):
                on = behind.on(self.size, self.size)
                found.append(Side(self.number(near), self.number(behind) if on else None))
        return tuple(found)

    def _table(self, side: Side) -> Table:
        changes = {}
        holds = (BLACK, WHITE, EMPTY)
        for a in holds:
            for b in (EDGE,) if side.behind is None else holds:
                before = self.bit(a, side.near) | self.bit(b, side.behind)
                a_after, b_after, _ = effect(a, b)
                changes[before] = before ^ (self.bit(a_after, side.near) | self.bit(b_after, side.behind))
        mask = 0
        for held in changes:
            mask |= held
        return mask, changes

    def number(self, square: Square) -> int:
        return square.rank * self.size + square.file

    def bit(self, held: int, square: int | None) -> int:
        """The bit of a stone of colour `held` on a square; 0 for no stone or square."""
        return 1 << (held * self.squares + square) if held in (BLACK, WHITE) and square is not None else 0

    def stone_at(self, stones: int, square: int) -> int:
        """The colour of the stone on a square, or EMPTY."""
        for colour in (BLACK, WHITE):
            if stones & self.bit(colour, square):
                return colour
        return EMPTY

    def to_move(self, stones: int) -> int:
        return stones >> self.mover

    def stones_of(self, stones: int, colour: int) -> int:
        return stones >> (colour * self.squares) & self.full

    def empty(self, stones: int) -> int:
        return ~(stones | stones >> self.squares) & self.full

    def place(self, stones: int, square: int) -> int:
        """The position after the colour to move has placed a stone on the empty `square` (ruling B1)."""
        change, around = self.placing[stones >> self.mover][square]
        for mask, changes in around:
            change ^= changes[stones & mask]
        return stones ^ change

    def centre(self, square: int) -> tuple[float, float]:
        return Square(square % self.size, square // self.size).centre(self.size)


BOARDS = {size: Board(size) for size in SIZES}


def _board(size: int) -> Board:
    return BOARDS[size]


class Touched(NamedTuple):
    """A stone next to a placement, and the effect on it; `to` is None if it is pushed off."""

    kind: str
    colour: int
    at: int
    to: int | None


def touched(board: Board, stones: int, square: int) -> list[Touched]:
    """The effects of a placement on its neighbours, clockwise from north (ruling B1)."""
    found = []
    for near, behind in board.sides[square]:
        colour = board.stone_at(stones, near)
        *_, kind = effect(colour, EDGE if behind is None else board.stone_at(stones, behind))
        if kind:
            found.append(Touched(kind, colour, near, near if kind == TURNED else behind))
    return found


def groups(board: Board, own: int) -> list[int]:
    """The groups of the stones `own`, all of one colour, each as bits."""
    size, (eastward, westward) = board.size, board.shiftable
    found = []
    while own:
        group, grown = 0, own & -own
        while grown != group:
            group = grown
            grown |= ((grown & eastward) << 1 | (grown & westward) >> 1) & own
            grown |= (grown << size | grown >> size) & own
        own ^= group
        found.append(group)
    return found


def bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Group(NamedTuple):
    """A group of stones of one colour; `cancels` if it pairs off with one of the other colour now (B3)."""

    colour: int
    size: int
    squares: int
    cancels: bool


def counted(board: Board, stones: int) -> list[Group]:
    """All groups of both colours, biggest first."""
    found = [groups(board, board.stones_of(stones, colour)) for colour in (BLACK, WHITE)]
    black, white = (Counter(map(int.bit_count, own)) for own in found)
    all_groups = []
    for colour, own in enumerate(found):
        pairs = black & white
        for squares in own:
            size = squares.bit_count()
            all_groups.append(Group(colour, size, squares, pairs[size] > 0))
            pairs[size] -= 1
    return sorted(all_groups, key=lambda group: -group.size)


class Score(NamedTuple):
    """The size of each colour's biggest group after equal groups are paired off (ruling B3), or 0."""

    black: int
    white: int

    @property
    def winner(self) -> int | None:
        """The colour of the bigger group; None if all groups are paired off."""
        return None if self.black == self.white else int(self.white > self.black)

    @property
    def bigger(self) -> int:
        return max(self)

    @property
    def smaller(self) -> int:
        return min(self)


def score(board: Board, stones: int) -> Score:
    black, white = (
        Counter(map(int.bit_count, groups(board, board.stones_of(stones, colour))))
        for colour in (BLACK, WHITE)
    )
    return Score(max(black - white, default=0), max(white - black, default=0))


def biggest_left(own: Sequence[int], other: Sequence[int]) -> int:
    """The size of the biggest own group, of sizes biggest first, after equal ones cancel (B3), or 0."""
    rest = list(other)
    for size in own:
        if size not in rest:
            return size
        rest.remove(size)
    return 0

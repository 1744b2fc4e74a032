"""The board of Robosoccer: squares, red lines, arrows, and tables of all actions that they allow.

A square is its rank times the number of columns, plus its file; `cells` are the squares' contents as bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from games.core import IllegalOption
from games.grid import FILES, Square

LEAST_COLUMNS = 6
LEAST_ROWS = 4
"""The minimum number of rows of a board: two home rows, and two rows for the balls."""
LONGEST_NAME = 60
USUAL = 64
"""The maximum number of squares of a board that is not counted as large."""
MOST = len(FILES)
"""The maximum number of columns, and of rows, of a board."""

EMPTY = 0
SMALL, MEDIUM, BIG, BALL = 1, 2, 3, 4
BLACK = 4
"""The code of a black piece minus the code of the same piece in white."""
LETTERS = ".SMLOsmlo"
"""The letter of each piece, by its code; the first one is for an empty square."""
ROBOTS = range(SMALL, BALL)

MOVE, PUSH, JUMP, SWITCH = "-", ">", "^", "="
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""North, east, south and west, each as a step of file and rank."""
RAYS = ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""The directions along which a ball may switch: along rows and diagonals, never along files (ruling S4)."""

SIGNS = "+-"
"""The signs for the direction of a small arrow: as in the board's file, or turned around."""

Edge = tuple[int, int]


class Spec(NamedTuple):
    """A board as its file describes it, squares as numbers; `fixed_arrows` are never turned (ruling S2)."""

    name: str
    columns: int
    rows: int
    lines: tuple[Edge, ...]
    arrows: tuple[Edge, ...]
    fixed_arrows: tuple[Edge, ...] = ()

    def turned(self, signs: str) -> Spec:
        """Returns the board with its small arrows turned by `signs`: + as it is, - around."""
        arrows = tuple(
            (from_, to) if sign == "+" else (to, from_)
            for (from_, to), sign in zip(self.arrows, signs, strict=True)
        )
        return self._replace(arrows=arrows)

    def drawn(self, rng: Random) -> str:
        """Draws a sign for each small arrow at random; neither side is favoured."""
        signs: dict[Edge, str] = {}
        for from_, to in self.arrows:
            there, back = self._half_turned(from_), self._half_turned(to)
            partner, opposite = signs.get((there, back)), signs.get((back, there))
            signs[from_, to] = partner or (opposite and SIGNS[opposite == "+"]) or rng.choice(SIGNS)
        return "".join(signs.values())

    def _half_turned(self, square: int) -> int:
        return self.columns * self.rows - 1 - square


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a robot from `start` to `end`, such as `c2-c3`, that lines and arrows allow.

    `middle` is the square to which a pushed robot goes, the one jumped over, or -1.
    """

    text: str
    sign: str
    start: int
    end: int
    middle: int = -1


class Board:
    """A board with the tables needed to play on it; squares are numbers.

    `moves`, `pushes` and `jumps` have a robot's action, or None, at the index 4 × square + direction.
    `rays` has, for each square of a ball, the lines of squares along which it may switch, with the switch
    from each. `actions` has all actions by their text. `exits` has the squares to which a robot may move;
    none at index -1.
    """

    __slots__ = (
        "actions", "arrows", "columns", "exits", "goals", "homes", "jumps", "lines", "moves", "names",
        "pushes", "rays", "rows", "second_rows", "spec",
    )  # fmt: skip

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.columns, self.rows = columns, rows = spec.columns, spec.rows
        self.lines, self.arrows = frozenset(spec.lines), frozenset(spec.arrows + spec.fixed_arrows)
        last = columns * (rows - 1)
        first_row, last_row = slice(0, columns), slice(last, last + columns)
        self.homes = (first_row, last_row)  # S1
        self.goals = (last_row, first_row)
        self.second_rows = (slice(columns, 2 * columns), slice(last - columns, last))
        self.names, self.rays, switches = _switches(columns, rows)
        around = [(square, d) for square in range(columns * rows) for d in range(4)]
        self.moves = tuple(self._action(MOVE, square, d) for square, d in around)
        exits = [[move.end for move in self.moves[i : i + 4] if move] for i in range(0, len(around), 4)]
        self.exits = (*map(bytes, exits), b"")
        self.pushes = tuple(self._action(PUSH, square, d) for square, d in around)
        self.jumps = tuple(self._action(JUMP, square, d) for square, d in around)
        own_actions = (a for table in (self.moves, self.pushes, self.jumps) for a in table if a)
        self.actions = switches | {action.text: action for action in own_actions}

    def __reduce__(self) -> tuple[Any, ...]:
        return board_of, (self.spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def _action(self, sign: str, square: int, direction: int) -> Action | None:
        near = self.open(square, direction)
        far = -1 if near < 0 or sign == MOVE else self.open(near, direction)
        if near < 0 or (far < 0 and sign != MOVE):  # S5, S6: both edges are open
            return None
        end, middle = (far, near) if sign == JUMP else (near, far)
        text = f"{self.names[square]}{sign}{self.names[end]}"
        return Action(text=text, sign=sign, start=square, end=end, middle=middle)

    def open(self, square: int, direction: int) -> int:
        """Returns the next square in a direction, or -1 if a robot cannot go there (ruling S2)."""
        to = self.next(square, direction)
        return -1 if to < 0 or self.has_line(square, to) or self.has_arrow(to, square) else to

    def next(self, square: int, direction: int) -> int:
        """Returns the next square in a direction, around the cylinder, or -1."""
        return _next(square, direction, self.columns, self.rows)

    def has_line(self, square: int, to: int) -> bool:
        return (square, to) in self.lines or (to, square) in self.lines

    def has_arrow(self, square: int, to: int) -> bool:
        return (square, to) in self.arrows

    def square(self, name: str) -> int:
        """Returns the number of the square with this name; raises ValueError if there is none."""
        return _number(name, self.columns, self.rows)


def _next(square: int, direction: int, columns: int, rows: int) -> int:
    rank, file = divmod(square, columns)
    dx, dy = DIRECTIONS[direction]
    return (rank + dy) * columns + (file + dx) % columns if 0 <= rank + dy < rows else -1


def _number(name: str, columns: int, rows: int) -> int:
    square = Square.named(name)
    if not square.on(columns, rows):
        raise ValueError(f"“{name}” is no square of this board.")
    return square.rank * columns + square.file


Ray = tuple[tuple[int, Action], ...]


@lru_cache(maxsize=16)
def _switches(
    columns: int, rows: int
) -> tuple[tuple[str, ...], tuple[tuple[Ray, ...], ...], dict[str, Action]]:
    """Returns names of squares, lines of sight of a ball, and all switches, for a size (ruling S4)."""
    squares = [Square(file, rank) for rank in range(rows) for file in range(columns)]
    names = tuple(map(str, squares))
    rays = []
    for ball, (file, rank) in enumerate(squares):
        rays_of_ball = []
        for dx, dy in RAYS:
            seen = (Square(file + n * dx, rank + n * dy) for n in range(1, max(columns, rows)))
            robots = [s.rank * columns + s.file for s in seen if s.on(columns, rows)]
            rays_of_ball.append(
                tuple((r, Action(f"{names[r]}={names[ball]}", SWITCH, r, ball)) for r in robots)
            )
        rays.append(tuple(ray for ray in rays_of_ball if ray))
    actions = (action for rays_of_ball in rays for ray in rays_of_ball for _, action in ray)
    return names, tuple(rays), {action.text: action for action in actions}


def board_of(spec: Spec) -> Board:
    return (_usual if spec.columns * spec.rows <= USUAL else _large)(spec)


@lru_cache(maxsize=256)
def _usual(spec: Spec) -> Board:
    return Board(spec)


@lru_cache(maxsize=8)
def _large(spec: Spec) -> Board:
    return Board(spec)


def read_spec(data: Any) -> Spec:
    """Parses a board's JSON data; raises IllegalOption for the first error."""
    if not isinstance(data, dict):
        raise _wrong("it is not an object")
    for key in data:
        if key not in ("name", *NEEDED, "fixed_arrows"):
            raise _wrong(f"“{key}” is nothing that a board has")
    for key in NEEDED:
        if key not in data:
            raise _wrong(f"it has no “{key}”")
    name, columns, rows = data.get("name", ""), data["columns"], data["rows"]
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not name.isprintable():
        raise _wrong(f"its name is no text of {LONGEST_NAME} characters at most")
    if type(columns) is not int or not LEAST_COLUMNS <= columns <= MOST:
        raise _wrong(f"it must have {LEAST_COLUMNS} to {MOST} columns, not {columns!r}")
    if type(rows) is not int or not LEAST_ROWS <= rows <= MOST:
        raise _wrong(f"it must have {LEAST_ROWS} to {MOST} rows, not {rows!r}")
    lines = _edges("line", data["lines"], columns, rows)
    arrows = _edges("arrow", data["arrows"], columns, rows)
    fixed = _edges("fixed arrow", data.get("fixed_arrows", []), columns, rows)
    seen = set()
    for from_, to in arrows + fixed:
        if frozenset((from_, to)) in seen:
            names = _switches(columns, rows)[0]
            raise _wrong(f"there are two arrows between {names[from_]} and {names[to]}")
        seen.add(frozenset((from_, to)))
    return Spec(name=name, columns=columns, rows=rows, lines=lines, arrows=arrows, fixed_arrows=fixed)


NEEDED = ("columns", "rows", "lines", "arrows")


def _edges(what: str, given: Any, columns: int, rows: int) -> tuple[Edge, ...]:
    """Parses a list of edges, each a `what` in errors; the first and last file are adjacent (ruling S2)."""
    if not isinstance(given, list):
        raise _wrong(f"its {what}s are no list")
    edges = []
    for pair in given:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(s, str) for s in pair):
            raise _wrong(f"a {what} is a list of two squares, not {pair!r}")
        try:
            here, there = (_number(name, columns, rows) for name in pair)
        except ValueError as fault:
            raise _wrong(f"in the {what} {' '.join(pair)!r}, {str(fault).rstrip('.')}") from None
        if there not in [_next(here, direction, columns, rows) for direction in range(4)]:
            raise _wrong(f"the {what} {' '.join(pair)!r} is not between two adjacent squares")
        edges.append((here, there))
    return tuple(edges)


def _wrong(what: str) -> IllegalOption:
    return IllegalOption("This is not a board for Robosoccer: {what}.", at="board", what=what)


BUILT_IN = read_spec(json.loads(files("games.robosoccer").joinpath("board.json").read_text(encoding="utf-8")))
"""The board of the game: a reconstruction, since the pictures of the printed board are lost."""


def owner(code: int) -> int:
    """Returns the side of a piece: 0 for White, 1 for Black."""
    return code > BLACK


def kind(code: int) -> int:
    """Returns the kind of a piece of either side: SMALL, MEDIUM, BIG or BALL."""
    return code - BLACK if code > BLACK else code

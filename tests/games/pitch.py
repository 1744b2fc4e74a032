"""A small table for Robosoccer's tests: a position as text, one turn, and what stands there afterwards."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games import newest
from games.core import IllegalOrder, Seat, check_turn, play_turn
from games.robosoccer import RobosoccerState
from games.robosoccer.presentation.plan_records import RobosoccerPlan

GAME = newest("robosoccer")
A, B = Seat("A"), Seat("B")
BARE = {"columns": 6, "rows": 8, "lines": [], "arrows": []}
"""A board without lines and arrows."""


def stand(picture: str, side: str = "w", **setup: Any) -> RobosoccerState:
    """The state of a board drawn with dots, the top row first; BARE where nothing is said of it."""
    rows = picture.split()
    columns = len(rows[0])
    board = {**BARE, "columns": columns, "rows": len(rows), **setup}
    lines = []
    for row in rows:
        for n in range(columns, 0, -1):
            row = row.replace("." * n, str(n))
        lines.append(row)
    text = f"{'/'.join(lines)} {side}"
    return RobosoccerState.read(text, GAME.read_options({}), 2, {"board": board})


def position(text: str, **setup: Any) -> RobosoccerState:
    return RobosoccerState.read(text, GAME.read_options({}), 2, setup)


def play(state: RobosoccerState, *orders: str) -> RobosoccerState:
    for order in orders:
        (seat,) = state.to_act()
        check_turn(state, {seat: order})
        for after in play_turn(state, {seat: order}):
            assert isinstance(after, RobosoccerState)
            state = after
    return state


def refused(state: RobosoccerState, order: str) -> str:
    """The sentence with which an order of whoever is to move is refused."""
    (seat,) = state.to_act()
    with pytest.raises(IllegalOrder) as fault:
        state.check(seat, order)
    return str(fault.value)


def plan(state: RobosoccerState, partial: str = "") -> RobosoccerPlan:
    (seat,) = state.to_act()
    made = state.plan(seat, partial)
    assert isinstance(made, RobosoccerPlan)
    return made


def picture(state: RobosoccerState) -> str:
    """A board as `stand` takes it, a row a line."""
    rows = state.position().split(" ")[0]
    for n in range(16, 0, -1):
        rows = rows.replace(str(n), "." * n)
    return rows.replace("/", "\n")


def drawn(text: str) -> str:
    """A picture in a test, without its indentation."""
    return "\n".join(text.split())


def crowd(rng: Random, columns: int, rows: int) -> str:
    """A random position with all pieces, often crowded so that they meet, and sometimes a row at home."""
    squares = [(file, row) for row in range(rows) for file in range(columns)]
    low = rng.choice((0, 0, rng.randrange(rows - 2)))
    near = [s for s in squares if low <= s[1] < low + rng.choice((3, 4, rows))]
    if len(near) < 14:
        near = squares
    pieces = dict(zip(rng.sample(near, 14), "LLMMSSOllmmsso", strict=True))
    if any((letter, row) in (("O", rows - 1), ("o", 0)) for (_, row), letter in pieces.items()):
        return crowd(rng, columns, rows)
    text = []
    for row in reversed(range(rows)):
        line = "".join(pieces.get((file, row), ".") for file in range(columns))
        for n in range(columns, 0, -1):
            line = line.replace("." * n, str(n))
        text.append(line)
    return f"{'/'.join(text)} {rng.choice('wb')}"


def other_board(rng: Random) -> dict[str, Any]:
    columns, rows = rng.randint(6, 9), rng.randint(4, 9)
    edges = []
    for file in range(columns):
        for row in range(rows):
            here = f"{'abcdefghi'[file]}{row + 1}"
            edges.append([here, f"{'abcdefghi'[(file + 1) % columns]}{row + 1}"])
            if row + 1 < rows:
                edges.append([here, f"{'abcdefghi'[file]}{row + 2}"])
    rng.shuffle(edges)
    n = len(edges) // 5
    some = [edge[::-1] if rng.random() < 0.5 else edge for edge in edges]
    return {
        "name": "by chance",
        "columns": columns,
        "rows": rows,
        "lines": some[:n],
        "arrows": some[n : 2 * n],
        "fixed_arrows": some[2 * n : 2 * n + rng.choice((0, 0, n // 2))],
    }

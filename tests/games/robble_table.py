"""Words for tests of Robble: boards drawn as text, turns, and how they end."""

from __future__ import annotations

import re
from collections.abc import Iterable

from games import newest
from games.core import Seat, check_turn, play_turn
from games.robble import RobbleState
from tests.games.cases import scores as outcome_scores

ROBBLE = newest("robble")
A, B = Seat("A"), Seat("B")
SIZES = (5, 6, 7, 8, 9)

REPEATING = ("b1 d1 e1 d2 a3 d3 d4 e3 e4 d3 b4 d5 c5 b5 " + "b4 c2 b2 b3 c3 d3 " * 4 + "b4 c2 b2 b3").split()
"""On five squares a side: the six placements come around until the position is there a third time (B4)."""


def drawn(drawing: str, mover: str = "b") -> str:
    """A position in the record's notation from rows of b, w and dots, the top row first."""
    rows = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in drawing.split()]
    return f"{'/'.join(rows)} {mover}"


def lay(drawing: str, mover: str = "b") -> RobbleState:
    return RobbleState.read(drawn(drawing, mover), ROBBLE.read_options({"size": len(drawing.split())}), 2)


def begin(size: int = 7, pie: bool = True) -> RobbleState:
    return RobbleState.start(ROBBLE.read_options({"size": size, "pie": pie}), 2, {})


def turn(state: RobbleState, order: str) -> RobbleState:
    (seat,) = state.to_act()
    orders = {seat: order}
    check_turn(state, orders)
    (after,) = play_turn(state, orders)
    assert isinstance(after, RobbleState)
    return after


def played(state: RobbleState, orders: Iterable[str]) -> RobbleState:
    for order in orders:
        state = turn(state, order)
    return state


def scores(state: RobbleState) -> str:
    """The result as short text: the winners, and the reason. `A largest group`; "" while it goes on."""
    outcome = state.outcome()
    if outcome is None:
        return ""
    return outcome_scores(outcome)

"""Robosoccer from crowded positions on, against the second referee (`positions.js`)."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from games import newest
from games.core import IllegalOrder
from games.robosoccer.state import RobosoccerState
from games.robosoccer.turns import stuck, turns
from tests.games.pitch import crowd, other_board
from tests.games.referee import Case, agree_on
from tests.games.sizes import size

GAME = newest("robosoccer")


def setups(rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options and a setup."""
    options: dict[str, Any] = {}
    setup: dict[str, Any] = {"board": other_board(rng)} if rng.random() < 0.4 else {}
    if rng.random() < 0.5:
        options["arrows"] = "custom"
        setup = GAME.draw(GAME.read_options(options), 2, rng, setup)
    if rng.random() < 0.4:
        options["actions"] = "two"
    return options, setup


def crowded(rng: Random, options: dict[str, Any], setup: dict[str, Any]) -> Case:
    """A crowded position with all its legal turns."""
    board = setup.get("board", {"columns": 6, "rows": 8})
    text = crowd(rng, board["columns"], board["rows"])
    state = RobosoccerState.read(text, GAME.read_options(options), 2, setup)
    case = Case("robosoccer", state, options, setup)
    case.expect(legal_turns(state), "legalTurns")
    case.expect(not stuck(state.board, state.cells, state.mover, state.least), "hasTurn")
    return case


def legal_turns(state: RobosoccerState) -> list[str]:
    return sorted({turn.text for turn in turns(state.board, state.cells, state.mover, state.least)})


def positions(rng: Random, count: int) -> list[Case]:
    """Crowded positions on a few boards, one of their turns played in some."""
    cases = []
    for n in range(count):
        if n % 10 == 0:
            options, setup = setups(rng)
        cases.append(crowded(rng, options, setup))
        state, legal = cases[-1].state, cases[-1].found["answers"][0]
        for order in rng.sample(legal, min(3, len(legal))) if not state.ended else ():
            cases.append(Case("robosoccer", state, options, setup))
            (seat,) = state.to_act()
            assert state.check(seat, order) == order
            cases[-1].play({seat: order})
    return cases


@pytest.mark.fuzz
def test_the_legal_turns_of_many_crowded_positions_agree_and_what_they_lead_to() -> None:
    cases = positions(Random("crowded"), size(40, 400))
    agree_on(cases)
    found = [order for case in cases for order in (case.found["answers"] or [[]])[0]]
    ways = Counter(sign for order in found for sign in order if sign in "-^>=")
    assert min(ways[sign] for sign in "-^>=") > size(60, 600)


def test_of_all_single_actions_that_can_be_written_the_same_are_legal() -> None:
    rng = Random("refused")
    names = [f"{file}{row}" for file in "abcdef" for row in range(1, 9)]
    orders = [f"{here}{sign}{there}" for here in names for there in names for sign in "-^>="]
    cases = []
    for _ in range(5):
        state = RobosoccerState.read(crowd(rng, 6, 8), GAME.read_options({}), 2)
        if state.ended:
            continue
        (seat,) = state.to_act()
        legal = [order for order in orders if is_legal(state, seat, order)]
        cases.append(Case("robosoccer", state, {}))
        cases[-1].expect(legal, "legalOf", seat, orders)
        assert set(legal) == set(orders) & set(legal_turns(state))
    assert len(cases) > 2
    agree_on(cases)


def is_legal(state: RobosoccerState, seat: Any, order: str) -> bool:
    try:
        return state.check(seat, order) == order
    except IllegalOrder:
        return False


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_positions_agree() -> None:
    rng = Random(2026)
    for _ in range(250):
        agree_on(positions(rng, 10))

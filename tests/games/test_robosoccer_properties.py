"""Properties of every turn of Robosoccer, whoever plays it and however it is turned."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import newest
from games.robosoccer import RobosoccerState
from games.robosoccer.turns import actions, stuck, turns, why_not
from tests.games.cases import size
from tests.games.pitch import BARE, crowd, other_board, position
from tests.games.referee import Case, agree_on, is_legal

GAME = newest("robosoccer")
seeds = st.integers(0, 2**32)


def legal(state: RobosoccerState) -> set[str]:
    return {turn.text for turn in turns(state.board, state.cells, state.mover, state.least)}


@given(seeds)
def test_an_action_can_be_done_exactly_when_there_is_no_reason_against_it(seed: int) -> None:
    rng = Random(seed)
    setup = {"board": other_board(rng)}
    columns, rows = setup["board"]["columns"], setup["board"]["rows"]
    state = RobosoccerState.read(crowd(rng, columns, rows), GAME.read_options({}), 2, setup)
    board, cells, side = state.board, state.cells, state.mover
    may = {action.text for action in actions(board, cells, side)}
    assert len(may) == len(list(actions(board, cells, side)))
    for text, action in board.actions.items():
        fault = why_not(board, cells, side, sign=action.sign, start=action.start, end=action.end)
        assert (fault is None) == (text in may)


def test_s11_a_sample_finds_the_only_turns_there_are() -> None:
    """Six at home and one gate: somebody must go to it and through it."""
    lines = [[f"{file}1", f"{file}2"] for file in "bcdefg"]
    board = {"columns": 7, "rows": 8, "lines": lines, "arrows": []}
    state = position("7/3o3/7/3O3/7/7/7/1SSMMLL w", board=board)
    (seat,) = state.to_act()
    assert legal(state) == {"b1-a1 a1-a2", "g1-a1 a1-a2"}
    assert {state.sample(seat, Random(seed)) for seed in range(50)} == legal(state)


def test_samples_reach_every_legal_turn_and_favour_none_beyond_measure() -> None:
    state = position("lmssml/3o2/6/6/6/6/2O3/LMSSML b")
    (seat,) = state.to_act()
    rng = Random(1)
    seen = Counter(state.sample(seat, rng) for _ in range(6_000))
    assert seen.keys() == legal(state)
    assert max(seen.values()) < 6_000 / len(seen) * 6


def test_random_matches_end_sensibly() -> None:
    reasons: Counter[str] = Counter()
    for seed in range(12):
        rng = Random(seed)
        state = RobosoccerState.start(GAME.read_options({}), 2, {})
        while state.to_act() and state.turn < 1200:
            (seat,) = state.to_act()
            *_, state = state.play({seat: state.sample(seat, rng)})
        reasons[state.ended.reason if state.ended else "goes through"] += 1
    assert reasons["goal"] > 6


# Robosoccer from crowded positions on, against the second referee (`positions.js`).


def setups(rng: Random) -> tuple[dict[str, Any], dict[str, Any]]:
    options: dict[str, Any] = {}
    setup: dict[str, Any] = {"board": other_board(rng)} if rng.random() < 0.4 else {}
    if rng.random() < 0.5:
        options["arrows"] = "custom"
        setup = GAME.draw(GAME.read_options(options), 2, rng, setup)
    if rng.random() < 0.4:
        options["actions"] = "two"
    return options, setup


def crowded(rng: Random, options: dict[str, Any], setup: dict[str, Any]) -> Case:
    board = setup.get("board", {"columns": 6, "rows": 8})
    return asked(crowd(rng, board["columns"], board["rows"]), options, setup)


def asked(text: str, options: dict[str, Any], setup: dict[str, Any]) -> Case:
    state = RobosoccerState.read(text, GAME.read_options(options), 2, setup)
    case = Case("robosoccer", state, options, setup)
    case.expect(legal_turns(state), "legalTurns")
    case.expect(not stuck(state.board, state.cells, state.mover, state.least), "hasTurn")
    return case


def shut_in(actions: str) -> Case:
    """A robot that can go to one square only, and from there only back (S7, S11)."""
    lines = [["a1", "a2"], ["a1", "f1"], ["b1", "b2"], ["b1", "c1"]]
    return asked("6/2o3/6/6/5O/6/6/S5 w", {"actions": actions}, {"board": {**BARE, "lines": lines}})


def legal_turns(state: RobosoccerState) -> list[str]:
    return sorted({turn.text for turn in turns(state.board, state.cells, state.mover, state.least)})


def positions(rng: Random, count: int) -> list[Case]:
    cases = [shut_in(actions) for actions in ("up_to_two", "two")]
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
    cases = positions(Random("crowded"), size(40, 1_000))
    agree_on(cases)
    assert [case.found["answers"] for case in cases[:2]] == [[["a1-b1"], True], [[], False]]
    found = [order for case in cases for order in (case.found["answers"] or [[]])[0]]
    ways = Counter(sign for order in found for sign in order if sign in "-^>=")
    assert min(ways[sign] for sign in "-^>=") > size(60, 1_500)


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

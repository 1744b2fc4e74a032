"""Properties of every turn of Robosoccer, whoever plays it and however it is turned."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from games import newest
from games.robosoccer.board import LETTERS
from games.robosoccer.state import RobosoccerState
from games.robosoccer.turns import (
    actions,
    cells_after,
    may_end,
    may_end_with,
    same,
    scored,
    stuck,
    too_many_at_home,
    turns,
    why_not,
)
from tests.games.pitch import crowd, other_board, position

GAME = newest("robosoccer")
positions = st.integers(0, 2**32).map(lambda seed: crowd(Random(seed), 6, 8))
seeds = st.integers(0, 2**32)
variants = st.tuples(st.sampled_from(["up_to_two", "two"]), st.none() | seeds)
"""A turn, and the dice for custom arrows, or None for those of the board."""


def stand(text: str, variant: tuple[str, int | None]) -> RobosoccerState:
    actions_, seed = variant
    options = GAME.read_options({"actions": actions_, "arrows": "default" if seed is None else "custom"})
    return RobosoccerState.read(text, options, 2, GAME.draw(options, 2, Random(seed), {}))


def half_turned(text: str) -> str:
    """The position turned around, White and Black exchanged."""
    rows, side = text.split(" ")
    return f"{rows[::-1].swapcase()} {'bw'['wb'.index(side)]}"


def turned_square(name: str) -> str:
    return f"{'fedcba'['abcdef'.index(name[0])]}{9 - int(name[1])}"


def turned_order(order: str) -> str:
    return " ".join(turned_square(a[:2]) + a[2] + turned_square(a[3:]) for a in order.split(" "))


def legal(state: RobosoccerState) -> set[str]:
    return {turn.text for turn in turns(state.board, state.cells, state.mover, state.least)}


@given(positions, variants)
def test_both_sides_have_the_same_game(text: str, variant: tuple[str, int | None]) -> None:
    """The built-in board is the same under half a turn, with arrows by lot too (S2)."""
    plain, turned = stand(text, variant), stand(half_turned(text), variant)
    assert {turned_order(order) for order in legal(plain)} == legal(turned)


@given(positions, seeds)
def test_pieces_are_never_lost_and_a_turn_moves_the_ball_only_by_a_switch(text: str, seed: int) -> None:
    state = position(text)
    if state.ended:
        return
    (seat,) = state.to_act()
    order = state.sample(seat, Random(seed))
    end = list(state.play({seat: order}))[-1]
    assert Counter(state.cells) == Counter(end.cells)
    before, now = ({LETTERS[code]: s.cells.find(code) for code in (4, 8)} for s in (state, end))
    moved = {letter for letter in before if before[letter] != now[letter]}
    assert moved <= ({"Oo"[state.mover]} if "=" in order else set())


@given(positions, seeds, variants)
def test_a_sample_is_legal_and_comes_back_the_same_from_check(
    text: str, seed: int, variant: tuple[str, int | None]
) -> None:
    state = stand(text, variant)
    if state.ended:
        return
    (seat,) = state.to_act()
    order = state.sample(seat, Random(seed))
    assert order in legal(state)
    assert state.check(seat, order) == order


@given(positions, variants)
def test_no_turn_ends_as_s9_and_s10_forbid(text: str, variant: tuple[str, int | None]) -> None:
    state = stand(text, variant)
    board, cells, side = state.board, state.cells, state.mover
    for turn in turns(board, cells, side, state.least):
        assert len(turn.actions) >= state.least or scored(board, turn.cells, side)
        if not scored(board, turn.cells, side):
            assert not same(cells, turn.cells, side)
            assert not too_many_at_home(board, turn.cells, side)


@given(positions, variants)
def test_a_turn_is_judged_by_its_actions_as_by_the_board_after_them(
    text: str, variant: tuple[str, int | None]
) -> None:
    state = stand(text, variant)
    board, cells, side = state.board, state.cells, state.mover
    if state.ended:
        return
    for first in actions(board, cells, side):
        between = cells_after(cells, first)
        if not scored(board, between, side):
            for second in actions(board, between, side):
                judged = may_end_with(board, cells, between, first, second, side)
                assert judged == may_end(board, cells, cells_after(between, second), side), (first, second)
    for least in (1, 2):
        assert stuck(board, cells, side, least) == (not list(turns(board, cells, side, least)))


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


@given(positions)
def test_one_action_never_leaves_all_as_it_was(text: str) -> None:
    state = position(text)
    for action in actions(state.board, state.cells, state.mover):
        assert not same(state.cells, cells_after(state.cells, action), state.mover)


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

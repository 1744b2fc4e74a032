"""Robosoccer's options: turns of exactly two actions (S7), arrows by lot, boards with fixed arrows (S2)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import IllegalOption, IllegalOrder, Seat
from games.robosoccer.board import BUILT_IN, Spec, board_of, read_spec
from games.robosoccer.presentation.plan_records import RobosoccerPlan
from games.robosoccer.state import RobosoccerState
from games.robosoccer.turns import turns
from tests.games.pitch import BARE, GAME, A, B, crowd, play, reason
from tests.games.referee import Case, agree_on
from tests.games.sizes import size

TWO = GAME.read_options({"actions": "two"})
OPENING = "lmssml/3o2/6/6/6/6/2O3/LMSSML b"
WALLED = [["a1", "a2"], ["a1", "b1"], ["a1", "f1"]]


def two(text: str = OPENING, **board: Any) -> RobosoccerState:
    """A position of a match in which a turn is two actions, on a bare board where another is given."""
    setup = {"board": {**BARE, **board}} if board else {}
    return RobosoccerState.read(text, TWO, 2, setup)


def refused(state: RobosoccerState, order: str) -> str:
    (seat,) = state.to_act()
    with pytest.raises(IllegalOrder) as fault:
        state.check(seat, order)
    return str(fault.value)


def plan(state: RobosoccerState, order: str) -> RobosoccerPlan:
    (seat,) = state.to_act()
    made = state.plan(seat, order)
    assert isinstance(made, RobosoccerPlan)
    return made


# S7: exactly two actions


def test_s7_with_two_a_single_action_is_refused_and_told_why() -> None:
    assert (
        refused(two(), "a8-a7") == "One more action: in this match a turn is two, unless the first one wins."
    )
    assert refused(two(), "") == "A turn is two actions; “” has 0."
    assert refused(two(), "a8-a7 b8-b7 c8-c7").startswith("A turn is two actions")
    assert two().check(B, "a8-a7 b8-b7") == "a8-a7 b8-b7"


def test_s7_with_two_the_first_action_may_win_alone() -> None:
    state = two("2S3/1O4/6/6/3o2/6/6/6 w")
    assert state.check(A, "c8=b7") == "c8=b7"
    assert reason(play(state, "c8=b7").outcome()) == "A goal"
    assert "the goal is scored" in refused(state, "c8=b7 b7-b6")


def test_s7_with_two_every_legal_turn_has_two_actions_or_scores() -> None:
    state = two()
    assert {len(turn.actions) for turn in turns(state.board, state.cells, state.mover, state.least)} == {2}
    legal = state.legal(B, 10_000)
    assert legal and all(" " in order for order in legal)
    assert {" " in state.sample(B, Random(seed)) for seed in range(60)} == {True}
    assert all(" " in order for order in state.ideas(B, Random(1), 50))
    assert play(state, "a8-a7 b8-b7").least == 2, "the next turn is one of two actions too"


def test_s9_with_two_the_end_of_the_turn_counts() -> None:
    assert "as they stood" in refused(two(), "b8-b7 b7-b8")
    ends = {turn.cells for turn in turns(two().board, two().cells, 1, 2)}
    assert two().cells not in ends


def test_s10_with_two_six_at_home_are_allowed_in_between() -> None:
    state = two("6/2o3/6/6/3L2/6/5S/OSMML1 w", lines=[])
    assert state.check(A, "f2-f1 b1-b2") == "f2-f1 b1-b2"
    assert "there would be 6" in refused(state, "d4-d5 f2-f1")


def test_s11_with_two_whoever_can_do_but_one_action_loses() -> None:
    # the robot on a1 may only go to a2; from there only back, which leaves all as it was (S9)
    lines = [["a1", "b1"], ["a1", "f1"], ["a2", "b2"], ["a2", "f2"], ["a2", "a3"]]
    text = "6/2o3/s5/6/4O1/6/6/S5 b"
    one = RobosoccerState.read(text, GAME.read_options({}), 2, {"board": {**BARE, "lines": lines}})
    assert play(one, "a6-a5").outcome() is None
    assert reason(play(two(text, lines=lines), "a6-a5 a5-b5").outcome()) == "B no legal turn"


def test_s11_with_two_walled_in_on_all_sides() -> None:
    state = two("6/2o3/6/6/2O3/6/s5/S5 b", lines=WALLED)
    assert reason(play(state, "a2-a3 a3-a4").outcome()) == "B no legal turn"


def test_s7_with_two_the_planner_asks_for_the_second_action() -> None:
    made = plan(two(), "a8-a7")
    assert (made.may_end, str(made.missing)) == (False, "One more action: in this match a turn is two.")
    assert not any("play this" in str(sentence) for sentence in made.words)
    done = plan(two(), "a8-a7 b8-b7")
    assert (done.may_end, done.missing) == (True, None)
    goal = plan(two("2S3/1O4/6/6/3o2/6/6/6 w"), "c8=b7")
    assert (goal.goal, goal.missing) == (True, None)


def test_s7_with_two_an_action_after_which_no_second_is_possible_is_barred() -> None:
    # on a2 the robot is caught, and the ball is on no row or diagonal with it
    lines = [["a2", "b2"], ["a2", "f2"], ["a2", "a3"]]
    state = two("6/2o3/6/6/5O/6/6/S5 w", lines=lines, arrows=[["a1", "a2"]])
    picked = {tap.key: tap for tap in plan(state, "a1").taps}
    assert "no second action is possible" in str(picked["a2"].why)
    assert picked["b1"].allowed
    assert "no second action is possible" in str(plan(state, "a1-a2").missing)


@pytest.mark.fuzz
def test_s7_with_two_the_planners_choices_lead_to_all_legal_turns_and_no_others() -> None:
    rng = Random("two")
    for _ in range(size(2, 12)):
        state = two(crowd(rng, 6, 8))
        if state.ended:
            continue
        (seat,) = state.to_act()
        found, seen, left = set(), {""}, [""]
        while left:
            made = state.plan(seat, left.pop())
            found |= {made.order} if made.missing is None else set()
            new = {choice.leads_to for choice in made.choices if choice.allowed} - seen
            seen |= new
            left += new
        case = Case("robosoccer", state, {"actions": "two"})
        case.expect(sorted(found), "legalTurns")
        agree_on([case])


def test_s7_what_a_turn_is_may_be_chosen_and_nothing_else() -> None:
    assert GAME.write_options(TWO) == {"actions": "two"}
    assert GAME.write_options(GAME.read_options({"actions": "up_to_two"})) == {}
    assert "always two" in str(GAME.say_option("actions", TWO))
    for wrong in (2, "one", "2", True):
        with pytest.raises(IllegalOption):
            GAME.read_options({"actions": wrong})


# S2: arrows by lot


def half_turned(spec: Spec) -> set[tuple[int, int]]:
    last = spec.columns * spec.rows - 1
    return {(last - from_, last - to) for from_, to in spec.arrows}


@given(st.integers(0, 2**32))
def test_s2_the_lot_favours_neither_side(seed: int) -> None:
    custom = GAME.read_options({"arrows": "custom"})
    signs = GAME.draw(custom, 2, Random(seed), {})["arrows"]
    turned = BUILT_IN.turned(signs)
    assert set(turned.arrows) == half_turned(turned)


def test_s2_all_directions_that_favour_neither_side_are_drawn() -> None:
    drawn = {BUILT_IN.drawn(Random(seed)) for seed in range(2_000)}
    assert len(drawn) == 2**7


def test_s2_a_pair_is_turned_together_however_the_file_has_it() -> None:
    spec = read_spec({**BARE, "arrows": [["a3", "a4"], ["b2", "c2"], ["f5", "f6"]]})
    drawn = {spec.drawn(Random(seed)) for seed in range(100)}
    assert drawn == {"+" + alone + "-" for alone in "+-"} | {"-" + alone + "+" for alone in "+-"}


def test_s2_an_arrow_in_the_middle_of_the_board_has_no_partner() -> None:
    spec = read_spec({**BARE, "columns": 7, "arrows": [["d4", "d5"]]})
    assert {spec.drawn(Random(seed)) for seed in range(20)} == {"+", "-"}


def test_s2_a_creator_may_turn_each_arrow() -> None:
    custom = GAME.read_options({"arrows": "custom"})
    assert GAME.draw(custom, 2, Random(1), {"arrows": "+" + "-" * 13}) == {"arrows": "+" + "-" * 13}


# S2: fixed arrows


PRINTED: dict[str, Any] = {**BARE, "arrows": [["c3", "c4"]], "fixed_arrows": [["a3", "a4"], ["f3", "a3"]]}


def printed(**setup: Any) -> RobosoccerState:
    custom = GAME.read_options({"arrows": "custom"} if "arrows" in setup else {})
    return RobosoccerState.read("6/2o3/6/6/6/S5/2O3/6 w", custom, 2, {"board": PRINTED, **setup})


def test_s2_fixed_arrows_bar_the_way_like_small_ones_and_are_never_turned() -> None:
    for state in (printed(), printed(arrows="-"), printed(arrows="+")):
        assert state.check(A, "a3-a4") == "a3-a4"
        assert "points the other way" in refused(state, "a3-f3")
        assert "points the other way" in refused(state, "a3-a4 a4-a3")
    turned = board_of(read_spec(PRINTED).turned("-"))
    assert {turned.names[from_] + turned.names[to] for from_, to in turned.arrows} == {"c4c3", "a3a4", "f3a3"}


def test_s2_only_small_arrows_have_a_sign() -> None:
    custom = GAME.read_options({"arrows": "custom"})
    assert len(GAME.draw(custom, 2, Random(1), {"board": PRINTED})["arrows"]) == 1
    with pytest.raises(IllegalOption, match="1 signs"):
        GAME.check_setup(custom, 2, {"board": PRINTED, "arrows": "++"})


def test_s2_fixed_arrows_are_drawn_and_told_apart() -> None:
    drawn = printed().drawing()
    assert [(arrow.from_, arrow.to) for arrow in drawn["arrows"] if arrow.fixed] == [
        ("a3", "a4"), ("f3", "a3"), ("f3", "a3"),
    ]  # fmt: skip
    assert str(drawn["ground_words"][-1]) == "Fixed arrows, which robots pass one way: a3→a4, f3→a3."


@pytest.mark.parametrize(("fixed", "says"), [
    ([["c4", "c3"]], "two arrows between c4 and c3"),
    ([["a3", "a4"], ["a4", "a3"]], "two arrows between a4 and a3"),
    ([["a3", "b4"]], "the fixed arrow 'a3 b4' is not between two adjacent squares"),
    ([["a3", "z9"]], "in the fixed arrow 'a3 z9'"),
    ([["a3"]], "a fixed arrow is a list of two squares"),
    ("a3a4", "its fixed arrows are no list"),
    ({}, "its fixed arrows are no list"),
    (None, "its fixed arrows are no list"),
])  # fmt: skip
def test_s2_a_wrong_fixed_arrow_is_refused_and_told_why(fixed: Any, says: str) -> None:
    with pytest.raises(IllegalOption) as fault:
        GAME.check_setup(GAME.read_options({}), 2, {"board": {**PRINTED, "fixed_arrows": fixed}})
    assert says in str(fault.value) and fault.value.name == "board"


def test_s2_a_board_without_fixed_arrows_is_the_board_it_was() -> None:
    assert read_spec({**BARE}) == read_spec({**BARE, "fixed_arrows": []})
    assert BUILT_IN.fixed_arrows == () and len(BUILT_IN.arrows) == 14
    assert Seat("A") in printed().to_act()

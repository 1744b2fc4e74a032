"""The rules of Robosoccer, ruling by ruling (S1 to S12), and every example of the published rules.

Boards are drawn as text, White's home row at the bottom, without lines and arrows where a test names none.
"""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

from games import newest, record
from games.core import IllegalOption
from games.robosoccer import RobosoccerState
from games.robosoccer.turns import actions, stuck, turns
from tests.games.cases import scores
from tests.games.pitch import BARE, A, B, drawn, picture, play, position, refused, stand

GAME = newest("robosoccer")


def start(**setup: Any) -> RobosoccerState:
    options = GAME.read_options({"arrows": "custom"} if "arrows" in setup else {})
    return RobosoccerState.start(options, 2, setup)


def may(state: RobosoccerState) -> list[str]:
    return sorted(action.text for action in actions(state.board, state.cells, state.mover))


# S1: the setup


def test_s1_the_setup_goes_white_black_white_black_and_black_starts() -> None:
    state = start()
    shown = [state.position()]
    for order in ("LMSSML", "SMLLMS", "c2", "d7"):
        state = play(state, order)
        shown.append(state.position())
    assert shown == [
        "6/6/6/6/6/6/6/6 w",
        "6/6/6/6/6/6/6/LMSSML b",
        "smllms/6/6/6/6/6/6/LMSSML w",
        "smllms/6/6/6/6/6/2O3/LMSSML b",
        "smllms/3o2/6/6/6/6/2O3/LMSSML b",
    ]
    assert (set(state.to_act()), state.turn) == ({B}, 4)
    assert play(state, "a8-a7").to_act() == {A}


def test_s1_a_line_up_is_two_robots_of_each_size_and_a_dot_on_a_wider_board() -> None:
    state = start()
    for order in ("LMSSM", "LMSSMM", "LLLMMS", "LMSSMLL", "LMSSM.", "LMSSMX", "", "c2", "OLMSML"):
        assert refused(state, order)
    assert state.check(A, " lm ssml") == "LMSSML"
    assert "3 M" in refused(state, "LMMSML")
    state = start(board={**BARE, "columns": 8})
    assert state.check(A, "L.MSSML.") == "L.MSSML."
    assert "8 squares" in refused(state, "LMSSML")
    assert refused(state, "LMSSML...")
    assert play(state, "L.MSSML.", ".SMLLMS.").position() == "1smllms1/8/8/8/8/8/8/L1MSSML1 w"


# S2: lines, arrows, the cylinder


def test_s2_columns_wrap_and_rows_do_not_with_lines_and_arrows_on_the_seam() -> None:
    state = stand("...... ...... ...... ...... ..o... ...... ...... S.O...")
    assert may(state) == ["a1-a2", "a1-b1", "a1-f1", "a1=c1"]
    assert "isn’t next to" in refused(state, "a1-a8")
    assert picture(play(state, "a1-f1")).endswith("..O..S")
    board = "...... ...... ...... ...... ..o... ...... ...... S.O..."
    assert "a1-f1" not in may(stand(board, lines=[["f1", "a1"]]))
    assert "a1-f1" not in may(stand(board, arrows=[["f1", "a1"]]))
    assert "a1-f1" in may(stand(board, arrows=[["a1", "f1"]]))


# S3: moving


def test_s3_a_robot_moves_one_square_up_down_or_sideways_onto_an_empty_one() -> None:
    state = stand("...... ...... ...... ..l... .OSo.. ..S... ...... ......")
    assert may(state) == ["c3-b3", "c3-c2", "c3-d3", "c3=b4", "c4=b4", "c4^c6"]
    for order in ("c4-c5", "c4-b4", "c4-d4", "c4-c3", "c4-d5", "c3-c5", "c3-c3"):
        assert refused(state, order)


# S4: the switch


def test_s4_example_the_big_robot_can_switch_and_the_small_one_is_blocked() -> None:
    state = stand("...... ...... ..L... ....o. O.mS.. ...... ...... ......")
    assert "c6=a4" in may(state)
    assert "c4 is between d4 and the ball" in refused(state, "d4=a4")
    after = play(state, "c6=a4")
    assert picture(after) == drawn("...... ...... ..O... ....o. L.mS.. ...... ...... ......")


# S5: pushing


def test_s5_example_the_small_one_is_pushed_up_and_the_medium_one_cannot_go_right() -> None:
    board = "o..... ...... ...... ...... ..s... ..Lm.. O..... ......"
    state = stand(board, lines=[["d3", "e3"]])
    assert "c3>c4" in may(state)
    assert "red line between d3 and e3" in refused(state, "c3>d3")
    after = picture(play(state, "c3>c4"))
    assert after == drawn("o..... ...... ...... ..s... ..L... ...m.. O..... ......")


@pytest.mark.parametrize("size", "SML")
@pytest.mark.parametrize("other", "sml")
def test_s5_s6_equal_or_smaller_is_pushed_and_bigger_is_jumped(size: str, other: str) -> None:
    state = stand(f"o..... ...... ...... ...... ..{other}... ..{size}... O..... ......")
    pushes = "SML".index(other.upper()) <= "SML".index(size)
    assert ("c3>c4" in may(state)) == pushes
    assert ("c3^c5" in may(state)) != pushes
    assert "c3-c4" not in may(state)
    assert refused(state, "c3^c5" if pushes else "c3>c4")


# S6: jumping


def test_s6_example_over_the_big_one_but_not_against_the_arrow_nor_onto_a_piece() -> None:
    board = "o..... ...... ...... ...... ..l... ..Sm.. O..... ......"
    state = stand(board, arrows=[["d3", "c3"]])
    assert "c3^c5" in may(state)
    assert "points the other way" in refused(state, "c3^e3")
    after = picture(play(state, "c3^c5"))
    assert after == drawn("o..... ...... ...... ..S... ..l... ...m.. O..... ......")


# S8: the goal


def test_s8_the_match_is_won_when_the_ball_is_on_its_goal_row() -> None:
    state = stand("..S... .O.... ...... ...... ...... ...... ..o... ......")
    after = play(state, "c8=b7")
    assert scores(after.outcome()) == "A goal"
    assert (after.to_act(), after.turn) == (frozenset(), 1)
    black = stand("...... .O.... ...... ...... ...... ...... ..o... ...s..", side="b")
    assert scores(play(black, "d1=c2").outcome()) == "B goal"


# S9: not the same again


def test_s9_s12_robots_of_one_size_are_alike() -> None:
    state = stand("s..... ..o... ...... ...... ..O... ...... SS.... ......", side="b")
    for _ in range(2):
        state = play(state, "a8-a7", "a2-a3 b2-a2", "a7-a8")
        assert not state.outcome()
        state = play(state, "a3-b3 b3-b2")  # they have changed places
    assert scores(state.outcome()) == "AB repetition"


# S10: not six at home


def test_s10_a_turn_may_not_end_with_six_own_pieces_on_the_home_row() -> None:
    opening = position("lmssml/3o2/6/6/6/6/2O3/LMSSML w")
    assert "there would be 6" in refused(opening, "b1=c2")
    assert opening.check(A, "b1=c2 a1-a2")
    assert opening.check(A, "a1-a2")
    seven = stand("........ ........ ...o.... ........ ........ ........ ........ OSSMMLL.")
    assert "there would be 6" in refused(seven, "b1-b2")
    assert seven.check(A, "b1-b2 c1-c2")
    assert all(len(turn.actions) == 2 for turn in turns(seven.board, seven.cells, 0, 1))


# S11: no legal turn

WALLED = [["a1", "a2"], ["a1", "b1"], ["a1", "f1"]]


def test_s11_whoever_has_no_legal_turn_loses() -> None:
    before = stand("...... ..o... ...... ...... ..O... ...... s..... S.....", side="b", lines=WALLED)
    assert scores(play(before, "a2-a3").outcome()) == "B no legal turn"
    seven = stand("........ ........ ...o.... ........ ........ ........ ........ OSSMMLL.")
    assert not seven.outcome()
    assert not stuck(seven.board, seven.cells, 0, 1)
    names = ["a8", "b8", "c8", "d8", "e8", "f8"]
    lines = [[name, name[0] + "7"] for name in names]
    board = {**BARE, "lines": lines}
    state = play(start(board=board), "LMSSML", "SMLLMS", "a2", "a7")
    assert scores(state.outcome()) == "A no legal turn"  # Black can only switch, and stays six at home


# S12: the third time


def test_s12_the_third_time_the_same_position_with_the_same_side_to_move_is_a_draw() -> None:
    state = play(start(), "LMSSML", "SMLLMS", "c2", "d7")  # the first time
    there_and_back = ("e8-e7", "a1-a2", "e7-e8 a8-a7", "a2-a1 f1-f2")
    state = play(state, *there_and_back)
    first = state.position()
    for n in (2, 3):
        assert not state.outcome()
        state = play(state, "b8-b7", "b1-b2", "b7-b8", "b2-b1")
        assert (state.position() == first) and bool(state.outcome()) == (n == 3)
    assert scores(state.outcome()) == "AB repetition"


def test_s12_the_position_right_after_the_setup_counts_as_its_first() -> None:
    """Six at home must leave, so only a wider board lets the opening come again: five robots and the ball."""
    opening = stand("sslmml. o...... ....... ....... .....O. SSLMML.", side="b")
    board = {**BARE, "columns": 7, "rows": 6}
    state = play(start(board=board), "SSLMML.", "SSLMML.", "f2", "a5")
    assert state.position() == opening.position()
    history = [key for drawer in state.history for key in drawer]
    assert history == [state.cells + b"b"]


def test_s12_is_tested_before_s11_and_after_s8() -> None:
    board = {**BARE, "lines": WALLED}
    text = "6/2o3/6/6/2O3/6/s5/S5 b"
    state = position(text, board=board)
    lost = play(state, "a2-a3")
    assert scores(lost.outcome()) == "B no legal turn"
    twice = [tuple(key for key in drawer if key == lost.cells + b"w") * 2 for drawer in lost.history]
    assert scores(play(state._replace(history=twice), "a2-a3").outcome()) == "AB repetition"


# G1, G2, and what is written


@pytest.mark.parametrize(("typed", "canonical"), [
    ("A2-A3", "a2-a3"), ("a2a3", "a2-a3"), ("a2–a3, f2→f3", "a2-a3 f2-f3"),
    ("  a2-a3   f2-f3 ", "a2-a3 f2-f3"),
    ("a2a3 f2f3", "a2-a3 f2-f3"),
])  # fmt: skip
def test_people_may_write_more_loosely(typed: str, canonical: str) -> None:
    state = stand("...... ..o... ...... ...... ...... ..O... S....S ......")
    assert state.check(A, typed) == canonical


def test_what_is_no_action_is_told_with_an_example_or_put_right() -> None:
    state = stand("...... ..o... ...... ...... s..... L.O... ...... ......")
    assert "You can do “a3>a4”" in refused(state, "a3-a4")
    assert state.check(A, "a3a4") == "a3>a4"
    assert state.check(A, "a3c3") == "a3=c3"
    for word in ("a3", "a3-", "a3-a", "3a-4a", "a3--a4", "a3+a4", "aa3-a4", "a3-a4x", "a-b"):
        assert "c2-c3 (move)" in refused(state, word)
    for word in ("g1-g2", "a3-a9", "a0-a1", "a3-a01", "a3-a" + "9" * 50):
        assert "no square" in refused(state, word)


def test_a_position_that_is_over_is_read_and_one_can_be_sent_to_another_process() -> None:
    assert scores(position("O5/6/6/6/6/6/6/5o w").outcome()) == "A goal"
    assert scores(
        stand("...... ..o... ...... ...... ..O... ...... ...... S.....", lines=WALLED).outcome()
    ) == ("B no legal turn")
    state = play(start(arrows="+-" * 7), "LMSSML", "SMLLMS", "c2", "d7")
    again = pickle.loads(pickle.dumps(state))
    assert again == state and again.board is state.board
    assert len(pickle.dumps(state)) < 3000


# Boards and setups


def head(setup: dict[str, Any], **options: Any) -> dict[str, Any]:
    return record.replay({
        "format": "robosite/1", "game": "robosoccer", "options": options, "seats": ["A", "B"], "setup": setup,
        "turns": [],
    }).as_json()  # fmt: skip


WRONG: list[tuple[Any, str]] = [
    (None, "not an object"),
    ({"columns": 6, "rows": 8, "lines": []}, "no “arrows”"),
    ({**BARE, "columns": 5}, "columns"),
    ({**BARE, "rows": 3}, "rows"),
    ({**BARE, "name": 1}, "name"),
    ({**BARE, "lines": {}}, "no list"),
    ({**BARE, "lines": ["a1a2"]}, "two squares"),
    ({**BARE, "lines": [["a1", "a9"]]}, "a9"),
    ({**BARE, "lines": [["a1", "a3"]]}, "adjacent"),
    ({**BARE, "arrows": [["a1", "a1"]]}, "adjacent"),
    ({**BARE, "arrows": [["a1", "a2"], ["a2", "a1"]]}, "two arrows between a2 and a1"),
]


@pytest.mark.parametrize(("board", "says"), WRONG)
def test_a_wrong_board_is_refused_with_a_clear_error(board: Any, says: str) -> None:
    shown = head({"board": board})
    assert shown["positions"] == []
    assert shown["error"]["turn"] is None and says in shown["error"]["message"]
    with pytest.raises(IllegalOption):
        GAME.draw(GAME.read_options({}), 2, Random(1), {"board": board})


@pytest.mark.parametrize("arrows", [None, 1, "", "+", "+" * 13, "+" * 15, "+" * 13 + "x", ["+"] * 14])
def test_custom_arrows_are_a_sign_each(arrows: Any) -> None:
    assert "“arrows”" in head({"arrows": arrows}, arrows="custom")["error"]["message"]


def test_custom_arrows_are_drawn_or_as_the_creator_wishes() -> None:
    assert "error" in head({}, arrows="custom")
    assert "error" in head({"arrows": "+" * 14})
    assert "error" not in head({"arrows": "+-" * 7}, arrows="custom")
    assert "error" not in head({"arrows": "", "board": BARE}, arrows="custom")
    assert "error" in head({"something": 1})
    options = GAME.read_options({"arrows": "custom"})
    drawn_ = {GAME.draw(options, 2, Random(seed), {})["arrows"] for seed in range(20)}
    assert len(drawn_) > 15 and all(len(signs) == 14 for signs in drawn_)
    assert GAME.draw(options, 2, Random(1), {"arrows": "+-" * 7}) == {"arrows": "+-" * 7}
    both = GAME.draw(options, 2, Random(1), {"board": {**BARE, "arrows": [["a1", "a2"]]}})
    assert both["arrows"] in ("+", "-")
    GAME.check_setup(options, 2, both)
    with pytest.raises(IllegalOption):
        GAME.draw(options, 2, Random(1), {"arrows": "+"})

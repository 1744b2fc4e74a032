"""The rules of Robosoccer, ruling by ruling (S1 to S12), and every example of the published rules.

Boards are drawn as text, White's home row at the bottom, without lines and arrows where a test names none.
"""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

from games import newest, record
from games.core import IllegalOption, play_turn
from games.robosoccer import RobosoccerState
from games.robosoccer.board import BUILT_IN
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


def test_s1_the_ball_starts_on_any_square_of_the_second_row() -> None:
    lined_up = play(start(), "LMSSML", "SMLLMS")
    for square in ("a1", "c3", "c7", "g2", "a0", "cc", "c", "C2 d2", "LMSSML"):
        assert refused(lined_up, square)
    for file in "abcdef":
        assert lined_up.check(A, f"{file.upper()}2") == f"{file}2"
        state = play(lined_up, f"{file}2")
        assert f"{file}2" in refused(state, f"{file}2")
        assert play(state, f"{file}7").stage == 4


# S2: lines, arrows, the cylinder


def test_s2_nobody_moves_over_a_red_line_and_an_arrow_lets_robots_pass_only_its_way() -> None:
    for line in (["c2", "c3"], ["c3", "c2"]):
        board = "...... ...... ...... ...... ...o.. ..S... ..S... O....."
        state = stand(board, lines=[line])
        assert "c2-c3" not in may(state)
        low = stand("...... ...... ...... ...o.. ...... ..S... ...... O.....", lines=[line])
        assert "red line between c3 and c2 stops" in refused(low, "c3-c2")
    board = "...... ...... ...... ...... ...o.. ...... ..S... O....."
    assert "c2-c3" in may(stand(board, arrows=[["c2", "c3"]]))
    against = stand(board, arrows=[["c3", "c2"]])
    assert "points the other way" in refused(against, "c2-c3")


def test_s2_columns_wrap_and_rows_do_not_with_lines_and_arrows_on_the_seam() -> None:
    state = stand("...... ...... ...... ...... ..o... ...... ...... S.O...")
    assert may(state) == ["a1-a2", "a1-b1", "a1-f1", "a1=c1"]
    assert "isn’t next to" in refused(state, "a1-a8")
    assert picture(play(state, "a1-f1")).endswith("..O..S")
    board = "...... ...... ...... ...... ..o... ...... ...... S.O..."
    assert "a1-f1" not in may(stand(board, lines=[["f1", "a1"]]))
    assert "a1-f1" not in may(stand(board, arrows=[["f1", "a1"]]))
    assert "a1-f1" in may(stand(board, arrows=[["a1", "f1"]]))


def test_s2_custom_arrows_are_turned_by_their_sign() -> None:
    signs = "-" + "+" * 13
    state = start(arrows=signs)
    assert state.board.spec.arrows[0] == BUILT_IN.arrows[0][::-1]
    assert state.board.spec.arrows[1:] == BUILT_IN.arrows[1:]
    a3, a4 = (state.board.square(name) for name in ("a3", "a4"))
    assert (state.board.open(a3, 0), state.board.open(a4, 2)) == (-1, a3)


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


def test_s4_never_around_the_cylinder_nor_along_files() -> None:
    state = stand("o..... ...... ...L.. ...... ...... O..S.. ...... L.....")
    assert [text for text in may(state) if "=" in text] == ["d3=a3", "d6=a3"]
    assert "are on neither" in refused(state, "a1=a3")
    assert "are on neither" in refused(
        stand("...... ...... ...... ..o... ...L.. ...... O..... ......"), "d4=a2"
    )
    state = stand("...... ...... ...... O.s..M ...o.. ...... ...... ......")
    assert not [text for text in may(state) if "=" in text]
    diagonal = stand("...... ...... ...... O....o .....M ...... ...... ......")
    assert not [text for text in may(diagonal) if "=" in text]


def test_s4_only_the_own_ball_and_an_own_robot_whatever_lines_there_are() -> None:
    closed = [["a4", "b4"], ["b4", "c4"]]
    assert "c4=a4" in may(stand("...... ...... ...... ....o. O.M... ...... ...... ......", lines=closed))
    state = stand("...... ...... ...... ...... o.M..O s..... ...... ......")
    assert [text for text in may(state) if "=" in text] == ["c4=f4"]
    assert "isn’t on a4" in refused(state, "c4=a4")
    assert "isn’t yours" in refused(state, "a3=a4")
    assert "Write the square of the acting robot" in refused(state, "f4=c4")


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


def test_s5_both_edges_are_open_and_the_square_behind_is_empty() -> None:
    for behind in "sLoO":
        balls = {"o": "O.....", "O": "o....."}.get(behind, "O...o.")
        state = stand(f"...... ...... ..{behind}... ..s... ..L... {balls} ...... ......")
        assert "c6 isn’t empty" in refused(state, "c4>c5")
    for edge in (["c3", "c4"], ["c4", "c5"]):
        board = stand("o..... ...... ...... ...... ..s... ..L... O..... ......", lines=[edge])
        assert "c3>c4" not in may(board)


def test_s5_around_the_cylinder_but_never_off_the_board_nor_a_ball_or_an_own_robot() -> None:
    state = stand("..s... ..L... ...... o..O.. ...... ....Ls m..... M.....")
    assert "e3>f3" in may(state)
    assert picture(play(state, "e3>f3")).splitlines()[5] == "s....L"
    assert "end of the board" in refused(state, "c7>c8")
    black = stand("...... ...... ...... o..O.. ...... ...... l..... S.....", side="b")
    assert "a2>a1" not in may(black)
    state = stand("...... ...... ...... ..o... .SL... ..O... ...... ......")
    assert not [text for text in may(state) if ">" in text]
    assert "A ball can’t be pushed" in refused(state, "c4>c5")
    assert "your own" in refused(state, "c4>b4")


# S6: jumping


def test_s6_example_over_the_big_one_but_not_against_the_arrow_nor_onto_a_piece() -> None:
    board = "o..... ...... ...... ...... ..l... ..Sm.. O..... ......"
    state = stand(board, arrows=[["d3", "c3"]])
    assert "c3^c5" in may(state)
    assert "points the other way" in refused(state, "c3^e3")
    after = picture(play(state, "c3^c5"))
    assert after == drawn("o..... ...... ...... ..S... ..l... ...m.. O..... ......")
    for edge in (["c3", "c4"], ["c4", "c5"]):
        board_with_line = stand("o..... ...... ...... ...... ..l... ..S... O..... ......", lines=[edge])
        assert "c3^c5" not in may(board_with_line)
    for there in "sS":
        full = stand(f"o..... ...... ...... ..{there}... ..l... ..S... O..... ......")
        assert "c5 isn’t empty" in refused(full, "c3^c5")


def test_s6_around_the_cylinder_but_never_off_the_board_nor_over_a_ball_or_an_own_robot() -> None:
    state = stand("...... ...... ..L... .oS... ..O... l....S ...... ......")
    jumps = [text for text in may(state) if "^" in text]
    assert jumps == ["f3^b3"]
    assert picture(play(state, "f3^b3")).splitlines()[5] == "lS...."
    assert "over a ball" in refused(state, "c5^a5")
    assert "your own" in refused(state, "c5^c7")
    assert "two squares" in refused(state, "f3^a4")
    state = stand("..l... ..S... ...... .o.O.. ...... ...... ...... ......")
    assert not [text for text in may(state) if "^" in text]


# S7: one or two actions


def test_s7_a_turn_is_one_or_two_actions_the_second_judged_after_the_first() -> None:
    state = stand("...... ..o... ...... ...... ...... ..O... S....S ......")
    for order in ("a2-a3", "a2-a3 a3-a4", "a2-a3 f2-f3", "a2-a3 f2-e2"):
        assert state.check(A, order) == order
    assert "has 3" in refused(state, "a2-a3 a3-a4 a4-a5")
    assert "has 0" in refused(state, " , ")
    state = stand("...... ..o... ...... ...... ...... ..O... SM.... ......")
    assert refused(state, "b2-a2 a2-a3")
    assert play(state, "a2-a3 b2-a2").position() == "6/2o3/6/6/6/S1O3/M5/6 b"
    state = stand("...s.. ..o... ...... ...... ...... ..O... SM.... ......")
    states = list(state.play({A: "a2-a3 b2-a2"}))
    assert [(s.tick, s.turn, set(s.to_act())) for s in states] == [(False, 0, {A}), (True, 1, {B})]
    assert len(list(state.play({A: "a2-a3"}))) == 1


# S8: the goal


def test_s8_the_match_is_won_when_the_ball_is_on_its_goal_row() -> None:
    state = stand("..S... .O.... ...... ...... ...... ...... ..o... ......")
    after = play(state, "c8=b7")
    assert scores(after.outcome()) == "A goal"
    assert (after.to_act(), after.turn) == (frozenset(), 1)
    black = stand("...... .O.... ...... ...... ...... ...... ..o... ...s..", side="b")
    assert scores(play(black, "d1=c2").outcome()) == "B goal"


def test_s8_the_turn_ends_with_a_goal_even_with_six_pieces_at_home() -> None:
    state = stand("..S... .O.... ...... ...... ...... ...... ..o... ......")
    assert "the goal is scored and the turn ends" in refused(state, "c8=b7 b7-b6")
    assert all(
        len(turn.actions) == 1 for turn in turns(state.board, state.cells, 0, 1) if "=b7" in turn.text[:5]
    )
    state = stand("..S... .O.... ...... ...... ..l... ...... ..o... SLMML.")
    assert scores(play(state, "e1-f1 c8=b7").outcome()) == "A goal"
    state = stand("...S... ......o ....... OSMMLL.")
    assert scores(play(state, "d4=a1").outcome()) == "A goal"
    assert "there would be 6" in refused(stand("....... ...S..o ....... .OSMMLL"), "d3=b1")


# S9: not the same again


def test_s9_a_turn_may_not_leave_the_own_pieces_as_they_stood() -> None:
    state = stand("...... ..o... ...... ...... ...... ..O... S....S ......")
    for order in ("a2-a3 a3-a2", "a2-b2 b2-a2"):
        assert "as they stood at its start" in refused(state, order)
    state = stand("...... ..o... ...... ...... s..... L.O... ...... ......")
    assert "as they stood at its start" in refused(state, "a3>a4 a4-a3")
    state = stand("...... ..o... ...... ...... .SOM.. ...... ...... ......")
    assert "as they stood" in refused(state, "b4=c4 c4=b4")
    assert state.check(A, "b4=c4 c4-c5")
    assert state.check(A, "b4=c4") == "b4=c4"


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
    back = stand("...... ..o... ...... ...... .O.... ...... S..... .SMMLL")
    assert refused(back, "a2-a1")
    assert back.check(A, "a2-a3")
    assert back.check(A, "a2-a1 b1-b2")
    with_ball = stand("...... ..o... ...... ...... ...... ...... .....S OSMML.")
    assert "there would be 6" in refused(with_ball, "f2-f1")
    guests = stand("...... ..o... ...... ...... ..O... ...... .....S smMML.")
    assert guests.check(A, "f2-f1")
    state = stand(".ssmml l..... ...... .o.... ...... ...... ..O... ......", side="b")
    assert "there would be 6" in refused(state, "a7-a8")
    wide = stand("........ ........ ...o.... ..O..... ........ ........ L....... .SSMML..")
    assert "there would be 6" in refused(wide, "a2-a1")
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


def test_g1_whoever_resigns_loses() -> None:
    assert scores(list(play_turn(start(), {B: "resign"}))[-1].outcome()) == "A resigned"


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
    ([], "not an object"),
    ({"columns": 6, "rows": 8, "lines": []}, "no “arrows”"),
    ({**BARE, "width": 6}, "“width”"),
    ({**BARE, "columns": 5}, "columns"),
    ({**BARE, "columns": 6.0}, "columns"),
    ({**BARE, "columns": True}, "columns"),
    ({**BARE, "columns": 17}, "columns"),
    ({**BARE, "rows": 3}, "rows"),
    ({**BARE, "rows": "8"}, "rows"),
    ({**BARE, "name": 1}, "name"),
    ({**BARE, "lines": {}}, "no list"),
    ({**BARE, "lines": ["a1a2"]}, "two squares"),
    ({**BARE, "lines": [["a1"]]}, "two squares"),
    ({**BARE, "lines": [["a1", 2]]}, "two squares"),
    ({**BARE, "lines": [["a1", "a9"]]}, "a9"),
    ({**BARE, "lines": [["a1", "g1"]]}, "g1"),
    ({**BARE, "lines": [["a1", "A2"]]}, "A2"),
    ({**BARE, "lines": [["a1", "a02"]]}, "a02"),
    ({**BARE, "lines": [["a1", "a3"]]}, "adjacent"),
    ({**BARE, "lines": [["a1", "b2"]]}, "adjacent"),
    ({**BARE, "lines": [["a1", "a8"]]}, "adjacent"),
    ({**BARE, "arrows": [["a1", "a1"]]}, "adjacent"),
    ({**BARE, "arrows": [["a1", "a2"], ["a2", "a1"]]}, "two arrows between a2 and a1"),
    ({**BARE, "arrows": [["a1", "f1"], ["a1", "f1"]]}, "two arrows"),
]


@pytest.mark.parametrize(("board", "says"), WRONG)
def test_a_wrong_board_is_refused_with_a_clear_error(board: Any, says: str) -> None:
    shown = head({"board": board})
    assert shown["positions"] == []
    assert shown["error"]["turn"] is None and says in shown["error"]["message"]
    with pytest.raises(IllegalOption):
        GAME.draw(GAME.read_options({}), 2, Random(1), {"board": board})


def test_other_boards_work() -> None:
    assert head({"board": BARE})["positions"] == ["6/6/6/6/6/6/6/6 w"]
    big = {**BARE, "columns": 12, "rows": 10, "name": "big", "lines": [["l1", "a1"]]}
    assert head({"board": big})["positions"] == ["/".join(["12"] * 10) + " w"]
    state = play(start(board=big), "LMSSML......", "......LMSSML", "l2", "a9")
    assert state.position() == "6lmssml/o11/12/12/12/12/12/12/11O/LMSSML6 b"
    again = RobosoccerState.read(state.position(), GAME.read_options({}), 2, {"board": big})
    assert again.position() == state.position()


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


def test_the_built_in_board_is_the_same_for_both_sides_and_every_square_can_be_reached() -> None:
    board = start().board
    last = board.columns * board.rows - 1
    for edges in (BUILT_IN.lines, BUILT_IN.arrows):
        assert {(last - a, last - b) for a, b in edges} <= {*edges, *((b, a) for a, b in BUILT_IN.lines)}
    assert (board.columns, board.rows, len(BUILT_IN.lines), len(BUILT_IN.arrows)) == (6, 8, 10, 14)
    reached, left = {0}, [0]
    while left:
        here = left.pop()
        for to in (board.open(here, d) for d in range(4)):
            if to >= 0 and to not in reached:
                reached.add(to)
                left.append(to)
    assert len(reached) == 48

"""Planning in Robosoccer: lining up, the ball, turns by taps, undoing, and why a choice is not to be had."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import Choice, IllegalOrder
from games.robosoccer import RobosoccerState
from games.robosoccer.presentation.plan_records import RobosoccerPlan, Tap
from games.robosoccer.turns import turns
from tests.games.pitch import BARE, GAME, A, B, crowd, plan, play, position, stand

OPENING = "lmssml/3o2/6/6/6/6/2O3/LMSSML b"


def new(**setup: object) -> RobosoccerState:
    return RobosoccerState.start(GAME.read_options({}), 2, setup)


def tapped(state: RobosoccerState, *keys: str) -> RobosoccerPlan:
    made = plan(state)
    for key in keys:
        made = plan(state, made.choose(key))
    return made


def tap(made: RobosoccerPlan, key: str) -> Tap:
    return next(tap for tap in made.taps if tap.key == key)


def choice(made: RobosoccerPlan, key: str) -> Choice:
    return next(choice for choice in made.choices if choice.key == key)


# Lining up


def test_s1_a_line_up_is_filled_from_the_left_by_sizes_and_undone() -> None:
    made = plan(new())
    assert (made.stage, made.order, str(made.missing)) == (
        "robots",
        "......",
        "Choose a robot for a1: 6 to go.",
    )
    assert [c.key for c in made.palette] == ["L", "M", "S"]
    assert tapped(new(), "L", "M", "S").order == "LMS..."
    done = tapped(new(), "L", "M", "S", "S", "M", "L")
    assert (done.order, done.missing) == ("LMSSML", None)
    assert [(piece.letter, piece.square) for piece in done.pieces[:2]] == [("L", "a1"), ("M", "b1")]
    assert tapped(new(), "c1").order == ".._..."
    assert tapped(new(), "c1", "L").order == "..L..."
    assert tapped(new(), "L", "M", "b1", "S").order == "LS...."
    assert tapped(new(), "L", "M", "S", "S", "M", "L", "b1").order == "L.SSML"
    assert tapped(new(), "c1", "a1").order == "......"
    assert tapped(new(), "L", "M", "back").order == "L....."
    assert tapped(new(), "L", "M", "clear").order == "......"
    with pytest.raises(IllegalOrder, match="nothing to undo"):
        plan(new()).choose("back")


def test_s1_there_are_two_of_each_size_and_no_more() -> None:
    made = tapped(new(), "L", "L")
    with pytest.raises(IllegalOrder, match="Take one out"):
        made.choose("L")
    assert str(plan(new(), "LLL").missing) == "You have only two L."
    assert "not a robot" in str(plan(new(), "LMX").missing)
    assert "only 6 squares" in str(plan(new(), "LMSSML.").missing)
    assert str(tapped(new(), "L", "M", "S", "S", "M").missing) == "Choose the last robot, for f1."


def test_s1_black_lines_up_on_the_top_row_and_leaves_squares_free_on_a_wider_board() -> None:
    wide = new(board={**BARE, "columns": 8})
    made = tapped(wide, "b1", "L", "a1", "M", "S", "S", "h1", "M", "L")
    assert (made.order, made.missing) == ("MLSSL..M", None)
    assert wide.check(A, made.order) == made.order
    assert tapped(wide, "L", "M", "S", "S", "M", "L", "h1").order == "LMSSML.."
    made = tapped(play(new(), "LMSSML"), "d8", "L")
    assert made.order == "...L.."
    assert [(piece.side, piece.square) for piece in made.pieces if piece.side == "b"] == [("b", "d8")]


def test_s1_chance_lines_up_the_robots_that_are_left() -> None:
    state = new()
    made = plan(state, "L..M")
    drawn = {made.choose("chance", Random(seed)) for seed in range(20)}
    assert all(order[0] == "L" and order[3] == "M" and state.check(A, order) for order in drawn)
    assert len(drawn) > 5
    wide = new(board={**BARE, "columns": 8})
    for state in (new(), wide):
        made = plan(state)
        assert state.check(A, made.choose("chance"))
        drawn = {made.choose("chance", Random(seed)) for seed in range(9)}
        assert len(drawn) > 1
        assert all(plan(state, order).missing is None for order in drawn)


def test_s1_the_ball_goes_where_it_is_tapped_and_the_second_player_is_told_that_they_move_first() -> None:
    state = play(new(), "LMSSML", "SMLLMS")
    made = plan(state)
    assert (made.stage, [t.key for t in made.taps]) == ("ball", [f"{file}2" for file in "abcdef"])
    assert str(made.missing) == "Tap a square in row 2 for your ball."
    made = tapped(state, "c2")
    assert (made.order, made.missing, tap(made, "c2").kind) == ("c2", None, "placed")
    assert [p.square for p in made.pieces if p.size == "ball"] == ["c2"]
    assert tapped(state, "c2", "d2").order == "d2"
    assert tapped(state, "c2", "back").order == ""
    assert "second row" in str(plan(state, "c3").missing)
    missing = plan(play(new(), "LMSSML", "SMLLMS", "c2")).missing
    assert str(missing) == "Tap a square in row 7 for your ball. After that you move first."


# A turn


def test_a_turn_begins_with_the_own_pieces_to_pick_up() -> None:
    made = plan(position(OPENING))
    assert {t.key for t in made.taps} == {"a8", "b8", "c8", "d8", "e8", "f8", "d7"}
    assert {t.kind for t in made.taps} == {"pick"}
    assert (made.stage, str(made.missing)) == ("turn", "Tap a piece that can act.")
    assert [slot.sign for slot in made.slots] == ["", ""]


def test_a_picked_robot_shows_moves_pushes_jumps_and_switches_told_apart() -> None:
    state = stand("...... ...... ...... ..l... .sSO.. ...... ..o... ......")
    made = tapped(state, "c4")
    assert {t.key: t.kind for t in made.taps} == {
        "c4": "picked", "c3": "move", "b4": "push", "c6": "jump", "d4": "switch",
    }  # fmt: skip
    assert all(t.allowed for t in made.taps)
    assert made.picked == "c4"
    assert {key: made.choose(key) for key in ("c3", "b4", "c6", "d4", "c4")} == {
        "c3": "c4-c3", "b4": "c4>b4", "c6": "c4^c6", "d4": "c4=d4", "c4": "",
    }  # fmt: skip
    assert [choice(made, key).icon for key in ("c3", "b4", "c6", "d4")] == [
        "act-move", "act-push", "act-jump", "act-switch",
    ]  # fmt: skip


def test_a_picked_ball_shows_the_robots_that_it_can_switch_with() -> None:
    state = stand("...... ...... .....L ...... M..O.s ...S.. ..o... ......")
    made = tapped(state, "d4")
    assert {t.key: t.kind for t in made.taps} == {
        "a4": "switch", "d3": "pick", "f6": "switch", "d4": "picked",
    }  # fmt: skip
    assert made.choose("f6") == "f6=d4"
    assert "are on neither" in str(tap(made, "d3").why)
    assert made.choose("d3") == "d3"


def test_what_a_picked_robot_cannot_do_is_there_with_the_reason() -> None:
    state = stand(
        "...... ...... ..l... ..l... .sS.L. ...O.. ..o... ......", lines=[["b4", "a4"]], arrows=[["c3", "c4"]]
    )
    made = tapped(state, "c4")
    whys = {t.key: str(t.why) for t in made.taps if not t.allowed}
    assert whys == {
        "b4": "The red line between b4 and a4 stops robots, not a switch.",
        "c3": "The arrow between c4 and c3 points the other way.",
        "c5": "c6 isn’t empty.",
    }
    for key in whys:
        with pytest.raises(IllegalOrder):
            made.choose(key)
        assert choice(made, key).leads_to == made.order == "c4"


def test_what_is_refused_names_the_robot_and_why_and_a_blocked_one_says_so() -> None:
    state = stand("...... ...... ...... ...... .o.... ..l... .sSM.. ..O...")
    made = plan(state)
    assert str(tap(made, "c2").name) == "c2: your small robot"  # it can switch with the ball
    state = stand("...... .o.... ...... ..l... ..l... .sSM.. ..L..O ......", lines=[["c3", "b3"]])
    made = plan(state)
    assert str(tap(made, "c3").name) == "c3: your small robot, blocked"
    assert str(tap(made, "d3").name) == "d3: your medium robot"
    picked = tapped(state, "c3")
    assert str(picked.missing) == (
        "Your small robot on c3 is blocked. c5 isn’t empty. The red line between c3 and b3 stops "
        "robots, not a switch. Your own pieces stand on d3, c2."
    )
    assert (picked.order, picked.choose("c3")) == ("c3", "")  # and can be put back
    state = stand("..l... ..S... ...... ..o... ...... ...... O..... ...M..")
    assert "end of the board" in str(tap(tapped(state, "c7"), "c8").why)


def test_s2_a_square_past_an_arrow_is_marked_as_one_way_before_it_is_entered() -> None:
    arrows = [["c4", "c5"], ["d4", "c4"]]
    made = tapped(stand("...... ...... ...... ...... ..S... ...O.. ..o... ......", arrows=arrows), "c4")
    assert [t.key for t in made.taps if t.once] == ["c5"]
    assert str(tap(made, "c5").name) == "move c4 to c5. One way: no coming back past the arrow."
    assert str(made.missing).endswith("c5: one way, no coming back past the arrow.")


def test_s5_s6_a_push_and_a_jump_are_told_where_they_are_possible() -> None:
    assert new().novelties(A) == (None,) * 5
    state = stand("...... ...... ...... ..l... .sSO.. ...... ..o... ......")
    push, jump, glowing, arrows, bent = state.novelties(A)
    assert str(push) == (
        "You can push: your small robot on c4 moves the small one on b4 back, which isn’t bigger."
    )
    assert str(jump) == "You can jump: your small robot on c4 gets over the big one on c5, which is bigger."
    assert str(glowing) == (
        "Tap a piece that can act, then where it goes. A turn is one or two actions; after it at most 5 of "
        "your pieces, ball included, may stand on your home row."
    )
    assert "one-way" in str(arrows) and "can change places" in str(bent)
    assert state.novelties(B) == (None,) * 5, "it is not Black's turn"
    apart = stand("...... ...... l..... ...... ..SO.. ...... ..o... ......")
    assert apart.novelties(A)[:2] == (None, None)


def test_s8_robots_that_can_change_places_with_the_ball_are_marked_and_a_ball_without_one_says_so() -> None:
    state = stand("...... ...... ...... .o.... ...... .s.... S.S... .O..M.")
    made = tapped(state)
    assert [t.key for t in made.taps if t.switches] == ["a2", "c2", "e1"]
    assert not any(t.switches for t in tapped(state, "c2").taps)
    state = stand("...... ...... ...... .o.... ...... .s.... ..S... ....O.")
    assert str(tapped(state, "e1").missing) == (
        "Your ball on e1 can’t change places now: none of your robots stands to its left or right or "
        "on a diagonal, with nothing in between."
    )


def test_the_first_action_is_shown_and_the_turn_may_end_or_go_on() -> None:
    state = position(OPENING)
    made = tapped(state, "b8", "b7")
    assert (made.order, made.missing) == ("b8-b7", None)
    assert {p.square for p in made.pieces if p.letter == "M" and p.side == "b"} == {"b7", "e8"}
    assert [(g.number, g.path.x, g.path.y, g.path.x2, g.path.y2) for g in made.ghosts] == [
        (1, 1.5, 0.5, 1.5, 1.5)
    ]
    assert [str(words) for words in made.words] == [
        "Action 1: move b8 to b7.",
        "You can play this, or do more.",
    ]
    second = plan(state, made.choose("b7"))
    assert (second.order, second.missing is None) == ("b8-b7 b7", False)
    assert "Tap where it goes" in str(second.missing)
    done = plan(state, second.choose("c7"))
    assert (done.order, done.missing) == ("b8-b7 b7-c7", None)
    assert [slot.sign for slot in done.slots] == ["b8-b7", "b7-c7"]
    assert {t.kind for t in done.taps} == {"pick"}
    assert not any(t.allowed for t in done.taps)
    with pytest.raises(IllegalOrder, match="Undo one"):
        done.choose("c7")


def test_the_drawing_shows_what_stands_elsewhere_and_what_was_left() -> None:
    state = stand("...... ...... ...... ..l... .sSO.. ...... ..o... ......")
    made = tapped(state, "c4", "b4")
    assert {(p.side, p.letter, p.square) for p in made.moved} == {("a", "S", "b4"), ("b", "S", "a4")}
    assert {(square.x, square.y, square.empty) for square in made.vacated} == {
        (1.5, 4.5, False),
        (2.5, 4.5, True),
    }
    assert made.side == "a"
    switch = tapped(state, "c4", "d4")
    assert {(p.letter, p.square) for p in switch.moved} == {("S", "d4"), ("O", "c4")}
    assert not any(square.empty for square in switch.vacated)
    placed = tapped(new(), "L")
    assert [(p.square, p.letter) for p in placed.moved] == [("a1", "L")] and not placed.vacated
    state = stand("...... ...... ...... ..l... ..SO.. ...... ..o... ......")
    made = tapped(state, "c4")
    assert [t.key for t in made.taps] == ["c6", "b4", "c4", "d4", "c3"]
    assert {t.key: (t.column, t.row, t.degrees) for t in made.taps if t.kind != "picked"} == {
        "c6": (3, 3, 0), "b4": (2, 5, 270), "d4": (4, 5, 0), "c3": (3, 6, 180),
    }  # fmt: skip
    around = stand("...... ..o... ...... ...... ..O... ...... ...... .....S")
    assert tap(tapped(around, "f1"), "a1").degrees == 90


def test_undoing_each_action_and_both() -> None:
    state = position(OPENING)
    made = plan(state, "b8-b7 e8-e7")
    assert made.choose("slot 1") == "e8-e7"
    assert made.choose("slot 2") == "b8-b7"
    assert made.choose("back") == "b8-b7"
    assert made.choose("clear") == ""
    assert plan(state, "b8-b7 b7-c7").choose("slot 1") == ""  # the second needs the first
    assert plan(state, "b8-b7 b7").choose("back") == "b8-b7"
    assert plan(state, "b8").choose("back") == ""
    for key in ("slot 1", "slot 2", "back", "clear"):
        with pytest.raises(IllegalOrder, match="nothing to undo"):
            plan(state).choose(key)


def test_s8_a_goal_ends_the_turn_in_the_plan_too() -> None:
    state = stand("..S... .O.... ...... ...... ...... ...... ..o... ......")
    made = tapped(state, "c8", "b7")
    assert (made.goal, made.missing) == (True, None)
    assert [str(words) for words in made.words] == [
        "Action 1: switch the robot on c8 with the ball on b7.",
        "Goal!",
    ]
    assert all("goal is scored" in str(t.why) for t in made.taps)
    assert "goal is scored" in str(plan(state, "c8=b7 b7-b6").missing)


def test_s9_the_same_position_and_a_third_action_are_refused_before_they_are_sent() -> None:
    state = position(OPENING)
    made = tapped(state, "b8", "b7", "b7")
    assert "as they stood" in str(tap(made, "b8").why)
    assert "as they stood" in str(plan(state, "b8-b7 b7-b8").missing)
    made = plan(position(OPENING), "b8-b7 e8-e7 a8-a7")
    assert (made.order, str(made.missing)) == ("b8-b7 e8-e7", "A turn is two actions at most.")


def test_s10_passivity_is_told_with_what_would_mend_it() -> None:
    state = position("lmssml/3o2/6/6/6/6/2O3/LMSSML w")
    made = tapped(state, "b1", "c2")
    assert made.order == "b1=c2"
    assert "there would be 6" in str(made.missing) and "second action" in str(made.missing)
    assert made.missing
    assert plan(state, plan(state, "b1=c2 b1").order).picked == "b1"
    assert tapped(state, "b1", "c2", "a1", "a2").missing is None
    back = stand("...... ..o... ...... ...... ...L.. ...... .....S OSMML.")
    assert tap(tapped(back, "f2"), "f1").allowed
    assert "there would be 6" in str(tapped(back, "f2", "f1").missing)
    second = tapped(back, "d4", "d5", "f2")
    assert "there would be 6" in str(tap(second, "f1").why)
    assert not tap(second, "f1").allowed
    walls = [[f"{file}1", f"{file}2"] for file in "abcde"]
    state = stand(
        "...... ..o... ...... ...... ...... ...... .....S OSMML.", arrows=[["f2", "f1"]], lines=walls
    )
    made = tapped(state, "f2")
    assert "No second action can fix that" in str(tap(made, "f1").why)


def test_typed_text_that_cannot_be_done_says_why_and_keeps_what_can() -> None:
    state = position(OPENING)
    made = plan(state, "B8b7, x")
    assert made.order == "b8-b7"
    assert "is not an action" in str(made.missing)
    assert "No piece of yours" in str(plan(state, "c4").missing)
    assert "No piece of yours" in str(plan(state, "a1").missing)
    assert "red line" in str(plan(position("6/o5/6/6/4S1/6/2O3/6 w"), "e4-f4").missing)
    none = state.plan(A, "a1-a2")
    assert (none.choices, str(none.missing)) == ((), "It isn’t your turn.")
    over = play(stand("..S... .O.... ...... ...... ...... ...... ..o... ......"), "c8=b7")
    assert [str(over.plan(seat, "").missing) for seat in (A, B)] == ["The match is over."] * 2


@given(st.integers(0, 2**32))
def test_from_every_allowed_choice_a_legal_turn_can_be_reached(seed: int) -> None:
    rng = Random(seed)
    state = position(crowd(rng, 6, 8))
    if state.ended:
        return
    (seat,) = state.to_act()
    order = ""
    for _ in range(6):
        order = rng.choice([c for c in state.plan(seat, order).choices if c.allowed] or [_stay()]).leads_to
        made = plan(state, order)
        legal = {turn.text for turn in turns(state.board, state.cells, state.mover, state.least)}
        done = made.order.split(" ") if made.order else []
        if made.picked:
            done = done[:-1]
        assert any(text.split(" ")[: len(done)] == done for text in legal)


def _stay() -> Choice:
    return Choice("", None, "")  # type: ignore[arg-type]

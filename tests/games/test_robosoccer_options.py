"""Robosoccer's options: turns of exactly two actions (S7), arrows by lot, boards with fixed arrows (S2)."""

from __future__ import annotations

import gc
import json
from importlib.resources import files
from random import Random
from typing import Any

import pytest

from games.core import IllegalOption, Seat
from games.grid import FILES
from games.robosoccer import RobosoccerState
from games.robosoccer.board import BUILT_IN, Board, board_of, read_spec
from games.robosoccer.presentation.sketch import Sketch, data_of, reaches_goal, read, sketch, text_of
from tests.games.cases import scores
from tests.games.pitch import BARE, GAME, A, B, plan, play, refused

TWO = GAME.read_options({"actions": "two"})
OPENING = "lmssml/3o2/6/6/6/6/2O3/LMSSML b"


def two(text: str = OPENING, **board: Any) -> RobosoccerState:
    setup = {"board": {**BARE, **board}} if board else {}
    return RobosoccerState.read(text, TWO, 2, setup)


# S7: exactly two actions


def test_s7_with_two_the_first_action_may_win_alone_and_a_single_one_else_is_refused() -> None:
    assert (
        refused(two(), "a8-a7") == "One more action: in this match a turn is two, unless the first one wins."
    )
    assert refused(two(), "") == "A turn is two actions; “” has 0."
    assert refused(two(), "a8-a7 b8-b7 c8-c7").startswith("A turn is two actions")
    assert two().check(B, "a8-a7 b8-b7") == "a8-a7 b8-b7"
    state = two("2S3/1O4/6/6/3o2/6/6/6 w")
    assert state.check(A, "c8=b7") == "c8=b7"
    assert scores(play(state, "c8=b7").outcome()) == "A goal"
    assert "the goal is scored" in refused(state, "c8=b7 b7-b6")


def test_s7_with_two_the_planner_asks_for_a_second_action_that_is_possible() -> None:
    made = plan(two(), "a8-a7")
    assert str(made.missing) == "One more action: in this match a turn is two."
    assert not any("play this" in str(sentence) for sentence in made.words)
    done = plan(two(), "a8-a7 b8-b7")
    assert done.missing is None
    goal = plan(two("2S3/1O4/6/6/3o2/6/6/6 w"), "c8=b7")
    assert (goal.goal, goal.missing) == (True, None)
    # on a2 the robot is caught, and the ball is on no row or diagonal with it
    lines = [["a2", "b2"], ["a2", "f2"], ["a2", "a3"]]
    state = two("6/2o3/6/6/5O/6/6/S5 w", lines=lines, arrows=[["a1", "a2"]])
    picked = {tap.key: tap for tap in plan(state, "a1").taps}
    assert "no second action is possible" in str(picked["a2"].why)
    assert picked["b1"].allowed
    assert "no second action is possible" in str(plan(state, "a1-a2").missing)


def test_s7_what_a_turn_is_may_be_chosen_and_nothing_else() -> None:
    assert GAME.write_options(TWO) == {"actions": "two"}
    assert GAME.write_options(GAME.read_options({"actions": "up_to_two"})) == {}
    assert "always two" in str(GAME.say_option("actions", TWO))
    for wrong in (2, "one", "2", True):
        with pytest.raises(IllegalOption):
            GAME.read_options({"actions": wrong})


# S2: arrows by lot


def test_s2_the_lot_draws_all_directions_that_favour_neither_side() -> None:
    drawn = {BUILT_IN.drawn(Random(seed)) for seed in range(2_000)}
    assert len(drawn) == 2**7
    spec = read_spec({**BARE, "arrows": [["a3", "a4"], ["b2", "c2"], ["f5", "f6"]]})
    drawn = {spec.drawn(Random(seed)) for seed in range(100)}
    assert drawn == {"+" + alone + "-" for alone in "+-"} | {"-" + alone + "+" for alone in "+-"}
    spec = read_spec({**BARE, "columns": 7, "arrows": [["d4", "d5"]]})
    assert {spec.drawn(Random(seed)) for seed in range(20)} == {"+", "-"}
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
    assert read_spec({**BARE}) == read_spec({**BARE, "fixed_arrows": []})
    assert BUILT_IN.fixed_arrows == () and len(BUILT_IN.arrows) == 14
    assert Seat("A") in printed().to_act()


@pytest.mark.parametrize(("fixed", "says"), [
    ([["c4", "c3"]], "two arrows between c4 and c3"),
    ([["a3", "a4"], ["a4", "a3"]], "two arrows between a4 and a3"),
    ([["a3", "b4"]], "the fixed arrow 'a3 b4' is not between two adjacent squares"),
    ([["a3"]], "a fixed arrow is a list of two squares"),
    ("a3a4", "its fixed arrows are no list"),
])  # fmt: skip
def test_s2_a_wrong_fixed_arrow_is_refused_and_told_why(fixed: Any, says: str) -> None:
    with pytest.raises(IllegalOption) as fault:
        GAME.check_setup(GAME.read_options({}), 2, {"board": {**PRINTED, "fixed_arrows": fixed}})
    assert says in str(fault.value) and fault.value.name == "board"


# Custom boards: their text, faults in it, the effect of a tap, and boards that a side cannot win.


PLAIN = BUILT_IN._replace(name="")


def drawn(text: str, tap: str = "", **more: str) -> Sketch:
    return sketch({"board": text, "board-tap": tap, **more})


def fault(text: str) -> str:
    found = drawn(text).fault
    assert found
    return found.template.format(**found.facts)


def test_a_text_and_the_record_s_form_say_the_same_board() -> None:
    assert read(text_of(BUILT_IN)) == PLAIN
    assert read_spec(data_of(BUILT_IN)) == PLAIN
    file = files("games.robosoccer").joinpath("board.json").read_text(encoding="utf-8")
    assert read(file) == PLAIN
    fixed = "6x8\na1|a2\nb1>b2\nc1>>c2"
    assert text_of(read(fixed)) == fixed
    assert text_of(read(json.dumps(data_of(read(fixed))))) == fixed


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("5x8", "Line 1, column 1: a board begins with its size"),
        ("6x8\nc3|c4 hello", "Line 2, column 7: “hello” is neither"),
        ("6x8\n\n  a9|a1", "Line 3, column 3: a9 is not on this board."),
        ("6x8 c3|c5", "Line 1, column 5: c3 and c5 do not share an edge."),
        ("6x8 a1>a2\na2>>a1", "Line 2, column 1: there are two arrows between a2 and a1."),
        ('{"columns": 6,\n "rows" 8}', "Line 2, column 9: this is not JSON."),
        (
            '{"columns": 6, "rows": 8, "lines": [["c3", "c4"],\n  ["a1", "c4"]], "arrows": []}',
            "Line 2, column 3: a1 and c4 do not share an edge.",
        ),
        ("[" * 13_000, "Line 1, column 12001: no board needs a text that long."),
        ("{" + "[" * 11_000, "Line 1, column "),
        ('{"columns":' + "1" * 5000 + "}", "Line 1, column 1: this is not JSON"),
        ('{"\\ud800": 1}', "Line 1, column 1: this is not JSON"),
    ],
)
def test_a_wrong_text_is_told_by_line_and_column(text: str, where: str) -> None:
    assert fault(text).startswith(where)
    assert drawn(text).setup is None


def test_a_tap_changes_an_edge_the_other_half_or_the_size() -> None:
    picked = drawn("6x8", "at c3")
    assert picked.picked == "c3" and [edge.to for edge in picked.edges] == ["c4", "d3", "c2", "b3"]
    assert [edge.to for edge in drawn("6x8", "at a1").edges] == ["a2", "b1", "f1"], "it goes around"
    taps = [choice.tap for choice in picked.edges[0].choices]
    assert taps == ["c3 c4", "c3|c4", "c3>c4", "c4>c3", "c3>>c4", "c4>>c3"]
    text = "6x8"
    for tap in taps[1:]:
        now = drawn(text, tap, **{"board-at": "c3"})
        assert now.text == f"6x8\n{tap}", "one thing at an edge"
        assert [c.tap for c in now.edges[0].choices if c.here] == [tap]
        text = now.text
    assert drawn(text, taps[0]).text == "6x8"
    assert drawn("6x8", "a1>a2", **{"board-mirror": "1"}).text == "6x8\na1>a2 f8>f7"
    assert drawn("6x8", "c4>>d4", **{"board-mirror": "1"}).text == "6x8\nc4>>d4 d5>>c5"
    assert drawn("7x5", "d2>d3", **{"board-mirror": "1"}).text == "7x5\nd2>d3 d4>d3"
    size = {"board-columns": "7", "board-rows": "4"}
    assert drawn("6x8 a1|a2 f1>a1 c7>c8", "size", **size).text == "7x4\na1|a2"
    assert drawn("6x8", "size", **{"board-columns": "17", "board-rows": "4"}).text == "6x8"


def row_of(sign: str, low: int = 4) -> str:
    return "6x8 " + " ".join(f"{file}{low}{sign}{file}{low + 1}" for file in FILES[:6])


def test_it_is_said_who_can_never_win() -> None:
    assert not drawn(text_of(BUILT_IN)).warnings and not drawn("6x8").warnings
    (nobody,) = drawn(row_of("|")).warnings
    assert nobody.template.startswith("No one can ever win")
    (black,) = drawn(row_of(">")).warnings
    assert black.template.startswith("B, ")
    (white,) = drawn(" ".join(["6x8", *(f"{file}5>>{file}4" for file in FILES[:6])])).warnings
    assert white.template.startswith("A, ")
    assert not drawn(row_of("|").replace("c4|c5", "")).warnings, "one gap is enough"


def naively(board: Board, side: int) -> bool:
    """The same as `reaches_goal`, round by round over all pairs."""
    everywhere = range(board.columns * board.rows)
    robots, balls = set(everywhere[board.homes[side]]), set(everywhere[board.second_rows[side]])
    for _ in range(2 * len(everywhere) ** 2):
        size = len(robots), len(balls)
        robots |= {board.open(square, way) for square in robots for way in range(4)} - {-1}
        for ball in tuple(balls):
            for robot in {one for ray in board.rays[ball] for one, _ in ray} & robots:
                robots.add(ball)
                balls.add(robot)
        if (len(robots), len(balls)) == size:
            break
    return not balls.isdisjoint(everywhere[board.goals[side]])


def test_who_can_win_is_found_as_by_trying_everything() -> None:
    rng, both = Random(5), set()
    for _ in range(60):
        edges = {
            (min(square, there), max(square, there))
            for square in range(24)
            for way in range(4)
            if (there := board_of(read("6x4")).next(square, way)) >= 0 and rng.random() < 0.7
        }
        spec = read("6x4")._replace(lines=tuple(edges))
        for side in (0, 1):
            assert reaches_goal(board_of(spec), side) == naively(board_of(spec), side)
            both.add(reaches_goal(board_of(spec), side))
    assert both == {True, False}


def test_a_board_of_many_windings_is_looked_at_once_a_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """One gap in every wall, at either end in turn: what a robot reaches grows by a square at a time."""
    walls = [
        f"{file}{rank}|{file}{rank + 1}"
        for rank in range(1, 16)
        for n, file in enumerate(FILES[:16])
        if n != (0 if rank % 2 else 15)
    ]
    sides = [f"p{rank}|a{rank}" for rank in range(1, 17)]
    board = board_of(read(" ".join(["16x16", *walls, *sides])))
    asked: list[int] = []
    opens = Board.open

    def counted(self: Board, square: int, direction: int) -> int:
        asked.append(square)
        return opens(self, square, direction)

    monkeypatch.setattr(Board, "open", counted)
    reaches_goal(board, 0)
    assert 0 < len(asked) <= 4 * 256


def test_only_a_few_large_boards_are_kept() -> None:
    for file in FILES[:16]:
        board_of(read(f"16x16 {file}1>{file}2"))
    gc.collect()
    boards = [one for one in gc.get_objects() if isinstance(one, Board)]
    assert 0 < sum(board.columns * board.rows == 256 for board in boards) <= 8


@pytest.mark.parametrize("name", ["x" * 61, "\0", "\ud800", "a\nb", 7])
def test_a_name_is_short_and_can_be_written(name: object) -> None:
    with pytest.raises(IllegalOption, match="name"):
        read_spec({**data_of(BUILT_IN), "name": name})

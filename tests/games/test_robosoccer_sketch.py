"""Custom boards: their text, faults in it, the effect of a tap, and boards that a side cannot win."""

from __future__ import annotations

import gc
import json
from importlib.resources import files
from random import Random

import pytest

from games.core import IllegalOption
from games.grid import FILES
from games.robosoccer import ROBOSOCCER
from games.robosoccer.board import BUILT_IN, Board, board_of, read_spec
from games.robosoccer.presentation.sketch import Sketch, data_of, reaches_goal, read, sketch, text_of

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
    ],
)
def test_a_wrong_text_is_told_by_line_and_column(text: str, where: str) -> None:
    assert fault(text).startswith(where)
    assert drawn(text).setup is None


def test_a_tap_picks_a_square_and_another_one_changes_an_edge() -> None:
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


def test_the_other_half_gets_the_same_after_half_a_turn() -> None:
    assert drawn("6x8", "a1>a2", **{"board-mirror": "1"}).text == "6x8\na1>a2 f8>f7"
    assert drawn("6x8", "c4>>d4", **{"board-mirror": "1"}).text == "6x8\nc4>>d4 d5>>c5"
    assert drawn("7x5", "d2>d3", **{"board-mirror": "1"}).text == "7x5\nd2>d3 d4>d3"


def test_a_new_size_keeps_what_still_lies_between_two_squares() -> None:
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
    assert black.template.startswith("Black")
    (white,) = drawn(" ".join(["6x8", *(f"{file}5>>{file}4" for file in FILES[:6])])).warnings
    assert white.template.startswith("White")
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


@pytest.mark.parametrize("text", ['{"columns":' + "1" * 5000 + "}", '{"\\ud800": 1}'])
def test_what_python_reads_and_nobody_can_write_is_no_json(text: str) -> None:
    assert "this is not JSON" in fault(text)


def test_no_match_by_chance_reaches_what_cannot_be_reached() -> None:
    """On a board on which nobody is said to be able to win, two hundred random turns bring no goal."""
    board = drawn(row_of("|"))
    options = ROBOSOCCER.read_options({})
    assert board.setup and not reaches_goal(board_of(board.spec), 0)
    state = ROBOSOCCER.state.start(options, 2, ROBOSOCCER.draw(options, 2, Random(1), board.setup))
    rng = Random(1)
    for _ in range(200):
        if state.outcome():
            break
        orders = {seat: state.sample(seat, rng) for seat in state.to_act()}
        *_, state = state.play(orders)
    outcome = state.outcome()
    assert outcome is None or outcome.reason != "goal"

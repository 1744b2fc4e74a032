"""The events of Robosoccer, as data, sentences and drawings."""

from __future__ import annotations

import json
from random import Random

import pytest

from games import newest
from games.core import Seat, play_turn, tell
from games.robosoccer import RobosoccerState
from games.robosoccer.board import BUILT_IN, board_of
from games.robosoccer.presentation.picture import TAIL, Arrow, Line, ground, spots_of
from games.robosoccer.presentation.story import ground_words
from tests.games.pitch import A, B, crowd, play, position, stand

GAME = newest("robosoccer")


def film(state: RobosoccerState, order: str) -> list[RobosoccerState]:
    (seat,) = state.to_act()
    return [s for s in play_turn(state, {seat: state.check(seat, order)}) if isinstance(s, RobosoccerState)]


def told(state: RobosoccerState, order: str) -> list[str]:
    return [str(tell(after, event)) for after in film(state, order) for event in after.events]


SIZES = {"small": "S", "medium": "M", "big": "L"}
SCENE = "...... ...... ...m.. ..l... .sSO.. M..... ..o... s....."


@pytest.mark.parametrize(("order", "sentences"), [
    ("c4-c3", ["A moves the small robot from c4 to c3."]),
    ("c4>b4", ["A takes the small robot from c4 to b4 and pushes a small one to a4."]),
    ("c4^c6", ["A jumps with the small robot from c4 over the big one on c5 to c6."]),
    ("c4=d4", ["A switches: the small robot goes from c4 to d4, the ball from d4 to c4."]),
    ("a3-f3 c4-c3", ["A moves the medium robot from a3 to f3.", "A moves the small robot from c4 to c3."]),
])  # fmt: skip
def test_every_action_has_its_sentence(order: str, sentences: list[str]) -> None:
    assert told(stand(SCENE), order) == sentences


def test_the_setup_and_the_end_are_told() -> None:
    state = RobosoccerState.start(GAME.read_options({}), 2, {})
    shown = []
    for order in ("LMSSML", "SMLLMS", "c2", "d7"):
        shown += told(state, order)
        state = play(state, order)
    assert shown == [
        "A lines up: big robots on a1, f1; medium ones on b1, e1; small ones on c1, d1.",
        "B lines up: big robots on c8, d8; medium ones on b8, e8; small ones on a8, f8.",
        "A puts the ball on c2.",
        "B puts the ball on d7.",
    ]
    goal = stand("..S... .O.... ...... ...... ...... ...... ..o... ......")
    assert told(goal, "c8=b7")[-1] == "Goal! A has the ball on c8."
    lines = [["a1", "a2"], ["a1", "b1"], ["a1", "f1"]]
    walled = stand("...... ..o... ...... ...... ..O... ...... s..... S.....", side="b", lines=lines)
    assert told(walled, "a2-a3")[-1] == "A has no legal turn left and loses."
    state = stand("s..... ..o... ...... ...... ..O... ...... S..... ......")
    for _ in range(2):
        last = play(state, "a2-a3", "a8-a7", "a3-a2")
        shown = told(last, "a7-a8")
        state = play(last, "a7-a8")
    assert shown[-1] == "The same position for the third time: a draw."


def retold(state: RobosoccerState, before: str) -> str:
    """The position that the events lead to, knowing nothing else."""
    rows = before.partition(" ")[0].split("/")
    wide = ["".join("." * int(c) if c.isdigit() else c for c in row) for row in reversed(rows)]
    pieces = {f"{'abcdef'[i]}{r + 1}": c for r, row in enumerate(wide) for i, c in enumerate(row)}
    for event in state.events:
        here, there = event.get("from", ""), event.get("to", "")
        match event["kind"]:
            case "moved":
                assert pieces[there] == "."
                pieces[there], pieces[here] = pieces[here], "."
            case "jumped":
                assert pieces[there] == "." and pieces[event["over"]].upper() == SIZES[event["jumped"]]
                pieces[there], pieces[here] = pieces[here], "."
            case "pushed":
                assert pieces[event["on"]] == "." and pieces[there].upper() == SIZES[event["pushed"]]
                pieces[event["on"]], pieces[there], pieces[here] = pieces[there], pieces[here], "."
            case "switched":
                pieces[here], pieces[there] = pieces[there], pieces[here]
    lines = ["".join(pieces[f"{file}{row}"] for file in "abcdef") for row in range(8, 0, -1)]
    for n in range(6, 0, -1):
        lines = [line.replace("." * n, str(n)) for line in lines]
    return "/".join(lines)


def test_the_events_are_exactly_what_changed() -> None:
    rng = Random(5)
    kinds = set()
    for _ in range(300):
        state = position(crowd(rng, 6, 8))
        if state.ended:
            continue
        (seat,) = state.to_act()
        before = state.position()
        for after in film(state, state.sample(seat, rng)):
            assert retold(after, before) == after.position().split(" ")[0]
            before = after.position()
            for event in after.events:
                kinds.add(event["kind"])
                assert json.loads(json.dumps(event)) == event
                sentence = tell(after, event)
                if event["kind"] != "repeated":
                    assert isinstance(sentence.facts["by"], Seat)
            cells = {seat: after.cell(seat) for seat in (A, B)}
            assert cells[seat] and not any(cell for other, cell in cells.items() if other != seat)
    assert kinds >= {"moved", "pushed", "jumped", "switched", "scored"}


def test_the_board_is_told_in_words_and_drawn_with_pieces_lines_and_arrows() -> None:
    state = play(RobosoccerState.start(GAME.read_options({}), 2, {}), "LMSSML", "SMLLMS", "c2", "d7")
    assert [str(s) for s in state.words()] == [
        "A: the ball on c2; big robots on a1, f1; medium ones on b1, e1; small ones on c1, d1.",
        "B: the ball on d7; big robots on c8, d8; medium ones on b8, e8; small ones on a8, f8.",
        "It’s B’s turn.",
    ]
    lines, arrows = ground_words(state.board)
    assert str(lines).startswith("Red lines, which no robot passes: c3–c4, d6–d5")
    assert str(arrows).startswith("Arrows, which robots pass one way: a3→a4, f6→f5")
    shown = play(RobosoccerState.start(GAME.read_options({}), 2, {}), "LMSSML").drawing()
    ground_ = shown["ground"]
    assert ground_[:2] == (6, 8)
    assert [(end.home, end.scores, end.y) for end in ground_.ends] == [("b", "a", 0), ("a", "b", 7)]
    assert [label.text for label in ground_.files] == [*"abcdef", "f", "a"]
    assert [label.text for label in ground_.ranks] == [*"87654321"]
    assert shown["pieces"][0] == ("A", "a", "big", "L", 0.5, 7.5, "a1", "", "")
    lines, arrows = shown["lines"], shown["arrows"]
    assert Line(2, 5, 3, 5) in lines
    assert Line(5, 4, 5, 5) in lines
    assert Arrow(0.5, 5, 0, "a3", "a4", False) in arrows
    assert Arrow(5.5, 3, 180, "f6", "f5", False) in arrows
    assert [arrow[:3] for arrow in arrows if arrow.from_ == "f3"] == [(6, 5.5, 90), (0, 5.5, 90)]
    assert [arrow[:3] for arrow in arrows if arrow.from_ == "a6"] == [(0, 2.5, 270), (6, 2.5, 270)]
    state = stand("...... ..o... ...... ...... ..O... ...... ...... S.....", lines=[["f1", "a1"]])
    assert ground(state.board)[0] == (Line(6, 7, 6, 8), Line(0, 7, 0, 8))


def test_what_goes_around_the_cylinder_is_drawn_out_and_in_and_a_jump_as_a_bow() -> None:
    state = stand("...s.. ..o... ...... ...... ..O... ...... ...... SM...s")
    (after,) = film(state, "a1>f1")
    assert [effect[:1] + effect[3:7] for effect in after.drawing()["effects"]] == [
        ("pushed", 0.5, 7.5, -0.5, 7.5),
        ("pushed", 6.5, 7.5, 5.5, 7.5),
        ("shoved", 5.5, 7.5, 4.5, 7.5),
    ]
    (switch,) = film(stand("...... ..o... ...... s..... O....S ...... ...... ......"), "f4=a4")
    assert [effect[3:7] for effect in switch.drawing()["effects"]] == [
        (5.5, 4.5, 0.5, 4.5),
        (0.5, 4.5, 5.5, 4.5),
    ]
    (step,) = film(stand(SCENE), "c4-c3")[0].drawing()["effects"]
    assert (step.bx, step.by) == (step.mx, step.my) == ((step.x + step.x2) / 2, (step.y + step.y2) / 2)
    (jump,) = film(stand(SCENE), "c4^c6")[0].drawing()["effects"]
    assert jump.bx < jump.x == jump.x2 and jump.bx < jump.mx < jump.x


def test_the_pieces_of_a_film_say_where_they_were_a_step_before() -> None:
    first, last = film(stand("...... ..o... ...... ...... ..O... .....m S....L ......"), "f2>f3 a2-f2")
    assert [(p.letter, p.square, p.was) for p in first.drawing()["pieces"] if p.was] == [
        ("L", "f3", "f2"),
        ("M", "f4", "f3"),
    ]
    leaving, coming = (p for p in last.drawing()["pieces"] if p.was)
    assert (leaving.square, leaving.was, leaving.x, leaving.y) == ("", "a2", -0.5, 6.5)
    assert (coming.square, coming.was, coming.x, coming.start) == ("f2", "a2", 5.5, "6.5 6.5")
    (switch,) = film(stand("...... ..o... ...... s..... O....S ...... ...... ......"), "f4=a4")
    assert {(p.square, p.was, p.start) for p in switch.drawing()["pieces"] if p.was} == {
        ("a4", "f4", ""),
        ("f4", "a4", ""),
    }


def test_the_table_shows_who_did_what() -> None:
    first, last = film(stand(SCENE), "a3-f3 c4^c6")
    assert [(c.sign, c.icon) for c in (first.cell(A), last.cell(A)) if c] == [
        ("a3-f3", "act-move"),
        ("c4^c6", "act-jump"),
    ]
    assert first.cell(B) is None
    goal = film(stand("..S... .O.... ...... ...... ...... ...... ..o... ......"), "c8=b7")[-1]
    cell = goal.cell(A)
    assert cell and cell.mark == "scored"
    assert RobosoccerState.start(GAME.read_options({}), 2, {}).cell(A) is None


def test_an_arrow_is_tapped_where_it_is_drawn() -> None:
    """Each has a spot on an edge, those at the seam one for both borders."""
    board = board_of(BUILT_IN)
    spots, (_, arrows) = spots_of(board), ground(board)
    assert len(spots) == len(BUILT_IN.arrows)
    for spot in spots:
        drawn = [a for a in arrows if (2 * a.x, 2 * a.y) == (spot.column, spot.row)]
        assert [a.degrees for a in drawn] == [spot.degrees[0]]
    assert {spot.column for spot in spots if spot.around} == {0}


@pytest.mark.parametrize(("columns", "more"), [(6, 0), (7, TAIL), (9, TAIL)])
def test_below_a_file_g_there_is_room_for_the_tail_of_its_letter(columns: int, more: float) -> None:
    board = {"columns": columns, "rows": 6, "lines": [], "arrows": []}
    start = RobosoccerState.start(GAME.read_options({"arrows": "custom"}), 2, {"board": board})
    shown = start.drawing()["ground"]
    last = max(label.y for label in shown.files)
    assert shown.box.y + shown.box.height - last == pytest.approx(0.06 + more)

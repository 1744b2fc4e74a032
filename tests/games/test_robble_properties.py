"""Robble, what is true of every placement and every count: on any board, whatever lies there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import Outcome
from games.robble.state import RobbleState
from games.robble.stones import BOARDS, EMPTY, bits, counted, groups, score, touched, winner
from tests.games.referee import Case, agree_on, by_the_rules, call, match
from tests.games.robble_table import REPEATING, ROBBLE, SIZES, lay, turn
from tests.games.sizes import size

FILES = "abcdefghi"
Rows = list[list[str]]


@st.composite
def boards(draw: st.DrawFn, sizes: tuple[int, ...] = SIZES, holds: str = "bw.") -> Rows:
    """Rows of stones, the top one first."""
    size = draw(st.sampled_from(sizes))
    return [draw(st.lists(st.sampled_from(holds), min_size=size, max_size=size)) for _ in range(size)]


@st.composite
def turns(draw: st.DrawFn) -> tuple[Rows, str, int, int]:
    """A board, the colour to move, and the row and column of an empty square to place on."""
    rows = draw(boards(holds=draw(st.sampled_from(["bw.", "bw....", "bwbwbwbw."]))))
    row, column = (draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    rows[row][column] = "."
    return rows, draw(st.sampled_from("bw")), row, column


def state_of(rows: Rows, mover: str = "b") -> RobbleState:
    return lay(" ".join(map("".join, rows)), mover)


def placed(rows: Rows, mover: str, row: int, column: int) -> tuple[RobbleState, RobbleState]:
    state = state_of(rows, mover)
    return state, turn(state, f"{FILES[column]}{len(rows) - row}")


def rows_of(state: RobbleState) -> Rows:
    board, size = state.board, state.board.size
    held = ["bw."[board.stone_at(state.stones, square)] for square in range(board.squares)]
    return [held[first : first + size] for first in reversed(range(0, board.squares, size))]


@given(turns())
def test_the_other_colours_give_the_other_colours(case: tuple) -> None:
    rows, mover, row, column = case
    state, after = placed(rows, mover, row, column)
    other = {"b": "w", "w": "b", ".": "."}
    inverted, then = placed([[other[c] for c in line] for line in rows], other[mover], row, column)
    assert rows_of(then) == [[other[c] for c in line] for line in rows_of(after)]
    assert score(then.board, then.stones) == score(after.board, after.stones)[::-1]
    assert touched(state.board, state.stones, after.square) == [
        touch._replace(colour=1 - touch.colour)
        for touch in touched(inverted.board, inverted.stones, then.square)
    ]


@given(boards())
def test_groups_part_the_stones_of_a_colour_and_do_not_touch(rows: Rows) -> None:
    state = state_of(rows)
    case = Case("robble", state, {"size": len(rows)})
    sizes = [map(int.bit_count, groups(state.board, state.board.stones_of(state.stones, c))) for c in (0, 1)]
    case.expect([sorted(own, reverse=True) for own in sizes], "groups")
    agree_on([case])
    for colour in (0, 1):
        own = state.board.stones_of(state.stones, colour)
        found = groups(state.board, own)
        assert sum(found) == own
        assert all(bits(group) for group in found)


@given(boards())
def test_as_many_groups_of_a_size_cancel_on_either_side(rows: Rows) -> None:
    state = state_of(rows)
    found = counted(state.board, state.stones)
    gone = [Counter(g.size for g in found if g.colour == colour and g.cancels) for colour in (0, 1)]
    assert gone[0] == gone[1]
    left = [{g.size for g in found if g.colour == colour and not g.cancels} for colour in (0, 1)]
    assert not left[0] & left[1]
    assert score(state.board, state.stones) == tuple(max(sizes, default=0) for sizes in left)
    assert [g.size for g in found] == sorted((g.size for g in found), reverse=True)


@given(boards(holds="bw"))
def test_sizes_never_tie_unless_all_cancel_and_that_on_even_boards_only(rows: Rows) -> None:
    state = state_of(rows)
    result = score(state.board, state.stones)
    assert isinstance(state.ended, Outcome)
    if result.black == result.white:
        assert result == (0, 0)
        assert len(rows) % 2 == 0
    assert state.ended.reason == ("cancelled" if result == (0, 0) else "largest group")
    assert winner(state.board, state.stones) == result.winner
    assert sorted(state.ended.scores.values()) == [0, 1]


@given(boards(sizes=(6, 8), holds="bw"), st.sampled_from("bw"))
def test_a_board_and_its_negative_beside_each_other_cancel(rows: Rows, mover: str) -> None:
    """Two halves, parted so that no group crosses: each group has its equal of the other colour."""
    size = len(rows)
    other = {"b": "w", "w": "b"}
    top = rows[: size // 2]
    full = top + [[other[c] for c in line] for line in reversed(top)]
    state = state_of(full, mover)
    assert state.ended
    assert state.ended.reason == "cancelled"
    assert state.ended.scores == {"A": int(mover == "b"), "B": int(mover == "w")}


@given(boards(), st.sampled_from("bw"))
def test_a_position_is_read_as_it_is_written(rows: Rows, mover: str) -> None:
    state = state_of(rows, mover)
    again = type(state).read(state.position(), ROBBLE.read_options({"size": len(rows)}), 2)
    assert (again.stones, again.ended) == (state.stones, state.ended)
    assert rows_of(again) == rows


def test_there_is_a_board_of_every_size() -> None:
    assert sorted(BOARDS) == list(SIZES)


# Robble from strewn boards on, against the second referee (`positions.js`).


OTHER = {"b": "w", "w": "b"}
RECORDS = sorted((Path(__file__).parent / "records").glob("robble*.json"))


def strewn(rng: Random, columns: int, empty: float) -> str:
    """A board with stones at random, drawn; at least one square stays empty."""
    squares = ["." if rng.random() < empty else rng.choice("bw") for _ in range(columns * columns)]
    squares[rng.randrange(len(squares))] = "."
    return " ".join("".join(squares[i : i + columns]) for i in range(0, len(squares), columns))


def placements(rng: Random, columns: int) -> list[Case]:
    """Every placement on a random board, and the sizes of its groups."""
    state = lay(strewn(rng, columns, rng.choice((0.05, 0.2, 0.5, 0.9))), rng.choice("bw"))
    cases = []
    for i, name in enumerate(state.board.names):
        if state.board.stone_at(state.stones, i) == EMPTY:
            cases.append(Case("robble", state, {"size": columns}))
            (seat,) = state.to_act()
            cases[-1].play({seat: name})
    cases[0].expect(groups_of(state), "groups")
    return cases


def last_placement(rng: Random, columns: int, kind: str) -> Case:
    """A placement that fills a board: by chance, so that all groups cancel, or with groups of one stone."""
    full = {(x, y): rng.choice("bw") for x in range(columns) for y in range(columns)}
    if kind == "single stones":
        colours = rng.choice(("bw", "wb"))
        full = {(x, y): colours[(x + y) % 2] for x, y in full}
    if kind == "cancelled":
        full |= {(columns - 1 - x, y): OTHER[full[x, y]] for x in range(columns // 2) for y in range(columns)}
    edges = {1, columns - 2}  # from there a stone beside it would be pushed off the board
    at = rng.choice([square for square in full if not set(square) & edges])
    mover, full[at] = full[at], "."
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if (at[0] + 2 * dx, at[1] + 2 * dy) in full:
            beside = at[0] + dx, at[1] + dy
            full[beside] = OTHER[full[beside]]
    rows = ["".join(full[x, y] for x in range(columns)) for y in reversed(range(columns))]
    case = Case("robble", lay(" ".join(rows), mover), {"size": columns})
    (seat,) = case.state.to_act()
    case.play({seat: f"{'abcdefghi'[at[0]]}{at[1] + 1}"})
    assert (case.found["outcome"]["reason"] == "cancelled") >= (kind == "cancelled")
    return case


def endings(rng: Random) -> list[Case]:
    return [
        *(last_placement(rng, columns, "by chance") for columns in SIZES),
        *(last_placement(rng, columns, "single stones") for columns in SIZES if columns % 2),
        *(last_placement(rng, columns, "cancelled") for columns in SIZES if columns % 2 == 0),
    ]


def groups_of(state: RobbleState) -> list[list[int]]:
    """The sizes of the groups of Black and of White, biggest first."""
    found = counted(state.board, state.stones)
    return [[g.size for g in found if g.colour == colour] for colour in (0, 1)]


@pytest.mark.fuzz
@pytest.mark.parametrize("columns", SIZES)
def test_placements_agree(columns: int) -> None:
    rng = Random(columns)
    agree_on(case for _ in range(size(25, 120)) for case in placements(rng, columns))


@pytest.mark.fuzz
def test_last_placements_agree() -> None:
    rng = Random("last")
    agree_on(case for _ in range(size(40, 400)) for case in endings(rng))


@pytest.mark.fuzz
def test_whole_matches_agree() -> None:
    rng = Random("whole")
    for _ in range(size(15, 120)):
        data = match("robble", rng, 1_000)
        assert call("replay", data) == by_the_rules(data), json.dumps(data)


def repetition(orders: list[str]) -> dict[str, Any]:
    """A record on five squares a side."""
    turns = [{"AB"[number % 2]: order} for number, order in enumerate(orders)]
    terms = {"format": "robosite/1", "game": "robble", "options": {"size": 5}, "seats": ["A", "B"]}
    return terms | {"turns": turns}


@pytest.mark.parametrize("orders", [REPEATING, [REPEATING[0], "swap", *REPEATING[1:]]])
def test_a_repetition_agrees(orders: list[str]) -> None:
    data = repetition(orders)
    found = call("replay", data)
    assert found == by_the_rules(data)
    assert found["outcome"] == {"scores": {"A": 0.5, "B": 0.5}, "reason": "repetition"}


def test_there_are_records_of_every_ending() -> None:
    results = [json.loads(path.read_text(encoding="utf-8"))["result"]["reason"] for path in RECORDS]
    assert {"largest group", "cancelled", "repetition"} <= set(results)


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_placements_agree() -> None:
    rng = Random(2020)
    agree_on(case for _ in range(6_000) for case in placements(rng, rng.choice(SIZES)))

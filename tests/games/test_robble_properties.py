"""Robble, what is true of every placement and every count: on any board, whatever lies there."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from games.core import Outcome
from games.robble.state import RobbleState
from games.robble.stones import BOARDS, bits, counted, groups, score, touched, winner
from tests.games.referee import Case, agree_on
from tests.games.robble_table import ROBBLE, SIZES, lay, turn

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
    """The states before and after a placement."""
    state = state_of(rows, mover)
    return state, turn(state, f"{FILES[column]}{len(rows) - row}")


def rows_of(state: RobbleState) -> Rows:
    board, size = state.board, state.board.size
    held = ["bw."[board.stone_at(state.stones, square)] for square in range(board.squares)]
    return [held[first : first + size] for first in reversed(range(0, board.squares, size))]


@given(turns())
def test_a_turned_and_mirrored_board_gives_the_turned_and_mirrored_result(case: tuple) -> None:
    rows, mover, row, column = case
    _, after = placed(rows, mover, row, column)
    size, expected = len(rows), rows_of(after)
    for _ in range(4):
        rows, expected = (
            [list(line) for line in zip(*board[::-1], strict=True)] for board in (rows, expected)
        )
        row, column = column, size - 1 - row  # a quarter to the right
        assert rows_of(placed(rows, mover, row, column)[1]) == expected
        mirrored = placed([line[::-1] for line in rows], mover, row, size - 1 - column)[1]
        assert rows_of(mirrored) == [line[::-1] for line in expected]


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


@given(turns())
def test_a_placement_adds_a_stone_less_those_pushed_off_of_which_there_are_at_most_two(case: tuple) -> None:
    state, after = placed(*case)
    kinds = Counter(event["kind"] for event in after.events)
    assert kinds["placed"] == 1
    assert kinds["off"] <= 2
    before, then = (sum(c != "." for line in rows_of(s) for c in line) for s in (state, after))
    assert then == before + 1 - kinds["off"]
    assert then - before in (1, 0, -1)


@given(turns())
def test_a_placement_changes_nothing_more_than_two_squares_away(case: tuple) -> None:
    rows, _, row, column = case
    _, after = placed(*case)
    now = rows_of(after)
    for i, line in enumerate(rows):
        for j, held in enumerate(line):
            near = (i == row and abs(j - column) <= 2) or (j == column and abs(i - row) <= 2)
            assert near or now[i][j] == held
    assert now[row][column] == case[1]


@given(turns())
def test_each_direction_is_as_if_it_were_alone(case: tuple) -> None:
    """B1: the four directions touch different squares, so each does what it does without the others."""
    rows, mover, row, column = case
    now = rows_of(placed(*case)[1])
    for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        line = [(row + n * dy, column + n * dx) for n in (1, 2)]
        line = [(i, j) for i, j in line if 0 <= i < len(rows) and 0 <= j < len(rows)]
        alone = [["."] * len(rows) for _ in rows]
        for i, j in line:
            alone[i][j] = rows[i][j]
        then = rows_of(placed(alone, mover, row, column)[1])
        assert [now[i][j] for i, j in line] == [then[i][j] for i, j in line]


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

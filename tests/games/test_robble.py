"""Robble's rules, one test a ruling (B1 to B4) and a test for every sentence of the published rules."""

from __future__ import annotations

from random import Random

import pytest

from games.core import IllegalOption, IllegalOrder
from games.robble import RobbleState
from games.robble.stones import BOARDS, score
from tests.games.cases import named
from tests.games.robble_table import REPEATING, ROBBLE, SIZES, A, B, begin, lay, played, scores, turn

# The start and the options


@pytest.mark.parametrize(
    ("preset", "position"),
    [("standard", "7/7/7/7/7/7/7 b"), ("small", "5/5/5/5/5 b"), ("big", "9/9/9/9/9/9/9/9/9 b")],
)
def test_the_board_is_empty_and_black_begins(preset: str, position: str) -> None:
    options = ROBBLE.read_options(ROBBLE.presets[preset].options)
    state = RobbleState.start(options, 2, {})
    assert state.position() == position
    assert state.to_act() == {A}
    assert (state.side(A), state.side(B)) == ("b", "w")


def test_sizes_from_five_to_nine_may_be_played_with_the_swap_or_without() -> None:
    assert [begin(size).board.size for size in SIZES] == [5, 6, 7, 8, 9]
    assert ROBBLE.read_options({}).size == 7
    assert ROBBLE.write_options(ROBBLE.read_options({"size": 7, "pie": True})) == {}
    assert ROBBLE.write_options(ROBBLE.read_options({"pie": False})) == {"pie": False}
    for wrong in (
        {"size": 4},
        {"size": 10},
        {"size": 7.0},
        {"size": "7"},
        {"pie": 1},
        {"pie": "false"},
        {"x": 1},
    ):
        with pytest.raises(IllegalOption):
            ROBBLE.read_options(wrong)
    assert list(ROBBLE.seats(ROBBLE.read_options({}))) == [2]


# B1, a placement


def place(drawing: str, square: str, mover: str = "b") -> str:
    rows = turn(lay(drawing, mover), square).position().split(" ")[0].split("/")
    return " ".join("".join("." * int(c) if c.isdigit() else c for c in row) for row in rows)


@named("before square after", {
    "pushed left": ("..... ..... ..s.. ..... .....", "d3", "..... ..... .s.m. ..... ....."),
    "pushed up": ("..... ..... ..s.. ..... .....", "c2", "..... ..s.. ..... ..m.. ....."),
    "off to the left": ("..... ..... s.... ..... .....", "b3", "..... ..... .m... ..... ....."),
    "off at the bottom": ("..... ..... ..... ..... ..s..", "c2", "..... ..... ..... ..m.. ....."),
    "turned by a black one behind": ("..b.. ..s.. ..... ..... .....", "c3", "..b.. ..t.. ..m.. ..... ....."),
    "all four at once": (
        "..... ..w.. wb.w. ..b.. .....", "c3", "..w.. ..... wwm.w ..... ..b..",
    ),
    "pushed, turned and off": ("..... ..... .b... w.ww. .b...", "b2", "..... .b... ..... .mbw. ....."),
    "what is pushed pushes nothing": (
        "..... ..... b.w.. ..... .....", "d3", "..... ..... bw.m. ..... .....",
    ),
    "what is pushed turns nothing": (
        "..... .w... w.b.. .w... .....", "d3", "..... .w... wb.m. .w... .....",
    ),
    "no diagonal neighbours": (
        "..... .w.w. ..... .w.w. .....", "c3", "..... .w.w. ..m.. .w.w. .....",
    ),
})  # fmt: skip
@pytest.mark.parametrize("stone", ["b", "w"])
@pytest.mark.parametrize("mover", ["b", "w"])
def test_b1_neighbours_are_pushed_removed_or_turned(
    before: str, square: str, after: str, stone: str, mover: str
) -> None:
    """The placed stone is `m`, of either colour; its neighbour is `s`, and `t` if it turns over."""
    expected = after.replace("s", stone).replace("t", "bw"[stone == "b"]).replace("m", mover)
    assert place(before.replace("s", stone), square, mover) == expected


# Orders


def test_an_order_is_an_empty_square_typed_loosely_by_the_one_to_move() -> None:
    for typed in ("d4", "D4", " d4 ", "d 4", "d4\n"):
        assert begin().check(A, typed) == "d4"
    for typed in ("", "d", "4", "h1", "a8", "a0", "d04", "d-4", "dd", "d4 e4", "4d", "d4d4", "a²"):
        with pytest.raises(IllegalOrder, match="a1 to g7"):
            begin().check(A, typed)
    with pytest.raises(IllegalOrder, match="stone on d4"):
        turn(begin(), "d4").check(B, "d4")
    with pytest.raises(IllegalOrder, match="isn’t your turn"):
        begin().check(B, "d4")
    with pytest.raises(IllegalOrder, match="over"):
        lay("bbbbb wwwww bbbbb wwwww bbbbb").check(A, "d4")


def test_a_sample_is_any_empty_square_each_as_likely() -> None:
    rng = Random(1)
    crowded = lay("bwbwb wbwbw bw.wb wbwbw .wbw.")
    for state, squares in ((crowded, ["a1", "c3", "e1"]), (begin(5), list(BOARDS[5].names))):
        counted = dict.fromkeys(squares, 0)
        for _ in range(400 * len(squares)):
            counted[state.sample(A, rng)] += 1
        assert all(300 < n < 500 for n in counted.values())


# B2, the swap


def test_b2_the_swap_exchanges_colours_and_the_stone_stays() -> None:
    before = turn(begin(), "d4")
    assert before.check(B, " SWAP ") == "swap"
    samples = [before.sample(B, Random(seed)) for seed in range(100)]
    assert 20 < samples.count("swap") < 80
    after = turn(before, "swap")
    assert after.position() == before.position() == "7/7/7/3b3/7/7/7 w"
    assert (after.side(A), after.side(B)) == ("w", "b")
    assert after.tick
    assert after.turn == 2
    assert after.to_act() == {A}
    after = turn(after, "a1")
    assert after.position() == "7/7/7/3b3/7/7/w6 b"
    assert after.to_act() == {B}
    assert turn(after, "g7").position() == "6b/7/7/3b3/7/7/w6 w"


def test_b2_without_pie_nobody_swaps_and_it_is_said_before_the_match() -> None:
    state = turn(begin(pie=False), "d4")
    assert not state.may_swap
    with pytest.raises(IllegalOrder, match="without the swap"):
        state.check(B, "swap")
    assert "swap" not in (state.legal(B, 100) or ["swap"])
    assert "swap" not in state.ideas(B, Random(1), 100)
    assert "swap" not in {state.sample(B, Random(seed)) for seed in range(50)}
    assert not any(choice.key == "swap" for choice in state.plan(B, "").choices)
    assert str(state.plan(B, "").missing) == "Choose an empty square for the stone."
    assert str(state.plan(B, "swap").missing).startswith("This match is played without the swap.")
    assert not turn(state, "d5").pie
    says = {pie: str(ROBBLE.begins(ROBBLE.read_options({"pie": pie}), 2, B)) for pie in (True, False)}
    assert says == {True: "White: may swap colours at once.", False: "White: places second."}


# B3, the end


@named("drawing groups result", {
    "pairs of equal groups go: 5 5 5 against 5 5": (
        "bbbbb wwwww bbbbb wwwww bbbbb", (5, 0), "A largest group",
    ),
    "the biggest counts, not all together: 2 2 6 6 against 9": (
        "bbwbb wwwww bbwbb bbwbb bbwbb", (6, 9), "B largest group",
    ),
    "one that is cancelled counts no more: 7 13 against 13 3": (
        "bbbbbb bwwwww wwwwww bbbbww bbbbbb wwwbbb", (7, 3), "A largest group",
    ),
    "diagonal neighbours are no group": ("....b b...b .b..b ..b.. b....", (3, 0), ""),
})  # fmt: skip
@pytest.mark.parametrize("mover", ["b", "w"])
def test_b3_the_biggest_group_that_is_left_wins(
    drawing: str, groups: tuple[int, int], result: str, mover: str
) -> None:
    state = lay(drawing, mover)
    assert (score(state.board, state.stones), scores(state)) == (groups, result)


# B4, repetition


def test_b4_the_first_position_counts_and_a_swap_makes_no_new_one() -> None:
    state = played(begin(5), [REPEATING[0], "swap", *REPEATING[1:-1]])
    assert scores(state) == ""
    assert scores(turn(state, REPEATING[-1])) == "AB repetition"
    assert begin().times() == 1
    assert lay("..... ..... ..w.. ..... .....").times() == 1
    assert played(begin(5), REPEATING[:-1]).times() == 2
    assert played(begin(5), REPEATING).times() == 3
    assert played(begin(), ["d4", "swap"]).times() == 1


def seen(state: RobbleState, stones: int, times: int) -> RobbleState:
    """The same state, had those stones been there so many times before."""
    drawer = stones.bit_count() % len(state.history)
    history = [known + (stones,) * times * (n == drawer) for n, known in enumerate(state.history)]
    return state._replace(history=history)


def test_b4_it_must_be_the_same_colour_to_move_and_a_full_board_is_scored_first() -> None:
    before = lay("..... ..... ..w.. ..... .....")
    stones = turn(before, "d3").stones
    other = stones ^ (1 << before.board.mover)
    assert scores(turn(seen(before, stones, 1), "d3")) == ""
    assert scores(turn(seen(before, stones, 2), "d3")) == "AB repetition"
    assert scores(turn(seen(before, other, 2), "d3")) == ""
    before = lay("bbbwww bbbwww bbbwww bbbwww wbbwww .wbwww")
    stones = turn(before, "a1").stones
    assert scores(turn(seen(before, stones, 2), "a1")) == "B cancelled"


# Positions as text


@pytest.mark.parametrize(
    ("drawing", "mover", "may"),
    [
        ("..... ..... ..b.. ..... .....", "w", True),
        ("..... ..... ..b.. ..... .....", "b", False),
        ("..... ..... ..w.. ..... .....", "w", False),
        ("..... ..... ..bb. ..... .....", "w", False),
        ("..... ..... ..... ..... .....", "b", False),
    ],
)
def test_b2_a_position_that_is_read_allows_the_swap_after_one_black_stone(
    drawing: str, mover: str, may: bool
) -> None:
    state = lay(drawing, mover)
    assert state.may_swap == may
    assert state.to_act() == {A if mover == "b" else B}

"""Planning in Robble: a tap shows what a stone there would do, the next one takes its place (B1 to B4)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import IllegalOrder, Seat
from games.robble.presentation.planner import RobblePlan
from games.robble.state import RobbleState
from tests.games.robble_table import REPEATING, A, B, begin, lay, played, turn
from tests.games.test_robble_properties import strewn

CORNER = """
    .....
    .....
    .b...
    w.ww.
    .b..."""


def plan(state: RobbleState, partial: str, seat: Seat | None = None) -> RobblePlan:
    made = state.plan(seat or min(state.to_act()), partial)
    assert isinstance(made, RobblePlan)
    return made


def test_nothing_is_chosen_at_first() -> None:
    made = plan(lay(CORNER), "")
    assert made.order == ""
    assert str(made.missing) == "Choose an empty square for the stone."
    assert made.ghosts == ()
    assert not any(tap.chosen for tap in made.taps)
    assert [(piece.side, piece.square) for piece in made.pieces] == [
        ("b", "b1"), ("w", "a2"), ("w", "c2"), ("w", "d2"), ("b", "b3"),
    ]  # fmt: skip


def test_every_empty_square_can_be_tapped_and_says_what_comes_of_it() -> None:
    state = lay(CORNER)
    taps = {tap.key: tap for tap in plan(state, "").taps}
    assert set(taps) == {name for name in state.board.names if name not in ("b1", "a2", "c2", "d2", "b3")}
    assert str(taps["b2"].name) == (
        "b2: The black stone on b3 is pushed to b4. The white stone on c2 turns over and is black. "
        "The black stone on b1 is pushed off the board. The white stone on a2 is pushed off the board."
    )
    assert str(taps["e2"].name) == "e2: The white stone on d2 turns over and is black."
    assert str(taps["a3"].name) == (
        "a3: The black stone on b3 is pushed to c3. The white stone on a2 is pushed to a1."
    )
    assert str(taps["e5"].name) == "e5: nothing else changes"
    (b3,) = (tap for tap in plan(lay("..... ..... w.w.. ..... ....."), "").taps if tap.key == "b3")
    assert str(b3.name) == (
        "b3: The white stone on c3 is pushed to d3. The white stone on a3 is pushed off the board."
    )
    assert (taps["b2"].x, taps["b2"].y) == (1.5, 3.5)
    assert (taps["b2"].column, taps["b2"].row) == (2, 4)


def test_a_tap_shows_what_would_be_pushed_turned_and_pushed_off_and_counts_what_is_left() -> None:
    made = plan(lay(CORNER), plan(lay(CORNER), "").choose("b2"))
    assert made.order == "b2"
    assert made.missing is None
    assert [(g.kind, g.side, g.square, (g.x, g.y), (g.x2, g.y2)) for g in made.ghosts] == [
        ("placed", "b", "b2", (1.5, 3.5), (1.5, 3.5)),
        ("pushed", "b", "b3", (1.5, 2.5), (1.5, 1.5)),
        ("turned", "b", "c2", (2.5, 3.5), (2.5, 3.5)),
        ("off", "b", "b1", (1.5, 4.5), (1.5, 5.5)),
        ("off", "w", "a2", (0.5, 3.5), (-0.5, 3.5)),
    ]
    assert [tap.key for tap in made.taps if tap.chosen] == ["b2"]
    assert [(p.side, p.square, p.mark) for p in made.pieces] == [
        ("b", "b2", "placed"), ("b", "c2", "turned"), ("w", "d2", ""), ("b", "b4", "pushed"),
    ]  # fmt: skip
    made = plan(lay(CORNER), "b2")
    black, white = made.side_scores
    assert (black.stones, black.groups, black.biggest, black.leads) == (3, ((2, False), (1, True)), 2, True)
    assert (white.stones, white.groups, white.biggest, white.leads) == (1, ((1, True),), 0, False)
    assert [(g.side, g.size, g.squares) for g in made.groups] == [("b", 2, "b2, c2")]
    assert [str(sentence) for sentence in made.words] == [
        "A places a black stone on b2.",
        "The black stone on b3 is pushed to b4.",
        "The white stone on c2 turns over and is black.",
        "The black stone on b1 is pushed off the board.",
        "The white stone on a2 is pushed off the board.",
        "If the board were full now, A would win with a group of 2; the opponent would have none left.",
    ]


def test_the_next_tap_takes_the_place_of_the_first_and_back_takes_it_out() -> None:
    state = lay(CORNER)
    made = plan(state, "b2")
    assert made.choose("e5") == "e5"
    for key in ("back", "clear"):
        assert made.choose(key) == ""
        with pytest.raises(IllegalOrder, match="nothing to undo"):
            plan(state, "").choose(key)


def test_a_plan_names_what_is_done_and_sums_up_what_comes_of_it() -> None:
    def summed(state: RobbleState, order: str) -> tuple[str, list[str]]:
        made = plan(state, order)
        return str(made.order_name), [str(one.name) for one in made.sums]

    assert summed(lay(CORNER), "b2") == (
        "Place on b2",
        ["one stone pushed", "one stone turned over", "2 stones off the board"],
    )
    assert summed(lay(CORNER), "e5") == ("Place on e5", ["Nothing else changes."])
    assert summed(turn(begin(), "d4"), "swap") == ("Swap colours", ["you take Black"])
    assert summed(lay(CORNER), "") == ("None", [])


def test_a_stone_in_the_way_and_what_is_no_square_are_said() -> None:
    state = lay(CORNER)
    with pytest.raises(IllegalOrder, match="stone on c2"):
        plan(state, "").choose("c2")
    assert "stone on c2" in str(plan(state, "c2").missing)
    assert plan(state, "c2").order == ""
    made = plan(lay(CORNER), "f6")
    assert made.order == ""
    assert "“f6” is not a square" in str(made.missing)


@pytest.mark.parametrize("typed", ["B2", " b2 ", "b 2"])
def test_a_plan_reads_what_people_type(typed: str) -> None:
    assert plan(lay(CORNER), typed).order == "b2"


def test_b2_the_swap_is_a_choice_on_whites_first_turn_only() -> None:
    state = turn(begin(), "d4")
    made = plan(state, "")
    assert [str(choice.name) for choice in made.palette] == ["Swap colours: take Black"]
    assert "or swap" in str(made.missing)
    swapping = plan(state, made.choose("swap"))
    after = turn(state, "swap")
    asked = str(plan(after, "").missing)
    assert asked == "B has swapped colours, so you play White now. Choose an empty square for your stone."
    assert (swapping.order, swapping.missing, swapping.ghosts) == ("swap", None, ())
    assert [tally.side for tally in swapping.side_scores] == ["w", "b"]
    assert str(swapping.words[0]) == (
        "B swaps colours, since Black’s first stone looks better than any answer to it: B plays Black from "
        "now on, and A plays White."
    )
    assert swapping.choose("e4") == "e4"
    assert swapping.choose("back") == ""
    for other in (begin(), played(begin(), ["d4", "e4"]), played(begin(), ["d4", "swap"])):
        assert plan(other, "").palette == ()
        with pytest.raises(IllegalOrder, match="White"):
            plan(other, "").choose("swap")


def test_b3_a_plan_that_fills_the_board_tells_how_it_ends() -> None:
    made = plan(lay("bbbwww bbbwww bbbwww bbbwww wbbwww .wbwww"), "a1")
    assert str(made.ends) == (
        "The board is full and all groups cancel out. Whoever placed last loses: B wins."
    )
    made = plan(lay("bwbwb wbwbw bw.wb wbwbw bwbwb"), "c3")
    assert str(made.ends) == "The board is full. A wins: biggest groups left 13 to 1."
    assert str(made.words[-1]) == str(made.ends)
    assert plan(lay(CORNER), "b2").ends is None


def test_b4_a_plan_warns_of_a_position_that_was_there_and_tells_of_the_third_time() -> None:
    second = REPEATING.index("b2", REPEATING.index("b2") + 1)
    twice = [
        n
        for n in range(second, len(REPEATING))
        if plan(played(begin(5), REPEATING[:n]), REPEATING[n]).repeats
    ]
    assert twice
    n = twice[0]
    made = plan(played(begin(5), REPEATING[:n]), REPEATING[n])
    assert str(made.repeats) == "This position has occurred before. The third time is a draw."
    assert made.repeats in made.words
    assert made.ends is None
    made = plan(played(begin(5), REPEATING[:-1]), REPEATING[-1])
    assert str(made.ends) == "This position has occurred for the third time: a draw."
    assert made.repeats is None


def test_who_is_not_to_move_has_nothing_to_choose() -> None:
    made = plan(begin(), "d4", B)
    assert (made.order, made.choices, made.taps, made.ghosts) == ("", (), (), ())
    assert str(made.missing) == "It isn’t your turn."
    over = lay("bbbbb wwwww bbbbb wwwww bbbbb")
    for seat in (A, B):
        assert str(plan(over, "a1", seat).missing) == "The match is over."
        assert len(plan(over, "", seat).pieces) == 25


def test_a_plan_draws_and_counts_what_its_turn_leads_to() -> None:
    rng = Random(1)
    for _ in range(40):
        state = lay(strewn(rng, 5, 0.3), rng.choice("bw"))
        order = state.sample(min(state.to_act()), rng)
        made, drawing = plan(state, order), turn(state, order).drawing()
        assert [piece.square for piece in made.pieces] == [piece.square for piece in drawing["pieces"]]
        assert made.side_scores == tuple(drawing["side_scores"])


def test_a_planned_stone_is_moved_on_to_the_next_empty_square() -> None:
    """Past stones, and not off the board."""
    made = plan(lay(CORNER), "b2")
    assert {n.way: (n.key, n.allowed) for n in made.move_buttons} == {
        "left": ("b2", False), "up": ("b4", True), "down": ("b2", False), "right": ("e2", True),
    }  # fmt: skip
    assert str(made.move_buttons[1].name) == "Move it up to b4"
    assert plan(lay(CORNER), "").move_buttons == ()


def test_a_glimpse_of_a_square_shows_what_its_plan_does_to_other_stones() -> None:
    state = lay(CORNER)
    seat = min(state.to_act())
    for choice in plan(state, "").choices:
        seen = state.glimpse(seat, choice.leads_to)
        assert isinstance(seen, RobblePlan)
        assert seen.ghosts == plan(state, choice.leads_to).ghosts
        assert not seen.choices  # no squares either: they stay as they are

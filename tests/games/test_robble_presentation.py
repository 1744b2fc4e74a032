"""Robble as players see it: plans (B1 to B4), events as data, sentences, words and numbers."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games.core import IllegalOrder, Seat, tell
from games.robble import RobbleState
from games.robble.presentation.planner import RobblePlan
from tests.games.robble_table import REPEATING, SIZES, A, B, begin, lay, played, turn
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


def test_who_is_not_to_move_has_nothing_to_choose_and_at_first_nothing_is_chosen() -> None:
    made = plan(lay(CORNER), "")
    assert made.order == ""
    assert str(made.missing) == "Choose an empty square for the stone."
    assert made.ghosts == ()
    assert not any(tap.chosen for tap in made.taps)
    assert [(piece.side, piece.square) for piece in made.pieces] == [
        ("b", "b1"), ("w", "a2"), ("w", "c2"), ("w", "d2"), ("b", "b3"),
    ]  # fmt: skip
    made = plan(begin(), "d4", B)
    assert (made.order, made.choices, made.taps, made.ghosts) == ("", (), (), ())
    assert str(made.missing) == "It isn’t your turn."
    over = lay("bbbbb wwwww bbbbb wwwww bbbbb")
    for seat in (A, B):
        assert str(plan(over, "a1", seat).missing) == "The match is over."
        assert len(plan(over, "", seat).pieces) == 25


def test_every_empty_square_can_be_tapped_and_says_what_comes_of_it() -> None:
    state = lay(CORNER)
    taps = {tap.key: tap for tap in plan(state, "").taps}
    assert set(taps) == {name for name in state.board.names if name not in ("b1", "a2", "c2", "d2", "b3")}
    assert str(taps["b2"].name) == (
        "b2: The black stone on b3 is pushed to b4. The white stone on c2 turns over and is black. "
        "The black stone on b1 is pushed off the board. The white stone on a2 is pushed off the board."
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
    made = plan(state, "b2")
    assert made.choose("e5") == "e5"
    for key in ("back", "clear"):
        assert made.choose(key) == ""
        with pytest.raises(IllegalOrder, match="nothing to undo"):
            plan(state, "").choose(key)


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


def test_b3_b4_a_plan_tells_how_it_ends_and_warns_of_a_position_that_was_there() -> None:
    made = plan(lay("bbbwww bbbwww bbbwww bbbwww wbbwww .wbwww"), "a1")
    assert str(made.ends) == (
        "The board is full and all groups cancel out. Whoever placed last loses: B wins."
    )
    made = plan(lay("bwbwb wbwbw bw.wb wbwbw bwbwb"), "c3")
    assert str(made.ends) == "The board is full. A wins: biggest groups left 13 to 1."
    assert str(made.words[-1]) == str(made.ends)
    made = plan(lay("bbbbb bbbbb bbbbb wbbbb .wbbb"), "a1")
    assert str(made.ends) == "The board is full. A wins with a group of 25 left; the opponent has none."
    assert plan(lay(CORNER), "b2").ends is None
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


def test_a_plan_draws_and_counts_what_its_turn_leads_to() -> None:
    rng = Random(1)
    for _ in range(40):
        state = lay(strewn(rng, 5, 0.3), rng.choice("bw"))
        order = state.sample(min(state.to_act()), rng)
        made, drawing = plan(state, order), turn(state, order).drawing()
        assert [piece.square for piece in made.pieces] == [piece.square for piece in drawing["pieces"]]
        assert made.side_scores == tuple(drawing["side_scores"])


def test_a_planned_stone_is_moved_on_and_a_glimpse_shows_what_its_plan_does() -> None:
    """Past stones, and not off the board."""
    made = plan(lay(CORNER), "b2")
    assert {n.way: (n.key, n.allowed) for n in made.move_buttons} == {
        "left": ("b2", False), "up": ("b4", True), "down": ("b2", False), "right": ("e2", True),
    }  # fmt: skip
    assert str(made.move_buttons[1].name) == "Move it up to b4"
    assert plan(lay(CORNER), "").move_buttons == ()
    state = lay(CORNER)
    seat = min(state.to_act())
    for choice in plan(state, "").choices:
        seen = state.glimpse(seat, choice.leads_to)
        assert isinstance(seen, RobblePlan)
        assert seen.ghosts == plan(state, choice.leads_to).ghosts
        assert not seen.choices  # no squares either: they stay as they are


# Events as data, as sentences, in words and as numbers.


def match(size: int, seed: int) -> list[RobbleState]:
    rng, states = Random(seed), [begin(size)]
    while not states[-1].ended:
        (seat,) = states[-1].to_act()
        states.append(turn(states[-1], states[-1].sample(seat, rng)))
    return states


MATCHES = [match(size, seed) for size in SIZES for seed in range(6)]


def held(state: RobbleState) -> dict[str, str]:
    """The stone on a square: b, w, or nothing."""
    board = state.board
    stones = {name: "bw."[board.stone_at(state.stones, i)] for i, name in enumerate(board.names)}
    return {name: stone for name, stone in stones.items() if stone != "."}


def retold(before: dict[str, str], events: list[dict[str, Any]]) -> dict[str, str]:
    """The stones that the events of a turn lead to, knowing nothing else."""
    stones = dict(before)
    for event in events:
        match event["kind"]:
            case "placed":
                assert event["at"] not in stones
                stones[event["at"]] = event["side"]
            case "pushed":
                assert stones.pop(event["from"]) == event["side"]
                assert event["to"] not in stones
                stones[event["to"]] = event["side"]
            case "off":
                assert stones.pop(event["from"]) == event["side"]
            case "turned":
                assert stones[event["at"]] != event["side"]
                stones[event["at"]] = event["side"]
            case "swapped" | "won" | "cancelled" | "repeated":
                pass
            case kind:
                raise AssertionError(kind)
    return stones


def test_the_events_of_a_turn_are_exactly_what_changed_and_the_last_one_tells_who_won() -> None:
    for states in MATCHES:
        for before, after in pairwise(states):
            assert retold(held(before), after.events) == held(after)
            (seat,) = before.to_act()
            assert after.events[0]["by"] == seat
            if after.events[0]["kind"] == "placed":
                assert after.events[0]["side"] == before.side(seat)
            else:
                assert [(e["kind"], e["side"]) for e in after.events] == [("swapped", "b")]
            assert (after.events[-1]["kind"] == "won") == bool(after.ended)
        last = states[-1]
        assert last.ended and last.ended.scores[last.events[-1]["by"]] == 1


def last_told(state: RobbleState) -> str:
    return str(tell(state, state.events[-1]))


def test_b2_the_swap_and_the_new_colours_are_told() -> None:
    state = played(begin(), ["d4", "swap"])
    assert last_told(state) == (
        "B swaps colours, since Black’s first stone looks better than any answer to it: B plays Black from "
        "now on, and A plays White."
    )
    marked = [(mark.kind, mark.square) for mark in state.drawing()["effects"]]
    assert marked == [("swapped", "d4")], "every stone that has changed hands is marked"
    assert last_told(turn(state, "a1")) == "A places a white stone on a1."
    assert last_told(played(state, ["a1", "g7"])) == "B places a black stone on g7."


def test_the_words_name_every_stone_once_and_seats_as_seats() -> None:
    for states in MATCHES[::6]:
        for state in states:
            for letter, name in (("b", "Black"), ("w", "White")):
                told = [s for s in state.words() if "squares" in s.facts and str(s).startswith(name)]
                squares = ", ".join(s.facts["squares"] for s in told)
                expected = sorted(square for square, stone in held(state).items() if stone == letter)
                assert sorted(filter(None, squares.split(", "))) == expected
    for states in MATCHES[::6]:
        for state in states:
            for sentence in (*(tell(state, event) for event in state.events), *state.words()):
                said = str(sentence)
                assert said[0].isupper() and said[-1] == "." and "{" not in said
                assert all(isinstance(sentence.facts[key], Seat) for key in ("by",) if key in sentence.facts)


def test_the_drawing_has_every_stone_where_it_is_and_where_it_came_from() -> None:
    for states in MATCHES[::6]:
        for before, after in pairwise(states):
            drawing = after.drawing()
            assert {piece.square: piece.side for piece in drawing["pieces"]} == held(after)
            came = {p.was for p in drawing["pieces"] if p.mark != "placed"}
            stood = {p.square for p in before.drawing()["pieces"]}
            gone = {e.square for e in drawing["effects"] if e.kind == "off"}
            assert came | gone == stood
            assert not came & gone
            assert all(p.seat == after.seat("bw".index(p.side)) for p in drawing["pieces"])


def test_the_drawing_says_how_big_the_board_is_and_joins_neighbours_of_a_colour_once() -> None:
    drawing = begin(5).drawing()
    assert drawing["size"] == 5
    assert drawing["files"] == [("a", 0.5), ("b", 1.5), ("c", 2.5), ("d", 3.5), ("e", 4.5)]
    assert drawing["ranks"] == [("5", 0.5), ("4", 1.5), ("3", 2.5), ("2", 3.5), ("1", 4.5)]
    assert (drawing["pieces"], drawing["groups"], drawing["effects"]) == ([], [], [])
    drawing = lay(".ww.. .wb.. ..b.. ..bb. b....").drawing()
    joined = {(link.side, (link.x, link.y), (link.x2, link.y2)) for link in drawing["links"]}
    assert joined == {
        ("w", (1.5, 0.5), (2.5, 0.5)),
        ("w", (1.5, 1.5), (1.5, 0.5)),
        ("b", (2.5, 2.5), (2.5, 1.5)),
        ("b", (2.5, 3.5), (2.5, 2.5)),
        ("b", (2.5, 3.5), (3.5, 3.5)),
    }
    assert len(joined) == len(drawing["links"])
    assert [link.side for link in drawing["links"]] == sorted(link.side for link in drawing["links"])


def test_a_groups_size_is_written_on_one_of_its_stones_and_its_stones_are_joined() -> None:
    drawing = lay("..... .b... .bw.. wwww. b....").drawing()
    assert [(g.side, g.size, g.x, g.y) for g in drawing["groups"]] == [("w", 5, 2.5, 3.5), ("b", 2, 1.5, 2.5)]
    for states in MATCHES[::6]:
        drawing = states[-1].drawing()
        stones = {(piece.x, piece.y): piece for piece in drawing["pieces"]}
        for group in drawing["groups"]:
            piece = stones[group.x, group.y]
            assert (piece.side, piece.group, piece.cancels) == (group.side, group.size, group.cancels)
    for states in MATCHES:
        drawing = states[-1].drawing()
        groups = sum(len(tally.groups) for tally in drawing["side_scores"])
        together = {(p.x, p.y): {(p.x, p.y)} for p in drawing["pieces"]}
        for link in drawing["links"]:
            one, other = together[link.x, link.y], together[link.x2, link.y2]
            for at in one | other:
                together[at] = one | other
        assert len({frozenset(group) for group in together.values()}) == groups


def test_b2_b3_the_tallies_follow_the_seats_and_what_cancels() -> None:
    black, white = lay("b.b.w b...w ....w ..... .....").drawing()["side_scores"]
    assert black.groups == ((2, False), (1, False))
    assert white.groups == ((3, False),)
    black, white = lay("b.b.w ..... ....b ..... .....").drawing()["side_scores"]
    assert black.groups == ((1, True), (1, False), (1, False))
    assert white.groups == ((1, True),)
    assert (black.leads, white.leads) == (True, False)
    first, second = played(begin(), ["d4", "swap"]).drawing()["side_scores"]
    assert (first.seat, first.side, first.stones) == (A, "w", 0)
    assert (second.seat, second.side, second.stones) == (B, "b", 1)


def test_the_table_of_orders_shows_the_order_of_whoever_moved() -> None:
    state = turn(lay("..... ..... .b... w.ww. .b..."), "b2")
    cell = state.cell(A)
    assert cell
    assert (cell.sign, cell.icon, str(cell.name)) == ("b2", "stone-b", "places on b2")
    assert (cell.pushed, cell.off, cell.turned) == (1, 2, 1)
    assert state.cell(B) is None
    swap = played(begin(), ["d4", "swap"])
    assert swap.cell(A) is None
    assert swap.cell(B) and swap.cell(B).sign == "swap"
    then = turn(swap, "a1")
    assert then.cell(A) and then.cell(A).icon == "stone-w"
    assert then.cell(B) is begin().cell(A) is None


def test_a_touched_stone_is_named_by_where_it_was_and_faces_away_from_the_placed_one() -> None:
    drawing = turn(lay("..... ..... .b... w.ww. .b..."), "b2").drawing()
    marked = {p.square: (p.mark, p.was, p.degrees, p.seat) for p in drawing["pieces"] if p.mark}
    assert marked == {
        "b2": ("placed", "b2", 0, "A"),
        "b4": ("pushed", "b3", 0, "A"),
        "c2": ("turned", "c2", 90, "A"),
    }
    off = {e.square: (e.degrees, e.seat, e.side) for e in drawing["effects"] if e.kind == "off"}
    assert off == {"b1": (180, "A", "b"), "a2": (270, "B", "w")}
    assert all(p.was == p.square and p.degrees == 0 for p in drawing["pieces"] if not p.mark)

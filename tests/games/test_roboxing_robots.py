"""Roboxing, the robot: its slots, where it starts, how it moves and what its turrets cover (X1 to X9)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.core import IllegalOption, IllegalOrder
from games.roboxing import RoboxingState
from games.roboxing.robot import SLOTS, longest, misbuilt, shuffled
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, duel, opening, play, stand

# X1: the layout


def test_x1_the_example_is_read_as_its_picture_shows_it() -> None:
    (fred,) = opening().read_layouts(FRED)
    assert fred.letters == "gadeihcbf"
    assert {fred.letters[i] for i in range(9) if fred.parts[i] == "L"} == set("debf")
    assert {SLOTS[fred.slot(x)] + x for x in "aghc"} == {"Na", "NWg", "Eh", "SWc"}
    assert fred.part("i") == "B"
    (sally,) = opening().read_layouts(SALLY)
    assert {sally.letters[i] for i in range(9) if sally.parts[i] == "L"} == set("gfih")
    assert SLOTS[sally.slot("a")] == "SW"


@pytest.mark.parametrize("typed", [
    FRED, "GA(D)/(E)[I]H/C(B)(F)", "g a (d) (e) [i] h c (b) (f)", " ga(d)\n(e)[i]h\nc(b)(f) ",
    "ga( d )/(e)[i]h/c(b)(f)",
])  # fmt: skip
def test_x1_a_layout_may_be_typed_loosely(typed: str) -> None:
    assert opening().check(A, typed) == FRED


@pytest.mark.parametrize(("typed", "says"), [
    ("ga(d)/(e)[i]h/c(b)f", "four lasers"),
    ("ga(d)/(e)[i]h/c(b)(g)", "“f” is missing"),
    ("ga(d)/(e)[i]h/c(b)", "there are 8"),
    ("ga(d)/(e)[i]h/c(b)(f)a", "there are 10"),
    ("ga(d)/(e)[i]h/c(b)(f", "is not a slot"),
    ("ja(d)/(e)[i]h/c(b)(f)", "is not a slot"),
    ("[i]a(d)/(e)gh/c(b)(f)", "booster sits in the centre"),
    (FRED + " " + SALLY, "there are 18"),
])  # fmt: skip
def test_x1_a_wrong_layout_is_refused_and_told_why(typed: str, says: str) -> None:
    with pytest.raises(IllegalOrder, match=says):
        opening().check(A, typed)


def test_x1_a_layout_is_built_for_every_robot_by_chance_as_well() -> None:
    state = opening(robots=2)
    assert state.check(B, f"{FRED}   {SALLY}") == f"{FRED} {SALLY}"
    with pytest.raises(IllegalOrder, match="you build 2 robots"):
        state.check(B, FRED)
    rng = Random(3)
    for free in (False, True):
        assert not any(misbuilt(*shuffled(rng, free), free) for _ in range(300))
    assert shuffled(Random(1), False) == ("cbiadehgf", "LLLEBELEE")
    assert shuffled(Random(1), True) == ("cbiadehgf", "LELLEELEB")


# X2: the start


def corners_drawn(seats: int, draws: int) -> Counter[tuple[str, ...]]:
    options = ROBOXING.read_options({})
    setups = (ROBOXING.draw(options, seats, Random(n), {}) for n in range(draws))
    return Counter(tuple(setup["corners"].values()) for setup in setups)


def test_x2_players_start_in_corners_that_are_drawn_two_in_opposite_ones() -> None:
    seen = corners_drawn(2, 400)
    assert set(seen) == {("a1", "h8"), ("h8", "a1"), ("a8", "h1"), ("h1", "a8")}
    assert min(seen.values()) > 60
    for seats in (3, 4):
        seen = corners_drawn(seats, 1000)
        assert len(seen) == 24
        assert all(len(set(corners)) == seats for corners in seen)


def test_x2_the_corners_are_those_of_the_ring_and_cannot_be_wished_for() -> None:
    options = ROBOXING.read_options({"width": 15, "height": 5})
    corners = ROBOXING.draw(options, 4, Random(1), {})["corners"]
    assert set(corners.values()) == {"a1", "o1", "a5", "o5"}
    ROBOXING.check_setup(options, 4, {"corners": corners})
    with pytest.raises(IllegalOption):
        ROBOXING.draw(ROBOXING.read_options({}), 2, Random(1), {"corners": {"A": "a1", "B": "h8"}})


# X4: moves


def legal(state: RoboxingState, order: str, seat: str = "A") -> bool:
    try:
        return state.check({"A": A, "B": B}[seat], order) == order
    except IllegalOrder:
        return False


def test_x4_three_engines_and_the_booster_make_six_but_a_destroyed_one_moves_nothing() -> None:
    state = stand(f"A1@a1:{FRED} B1@h8:c(g)b/(f)[e](i)/a(h)*")
    sally = state.layout(1)
    assert longest(sally, state.gone[1]) == 6
    assert legal(state, "a6", "B")
    assert not legal(state, "a7", "B")
    state = stand(f"A1@a1:{FRED} B1@h8:c(g)b/(f)*(i)/a(h)*")
    assert [legal(state, f"a{n}", "B") for n in (3, 4)] == [True, False]
    state = stand(f"A1@d4:*a(d)/(e)[i]h/c(b)(f) B1@h8:{SALLY}")
    with pytest.raises(IllegalOrder, match="Your engine g is destroyed"):
        state.check(A, "g1")
    assert not legal(duel("b2"), "c2+h3")
    assert legal(duel("b2"), "c1+h3")
    with pytest.raises(
        IllegalOrder, match="c2 would leave the ring: from b2 there is room for 1 to the south-west"
    ):
        duel("b2").check(A, "c2+h3")


@pytest.mark.parametrize(("order", "says"), [
    ("d1", "no engine"), ("i1", "no engine"), ("h9", "9 squares long; this robot may move 8"), ("h5+a4",
    "9 squares"),
    ("h0", "not part of a move"), ("h01", "not part of a move"), ("h", "not part of a move"),
    ("+h1", "not part"),
    ("h1+", "not part of a move"), ("j1", "not part of a move"), ("h-1", "not part of a move"),
    ("h1 d", "should be a move"), ("h1 d e e", "should be a move"), ("", "needs an order"),
    ("h1;h1", "there are 2"), ("h²", "not part of a move"), ("h" + "1" * 100, "not part of a move"),
])  # fmt: skip
def test_x4_a_wrong_move_is_refused_and_told_why(order: str, says: str) -> None:
    with pytest.raises(IllegalOrder, match=says):
        duel().check(A, order)


@pytest.mark.parametrize(("typed", "canonical"), [
    (" H2 + A2 ", "h2+a2"), ("–", "-"), ("h2,d,e", "h2 d e"), ("H2  D  B1:E", "h2 d e"), ("- d B1 : e",
    "- d e"),
])  # fmt: skip
def test_an_order_may_be_typed_loosely(typed: str, canonical: str) -> None:
    assert duel().check(A, typed) == canonical


# X5, X7: the booster and the reach


def play_shots(state: RoboxingState, **orders: str) -> list[bool]:
    return [event["hit"] for event in play(state, **orders)[-1].events if event["kind"] == "shot"]


# X8, X9: the zones


def zone(slot: str, square: str, distance: int) -> set[str]:
    here = duel().ring
    return {str(here.square(at)) for at in here.covered(SLOTS.index(slot), here.at(square), distance)}


def test_x9_a_laser_in_the_centre_covers_all_squares_within_reach() -> None:
    squares = {f"{f}{r}" for f in "bcdef" for r in range(2, 7)} - {"d4"}
    assert zone("C", "d4", 2) == squares
    state = duel("d4", "a1", fred="ga[d]/e(i)h/(c)(b)(f)", centre="free")
    assert play_shots(state, A="- i b", B="-") == [True]
    state = duel("d4", "a1", fred="(g)a[d]/(e)ih/c(b)(f)", centre="free")
    with pytest.raises(IllegalOrder, match="sits in the centre"):
        state.check(A, "i1")
    assert longest(state.layout(0), 0) == 8
    assert legal(state, "h4+a3")
    text = "[g]a(d)/(e)ih/c(b)(f)"
    assert opening(centre="free").check(A, text) == text
    with pytest.raises(IllegalOrder):
        opening().check(A, text)

"""Roboxing, the robot: its slots, where it starts, how it moves and what its turrets cover (X1 to X9)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.core import IllegalOption, IllegalOrder
from games.roboxing import RoboxingState
from games.roboxing.robot import SLOTS, ZONES, built, longest, misbuilt, reach, shuffled
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, after, duel, opening, play, stand

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
    ("ga(d)/(e)[i]h/(c)(b)(f)", "four lasers"),
    ("ga(d)/(e)[i][h]/c(b)(f)", "four lasers"),
    ("ga(d)/(e)[i]h/c(b)(g)", "“f” is missing"),
    ("ga(d)/(e)[i]h/c(b)", "there are 8"),
    ("ga(d)/(e)[i]h/c(b)(f)a", "there are 10"),
    ("ga(d)/(e)[i]h/c(b)(f", "is not a slot"),
    ("ga(d)/(e)[i)h/c(b)(f)", "is not a slot"),
    ("ja(d)/(e)[i]h/c(b)(f)", "is not a slot"),
    ("[i]a(d)/(e)gh/c(b)(f)", "booster sits in the centre"),
    ("", "there are 0"),
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


@pytest.mark.parametrize(("corner", "second", "third"), [
    ("a1", "b1", "a2"), ("h1", "g1", "h2"), ("a8", "b8", "a7"), ("h8", "g8", "h7"),
])  # fmt: skip
def test_x2_robot_2_stands_along_the_rank_and_robot_3_along_the_file(
    corner: str, second: str, third: str
) -> None:
    opposite = {"a1": "h8", "h8": "a1", "a8": "h1", "h1": "a8"}[corner]
    options = ROBOXING.read_options({"robots": 3})
    state = ROBOXING.state.start(options, 2, {"corners": {"A": corner, "B": opposite}})
    assert state.position().startswith(f"A1@{corner} A2@{second} A3@{third} B1@{opposite} ")


def test_x2_the_corners_are_those_of_the_ring_and_cannot_be_wished_for() -> None:
    options = ROBOXING.read_options({"width": 15, "height": 5})
    corners = ROBOXING.draw(options, 4, Random(1), {})["corners"]
    assert set(corners.values()) == {"a1", "o1", "a5", "o5"}
    ROBOXING.check_setup(options, 4, {"corners": corners})
    with pytest.raises(IllegalOption):
        ROBOXING.draw(ROBOXING.read_options({}), 2, Random(1), {"corners": {"A": "a1", "B": "h8"}})


@pytest.mark.parametrize("setup", [
    {}, {"corners": {}}, {"corners": {"A": "a1"}}, {"corners": {"A": "a1", "B": "a8"}},
    {"corners": {"A": "a1", "B": "a1"}}, {"corners": {"A": "a1", "B": "h8", "C": "a8"}},
    {"corners": {"A": "a1", "B": "g7"}}, {"corners": {"A": "a1", "B": 8}}, {"corners": {"A": ["a1"],
    "B": "h8"}},
    {"corners": ["a1", "h8"]}, {"corners": {"A": "a1", "B": "h8"}, "more": 1}, {"corners": {"a": "a1",
    "b": "h8"}},
    {"corners": None},
])  # fmt: skip
def test_x2_a_setup_that_could_not_have_been_drawn_is_refused(setup: dict) -> None:
    with pytest.raises(IllegalOption):
        ROBOXING.check_setup(ROBOXING.read_options({}), 2, setup)


@pytest.mark.parametrize("options", [
    {"width": 4}, {"width": 16}, {"height": 8.0}, {"height": True}, {"robots": 0}, {"robots": 4},
    {"centre": "laser"},
    {"size": 8},
])  # fmt: skip
def test_options_are_strict(options: dict) -> None:
    with pytest.raises(IllegalOption):
        ROBOXING.read_options(options)


# X4: moves


def legal(state: RoboxingState, order: str, seat: str = "A") -> bool:
    try:
        return state.check({"A": A, "B": B}[seat], order) == order
    except IllegalOrder:
        return False


def test_x4_sally_moves_along_her_whole_diagonal_and_fred_combines_east_and_north() -> None:
    assert [legal(duel(), f"a{n}", "B") for n in range(1, 9)] == [True] * 7 + [False]
    assert after(duel(), A="-", B="a7").endswith("B1@a1:" + SALLY)
    assert after(duel(), A="h2+a2", B="-").startswith("A1@c3:")
    assert after(duel(), A="h1+a1+h1+a1", B="-").startswith("A1@c3:")
    assert legal(duel(), "h1+h1")
    fred, sally = duel().layouts
    assert fred and sally
    assert [reach(sally, 0, n) for n in (4, 5)] == [8, 4]
    assert [reach(fred, 0, n) for n in (4, 5)] == [8, 4]
    assert after(duel(), A="h4", B="a4") == f"A1@e1:{FRED} B1@d4:{SALLY}"


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


@pytest.mark.parametrize(("move", "hit"), [("h4", True), ("h4+d1", False)])
def test_x5_the_booster_doubles_the_range_unless_the_move_is_longer_than_the_engines(
    move: str, hit: bool
) -> None:
    state = duel("a1", "h8", fred="(g)(a)d/(e)[i]h/c(b)f")
    # from e1, h8 is 7 away, and the reach is 8; from f2 it is 6 away, and the reach is 4
    assert play_shots(state, A=f"{move} a b", B="-") == [hit]


def play_shots(state: RoboxingState, **orders: str) -> list[bool]:
    return [event["hit"] for event in play(state, **orders)[-1].events if event["kind"] == "shot"]


def test_x5_x7_the_booster_and_all_intact_lasers_count_whichever_fires() -> None:
    fred = built("gadeihcbf", "EELLBEELL")
    gone = 1 << "abcdefghi".index("i")
    assert (longest(fred, 0), longest(fred, gone)) == (8, 4)
    assert (reach(fred, 0, 0), reach(fred, gone, 0), reach(fred, 0, 8)) == (8, 4, 4)
    assert [reach(fred, gone, 0) for gone in (0, 0b1000, 0b11000)] == [8, 6, 4]


# X8, X9: the zones


def zone(slot: str, square: str, distance: int) -> set[str]:
    here = duel().ring
    return {str(here.square(at)) for at in here.covered(SLOTS.index(slot), here.at(square), distance)}


def test_x8_the_pictures_of_turrets_d_and_e_from_c3() -> None:
    assert zone("NE", "c3", 4) == {f"{f}{r}" for f in "cdefg" for r in range(3, 8)} - {"c3"}
    assert zone("W", "c3", 4) == {"b2", "b3", "b4", "a1", "a2", "a3", "a4", "a5"}
    assert "a1" in zone("W", "c3", 2)
    assert "a1" in zone("S", "c3", 2)
    assert "a1" in zone("SW", "c3", 2)
    assert "c1" in zone("SW", "c3", 2)
    assert "c1" in zone("SE", "c3", 2)
    assert "b2" not in zone("N", "c3", 8)


@pytest.mark.parametrize("slot", [name for name in SLOTS if name != "C"])
@pytest.mark.parametrize("distance", range(1, 15))
def test_x8_a_full_zone_has_as_many_squares_either_way(slot: str, distance: int) -> None:
    covered = [d for d in ZONES[SLOTS.index(slot)].values() if d <= distance]
    assert len(covered) == distance**2 + 2 * distance


def test_x8_in_a_clinch_neither_can_hit() -> None:
    assert play_shots(duel("d4", "d4"), A="- d b", B="- g b") == [False, False]
    assert play_shots(duel("d4", "d4", centre="free"), A="- d b", B="- g b") == [False, False]


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

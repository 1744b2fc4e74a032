"""Planning Roboxing: building the robots with taps, then legs, turrets and targets as the rules allow."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import IllegalOrder, Seat
from games.roboxing import RoboxingState
from games.roboxing.presentation.build_records import BuildPlan
from games.roboxing.presentation.fight_records import FightPlan
from games.roboxing.robot import BIT, ROW
from tests.games.ring_table import FRED, SALLY, A, B, duel, opening, stand

TEAM = f"A1@a1:{FRED} A2@b1:{SALLY} B1@h8:{SALLY} B2@g8:{FRED}"


def bench(partial: str = "", **options: object) -> BuildPlan:
    made = opening(2, **options).view(A).plan(A, partial)
    assert isinstance(made, BuildPlan)
    return made


def plan(partial: str = "", state: RoboxingState | None = None, **guesses: str) -> FightPlan:
    made = (state or duel()).view(A).plan(A, partial, {Seat(seat): text for seat, text in guesses.items()})
    assert isinstance(made, FightPlan)
    return made


def chosen(order: str, *keys: str, state: RoboxingState | None = None) -> str:
    for key in keys:
        order = (state or duel()).view(A).plan(A, order).choose(key)
    return order


# Building (X1, X9)


def test_building_begins_with_the_plain_robot_and_can_begin_again() -> None:
    made = bench()
    assert made.order == ""
    assert "plain robot" in str(made.missing)
    assert [slot.part for slot in made.robots[0].slots] == [
        *("laser", "engine", "laser"), *("engine", "booster", "engine"), *("laser", "engine", "laser"),
    ]  # fmt: skip
    assert bench(FRED).choose("clear") == ""
    with pytest.raises(IllegalOrder, match="plain"):
        bench().choose("clear")
    made = bench("ga(d)/(e)[i]h/c(b)f")
    assert made.order == "ga(d)/(e)[i]h/c(b)f"
    assert "four lasers" in str(made.missing)


def test_x1_a_slot_that_is_picked_up_is_traded_for_another_a_part_or_a_letter() -> None:
    order = bench(FRED).choose("1 NW")
    assert order == "!ga(d)/(e)[i]h/c(b)(f)"
    assert "You hold engine g, north-west" in str(bench(order).hint)
    assert (bench(order).missing, bench(order).order) == (None, FRED)
    assert bench(order).choose("1 NE") == "(d)ag/(e)[i]h/c(b)(f)"
    assert bench(order).choose("1 NW") == FRED
    assert bench(order).choose("back") == FRED
    assert bench(order).choose("laser") == "(g)ad/(e)[i]h/c(b)(f)"
    assert bench(order).choose("letter f") == "fa(d)/(e)[i]h/c(b)(g)"
    assert bench(order).choose("engine") == FRED, "it has that part already, and is put down"
    with pytest.raises(IllegalOrder, match="has that letter"):
        bench(order).choose("letter g")
    with pytest.raises(IllegalOrder, match="First tap the slot"):
        bench(FRED).choose("laser")


def test_x1_x9_the_booster_stays_in_the_centre_unless_that_is_free() -> None:
    order = bench(FRED).choose("1 C")
    assert bench(order).choose("1 NE") == "ga(i)/(e)[d]h/c(b)(f)"
    with pytest.raises(IllegalOrder, match="stays in the centre"):
        bench(order).choose("laser")
    assert "booster" not in [choice.key for choice in bench(order).parts]
    order = bench(FRED, centre="free").choose("1 C")
    assert bench(order, centre="free").choose("1 NE") == "ga[i]/(e)(d)h/c(b)(f)"
    assert (
        bench(bench(FRED, centre="free").choose("1 NW"), centre="free").choose("booster")
        == "[g]a(d)/(e)ih/c(b)(f)"
    )


@pytest.mark.parametrize("options", [{}, {"centre": "free"}, {"robots": 2}])
def test_a_shuffled_robot_can_move_from_every_square(options: dict[str, Any]) -> None:
    made = bench(**options)
    for n in range(200):
        for layout in opening(**options).read_layouts(made.choose("shuffle", Random(n))):
            steps = [step for letter, step in layout.steps.items() if BIT[letter] & layout.movers]
            for x, y in product(range(8), repeat=2):
                ways = [((step + ROW // 2) // ROW, (step + ROW // 2) % ROW - ROW // 2) for step in steps]
                assert any(0 <= x + east < 8 and 0 <= y + north < 8 for north, east in ways), (x, y, layout)


def test_shuffles_take_the_dice_that_the_caller_brings() -> None:
    made = bench(FRED)
    drawn = {made.choose("shuffle", Random(n)) for n in range(50)}
    assert len(drawn) == 50
    assert all(bench(order).missing is None for order in drawn)
    for n in range(20):
        (fred,), (mixed,) = (
            opening().read_layouts(text) for text in (FRED, made.choose("shuffle letters", Random(n)))
        )
        assert mixed.parts == fred.parts
        assert mixed != fred
    assert made.choose("shuffle") == made.choose("shuffle")


def test_several_robots_are_built_side_by_side_one_of_them_on_the_bench() -> None:
    made = bench(f"{FRED} {SALLY}", robots=2)
    assert made.missing is None
    order = made.choose("2 NW")
    assert order == f"{FRED} >!{SALLY}"
    assert bench(order, robots=2).choose("1 N") == f"g!a(d)/(e)[i]h/c(b)(f) {SALLY}"
    assert bench(order, robots=2).choose("2 N") == f"{FRED} >(g)cb/(f)[e](i)/a(h)d"
    order = bench(f"{FRED} {SALLY}", robots=2).choose("robot 2")
    made = bench(order, robots=2)
    assert (order, made.current, made.order) == (f"{FRED} >{SALLY}", 2, f"{FRED} {SALLY}")
    assert bench(made.choose("2 NW"), robots=2).current == 2
    assert bench(made.choose("shuffle", Random(1)), robots=2).current == 2
    assert bench(made.choose("robot 1"), robots=2).current == 1
    assert bench(FRED).tabs == ()


# Fred stands in the middle of the ring, on d4: engines g NW, a N, h E, c SW; lasers d NE, e W, b S, f SE.


def test_the_board_and_words_show_what_the_parts_do_while_the_robot_is_built() -> None:
    trial = bench(FRED).trial
    assert trial and (trial.square, trial.x, trial.y) == ("d4", 3.5, 4.5)
    assert [(t.x2, t.y2, t.x3, t.y3) for t in trial.thrusts] == [
        (0.5, 1.5, 0.5, 1.5), (3.5, 0.5, 3.5, 0.5),
        (7.5, 4.5, 7.5, 4.5), (0.5, 7.5, 0.5, 7.5),
    ]  # fmt: skip
    assert (trial.near, trial.far) == ((), ())
    trial = bench("ga!(d)/(e)[i]h/c(b)(f)").trial
    assert trial and trial.thrusts == ()
    assert [(run.x, run.y, run.width) for run in trial.near] == [
        (3, 0, 5),
        (3, 1, 5),
        (3, 2, 5),
        (3, 3, 5),
        (4, 4, 4),
    ]
    trial = bench("ga(d)/(e)[i]!h/c(b)(f)", width=15, height=15).trial
    assert trial and [(t.x, t.x2, t.x3) for t in trial.thrusts] == [(7.5, 11.5, 14.5)]
    assert len(bench(FRED).does) == 3
    assert "moves the robot" in str(bench("!ga(d)/(e)[i]h/c(b)(f)").does[0])
    assert "no direction" in str(bench("g(a)(d)/(e)!ih/c[b](f)", centre="free").does[0])
    assert "everything around" in str(bench("g(a)(d)/e!(i)h/c[b](f)", centre="free").does[0])


@given(st.integers(0, 2**32), st.sampled_from(["booster", "free"]), st.integers(1, 3))
def test_whatever_is_tapped_the_counts_stay_right(seed: int, centre: str, robots: int) -> None:
    rng, state, order = Random(seed), opening(centre=centre, robots=robots).view(A), ""
    for _ in range(12):
        made = state.plan(A, order)
        assert isinstance(made, BuildPlan)
        assert state.plan(A, made.order).order == made.order
        order = made.choose(rng.choice([choice.key for choice in made.choices if choice.allowed]), rng)
        made = state.plan(A, order)
        assert isinstance(made, BuildPlan)
        if made.missing is None:
            assert state.check(A, made.order) == made.order == order.replace("!", "").replace(">", "")
            assert made.picked == ("!" in order)
        assert [built.current for built in made.robots].index(True) == made.current - 1
    assert len(made.order.replace(" ", "")) in (0, 21 * robots)


# The fight: moves (X4, X5)


def test_x4_engines_add_steps_that_are_taken_back_one_by_one_or_by_legs() -> None:
    assert chosen("", "engine h", "engine h", "engine a") == "h2+a1"
    shown = plan("h2+a1").robots[0]
    assert [(leg.letter, leg.spaces, leg.degrees) for leg in shown.legs] == [("h", 2, 90), ("a", 1, 0)]
    assert (shown.square, shown.moved, shown.limit, shown.x0, shown.y0, shown.x, shown.y) == (
        "c2", 3, 8, 0.5, 7.5, 2.5, 6.5,
    )  # fmt: skip
    assert chosen("h2+a3", "leg 2") == "h2"
    assert chosen("h2+a3", "leg 1") == "_"
    assert chosen("h2+a3", "back") == "h2+a2"
    assert chosen("h2+a1", "back") == "h2"
    assert chosen("h2+a1 d e", "back") == "h2+a1 d _"
    assert chosen("h2+a1 d _", "back") == "h2+a1"
    assert chosen("h2+a1 d e", "clear") == "_"
    order = chosen("h2", "stay")
    assert order == "-"
    assert plan(order).missing is None
    with pytest.raises(IllegalOrder, match="Your robot already stays"):
        plan("-").choose("stay")


def test_x4_an_engine_without_power_room_or_direction_says_why_not() -> None:
    engines = [choice for choice in plan("h7").choices if choice.key.startswith("engine ")]
    assert {choice.key: choice.allowed for choice in engines} == {
        "engine g": True,
        "engine a": True,
        "engine h": False,
        "engine c": False,
    }
    with pytest.raises(IllegalOrder, match="the ropes are there"):
        plan("h7").choose("engine h")
    with pytest.raises(IllegalOrder, match="has moved all"):
        plan("h4+a4").choose("engine a")
    with pytest.raises(IllegalOrder, match="destroyed"):
        plan("", stand(f"A1@a1:gh(d)/(e)[i]*/c(b)(f) B1@h8:{SALLY}")).choose("engine a")
    free = duel("d4", fred="(g)a[d]/(e)ih/c(b)(f)", centre="free")
    with pytest.raises(IllegalOrder, match="sits in the centre"):
        plan("", free).choose("engine i")


def test_x4_squares_to_tap_are_one_leg_away_and_know_the_booster() -> None:
    taps = {tap.key.removeprefix("to "): tap for tap in plan("h2").taps}
    assert set(taps) == {"d1", "e1", "f1", "g1", "h1", *(f"c{n}" for n in range(2, 8)), "b2", "a3"}
    assert {square for square, tap in taps.items() if not tap.boosts} == {"c2", "c3", "d1", "e1", "b2", "a3"}
    assert chosen("h2", "to e1") == "h4"
    assert chosen("h2", "to c4") == "h2+a3"
    assert taps["c4"].boosts
    assert not taps["c3"].boosts


@pytest.mark.parametrize(
    ("move", "booster", "reach"), [("-", "free", 8), ("h4", "free", 8), ("h5", "spent", 4)]
)
def test_x5_the_plan_says_whether_the_booster_is_free(move: str, booster: str, reach: int) -> None:
    shown = plan(move).robots[0]
    assert (shown.booster, shown.reach, shown.limit) == (booster, reach, 8)
    assert any("reach" in str(sentence) and str(reach) in str(sentence) for sentence in plan(move).words)


# The fight: shots (X8, X10)


def test_x8_every_turret_has_its_danger_zone_from_where_the_robot_will_stand() -> None:
    shown = {turret.letter: turret for turret in plan("h2+a2").robots[0].turrets}
    assert set(shown) == set("debf")
    assert sum(run.width for run in shown["d"].zone) == 35
    assert sum(run.width for run in shown["e"].zone) == 8
    assert [(run.x, run.y, run.width) for run in shown["e"].zone] == [
        (0, 3, 1), (0, 4, 2), (0, 5, 2), (0, 6, 2), (0, 7, 1),
    ]  # fmt: skip
    assert shown["d"].covers == ("B1",)
    assert shown["e"].covers == ()
    near, far = stand(f"A1@c6:{FRED} B1@e8:{SALLY}"), stand(f"A1@c3:{FRED} B1@e1:{SALLY}")
    assert plan("- d", near).astray is None and plan("-", far).astray is None
    assert str(plan("- d", far).astray) == "No one stands where this laser hits now."


def test_x4_a_robot_whose_engines_all_look_at_the_ropes_is_told_so() -> None:
    """A stands in the north-east corner, and only its engines to the north and the east are left."""
    stuck = stand("A1@h8:(a)b(c)/*[e]f/(g)*(i) B1@d4:(a)b(c)/d[e]f/(g)h(i)")
    free = stand("A1@h7:(a)b(c)/*[e]f/(g)*(i) B1@d4:(a)b(c)/d[e]f/(g)h(i)")
    assert "No engine can move you" in str(plan("", stuck).missing)
    assert any("No engine can move it" in str(sentence) for sentence in plan("", stuck).words)
    assert str(plan("", free).missing) == "Move, shoot, or stay."
    assert not any("No engine" in str(sentence) for sentence in plan("", free).words)


def test_x10_a_turret_and_a_target_make_an_order_even_out_of_reach() -> None:
    assert str(plan("").missing) == "Move, shoot, or stay."
    order = chosen("", "turret d")
    assert order == "_ d _"
    assert str(plan(order).missing) == "Choose a letter for laser d."
    order = chosen(order, "target B1:e")
    assert plan(order).missing is None
    assert plan(order).order == "- d e"
    assert chosen("- d e", "turret d") == "- _ e"
    assert str(plan("- _ e").missing) == "Choose the laser that fires at slot e."
    assert chosen("- d e", "target B1:c") == "- d c"
    assert plan(chosen("- d e", "engine h")).order == "h1 d e"
    far = "From {} none of your lasers reaches B now: move, or choose one for where it may go."
    weak = stand(f"A1@a1:*a*/(e)[i]h/*(b)* B1@h8:{SALLY}")
    assert str(plan("- _ c", weak).missing) == far.format("a1")
    assert str(plan("h1 _ c", weak).missing) == far.format("b1")
    assert plan("- e c", weak).missing is None


def test_x10_letters_and_turrets_that_are_gone_are_no_choices() -> None:
    state = stand(f"A1@a1:{FRED} B1@h8:c(g)*/(f)*(i)/a(h)d")
    enemy = plan("- d a", state).enemies[0]
    assert "".join(letter.letter for letter in enemy.letters if not letter.gone) == "acdfghi"
    assert [letter.letter for letter in enemy.letters if letter.picked] == ["a"]
    assert enemy.covered
    with pytest.raises(IllegalOrder, match="destroyed already"):
        plan("", state).choose("target B1:e")
    state = stand(f"A1@a1:ga*/(e)[i]h/c(b)(f) B1@h8:{SALLY}")
    assert [turret.letter for turret in plan("", state).robots[0].turrets] == ["b", "e", "f"]
    body = {slot.slot: slot for slot in plan("", state).robots[0].slots}
    assert body["NE"].gone
    with pytest.raises(IllegalOrder, match="destroyed"):
        plan("", state).choose(body["NE"].key)


def test_what_if_an_enemy_stood_elsewhere() -> None:
    def said(order: str, **guesses: str) -> list[str]:
        return [text for text in map(str, plan(order, None, **guesses).words) if text.startswith("If ")]

    assert said("- d e", B="c5") == ["If B stands on c5, laser d hits it."]
    assert said("- e e", B="C5") == ["If B stands on c5, laser e misses it."]
    assert said("", B="c5") == said("- d e", B="z9", A="c3") == []


def test_several_robots_are_planned_one_after_the_other() -> None:
    state = stand(TEAM, robots=2)
    made = plan("", state)
    assert (made.current, str(made.missing)) == (1, "Robot 1 has no order yet: move, shoot, or stay.")
    order = chosen("", "engine h", state=state)
    assert order == ">h1;_"
    order = chosen(order, "robot 2", "turret g", "target B2:a", state=state)
    assert order == "h1;>_ g B2:a"
    made = plan(order, state)
    assert (made.current, made.missing, made.order) == (2, None, "h1;- g B2:a")
    order = chosen(order, "robot 1", "engine a", state=state)
    assert plan(order, state).order == "h1+a1;- g B2:a"
    assert [shown.current for shown in plan(order, state).robots] == [True, False]


@pytest.mark.parametrize(("typed", "says"), [
    ("h9", "9 squares"), ("h2 x e", "not a laser"), ("h2 d z", "not a target"), ("h2 d e e", "too much"),
    ("x", "not part of a move"), ("h1;h1", "2 orders"), ("c2", "leave the ring"),
])  # fmt: skip
def test_what_cannot_be_is_told_and_what_was_typed_is_kept(typed: str, says: str) -> None:
    made = plan(typed)
    assert made.order == typed
    assert says in str(made.missing)
    assert made.choices


def test_a_seat_that_owes_nothing_has_nothing_to_plan() -> None:
    state = stand(f"A1@- B1@h8:{SALLY} C1@a8:{SALLY}")
    assert state.view(A).plan(A, "h1").choices == ()
    assert str(state.view(A).plan(A, "h1").missing)
    assert duel().view(None).plan(A, "h1").choices == ()
    assert duel().view(B).plan(A, "h1").missing

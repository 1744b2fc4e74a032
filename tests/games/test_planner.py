"""Planning a program: slots, owed damage, taps, and choices that lead where the rules allow (P9 to P16)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import IllegalOrder, Seat
from games.pigs.presentation.planner import PigsPlan
from games.pigs.state import PigsState
from tests.games.pig_table import FREE, stand

A = Seat("A")


def standing(damage: int, **options: object) -> PigsState:
    plus = "" if options.get("damage_moves", True) else "+0"  # a race (P14)
    return stand(f"A=d8S{damage}{plus} B=e1N0{plus}", **options)


def plan(partial: str, damage: int = 0, **options: object) -> PigsPlan:
    made = standing(damage, **options).plan(A, partial)
    assert isinstance(made, PigsPlan)
    return made


def signs(made: PigsPlan) -> str:
    return " ".join(slot.sign or "." for slot in made.slots)


def test_an_empty_plan_has_five_free_slots_and_the_first_is_next() -> None:
    made = plan("")
    assert made.order == ". . . . ."
    assert [slot.number for slot in made.slots if slot.next] == [1]
    assert str(made.missing) == "5 slots are still free."
    assert made.ghosts == ()


def test_a_command_fills_the_next_free_slot() -> None:
    order = ""
    for command, expected in zip(
        ["F", "^", "TR", "v", "H"],
        ["F . . . .", "F ^ . . .", "F ^ TR . .", "F ^ TR v .", "F ^ TR v H"],
        strict=True,
    ):
        order = plan(order).choose(command)
        assert signs(plan(order)) == expected
    assert plan(order).missing is None


def test_one_free_slot_is_said_in_the_singular() -> None:
    assert str(plan("F ^ TR v").missing) == "One slot is still free."


def test_a_full_program_takes_no_more() -> None:
    made = plan("F ^ TR v H")
    assert all(choice.why for choice in made.choices if choice.key in FREE)
    with pytest.raises(IllegalOrder, match="taken"):
        made.choose("F")


def test_a_choice_that_does_not_exist_is_refused() -> None:
    with pytest.raises(IllegalOrder, match="no choice"):
        plan("").choose("slot 6")


def test_tapping_a_slot_takes_its_command_out_and_fills_it_next() -> None:
    made = plan(plan("F ^ TR v H").choose("slot 3"))
    assert signs(made) == "F ^ . v H"
    assert [slot.number for slot in made.slots if slot.next] == [3]
    assert plan(made.choose("TL")).order == "F ^ TL v H"


def test_tapping_a_free_slot_fills_it_next() -> None:
    made = plan(plan("F").choose("slot 4"))
    assert [slot.number for slot in made.slots if slot.next] == [4]
    assert signs(plan(made.choose("H"))) == "F . . H ."


@pytest.mark.parametrize("damage", range(5))
def test_p9_slots_owed_to_damage_hold_their_x_from_the_start(damage: int) -> None:
    made = plan("", damage)
    assert [slot.owed for slot in made.slots] == [False] * (5 - damage) + [True] * damage
    assert signs(made).count("X") == damage


def test_p9_an_x_too_many_is_taken_out_and_one_too_few_put_in() -> None:
    assert signs(plan("X X F", 1)) == "X . F . ."
    assert signs(plan("X F F F F", 0)) == ". F F F F"
    assert signs(plan("F F F", 2)) == "F F F X X"
    assert signs(plan("F F F F", 2)) == "F F F F X"
    assert plan("F F F F", 2).missing


@pytest.mark.parametrize(
    ("typed", "damage", "options", "shown", "why"),
    [
        ("^ X X X X", 0, {}, "^ . . . .", "Your pig has no damage, so X was taken out."),
        ("X X X X X", 0, {}, ". . . . .", "Your pig has no damage, so X was taken out."),
        ("^ X X X X", 2, {}, "^ X X . .", "Your pig has 2 damage, so only 2 of the commands can be X."),
        ("^ ^ ^ ^ ^ X", 0, {}, "^ ^ ^ ^ ^ .", "Your pig has no damage, so X was taken out."),
        ("^ X X X X", 3, {"damage_moves": False}, "^ . . . .", "Damage takes no slots in this variant"),
    ],
)
def test_p9_an_x_that_is_taken_out_is_told_with_its_cause(
    typed: str, damage: int, options: dict[str, object], shown: str, why: str
) -> None:
    made = plan(typed, damage, **options)
    assert signs(made) == shown
    assert str(made.missing).startswith(why) and "ill the free slots." in str(made.missing)
    assert "still free" in str(plan(made.order, damage, **options).missing), "it is told once"
    with pytest.raises(IllegalOrder, match="X"):  # and typed and sealed at once it is refused in words
        standing(damage, **options).check(A, typed)


def test_p15_so_is_an_x_in_continuous_feedback() -> None:
    made = stand("A=d8S0[] B=e1N0[]", mode="continuous").plan(A, "^ X")
    assert str(made.missing).startswith("There’s no X in continuous feedback")


def test_p9_a_program_of_a_pig_without_damage_is_refused_for_its_x_in_plain_words() -> None:
    with pytest.raises(IllegalOrder, match="Your pig has no damage, so no command can be X: “\\^ X X X X”"):
        stand("A=d8S0 B=e1N0").check(A, "^ X X X X")
    with pytest.raises(IllegalOrder, match="Damage takes no slots in this variant"):
        standing(3, damage_moves=False).check(A, "^ ^ X X X")


def test_p9_tapping_an_x_moves_it_to_the_left_and_around() -> None:
    order, seen = "^ v F H X", []
    for _ in range(5):
        slot = order.split(" ").index("X") + 1
        order = plan(order, 1).choose(f"slot {slot}")
        seen.append(order)
    assert seen == ["^ v F X H", "^ v X F H", "^ X v F H", "X ^ v F H", "H ^ v F X"]


def test_p10_repair_takes_all_slots_and_comes_out_whole() -> None:
    made = plan("^ v", 2)
    order = made.choose("R")
    assert order == "R R R R R"
    assert plan(order, 2).missing is None
    assert signs(plan(plan(order, 2).choose("slot 2"), 2)) == ". . . X X"


def test_p10_p14_repair_is_offered_only_where_it_is_allowed() -> None:
    assert "R" in [c.key for c in plan("", 1).palette]
    assert "R" not in [c.key for c in plan("", 0).palette]
    assert "R" not in [c.key for c in plan("", 3, damage_moves=False).palette]
    with pytest.raises(IllegalOrder, match="no damage to repair"):
        plan("").choose("R")
    with pytest.raises(IllegalOrder, match="no repair"):
        plan("", 3, damage_moves=False).choose("R")


def test_p14_kids_have_no_slots_owed() -> None:
    assert signs(plan("", 4, damage_moves=False)) == ". . . . ."


def test_back_takes_the_last_command_out_and_clear_all() -> None:
    assert signs(plan(plan("F ^ TR").choose("back"))) == "F ^ . . ."
    assert signs(plan(plan("F ^ TR", 2).choose("back"), 2)) == "F ^ . X X"
    assert signs(plan(plan("F ^ TR", 2).choose("clear"), 2)) == ". . . X X"
    for key in ("back", "clear"):
        with pytest.raises(IllegalOrder, match="nothing to take out"):
            plan("", 2).choose(key)


def test_a_forbidden_choice_leaves_the_order_as_it_was() -> None:
    for made in (plan(""), plan("", 2), plan("X . . . _", 1), plan("F ^ TR v H"), plan("R R R R R", 1)):
        for choice in made.choices:
            if choice.why:
                assert choice.leads_to == made.order, choice.key
                assert str(choice.why).endswith(".")


def test_a_word_that_is_no_command_is_said_and_the_slots_stay_free() -> None:
    made = plan("F Q H")
    assert signs(made) == ". . . . ."
    assert "“Q” is not a command" in str(made.missing)


def test_a_plan_that_is_too_long_says_so() -> None:
    assert "has 6" in str(plan("F F F F F F").missing)


def test_p16_ghosts_skip_free_slots_and_know_the_wall() -> None:
    made = plan("^ . ^", 0)
    assert [(g.number, g.y) for g in made.ghosts] == [(1, 1.5), (3, 2.5)]
    assert [str(slot.note) for slot in plan("v ^").slots if slot.note] == ["the wall stops you"]


def test_p16_a_ghost_fires_at_whoever_stands_there_now() -> None:
    made = stand("A=d8S0 B=d4N0 C=h8N0").plan(A, "F TL F TL F")
    assert isinstance(made, PigsPlan)
    assert [(g.x2, g.y2) for g in made.ghosts if g.fires] == [(3.5, 4.5), (7.5, 0.5), (3.5, 0)]


def test_p16_the_walk_in_words() -> None:
    assert [str(sentence) for sentence in plan("\\ / TR H X", 1).words] == [
        "Slot 1: ahead left; you go to e7, facing south.",
        "Slot 2: ahead right; you go to d6, facing south.",
        "Slot 3: turn right; you face west on d6.",
        "Slot 4: punch; you stand on d6, facing west.",
        "Slot 5: damage; you stay on d6.",
    ]
    assert [str(sentence) for sentence in plan("^ v v TL F").words] == [
        "Slot 1: forward; you go to d7, facing south.",
        "Slot 2: back; you go to d8, facing south.",
        "Slot 3: back, but the wall stops you on d8.",
        "Slot 4: turn left; you face east on d8.",
        "Slot 5: fire; you stand on d8, facing east.",
    ]


def test_steps_in_a_row_on_one_square_share_a_badge() -> None:
    badges = plan("TL F TR ^ v").badges
    assert [badge.label for badge in badges] == ["1–3", "4", "5"]
    assert len({(badge.x, badge.y) for badge in badges}) == 3


@pytest.mark.parametrize(
    ("partial", "turned"),
    [("TL", [90]), ("TL TL", [0]), ("TL TR", [None]), ("F TR", [270]), ("^ TL", [None])],
)
def test_an_arrow_shows_where_a_pig_that_turns_on_the_spot_faces(partial: str, turned: list[object]) -> None:
    """Its ghost lies under it, facing south before it turns."""
    assert [badge.turned and badge.turned[2] for badge in plan(partial).badges] == turned


def test_two_badges_on_one_square_do_not_lie_on_each_other() -> None:
    made = stand("A=e5S2 B=e1N2").plan(A, "F F")
    assert isinstance(made, PigsPlan)
    one, other = made.badges
    assert abs(one.x - other.x) >= 1.2 * 0.58 or abs(one.y - other.y) >= 1.2 * 0.3


@pytest.mark.parametrize("facing", "NESW")
def test_a_badge_leaves_the_letter_of_the_pig_readable(facing: str) -> None:
    """The letter lies behind the pig; a phone draws both a fifth larger."""
    made = stand(f"A=d5{facing}1 B=h1N0").plan(A, "F H F F X")
    assert isinstance(made, PigsPlan)
    (badge,) = made.badges
    aside, down = {"N": (0, 0.34), "E": (-0.34, 0), "S": (0, -0.34), "W": (0.34, 0)}[facing]
    x, y = badge.x - 3.5 - aside, badge.y - 3.5 - down
    assert badge.label == "1–5"
    assert abs(x) >= 1.2 * (0.16 + 0.29) or abs(y) >= 1.2 * (0.15 + 0.17)


def test_damage_alone_is_no_plan_to_be_drawn() -> None:
    idle = plan("", damage=2)
    assert not idle.badges and not idle.ghosts
    assert [badge.label for badge in plan("^", damage=2).badges] == ["1", "4–5"]


def test_what_if_everybody_does_what_is_guessed() -> None:
    state = stand("A=d8S0 B=e1N0 C=h5W0")
    made = state.plan(A, "\\ F", {Seat("B"): "F"})
    assert isinstance(made, PigsPlan)
    assert made.guessable == ("B", "C")
    assert [after.position() for after in made.film] == [
        "A=d8S0 B=e1N0 C=h5W0",
        "A=e7S1 B=e1N0 C=h5W0",
        "A=e7S1 B=e1N1 C=h5W0",
    ]
    assert {ghost.side for ghost in made.ghosts} == {"a", "b"}
    assert made.order == "\\ F . . ."


def test_what_if_nobody_else_does_anything_all_still_stand_in_the_way() -> None:
    made = stand("A=d4N0 B=d5N0").plan(A, "^ ^", {Seat("B"): ""})
    assert isinstance(made, PigsPlan)
    assert made.film[-1].position() == "A=d4N0 B=d5N0"
    assert [ghost.bumped for ghost in made.ghosts] == [True, True]


def test_a_guess_is_planned_like_an_order_of_ones_own() -> None:
    made = stand("A=d8S0 B=e1N2").guessing(Seat("B"), "F")
    assert isinstance(made, PigsPlan)
    assert signs(made) == "F . . X X"
    assert made.choose("^") == "F ^ . X X"


PARTIALS = st.lists(st.sampled_from([*FREE, "X", "R", ".", "_"]), max_size=7).map(" ".join)


@given(PARTIALS, st.integers(0, 4), st.booleans())
def test_nothing_is_missing_exactly_when_the_order_is_legal(partial: str, damage: int, moves: bool) -> None:
    state = standing(damage, damage_moves=moves)
    made = state.plan(A, partial)
    if made.missing is None:
        assert state.check(A, made.order) == made.order
    else:
        assert str(made.missing)
        with pytest.raises(IllegalOrder):
            state.check(A, made.order)


@given(PARTIALS, st.integers(0, 4))
def test_a_plan_of_a_plan_is_the_same_plan(partial: str, damage: int) -> None:
    made = plan(partial, damage)
    again = plan(made.order, damage)
    if made.order.split().count("X") < partial.split().count("X"):  # the plan says so, and its plan is whole
        again = replace(again, missing=made.missing)
    assert repr(again) == repr(made)


@given(st.integers(0, 4), st.booleans(), st.integers(0, 2**32))
def test_every_allowed_choice_completed_is_legal(damage: int, moves: bool, seed: int) -> None:
    state = standing(damage, damage_moves=moves)
    rng = Random(seed)
    order = ""
    for _ in range(12):  # tap about
        allowed = [c for c in state.plan(A, order).choices if c.allowed]
        order = rng.choice(allowed).leads_to
    while state.plan(A, order).missing:  # and fill what is free
        commands = [c for c in state.plan(A, order).choices if c.allowed and c.key in FREE]
        assert commands, order
        order = rng.choice(commands).leads_to
    order = state.plan(A, order).order
    assert state.check(A, order) == order

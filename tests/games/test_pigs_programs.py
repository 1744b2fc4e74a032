"""Robo Battle Pigs, programs: five commands, damage moves, repair, the practice board (P9, P10, P16)."""

from __future__ import annotations

import pytest

from games.core import IllegalOrder, Seat
from tests.games.pig_table import FREE, stand, turn

A = Seat("A")
REPAIR = "R R R R R"


def refused(position: str, order: str, **options: object) -> str:
    """The sentence with which A's order is refused."""
    state = stand(position, **options)
    with pytest.raises(IllegalOrder) as fault:
        state.check(A, order)
    assert state.position() == position
    return str(fault.value)


@pytest.mark.parametrize("order", ["", "F", "F ^ TR v", "F ^ TR v H H", "^ ^ ^ ^ ^ ^ ^ ^ ^ ^"])
def test_p9_a_program_is_exactly_five_commands(order: str) -> None:
    said = refused("A=d8S0 B=e1N0", order)
    assert "five commands" in said
    assert str(len(order.split())) in said


@pytest.mark.parametrize("command", FREE)
def test_p9_an_undamaged_pig_may_use_every_command(command: str) -> None:
    order = " ".join([command] * 5)
    assert stand("A=d8S0 B=e1N0").check(A, order) == order


@pytest.mark.parametrize("order", ["F ^ TR v Q", "F ^ T v H", "F ^ TR v ^^", "F ^ TR v resign", "F^TRvH"])
def test_p9_a_word_that_is_no_command_is_refused_by_name(order: str) -> None:
    said = refused("A=d8S0 B=e1N0", order)
    assert "is not a command" in said


@pytest.mark.parametrize("damage", range(5))
@pytest.mark.parametrize("marks", range(6))
def test_p9_a_program_holds_exactly_as_many_x_as_the_damage(damage: int, marks: int) -> None:
    order = " ".join(["X"] * marks + ["F"] * (5 - marks))
    if marks == damage:
        assert stand(f"A=d8S{damage} B=e1N0").check(A, order) == order
    else:
        assert order in refused(f"A=d8S{damage} B=e1N0", order)


@pytest.mark.parametrize("order", ["X ^ ^ X ^", "^ X X ^ ^", "^ ^ ^ X X", "X X F H v"])
def test_p9_the_x_may_stand_anywhere(order: str) -> None:
    assert stand("A=d8S2 B=e1N0").check(A, order) == order


def test_p9_damage_taken_during_a_round_asks_for_no_x_before_the_next() -> None:
    positions, _ = turn("A=d8S0 B=d1N0", {"A": "F F TL TL TL", "B": "^ ^ ^ ^ ^"})
    assert positions[-1] == "A=d8W0 B=d6N2"
    assert stand(positions[-1]).check(Seat("B"), "X ^ X ^ ^")


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("f ^ tr V h", "F ^ TR v H"),
        ("  F,^,  TR\tv\nH ", "F ^ TR v H"),
        ("F ↑ ↷ ↓ H", "F ^ TR v H"),
        ("↖ ↗ ↶ ↺ ↻", "\\ / TL TL TR"),
    ],
)
def test_people_may_type_loosely_and_the_order_is_canonical(typed: str, canonical: str) -> None:
    assert stand("A=d8S0 B=e1N0").check(A, typed) == canonical


def test_p10_repair_takes_the_whole_round() -> None:
    assert stand("A=d8S3 B=e1N0").check(A, "r r r r r") == REPAIR
    for order in ("R X X X ^", "R R R R X", "R", "R R R R ^", "X X X R ^", "R R R R R R"):
        assert refused("A=d8S3 B=e1N0", order)


def test_p10_there_is_nothing_to_repair_without_damage() -> None:
    assert "no damage to repair" in refused("A=d8S0 B=e1N0", REPAIR)


def test_p10_the_point_comes_off_with_the_fifth_r() -> None:
    positions, _ = turn("A=d8S2 B=e1N0", {"A": REPAIR, "B": "TL TL TL TL TL"})
    assert [p.split(" ")[0] for p in positions] == ["A=d8S2", "A=d8S2", "A=d8S2", "A=d8S2", "A=d8S1"]


def test_p10_a_pig_may_be_hit_while_it_repairs() -> None:
    # the published rules: hit twice while repairing, subtract one and add two
    positions, _ = turn("A=d8S2 B=d1N0", {"A": REPAIR, "B": "F TL TR F TL"})
    assert [p[5] for p in positions] == ["3", "3", "3", "4", "3"]


def test_p10_hit_in_the_fifth_step_a_pig_with_four_damage_keeps_four() -> None:
    positions, outcome = turn("A=d8S4 B=d1N0", {"A": REPAIR, "B": "TL TR TL TR F"})
    assert positions[-1] == "A=d8S4 B=d1N0"
    assert outcome is None


def test_p10_hit_twice_in_the_fifth_step_a_pig_with_four_damage_is_destroyed() -> None:
    positions, outcome = turn(
        "A=d8S4 B=d1N0 C=a8E0", {"A": REPAIR, "B": "TL TR TL TR F", "C": "TL TR TL TR F"}
    )
    assert positions[-1] == "A=d8Sx B=d1N0 C=a8E0"
    assert outcome


@pytest.mark.parametrize("step", range(4))
def test_p10_a_pig_that_reaches_five_before_the_fifth_r_is_destroyed(step: int) -> None:
    shots = ["F" if i == step else "^" if i < step else "H" for i in range(5)]
    positions, outcome = turn("A=d8S4 B=d1N0", {"A": REPAIR, "B": " ".join(shots)})
    assert len(positions) == step + 1
    assert positions[-1].startswith("A=d8Sx ")
    assert outcome


def test_p10_two_pigs_may_repair_at_once() -> None:
    positions, _ = turn("A=d8S1 B=e1N4", {"A": REPAIR, "B": REPAIR})
    assert positions[-1] == "A=d8S0 B=e1N3"


def test_p16_the_practice_board_shows_where_the_pig_would_be_after_each_command() -> None:
    plan = stand("A=d8S0 B=e1N0").plan(A, "^ / TL v F")
    seen = [(g.number, g.x, g.y, g.degrees, g.fires) for g in plan.ghosts]  # type: ignore[attr-defined]
    assert seen == [
        (1, 3.5, 1.5, 180, False),  # d7
        (2, 2.5, 2.5, 180, False),  # c6
        (3, 2.5, 2.5, 90, False),
        (4, 1.5, 2.5, 90, False),  # b6
        (5, 1.5, 2.5, 90, True),
    ]


def test_p16_nothing_interferes_on_the_practice_board_but_the_wall() -> None:
    plan = stand("A=d8N0 B=c8N0 C=d7N0").plan(A, "^ v TL ^ ^")
    seen = [(g.x, g.y, g.bumped) for g in plan.ghosts]  # type: ignore[attr-defined]
    assert seen == [
        (3.5, 0.5, True),
        (3.5, 1.5, False),
        (3.5, 1.5, False),
        (2.5, 1.5, False),
        (1.5, 1.5, False),
    ]


def test_p16_the_practice_board_counts_the_damage_moves() -> None:
    plan = stand("A=d8S2 B=e1N0").plan(A, "^ X ^ X ^")
    seen = [(g.number, g.y) for g in plan.ghosts]  # type: ignore[attr-defined]
    assert seen == [(1, 1.5), (2, 1.5), (3, 2.5), (4, 2.5), (5, 3.5)]

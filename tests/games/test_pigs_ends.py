"""Robo Battle Pigs, programs and ends: damage, repair, who wins, what a plan came to (P9 to P13, P16)."""

from __future__ import annotations

import pytest

from games.core import Departure, IllegalOrder, Seat
from tests.games.pig_table import FREE, play, scores, stand, turn

# Robo Battle Pigs, the end: destruction, who wins, and who shares (P11, P13).


TURN = "TL TL TL TL TL"


def order(position: str, seat: str, *commands: str) -> str:
    """A program of `seat` with these commands at its start, then its X, then only turning."""
    damage = int(position[position.index(f"{seat}=") + 5])
    words = [*commands, *["X"] * damage]
    return " ".join(words + ["TL"] * (5 - len(words)))


def shoot(position: str, shooters: str, ends: str) -> tuple[list[str], str | None]:
    """One round in which the shooters fire first and everybody else only turns."""
    living = [word[0] for word in position.split(" ") if word[-1] not in "x-"]
    orders = {s: order(position, s, *["F"] * (s in shooters)) for s in living}
    positions, outcome = turn(position, orders, ends=ends)
    return positions, scores(outcome) if outcome else None


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_p11_a_pig_with_five_points_is_a_hulk_at_the_end_of_that_step(ends: str) -> None:
    positions, result = shoot("A=d8S0 B=d1N4", "A", ends)
    assert positions == ["A=d8S0 B=d1Nx"]
    assert result == "A destroyed"


def test_p11_the_rest_of_a_hulks_program_is_void() -> None:
    orders = {"A": "F TL TL TL TL", "B": "TL ^ X X X", "C": TURN}
    positions, _ = turn("A=d8S0 B=d1N3 C=h8N0", orders, ends="last_standing")
    assert positions[1].split(" ")[1] == "B=c1W4"  # shot, and walks on
    orders = {"A": "F TL TL TL TL", "B": "TL X X X X", "C": TURN}
    positions, _ = turn("A=d8S0 B=d1N4 C=h8N0", orders, ends="last_standing")
    assert [p.split(" ")[1] for p in positions] == ["B=d1Wx"] * 5


def test_p11_a_hulk_fires_no_more() -> None:
    orders = {"A": "F TL TR TL TR", "B": "X F X X X", "C": TURN}
    positions, _ = turn("A=d8S0 B=d1N4 C=h8N0", orders, ends="last_standing")
    assert positions[-1].split(" ")[:2] == ["A=d8S0", "B=d1Nx"]


def test_p11_first_down_ends_in_the_middle_of_the_round() -> None:
    positions, result = shoot("A=d8S0 B=d1N4 C=h8N0", "A", "first_down")
    assert len(positions) == 1
    assert result == "AC destroyed"


def test_p11_last_standing_plays_the_round_out() -> None:
    positions, result = shoot("A=d8S0 B=d1N4 C=h8N0", "A", "last_standing")
    assert len(positions) == 5
    assert positions[-1] == "A=d8S0 B=d1Nx C=h8W0"
    assert result is None


def test_p11_last_standing_stops_as_soon_as_fewer_than_two_are_left() -> None:
    orders = {"A": "F TL F TL TL", "B": "X X X X TL", "C": "X X X X TL"}
    positions, outcome = turn("A=d8S0 B=d1N4 C=h8N4", orders, ends="last_standing")
    assert len(positions) == 3
    assert positions[-1] == "A=d8E0 B=d1Nx C=h8Nx"
    assert scores(outcome) == "A destroyed"


def test_p11_four_points_are_not_five() -> None:
    positions, result = shoot("A=d8S0 B=d1N3", "A", "first_down")
    assert positions[-1] == "A=d8S0 B=d1S4"
    assert result is None


def test_a_destroyed_seat_owes_no_order_and_the_others_play_on() -> None:
    state = stand("A=d8S0 B=d1Nx C=h8N0", ends="last_standing")
    assert state.to_act() == state.still_in() == {"A", "C"}
    positions = [after.position() for after in play(state, A=TURN, C=TURN)]
    assert positions[-1] == "A=d8E0 B=d1Nx C=h8W0"


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_p13_two_players_the_pig_that_stands_wins_whatever_its_damage(ends: str) -> None:
    assert shoot("A=d8S4 B=d1N4", "A", ends)[1] == "A destroyed"
    assert shoot("A=d8S4 B=d1N4", "B", ends)[1] == "B destroyed"


@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
def test_p13_two_players_who_fall_together_draw(ends: str) -> None:
    assert shoot("A=d8S4 B=d1N4", "AB", ends)[1] == "AB destroyed"


@pytest.mark.parametrize(
    ("position", "winners"),
    [
        ("A=d8S0 B=d1N4 C=h8N0", "AC"),
        ("A=d8S1 B=d1N4 C=h8N0", "C"),
        ("A=d8S2 B=d1N4 C=h8N3", "A"),
        ("A=d8S2 B=d1N4 C=h8N2 D=h1N2", "ACD"),
        ("A=d8S1 B=d1N4 C=h8N0 D=h1N0", "CD"),
        ("A=d8S0 B=d1N4 C=h8N4 D=h1N1", "A"),
    ],
)
def test_p13_first_down_those_with_the_fewest_points_share_the_win(position: str, winners: str) -> None:
    assert shoot(position, "A", "first_down")[1] == f"{winners} destroyed"


def test_p13_first_down_counts_the_damage_of_that_very_step() -> None:
    # C shoots A while A brings B down: A has one point now, C none
    assert shoot("A=d8S0 B=d1N4 C=h8W0", "AC", "first_down")[1] == "C destroyed"


def test_p13_first_down_nobody_standing_those_destroyed_in_that_step_share() -> None:
    ring = "A=a1N4 B=a8E4 C=h8S4 D=h1W4"  # each shoots the next one
    assert shoot(ring, "ABCD", "first_down")[1] == "ABCD destroyed"
    assert shoot(ring, "ABCD", "last_standing")[1] == "ABCD destroyed"


def test_p13_of_three_the_only_one_left_standing_wins() -> None:
    # A and B shoot each other, and C shoots A
    assert shoot("A=d8S4 B=d1N4 C=h8W4", "ABC", "first_down")[1] == "C destroyed"
    assert shoot("A=d8S4 B=d1N4 C=h8W4", "ABC", "last_standing")[1] == "C destroyed"


def test_p13_three_players_who_fall_together_share() -> None:
    trio = "A=d4E4 B=e5S4 C=e4W4"  # A strikes B and C with its fist, C shoots A
    orders = {"A": "H X X X X", "B": "X X X X TL", "C": "F X X X X"}
    for ends in ("first_down", "last_standing"):
        positions, outcome = turn(trio, orders, ends=ends)
        assert positions == ["A=d4Ex B=e5Sx C=e4Wx"]
        assert scores(outcome) == "ABC destroyed"


def test_p13_last_standing_those_who_fell_earlier_have_no_share() -> None:
    position = "A=d8S4 B=d1N4 C=h8Nx"
    assert shoot(position, "AB", "last_standing")[1] == "AB destroyed"
    assert shoot("A=d8S4 B=d1N4 C=h8Nx D=-", "A", "last_standing")[1] == "A destroyed"


def test_p13_last_standing_does_not_count_damage() -> None:
    orders = {"A": "F X X X X", "B": "X X X X TL", "C": TURN}
    _, outcome = turn("A=d8S4 B=d1N4 C=h8N0", orders, ends="last_standing")
    assert outcome is None


def test_p13_a_hulk_that_was_there_before_ends_nothing() -> None:
    assert shoot("A=d8S0 B=d1N0 C=h8Nx", "A", "first_down") == (
        [f"A=d8{a}0 B=d1{b}1 C=h8Nx" for a, b in zip("SENWS", "WSENW", strict=True)],
        None,
    )


# Robo Battle Pigs, programs: five commands, damage moves, repair, the practice board (P9, P10, P16).


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


# My plan beside what happened: where a program first went otherwise than alone on the board.


def beside(position: str, a: str, b: str, **options: object) -> Departure:
    before = stand(position, **options)
    made = before.departure_from_plan(A, a, [before, *play(before, A=a, B=b)])
    assert made
    return made


def test_nothing_came_in_between() -> None:
    made = beside("A=d8S0 B=e1N0", "^ ^ TL F H", "TL TL TL TL TL")
    assert made.at is None
    assert str(made.sentence) == "Your pig went where you planned."
    assert made.planned == {}


def test_what_led_to_the_turn_is_not_compared_with_its_plan() -> None:
    *_, second = play(stand("A=d8S0 B=e1N0"), A="TL TL TL TL ^", B="TL TL TL TL TL")
    film = [second, *play(second, A="^ ^ TL F v", B="TL TL TL TL TL")]
    made = second.departure_from_plan(A, "^ ^ TL F v", film)
    assert made is not None
    assert (made.at, str(made.sentence), made.planned) == (
        None,
        "Your pig went where you planned.",
        {},
    )


def test_p4_the_wall_was_in_the_plan_already() -> None:
    assert beside("A=d8S0 B=e1N0", "v v v v v", "TL TL TL TL TL").at is None


def test_p5_a_bump_is_told_and_the_plan_drawn_from_there_on() -> None:
    made = beside("A=d4N0 B=d6N0", "^ ^ / TL F", "TL TL TL TL TL")
    assert made.at == 2
    assert str(made.sentence) == "Step 2 was meant to lead to d6; your pig was bumped and stayed on d5."
    assert sorted(made.planned) == [2, 3, 4, 5]
    assert (made.planned[2].x, made.planned[2].y) == (3.5, 2.5)


def test_p6_a_crossing_is_told() -> None:
    made = beside("A=d4N0 B=e4N0", "/ TL TL TL TL", "\\ TL TL TL TL", side_cross="forward")
    assert str(made.sentence) == "Step 1 was meant to lead to e5; a crossing made your pig walk to d5."


def test_p11_what_was_planned_after_the_end_of_a_pig_is_void() -> None:
    made = beside("A=d4N4 B=d6S0", "X X X X F", "TL TR F F F", ends="last_standing")
    assert made.at == 3
    assert str(made.sentence) == "Step 3 destroyed your pig, so the rest of your plan wasn’t played."


def test_p15_a_hit_makes_the_list_longer() -> None:
    position = "A=d4N0[TL,TL] B=d6S0[F,TL]"
    made = beside(position, "^", "TL", mode="continuous")
    assert made.at == 1
    assert str(made.sentence) == "Your pig was hit, so the last command of your list comes once more."


def test_who_is_out_has_planned_nothing() -> None:
    before = stand("A=d4Nx B=d6S0 C=h5W0", ends="last_standing")
    film = [before, *play(before, B="TL TL TL TL TL", C="TL TL TL TL TL")]
    assert before.departure_from_plan(A, "^ ^ ^ ^ ^", film) is None

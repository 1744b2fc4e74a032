"""Robo Battle Pigs, the end: destruction, who wins, and who shares (P11, P13)."""

from __future__ import annotations

import pytest

from tests.games.pig_table import play, scores, stand, turn

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

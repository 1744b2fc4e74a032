"""Robo Battle Pigs, one step: where pigs walk, bump, cross, fire and hit (P1 to P8, P12)."""

from __future__ import annotations

import pytest

from games.core import Event, Seat, tell
from games.pigs.presentation.picture import effects
from games.pigs.presentation.planner import PigsPlan
from games.pigs.state import PigsState
from tests.games.pig_table import PIGS, stand, step, step_state


@pytest.mark.parametrize(
    ("seats", "position"),
    [
        (2, "A=d8S0 B=e1N0"),
        (3, "A=d8S0 B=e1N0 C=h5W0"),
        (4, "A=d8S0 B=e1N0 C=h5W0 D=a4E0"),
    ],
)
def test_p1_pigs_start_on_the_sides_facing_the_centre(seats: int, position: str) -> None:
    assert PigsState.start(PIGS.read_options({}), seats, {}).position() == position


@pytest.mark.parametrize(
    ("seats", "position"),
    [
        (2, "A=d6N0 B=e3S0"),
        (3, "A=d6N0 B=f5E0 C=d3S0"),
        (4, "A=d6N0 B=f5E0 C=e3S0 D=c4W0"),
        (5, "A=d6N0 B=e6N0 C=f4E0 D=e3S0 E=c4W0"),
        (6, "A=d6N0 B=e6N0 C=f5E0 D=e3S0 E=d3S0 F=c4W0"),
        (7, "A=d6N0 B=e6N0 C=f5E0 D=f4E0 E=e3S0 F=d3S0 G=c4W0"),
        (8, "A=d6N0 B=e6N0 C=f5E0 D=f4E0 E=e3S0 F=d3S0 G=c4W0 H=c5W0"),
    ],
)
def test_p2_pigs_start_in_a_ring_facing_outward(seats: int, position: str) -> None:
    assert PigsState.start(PIGS.read_options({"start": "ring"}), seats, {}).position() == position


@pytest.mark.parametrize(
    ("facing", "command", "after"),
    [
        ("N", "^", "d5N0"), ("N", "v", "d3N0"), ("N", "\\", "c5N0"), ("N", "/", "e5N0"),
        ("E", "^", "e4E0"), ("E", "v", "c4E0"), ("E", "\\", "e5E0"), ("E", "/", "e3E0"),
        ("S", "^", "d3S0"), ("S", "v", "d5S0"), ("S", "\\", "e3S0"), ("S", "/", "c3S0"),
        ("W", "^", "c4W0"), ("W", "v", "e4W0"), ("W", "\\", "c3W0"), ("W", "/", "c5W0"),
        ("N", "TL", "d4W0"), ("W", "TL", "d4S0"), ("S", "TL", "d4E0"), ("E", "TL", "d4N0"),
        ("N", "TR", "d4E0"), ("E", "TR", "d4S0"), ("S", "TR", "d4W0"), ("W", "TR", "d4N0"),
    ],
)  # fmt: skip
def test_a_pig_walks_and_turns_as_it_faces(facing: str, command: str, after: str) -> None:
    assert step(f"A=d4{facing}0 B=h8N0", A=command) == f"A={after} B=h8W0"


def test_p3_a_pig_is_shot_where_it_walks_to() -> None:
    assert step("A=d8S0 B=e1N0", A="F", B="\\") == "A=d8S0 B=d2N1"


def test_p3_a_pig_is_not_shot_where_it_walked_from() -> None:
    assert step("A=d8S0 B=d2N0", A="F", B="/") == "A=d8S0 B=e3N0"


def test_p3_a_pig_is_punched_where_it_walks_to() -> None:
    assert step("A=d4N0 B=d6S0", A="H", B="^") == "A=d4N0 B=d5S1"


def test_p3_pigs_that_shoot_each_other_are_both_hit() -> None:
    assert step("A=d8S0 B=d1N3", A="F", B="F") == "A=d8S1 B=d1N4"


def test_p3_a_pig_destroyed_in_a_step_still_fires_in_it() -> None:
    assert step("A=d8S4 B=d1N4", A="F", B="F") == "A=d8Sx B=d1Nx"


def test_p3_a_pig_destroyed_in_a_step_still_hits_in_it() -> None:
    assert step("A=d4N0 B=d5S4", A="H", B="H") == "A=d4N1 B=d5Sx"


def test_p3_a_pig_destroyed_in_a_step_is_struck_by_all_who_aimed_at_it() -> None:
    assert step("A=a4E0 B=d4N4 C=h4W0 D=d1N0", A="F", C="F", D="F") == "A=a4E0 B=d4Wx C=h4W0 D=d1N0"


@pytest.mark.parametrize(
    ("pig", "commands"),
    [
        ("d8N", ["^", "\\", "/"]), ("d1N", ["v"]), ("a4N", ["\\"]), ("h4N", ["/"]),
        ("d1S", ["^", "\\", "/"]), ("d8S", ["v"]), ("h4S", ["\\"]), ("a4S", ["/"]),
        ("h4E", ["^", "\\", "/"]), ("a4E", ["v"]), ("d8E", ["\\"]), ("d1E", ["/"]),
        ("a4W", ["^", "\\", "/"]), ("h4W", ["v"]), ("d1W", ["\\"]), ("d8W", ["/"]),
        ("a8N", ["^", "\\", "/"]), ("h1S", ["^", "\\", "/"]),
    ],
)  # fmt: skip
def test_p4_a_pig_that_would_leave_the_board_stays(pig: str, commands: list[str]) -> None:
    for command in commands:
        assert step(f"A={pig}0 B=e5N0", A=command) == f"A={pig}0 B=e5W0"


def test_p5_pigs_that_walk_onto_one_square_stay() -> None:
    assert step("A=d4N0 B=d6S0", A="^", B="^") == "A=d4N0 B=d6S0"


def test_p5_three_pigs_that_walk_onto_one_square_all_stay() -> None:
    position = "A=d4N0 B=d6S0 C=c5E0"
    assert step(position, A="^", B="^", C="^") == position


def test_p5_four_pigs_that_walk_onto_one_square_all_stay() -> None:
    position = "A=d4N0 B=d6S0 C=c6E0 D=e4W0"
    assert step(position, A="^", B="^", C="/", D="/") == position


@pytest.mark.parametrize(
    ("b", "command", "after"),
    [
        ("d5N0", "TL", "d5W0"),
        ("d5N0", "TR", "d5E0"),
        ("d5N0", "F", "d5N0"),
        ("d5N0", "H", "d5N0"),
        ("d5N1", "X", "d5N1"),
        ("d5N1", "R", "d5N1"),
    ],
)
def test_p5_a_pig_stays_if_another_stands_where_it_walks_to(b: str, command: str, after: str) -> None:
    assert step(f"A=d4N0 B={b}", A="^", B=command) == f"A=d4N0 B={after}"


def test_p5_a_pig_walks_onto_the_square_that_another_leaves() -> None:
    assert step("A=d4N0 B=d5N0", A="^", B="^") == "A=d5N0 B=d6N0"


def test_p5_a_chain_walks_behind_a_pig_that_walks() -> None:
    assert step("A=c4E0 B=d4E0 C=e4E0 D=f4E0", A="^", B="^", C="^", D="/") == "A=d4E0 B=e4E0 C=f4E0 D=g3E0"


def test_p5_a_chain_behind_a_pig_at_the_wall_stops() -> None:
    position = "A=h4E0 B=g4E0 C=f4E0 D=e4E0"
    assert step(position, A="^", B="^", C="^", D="^") == position


def test_p5_a_chain_of_eight_behind_the_wall_stops() -> None:
    position = " ".join(f"{seat}={file}4E0" for seat, file in zip("ABCDEFGH", "hgfedcba", strict=True))
    assert step(position, **dict.fromkeys("ABCDEFGH", "^")) == position


def test_p5_a_chain_behind_a_bump_stops() -> None:
    position = "A=d4N0 B=d6S0 C=d3N0 D=d7S0"
    assert step(position, **dict.fromkeys("ABCD", "^")) == position


def test_p5_a_chain_behind_an_exchange_stops() -> None:
    position = "A=d4N0 B=d5S0 C=d3N0 D=c4E0"
    assert step(position, A="^", B="^", C="^", D="\\") == position


@pytest.mark.parametrize(
    ("position", "a", "b"),
    [
        ("A=d4N0 B=d5S0", "^", "^"),  # face to face
        ("A=d4S0 B=d5N0", "v", "v"),  # back to back
        ("A=d4N0 B=d5N0", "^", "v"),
        ("A=d4N0 B=e5S0", "/", "/"),  # corner to corner
        ("A=d4E0 B=e5W0", "\\", "\\"),
        ("A=d4N0 B=e5W0", "/", "\\"),
    ],
)
@pytest.mark.parametrize("side_cross", ["pass", "forward"])
def test_p5_pigs_that_would_exchange_squares_stay(position: str, a: str, b: str, side_cross: str) -> None:
    assert step(position, A=a, B=b, side_cross=side_cross) == position


def test_p5_a_ring_of_three_moves() -> None:
    assert step("A=d4E0 B=e4N0 C=e5S0", A="^", B="^", C="/") == "A=e4E0 B=e5N0 C=d4S0"


def test_p5_a_ring_of_four_moves() -> None:
    assert step("A=d4E0 B=e4N0 C=e5W0 D=d5S0", **dict.fromkeys("ABCD", "^")) == "A=e4E0 B=e5N0 C=d5W0 D=d4S0"


def test_p5_a_ring_stops_if_an_outsider_wants_one_of_its_squares() -> None:
    position = "A=d4E0 B=e4N0 C=e5S0 D=d3N0"
    assert step(position, A="^", B="^", C="/", D="^") == position


def test_p5_a_bump_holds_even_where_the_other_pig_could_not_have_gone() -> None:
    # A and B both want d5; B is held by the exchange with C on d5 as well
    position = "A=d4N0 B=e5W0 C=d5E0"
    assert step(position, **dict.fromkeys("ABC", "^")) == position


def test_p5_a_hulk_stops_nobody() -> None:
    assert step("A=d4N0 B=d5Nx C=d3N0", A="^", C="^") == "A=d5N0 B=- C=d4N0"


def test_p6_side_to_side_pigs_pass_diagonally() -> None:
    assert step("A=d4N0 B=e4N0", A="/", B="\\") == "A=e5N0 B=d5N0"


@pytest.mark.parametrize(
    ("position", "a", "b", "after"),
    [
        ("A=d4N0 B=e4N0", "/", "\\", "A=d5N0 B=e5N0"),  # side by side
        ("A=d4E0 B=d5E0", "\\", "/", "A=e4E0 B=e5E0"),
        ("A=d4S0 B=e4S0", "\\", "/", "A=d3S0 B=e3S0"),
        ("A=d4N0 B=e4W0", "/", "/", "A=d5N0 B=d4W0"),  # each in its own facing, one into the other's square
        ("A=d4E0 B=e4N0", "\\", "\\", "A=e4E0 B=e5N0"),
    ],
)
def test_p6_forward_crossing_pigs_both_walk_forward(position: str, a: str, b: str, after: str) -> None:
    assert step(position, A=a, B=b, side_cross="forward") == after


def test_p6_forward_then_an_exchange_ahead_stops_both() -> None:
    position = "A=d4N0 B=d5S0"  # face to face, both diagonals to the east
    assert step(position, A="/", B="\\", side_cross="forward") == position
    assert step(position, A="/", B="\\") == "A=e5N0 B=e4S0"


def test_p6_forward_then_a_pig_ahead_stops_only_one() -> None:
    assert step("A=d4N0 B=e4N0 C=d5N0", A="/", B="\\", side_cross="forward") == "A=d4N0 B=e5N0 C=d5W0"


def test_p6_forward_then_a_bump_ahead_stops_both_who_bump() -> None:
    position = "A=d4N0 B=e4N0 C=d6S0"
    assert step(position, A="/", B="\\", C="^", side_cross="forward") == "A=d4N0 B=e5N0 C=d6S0"


def test_p6_forward_leaves_the_diagonal_squares_to_others() -> None:
    assert step("A=d4N0 B=e4N0 C=f5W0", A="/", B="\\", C="/", side_cross="forward") == "A=d5N0 B=e5N0 C=e6W0"


def test_p6_a_diagonal_move_into_the_wall_crosses_nothing() -> None:
    assert step("A=d8N0 B=e8S0", A="/", B="/", side_cross="forward") == "A=d8N0 B=d7S0"
    assert step("A=a4N0 B=a5E0", A="\\", B="/", side_cross="forward") == "A=a4N0 B=b4E0"


def test_p6_pigs_that_exchange_take_no_part_in_a_crossing() -> None:
    # A and C would exchange d4 and e5, so B has nobody to cross with
    position = "A=d4N0 B=e4N0 C=e5S0"
    assert step(position, A="/", B="\\", C="/", side_cross="forward") == "A=d4N0 B=d5N0 C=e5S0"


def test_p6_four_pigs_in_two_exchanges_stay() -> None:
    position = "A=d4N0 B=e4N0 C=e5S0 D=d5S0"
    assert step(position, A="/", B="\\", C="/", D="\\", side_cross="forward") == position


def test_p6_pigs_that_do_not_stand_side_by_side_do_not_cross() -> None:
    assert step("A=d4N0 B=f4N0", A="\\", B="/", side_cross="forward") == "A=c5N0 B=g5N0"
    assert step("A=d4N0 B=e4N0", A="/", B="/", side_cross="forward") == "A=e5N0 B=f5N0"


def test_p7_the_laser_reaches_across_the_board() -> None:
    assert step("A=a4E0 B=h4N0", A="F") == "A=a4E0 B=h4W1"


@pytest.mark.parametrize("b", ["a1", "b5", "c5", "e5", "d3", "d1", "c4", "e4", "g7"])
def test_p7_the_laser_strikes_only_straight_ahead(b: str) -> None:
    assert step(f"A=d4N0 B={b}N0", A="F") == f"A=d4N0 B={b}W0"


def test_p7_the_laser_stops_at_the_first_pig() -> None:
    assert step("A=d1N0 B=d7N0 C=d3N0", A="F") == "A=d1N0 B=d7W0 C=d3W1"


def test_p7_the_laser_stops_at_a_hulk() -> None:
    assert step("A=d1N0 B=d7N0 C=d3Nx", A="F") == "A=d1N0 B=d7W0 C=d3Nx"


def test_p7_the_laser_passes_over_a_hulk_that_was_removed() -> None:
    assert step("A=d1N0 B=d7N0 C=-", A="F") == "A=d1N0 B=d7W1 C=-"


def test_p7_two_lasers_on_one_pig_are_two_points() -> None:
    assert step("A=d1N0 B=d4N0 C=h4W0", A="F", C="F") == "A=d1N0 B=d4W2 C=h4W0"


def through(position: str, **commands: str) -> PigsState:
    """After a step in which lasers reach through (P7)."""
    return step_state(position, commands, laser="through", ends="last_standing")


def shot_of(state: PigsState) -> Event:
    return next(event for event in state.events if event["kind"] == "fired")


def test_p7_through_the_laser_hits_every_living_pig_in_line() -> None:
    after = through("A=d1N0 B=d7N0 C=d3N0 D=c5N0 E=d2N0", A="F")
    assert after.position() == "A=d1N0 B=d7W1 C=d3W1 D=c5W0 E=d2W1"
    assert shot_of(after)["at"] == ["E", "C", "B"]  # the nearest first
    assert str(tell(after, shot_of(after))) == "A fires north and hits E, C and B!"


def test_p7_through_neither_pigs_nor_hulks_stop_it_and_hulks_take_no_harm() -> None:
    after = through("A=d1N0 B=d7N4 C=d3Nx D=d2N0", A="F")
    assert after.position() == "A=d1N0 B=d7Wx C=d3Nx D=d2W1"
    assert str(tell(after, shot_of(after))) == "A fires north and hits D and B!"
    missed = through("A=d1N0 B=h7N0 C=d3Nx D=a2N0", A="F")
    assert str(tell(missed, shot_of(missed))) == "A fires north and misses."


def test_p7_through_a_pig_does_not_hit_itself_or_what_is_behind_it() -> None:
    assert through("A=d4N0 B=d1N0 C=h4N0", A="F").position() == "A=d4N0 B=d1W0 C=h4W0"


def test_p7_through_the_beam_is_drawn_to_the_edge_with_all_that_it_hits() -> None:
    shots = effects(through("A=d4N0 B=d7N0 C=d6Nx D=d5N0", A="F"))
    (shot,) = [effect for effect in shots if effect.kind == "fire"]
    assert (shot.x2, shot.y2, shot.hit) == (3.5, 0, False)
    assert shot.struck == ((3.5, 3.5), (3.5, 1.5))


def test_p7_through_the_practice_board_what_if_and_bots_reach_as_far() -> None:
    state = stand("A=d4N0 B=d7N0 C=d6N0", laser="through")
    made = state.plan(Seat("A"), "F")
    assert isinstance(made, PigsPlan)
    assert [(ghost.x2, ghost.y2) for ghost in made.ghosts] == [(3.5, 0)]
    made = state.plan(Seat("A"), "F", {Seat("B"): "TL", Seat("C"): "TL"})
    assert [after.position() for after in made.film[1:]] == ["A=d4N0 B=d7W1 C=d6W1"]
    aiming, alone = state.evaluate(Seat("A")), stand("A=d4N0 B=d7N0 C=d6N0").evaluate(Seat("A"))
    assert aiming > alone


def test_p8_a_hit_damages_all_three_pigs_ahead() -> None:
    assert step("A=d4N0 B=c5N0 C=d5N0 D=e5N0", A="H") == "A=d4N0 B=c5W1 C=d5W1 D=e5W1"


@pytest.mark.parametrize(
    ("facing", "struck"),
    [("N", "c5 d5 e5"), ("E", "e5 e4 e3"), ("S", "c3 d3 e3"), ("W", "c3 c4 c5")],
)
def test_p8_a_hit_reaches_the_three_squares_ahead_and_no_other(facing: str, struck: str) -> None:
    around = ["c5", "d5", "e5", "c4", "e4", "c3", "d3", "e3", "d6", "f4", "d2", "b4"]
    for square in around:
        damage = int(square in struck.split(" "))
        assert step(f"A=d4{facing}0 B={square}N0", A="H") == f"A=d4{facing}0 B={square}W{damage}"


def test_p8_a_hit_does_not_reach_around_the_board() -> None:
    assert step("A=h4E0 B=a4N0 C=a5N0 D=a3N0", A="H") == "A=h4E0 B=a4W0 C=a5W0 D=a3W0"


def test_p8_a_hit_does_not_affect_a_hulk() -> None:
    assert step("A=d4N0 B=c5Nx C=e5N0", A="H") == "A=d4N0 B=c5Nx C=e5W1"


def test_p12_a_living_pig_that_walks_onto_a_hulk_removes_it() -> None:
    assert step("A=d4N0 B=d5Nx C=a1N0", A="^") == "A=d5N0 B=- C=a1W0"


def test_p12_two_pigs_that_both_try_stay_and_the_hulk_with_them() -> None:
    position = "A=d4N0 B=d5Nx C=d6S0"
    assert step(position, A="^", C="^") == position


def test_p12_a_pig_beside_a_hulk_leaves_it_alone() -> None:
    assert step("A=d4N0 B=d5Nx C=a1N0", A="F") == "A=d4N0 B=d5Nx C=a1W0"


def test_p12_who_walks_onto_a_hulk_is_struck_in_its_place() -> None:
    assert step("A=e4W0 B=d4Nx C=d1N0 D=a8S0", A="^", C="F") == "A=d4W1 B=- C=d1N0 D=a8E0"


def test_p12_a_hulk_makes_no_exchange() -> None:
    assert step("A=d4N0 B=d5Sx C=h1N0", A="^", C="^") == "A=d5N0 B=- C=h2N0"


def test_p12_a_chain_walks_over_a_hulk() -> None:
    assert step("A=d4E0 B=e4E0 C=f4Ex D=a1N0", A="^", B="^") == "A=e4E0 B=f4E0 C=- D=a1W0"


def test_p12_a_pig_that_only_wants_to_walk_onto_a_hulk_removes_nothing() -> None:
    # A wants to go to e5, but crosses C side to side (P6): A walks forward to d5 and C to d4
    assert step("A=d4N0 B=e5Nx C=e4W0", A="/", C="/", side_cross="forward") == "A=d5N0 B=e5Nx C=d4W0"

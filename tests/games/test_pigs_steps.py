"""Robo Battle Pigs, one step: where pigs walk, bump, cross, fire and hit (P1 to P8, P12)."""

from __future__ import annotations

import pytest

from games.core import Seat, tell
from games.pigs import PigsState
from games.pigs.presentation.picture import effects
from games.pigs.presentation.planner import PigsPlan
from tests.games.cases import named
from tests.games.pig_table import PIGS, stand, step, step_state


def stepped(position: str, commands: str, side_cross: str = "pass") -> str:
    return step(position, side_cross=side_cross, **dict(zip("ABCDEFGH", commands.split(), strict=False)))


SIDES = "A=d8S0 B=e1N0 C=h5W0 D=a4E0"
RINGS = (
    "A=d6N0 B=e3S0",
    "A=d6N0 B=f5E0 C=d3S0",
    "A=d6N0 B=f5E0 C=e3S0 D=c4W0",
    "A=d6N0 B=e6N0 C=f4E0 D=e3S0 E=c4W0",
    "A=d6N0 B=e6N0 C=f5E0 D=e3S0 E=d3S0 F=c4W0",
    "A=d6N0 B=e6N0 C=f5E0 D=f4E0 E=e3S0 F=d3S0 G=c4W0",
    "A=d6N0 B=e6N0 C=f5E0 D=f4E0 E=e3S0 F=d3S0 G=c4W0 H=c5W0",
)


def test_p1_p2_pigs_start_on_the_sides_facing_the_centre_or_in_a_ring_facing_outward() -> None:
    def started(start: str, seats: int) -> str:
        return PigsState.start(PIGS.read_options({"start": start}), seats, {}).position()

    assert [started("sides", seats) for seats in (2, 3, 4)] == [SIDES[:13], SIDES[:20], SIDES]
    assert tuple(started("ring", seats) for seats in range(2, 9)) == RINGS


@named("position commands after", {
    "is shot where it walks to": ("A=d8S0 B=e1N0", "F \\", "A=d8S0 B=d2N1"),
    "is not shot where it walked from": ("A=d8S0 B=d2N0", "F /", "A=d8S0 B=e3N0"),
    "fires in the step that destroys it": ("A=d8S4 B=d1N4", "F F", "A=d8Sx B=d1Nx"),
    "is struck by all who aimed at it": (
        "A=a4E0 B=d4N4 C=h4W0 D=d1N0", "F TL F F", "A=a4E0 B=d4Wx C=h4W0 D=d1N0",
    ),
})  # fmt: skip
def test_p3_a_pig_walks_before_all_fire_at_once(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands) == after


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


@named("position commands", {
    "two want a square": ("A=d4N0 B=d6S0", "^ ^"),
    "three": ("A=d4N0 B=d6S0 C=c5E0", "^ ^ ^"),
    "a chain of eight behind the wall": (
        "A=h4E0 B=g4E0 C=f4E0 D=e4E0 E=d4E0 F=c4E0 G=b4E0 H=a4E0", "^ ^ ^ ^ ^ ^ ^ ^",
    ),
    "a chain behind a bump": ("A=d4N0 B=d6S0 C=d3N0 D=d7S0", "^ ^ ^ ^"),
    "a ring, one of whose squares an outsider wants": ("A=d4E0 B=e4N0 C=e5S0 D=d3N0", "^ ^ / ^"),
    # A and B both want d5; B is held by the exchange with C on d5 as well
    "a bump with a pig that could not have gone": ("A=d4N0 B=e5W0 C=d5E0", "^ ^ ^"),
    "one that fires": ("A=d4N0 B=d5N0", "^ F"),
    "one that takes its damage": ("A=d4N0 B=d5N1", "^ X"),
    "an exchange face to face": ("A=d4N0 B=d5S0", "^ ^"),
    "an exchange from corner to corner": ("A=d4N0 B=e5S0", "/ /"),
})  # fmt: skip
@pytest.mark.parametrize("side_cross", ["pass", "forward"])
def test_p5_pigs_that_are_in_each_others_way_stay(position: str, commands: str, side_cross: str) -> None:
    assert stepped(position, commands, side_cross) == position


@named("position commands after", {
    "onto the square that another leaves": ("A=d4N0 B=d5N0", "^ ^", "A=d5N0 B=d6N0"),
    "a chain": ("A=c4E0 B=d4E0 C=e4E0 D=f4E0", "^ ^ ^ /", "A=d4E0 B=e4E0 C=f4E0 D=g3E0"),
    "a ring of three": ("A=d4E0 B=e4N0 C=e5S0", "^ ^ /", "A=e4E0 B=e5N0 C=d4S0"),
    "over a hulk": ("A=d4N0 B=d5Nx C=d3N0", "^ TL ^", "A=d5N0 B=- C=d4N0"),
    "not where one turns left": ("A=d4N0 B=d5N0", "^ TL", "A=d4N0 B=d5W0"),
})  # fmt: skip
def test_p5_pigs_walk_onto_squares_that_are_left(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands) == after


@named("position commands after", {
    "side by side": ("A=d4N0 B=e4N0", "/ \\", "A=d5N0 B=e5N0"),
    "one above the other": ("A=d4E0 B=d5E0", "\\ /", "A=e4E0 B=e5E0"),
    "each in its own facing, one into the other's square": ("A=d4N0 B=e4W0", "/ /", "A=d5N0 B=d4W0"),
    "face to face, then an exchange ahead": ("A=d4N0 B=d5S0", "/ \\", "A=d4N0 B=d5S0"),
    "then a pig ahead stops one": ("A=d4N0 B=e4N0 C=d5N0", "/ \\", "A=d4N0 B=e5N0 C=d5W0"),
    "then a bump ahead stops both who bump": (
        "A=d4N0 B=e4N0 C=d6S0", "/ \\ ^", "A=d4N0 B=e5N0 C=d6S0",
    ),
    "not with a move into the wall": ("A=d8N0 B=e8S0", "/ /", "A=d8N0 B=d7S0"),
    # A and C would exchange d4 and e5, so B has nobody to cross with
    "not with pigs that exchange": ("A=d4N0 B=e4N0 C=e5S0", "/ \\ /", "A=d4N0 B=d5N0 C=e5S0"),
    "not where a square lies between": ("A=d4N0 B=f4N0", "\\ /", "A=c5N0 B=g5N0"),
})  # fmt: skip
def test_p6_forward_crossing_pigs_walk_forward(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands, "forward") == after


@named("position commands after", {
    "side to side": ("A=d4N0 B=e4N0", "/ \\", "A=e5N0 B=d5N0"),
    "face to face": ("A=d4N0 B=d5S0", "/ \\", "A=e5N0 B=e4S0"),
})  # fmt: skip
def test_p6_crossing_pigs_else_pass_diagonally(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands) == after


@named("position commands after", {
    "reaches across the board": ("A=a4E0 B=h4N0", "F", "A=a4E0 B=h4W1"),
    "stops at the first pig": ("A=d1N0 B=d7N0 C=d3N0", "F", "A=d1N0 B=d7W0 C=d3W1"),
    "stops at a hulk": ("A=d1N0 B=d7N0 C=d3Nx", "F", "A=d1N0 B=d7W0 C=d3Nx"),
    "passes over a hulk that was removed": ("A=d1N0 B=d7N0 C=-", "F", "A=d1N0 B=d7W1 C=-"),
    "beside another is two points": ("A=d1N0 B=d4N0 C=h4W0", "F TL F", "A=d1N0 B=d4W2 C=h4W0"),
})  # fmt: skip
def test_p7_the_laser(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands) == after


def through(position: str, **commands: str) -> PigsState:
    return step_state(position, commands, laser="through", ends="last_standing")


@named("position after sentence", {
    "it hits every living pig in line, the nearest first": (
        "A=d1N0 B=d7N0 C=d3N0 D=c5N0 E=d2N0", "A=d1N0 B=d7W1 C=d3W1 D=c5W0 E=d2W1",
        "A fires north and hits E, C and B!",
    ),
    "hulks neither stop it nor take harm": (
        "A=d1N0 B=d7N4 C=d3Nx D=d2N0", "A=d1N0 B=d7Wx C=d3Nx D=d2W1", "A fires north and hits D and B!",
    ),
    "it misses": (
        "A=d1N0 B=h7N0 C=d3Nx D=a2N0", "A=d1N0 B=h7W0 C=d3Nx D=a2W0", "A fires north and misses.",
    ),
    "not what is behind it": (
        "A=d4N0 B=d1N0 C=h4N0", "A=d4N0 B=d1W0 C=h4W0", "A fires north and misses.",
    ),
})  # fmt: skip
def test_p7_through(position: str, after: str, sentence: str) -> None:
    state = through(position, A="F")
    shot = next(event for event in state.events if event["kind"] == "fired")
    assert (state.position(), str(tell(state, shot))) == (after, sentence)


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


@pytest.mark.parametrize(
    ("facing", "struck"), [("N", "c5 d5 e5"), ("E", "e5 e4 e3"), ("S", "c3 d3 e3"), ("W", "c3 c4 c5")]
)
def test_p8_a_hit_reaches_the_three_squares_ahead_and_no_other(facing: str, struck: str) -> None:
    around = ["c5", "d5", "e5", "c4", "e4", "c3", "d3", "e3", "d6", "f4", "d2", "b4"]
    for square in around:
        damage = int(square in struck.split(" "))
        assert step(f"A=d4{facing}0 B={square}N0", A="H") == f"A=d4{facing}0 B={square}W{damage}"


@named("position commands after", {
    "is removed by a pig that walks onto it": ("A=d4N0 B=d5Nx C=a1N0", "^", "A=d5N0 B=- C=a1W0"),
    "stays where two bump on it": ("A=d4N0 B=d5Nx C=d6S0", "^ TL ^", "A=d4N0 B=d5Nx C=d6S0"),
    "leaves its place to be struck": (
        "A=e4W0 B=d4Nx C=d1N0 D=a8S0", "^ TL F", "A=d4W1 B=- C=d1N0 D=a8E0",
    ),
    "is walked over by a chain": ("A=d4E0 B=e4E0 C=f4Ex D=a1N0", "^ ^", "A=e4E0 B=f4E0 C=- D=a1W0"),
})  # fmt: skip
def test_p12_a_hulk(position: str, commands: str, after: str) -> None:
    assert stepped(position, commands) == after

"""Robo Battle Pigs, what is true of every step: of any pigs anywhere, whatever they do."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import Seat, play_turn
from games.pigs.steps import COMMAND_EFFECTS, COMMANDS, GONE, HULK, POSES, attack, walk
from tests.games.pig_table import FREE, stand
from tests.games.pig_table import played as played_states
from tests.games.referee import Case, agree_on
from tests.games.sizes import size

SQUARES = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 9)]
MIDDLE = [square for square in SQUARES if square[0] in "cdef" and square[1] in "3456"]


@st.composite
def positions(draw: st.DrawFn) -> str:
    """Two to eight pigs, often crowded in the middle or anywhere, some of them hulks."""
    seats = draw(st.integers(2, 8))
    squares = draw(
        st.lists(
            st.sampled_from(draw(st.sampled_from([MIDDLE, SQUARES]))),
            min_size=seats,
            max_size=seats,
            unique=True,
        )
    )
    words = []
    for seat, square in zip("ABCDEFGH", squares, strict=False):
        damage = draw(st.sampled_from("01234" if seat in "AB" else "01234x"))
        words.append(f"{seat}={square}{draw(st.sampled_from('NESW'))}{damage}")
    return " ".join(words)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[str, dict[Seat, str], dict[str, object]]:
    """A position, a program for every living pig, and options."""
    position = draw(positions())
    options: dict[str, object] = {
        "ends": draw(st.sampled_from(["first_down", "last_standing"])),
        "side_cross": draw(st.sampled_from(["pass", "forward"])),
        "damage_moves": draw(st.sampled_from([True, True, False])),
        "laser": draw(st.sampled_from(["first", "through"])),
    }
    if is_race(options):
        position = " ".join(
            word if word.endswith("x") else f"{word}+{draw(st.integers(0, 4))}"
            for word in position.split(" ")
        )
    state = stand(position, **options)
    orders = {}
    for seat in sorted(state.to_act()):
        owed = state.owed(seat)
        free = draw(st.lists(st.sampled_from(FREE), min_size=5 - owed, max_size=5 - owed))
        orders[Seat(seat)] = " ".join(draw(st.permutations([*free, *["X"] * owed])))
    return position, orders, options


def played(position: str, orders: dict[Seat, str], options: dict[str, object]) -> list[str]:
    return [state.position() for state in play_turn(stand(position, **options), orders)]


@given(
    st.lists(st.sampled_from([*POSES, GONE]), min_size=2, max_size=8, unique_by=lambda p: p >> 2),
    st.data(),
    st.booleans(),
    st.booleans(),
)
def test_pigs_that_touch_no_square_in_common_are_in_nobodys_way(
    poses: list[int], data: st.DataObject, forward: bool, through: bool
) -> None:
    commands = tuple(data.draw(st.sampled_from(["", *COMMANDS] if p < GONE else [""])) for p in poses)
    effects = [COMMAND_EFFECTS[command][p] for command, p in zip(commands, poses, strict=True)]
    touched = sum(effect.touches for effect in effects)
    if touched.bit_count() == sum(effect.touches.bit_count() for effect in effects):
        after = walk(tuple(poses), commands, forward)
        assert after == tuple(effect.goal for effect in effects)
        if not any(effect.attacks & touched for effect in effects):
            damage = tuple(0 if command else HULK for command in commands)
            assert attack(after, damage, commands, through) is damage


@given(rounds())
def test_damage_rises_only_by_hits_and_a_hulk_stays_a_hulk(game: tuple) -> None:
    position, orders, options = game
    before = stand(position, **options)
    for state in play_turn(before, orders):
        hit = [v for event in state.events if event["kind"] in ("fired", "hit") for v in event["at"]]
        for seat, was, now in zip(state.seats, before.damage, state.damage, strict=True):  # type: ignore[attr-defined]
            taken = was + hit.count(seat)
            assert now == (taken if taken < 5 or (was < HULK and is_race(options)) else HULK)
            assert was < HULK or seat not in hit
        before = state  # type: ignore[assignment]


@given(rounds())
def test_p14_every_hit_taken_in_a_race_is_a_hit_dealt(game: tuple) -> None:
    position, orders, options = game
    before = stand(position, **options)
    for state in played_states(play_turn(before, orders)):
        if not is_race(options):
            assert state.dealt == ()
            return
        dealt = [now - was for was, now in zip(before.dealt, state.dealt, strict=True)]
        assert min(dealt) >= 0
        assert sum(dealt) == sum(state.damage) - sum(before.damage)
        assert bool(state.outcome()) == any(hits >= 5 for hits in state.dealt)
        before = state


@given(rounds())
def test_p7_what_one_laser_that_stops_hits_a_laser_that_does_not_hits_too(game: tuple) -> None:
    position, orders, options = game
    stops, reaches = (
        played_states(play_turn(stand(position, **options | {"laser": laser}), orders))[0]
        for laser in ("first", "through")
    )
    for one, other in zip(stops.events, reaches.events, strict=False):
        if one["kind"] == "fired":
            assert one["at"] == other["at"][: len(one["at"])]
            assert "hulk" not in other


@pytest.mark.parametrize("text", [
    "A=d8S5 B=e1N0", "A=d8S B=e1N0", "A=i8S0 B=e1N0", "A=d9S0 B=e1N0", "A=d0S0 B=e1N0",
    "A=d8Q0 B=e1N0", "A=d8S0 A=e1N0", "B=d8S0 A=e1N0", "A=d8S0 B=d8N0", "A=d8S0 B=d8Nx", "A=d8S0  B=e1N0",
    "A=d8S0 B=e1N0 ", "a=d8S0 B=e1N0", "A=d8s0 B=e1N0", "A=D8S0 B=e1N0", "A=d08S0 B=e1N0", "A=d8S00 B=e1N0",
    "A=d8SX B=e1N0", "A= B=e1N0", "A B", "A=d8S0", "A=d8S0 B=e1N0 C=h5W0", "A=d8S² B=e1N0", "A=d８S0 B=e1N0",
    "A=d8S-1 B=e1N0", "A=-- B=e1N0", "A=d8S0[] B=e1N0[]",
])  # fmt: skip
def test_a_position_is_read_strictly(text: str) -> None:
    with pytest.raises(ValueError):
        type(stand("A=d8S0 B=e1N0")).read(text, stand("A=d8S0 B=e1N0").options, 2)


# The pigs from crowded positions on, against the second referee (`positions.js`).


def crowd(rng: Random, seats: int, *, hulks: bool, race: bool = False) -> str:
    """A random position, often crowded in one corner so that pigs meet; of a race (P14) with hits dealt."""
    width = rng.choice((3, 3, 4, 5, 8))
    near = [s for s in SQUARES if ord(s[0]) - 97 < width and int(s[1]) <= width]
    if rng.random() < 0.5:  # the opposite corner
        near = [f"{'abcdefgh'[104 - ord(s[0])]}{9 - int(s[1])}" for s in near]
    words = []
    for seat, square in zip("ABCDEFGH"[:seats], rng.sample(near, seats), strict=True):
        damage = str(rng.choice((0, 0, 1, 2, 3, 4, 4)))
        if hulks and seat not in "AB" and rng.random() < 0.25:
            damage = "x"
        gone = damage == "x" and rng.random() < 0.2
        if race and damage != "x":
            damage = f"{rng.choice((0, 1, 4, 7, 12))}+{rng.choice((0, 1, 2, 3, 4, 4))}"
        words.append(f"{seat}=-" if gone else f"{seat}={square}{rng.choice('NESW')}{damage}")
    return " ".join(words)


def program(rng: Random, owed: int) -> str:
    """A legal program, with many walks in it."""
    if owed and rng.random() < 0.1:
        return "R R R R R"
    words = rng.choices((*FREE, "^", "/", "\\", "F"), k=5 - owed) + ["X"] * owed
    rng.shuffle(words)
    return " ".join(words)


def variants(rng: Random) -> dict[str, Any]:
    return {
        "ends": rng.choice(("first_down", "last_standing")),
        "side_cross": rng.choice(("pass", "forward")),
        "damage_moves": rng.random() < 0.6,
        "laser": rng.choice(("first", "through")),
    }


def is_race(options: dict[str, Any]) -> bool:
    return options["ends"] == "first_down" and not options["damage_moves"]


def a_round(rng: Random, seats: int, **options: Any) -> Case:
    """A round by chance; sometimes somebody resigns."""
    position = crowd(rng, seats, hulks=seats > 2, race=is_race(options))
    case = Case("pigs", stand(position, **options), options)
    state = case.state
    orders = {seat: program(rng, state.owed(seat)) for seat in state.seats if seat in state.to_act()}
    case.play(orders | leaving(rng, list(orders)))
    return case


def leaving(rng: Random, seats: list[str]) -> dict[str, str]:
    return {rng.choice(seats): "resign"} if len(seats) > 2 and rng.random() < 0.1 else {}


def a_turn_of_lists(rng: Random, seats: int) -> Case:
    """P15: a turn of continuous feedback, the first one or a later one."""
    options = variants(rng) | {"mode": "continuous"}
    words = crowd(rng, seats, hulks=seats > 2, race=is_race(options)).split(" ")
    lengths = rng.choice((0, 2)) and [rng.randint(2, 5) for _ in words]
    for i, word in enumerate(words):
        if not word.endswith(("x", "-")):
            words[i] += f"[{','.join(rng.choices(FREE, k=lengths[i] if lengths else 0))}]"
    case = Case("pigs", stand(" ".join(words), **options), options)
    state = case.state
    orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
    case.play(orders | leaving(rng, list(orders)))
    return case


def walkers(rng: Random) -> Case:
    squares = rng.sample([s for s in SQUARES if s[0] in "cdef" and s[1] in "3456"], 8)
    words = [f"{seat}={at}{rng.choice('NESW')}0" for seat, at in zip("ABCDEFGH", squares, strict=True)]
    options = {"side_cross": rng.choice(("pass", "forward"))}
    case = Case("pigs", stand(" ".join(words), **options), options)
    case.play({seat: " ".join(rng.choices("^v\\/", k=5)) for seat in "ABCDEFGH"})
    return case


@pytest.mark.fuzz
@pytest.mark.parametrize("seats", range(2, 9))
def test_rounds_from_crowded_positions_agree(seats: int) -> None:
    rng = Random(seats)
    agree_on(a_round(rng, seats, **variants(rng)) for _ in range(size(160, 1_000)))


@pytest.mark.fuzz
def test_p15_turns_of_continuous_feedback_agree() -> None:
    rng = Random("lists")
    agree_on(a_turn_of_lists(rng, rng.randint(2, 8)) for _ in range(size(400, 7_000)))


@pytest.mark.fuzz
def test_eight_pigs_that_only_walk_agree() -> None:
    rng = Random("walks")
    agree_on(walkers(rng) for _ in range(size(200, 1_200)))


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_rounds_agree() -> None:
    rng = Random(2001)
    agree_on(a_round(rng, rng.randint(2, 8), **variants(rng)) for _ in range(60_000))

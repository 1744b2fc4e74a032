"""Robo Battle Pigs from crowded positions on, against the second referee (`positions.js`)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.games.cases import size
from tests.games.pig_table import FREE, stand
from tests.games.referee import Case, agree_on

SQUARES = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 9)]


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
    agree_on(a_round(rng, seats, **variants(rng)) for _ in range(size(160, 3_000)))


@pytest.mark.fuzz
def test_p15_turns_of_continuous_feedback_agree() -> None:
    rng = Random("lists")
    agree_on(a_turn_of_lists(rng, rng.randint(2, 8)) for _ in range(size(400, 7_000)))


@pytest.mark.fuzz
def test_eight_pigs_that_only_walk_agree() -> None:
    rng = Random("walks")
    agree_on(walkers(rng) for _ in range(size(200, 1_200)))

"""The rules against a second, naive implementation written from the rulings alone (`reference_pigs.py`)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.core import Seat, play_turn
from tests.games import reference_pigs as reference
from tests.games.pig_table import FREE, stand
from tests.games.sizes import size

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
    """A legal program, with many walks in it."""
    if owed and rng.random() < 0.1:
        return "R R R R R"
    words = rng.choices((*FREE, "^", "/", "\\", "F"), k=5 - owed) + ["X"] * owed
    rng.shuffle(words)
    return " ".join(words)


def variants(rng: Random) -> dict[str, Any]:
    """Random options of a game in rounds."""
    return {
        "ends": rng.choice(("first_down", "last_standing")),
        "side_cross": rng.choice(("pass", "forward")),
        "damage_moves": rng.random() < 0.6,
        "laser": rng.choice(("first", "through")),
    }


def is_race(options: dict[str, Any]) -> bool:
    """Tell whether it is a race of kids (P14)."""
    return options["ends"] == "first_down" and not options["damage_moves"]


def compare(rng: Random, seats: int, **options: Any) -> None:
    """Plays a random round twice: by the rules and by the reference."""
    position = crowd(rng, seats, hulks=seats > 2, race=is_race(options))
    state = stand(position, **options)
    orders = {seat: program(rng, state.owed(seat)) for seat in state.seats if seat in state.to_act()}
    for seat, text in orders.items():
        assert state.check(seat, text) == text
    states = list(play_turn(state, orders))
    positions, scores = reference.play_round(position, orders, **options)
    assert [after.position() for after in states] == positions, (position, orders, options)
    outcome = states[-1].outcome()
    assert (outcome and outcome.scores) == scores, (position, orders, options)


@pytest.mark.fuzz
@pytest.mark.parametrize("ends", ["first_down", "last_standing"])
@pytest.mark.parametrize("side_cross", ["pass", "forward"])
@pytest.mark.parametrize("seats", range(2, 9))
def test_a_round_agrees_with_the_reference(seats: int, side_cross: str, ends: str) -> None:
    rng = Random(f"{seats} {side_cross} {ends}")
    for _ in range(size(40, 250)):
        compare(rng, seats, **variants(rng) | {"side_cross": side_cross, "ends": ends})


@pytest.mark.fuzz
@pytest.mark.parametrize("seats", range(2, 9))
def test_p15_a_turn_of_continuous_feedback_agrees_with_the_reference(seats: int) -> None:
    rng = Random(f"lists {seats}")
    for _ in range(size(60, 1_000)):
        options = variants(rng)
        words = crowd(rng, seats, hulks=seats > 2, race=is_race(options)).split(" ")
        lengths = rng.choice((0, 2)) and [rng.randint(2, 5) for _ in words]
        for i, word in enumerate(words):
            if not word.endswith(("x", "-")):
                words[i] += f"[{','.join(rng.choices(FREE, k=lengths[i] if lengths else 0))}]"
        position = " ".join(words)
        state = stand(position, mode="continuous", **options)
        orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
        if len(orders) > 2 and rng.random() < 0.2:
            orders[rng.choice(sorted(orders))] = "resign"
        *_, after = play_turn(state, orders)
        expected, scores = reference.play_turn_of_lists(position, orders, **options)
        assert after.position() == expected, (position, orders, options)
        outcome = after.outcome()
        assert (outcome and outcome.scores) == scores, (position, orders, options)


def walks(rng: Random, seats: int) -> dict[Seat, str]:
    return {Seat(s): " ".join(rng.choices("^v\\/", k=5)) for s in "ABCDEFGH"[:seats]}


@pytest.mark.fuzz
@pytest.mark.parametrize("side_cross", ["pass", "forward"])
def test_eight_pigs_that_only_walk_agree_with_the_reference(side_cross: str) -> None:
    rng = Random(side_cross)
    for _ in range(size(100, 600)):
        squares = rng.sample([s for s in SQUARES if s[0] in "cdef" and s[1] in "3456"], 8)
        position = " ".join(
            f"{seat}={square}{rng.choice('NESW')}0" for seat, square in zip("ABCDEFGH", squares, strict=True)
        )
        orders = walks(rng, 8)
        states = play_turn(stand(position, side_cross=side_cross), orders)
        positions, _ = reference.play_round(position, orders, side_cross=side_cross)
        assert [after.position() for after in states] == positions, (position, orders)


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_rounds_agree_with_the_reference() -> None:
    rng = Random(2001)
    for _ in range(60_000):
        compare(rng, rng.randint(2, 8), **variants(rng))

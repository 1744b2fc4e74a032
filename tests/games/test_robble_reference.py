"""The rules of Robble against a second, naive implementation written from the rulings alone."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from games.record import replay
from games.robble.stones import score
from tests.games import reference_robble as reference
from tests.games import sizes
from tests.games.robble_table import REPEATING, SIZES, begin, drawn, lay, turn

RECORDS = sorted((Path(__file__).parent / "records").glob("robble*.json"))


def strewn(rng: Random, size: int, empty: float) -> str:
    """A board with stones at random, drawn; at least one square stays empty."""
    squares = ["." if rng.random() < empty else rng.choice("bw") for _ in range(size * size)]
    squares[rng.randrange(len(squares))] = "."
    return " ".join("".join(squares[i : i + size]) for i in range(0, len(squares), size))


def agree(rng: Random, size: int) -> None:
    """Every placement on a random board, and how it counts."""
    drawing, mover = strewn(rng, size, rng.choice((0.05, 0.2, 0.5, 0.9))), rng.choice("bw")
    state, text = lay(drawing, mover), drawn(drawing, mover)
    assert state.position() == text
    left = reference.left_over(text)
    assert score(state.board, state.stones) == (max([*left["b"], 0]), max([*left["w"], 0])), text
    board, _ = reference.read(text)
    for square in (name for name, stone in board.items() if not stone):
        after = turn(state, square)
        expected = reference.place(text, square)
        assert after.position() == expected, (text, square)
        if all(reference.read(expected)[0].values()):
            assert after.ended, (text, square)
            winner = "AB"["bw".index(reference.winner(expected))]
            assert after.ended.scores[after.seats["AB".index(winner)]] == 1, (text, square)
        else:
            assert after.ended is None, (text, square)


@pytest.mark.fuzz
@pytest.mark.parametrize("size", SIZES)
def test_placements_agree_with_the_reference(size: int) -> None:
    rng = Random(size)
    for _ in range(sizes.size(25, 120)):
        agree(rng, size)


@pytest.mark.fuzz
@pytest.mark.parametrize("size", SIZES)
def test_whole_matches_agree_with_the_reference(size: int) -> None:
    for seed in range(sizes.size(5, 24)):
        pie = seed % 3 > 0
        rng, state = Random(seed), begin(size, pie)
        orders, positions = [], [state.position()]
        while not state.ended:
            (seat,) = state.to_act()
            orders.append(state.sample(seat, rng))
            state = turn(state, orders[-1])
            positions.append(state.position())
        assert reference.play(size, orders, pie) == (positions, state.ended.scores, state.ended.reason)


@pytest.mark.parametrize("orders", [REPEATING, [REPEATING[0], "swap", *REPEATING[1:]]])
def test_a_repetition_agrees_with_the_reference(orders: list[str]) -> None:
    _, scores, reason = reference.play(5, orders)
    assert (scores, reason) == ({"A": 0.5, "B": 0.5}, "repetition")


def test_there_are_records_of_every_ending() -> None:
    results = [json.loads(path.read_text(encoding="utf-8"))["result"]["reason"] for path in RECORDS]
    assert {"largest group", "cancelled", "repetition"} <= set(results)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_reference_agrees_with_the_golden_records(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    orders = [order for turn in data["turns"] for order in turn.values()]
    options = data["options"]
    positions, scores, reason = reference.play(options.get("size", 7), orders, options.get("pie", True))
    shown = replay(data)
    assert shown.fault is None
    assert shown.positions == positions
    assert data["result"] == {"scores": scores, "reason": reason}


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_placements_agree_with_the_reference() -> None:
    rng = Random(2020)
    for _ in range(6_000):
        agree(rng, rng.choice(SIZES))

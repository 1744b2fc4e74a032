"""Robble from strewn boards on, against the second referee (`positions.js`)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.robble import RobbleState
from games.robble.stones import EMPTY, counted, score
from tests.games.cases import size
from tests.games.referee import Case, agree_on, by_the_rules, call, match
from tests.games.robble_table import REPEATING, SIZES, lay

OTHER = {"b": "w", "w": "b"}
RECORDS = sorted((Path(__file__).parent / "records").glob("robble*.json"))


def strewn(rng: Random, columns: int, empty: float) -> str:
    """A board with stones at random, drawn; at least one square stays empty."""
    squares = ["." if rng.random() < empty else rng.choice("bw") for _ in range(columns * columns)]
    squares[rng.randrange(len(squares))] = "."
    return " ".join("".join(squares[i : i + columns]) for i in range(0, len(squares), columns))


def placements(rng: Random, columns: int) -> list[Case]:
    state = lay(strewn(rng, columns, rng.choice((0.05, 0.2, 0.5, 0.9))), rng.choice("bw"))
    cases = []
    for i, name in enumerate(state.board.names):
        if state.board.stone_at(state.stones, i) == EMPTY:
            cases.append(Case("robble", state, {"size": columns}))
            (seat,) = state.to_act()
            cases[-1].play({seat: name})
    cases[0].expect(groups_of(state), "groups")
    return cases


def test_as_many_groups_of_a_size_cancel_on_either_side() -> None:
    rng = Random(3)
    for _ in range(size(40, 1_000)):
        state = lay(strewn(rng, rng.choice(SIZES), rng.choice((0, 0.1, 0.5))))
        found = counted(state.board, state.stones)
        gone = [Counter(g.size for g in found if g.colour == colour and g.cancels) for colour in (0, 1)]
        assert gone[0] == gone[1]
        left = [{g.size for g in found if g.colour == colour and not g.cancels} for colour in (0, 1)]
        assert not left[0] & left[1]
        assert score(state.board, state.stones) == tuple(max(sizes, default=0) for sizes in left)
        assert [g.size for g in found] == sorted((g.size for g in found), reverse=True)


def last_placement(rng: Random, columns: int, kind: str) -> Case:
    """A placement that fills a board: by chance, so that all groups cancel, or with groups of one stone."""
    full = {(x, y): rng.choice("bw") for x in range(columns) for y in range(columns)}
    if kind == "single stones":
        colours = rng.choice(("bw", "wb"))
        full = {(x, y): colours[(x + y) % 2] for x, y in full}
    if kind == "cancelled":
        full |= {(columns - 1 - x, y): OTHER[full[x, y]] for x in range(columns // 2) for y in range(columns)}
    edges = {1, columns - 2}  # from there a stone beside it would be pushed off the board
    at = rng.choice([square for square in full if not set(square) & edges])
    mover, full[at] = full[at], "."
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if (at[0] + 2 * dx, at[1] + 2 * dy) in full:
            beside = at[0] + dx, at[1] + dy
            full[beside] = OTHER[full[beside]]
    rows = ["".join(full[x, y] for x in range(columns)) for y in reversed(range(columns))]
    case = Case("robble", lay(" ".join(rows), mover), {"size": columns})
    (seat,) = case.state.to_act()
    case.play({seat: f"{'abcdefghi'[at[0]]}{at[1] + 1}"})
    assert (case.found["outcome"]["reason"] == "cancelled") >= (kind == "cancelled")
    return case


def endings(rng: Random) -> list[Case]:
    return [
        *(last_placement(rng, columns, "by chance") for columns in SIZES),
        *(last_placement(rng, columns, "single stones") for columns in SIZES if columns % 2),
        *(last_placement(rng, columns, "cancelled") for columns in SIZES if columns % 2 == 0),
    ]


def groups_of(state: RobbleState) -> list[list[int]]:
    found = counted(state.board, state.stones)
    return [[g.size for g in found if g.colour == colour] for colour in (0, 1)]


@pytest.mark.fuzz
@pytest.mark.parametrize("columns", SIZES)
def test_placements_agree(columns: int) -> None:
    rng = Random(columns)
    agree_on(case for _ in range(size(25, 600)) for case in placements(rng, columns))


@pytest.mark.fuzz
def test_last_placements_agree() -> None:
    rng = Random("last")
    agree_on(case for _ in range(size(40, 400)) for case in endings(rng))


@pytest.mark.fuzz
def test_whole_matches_agree() -> None:
    rng = Random("whole")
    for _ in range(size(15, 120)):
        data = match("robble", rng, 1_000)
        assert call("replay", data) == by_the_rules(data), json.dumps(data)


def repetition(orders: list[str]) -> dict[str, Any]:
    """A record on five squares a side."""
    turns = [{"AB"[number % 2]: order} for number, order in enumerate(orders)]
    terms = {"format": "robosite/1", "game": "robble", "options": {"size": 5}, "seats": ["A", "B"]}
    return terms | {"turns": turns}


@pytest.mark.parametrize("orders", [REPEATING, [REPEATING[0], "swap", *REPEATING[1:]]])
def test_a_repetition_agrees(orders: list[str]) -> None:
    data = repetition(orders)
    found = call("replay", data)
    assert found == by_the_rules(data)
    assert found["outcome"] == {"scores": {"A": 0.5, "B": 0.5}, "reason": "repetition"}


def test_there_are_records_of_every_ending() -> None:
    results = [json.loads(path.read_text(encoding="utf-8"))["result"]["reason"] for path in RECORDS]
    assert {"largest group", "cancelled", "repetition"} <= set(results)

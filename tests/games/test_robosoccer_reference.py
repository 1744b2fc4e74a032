"""The rules against a second, naive implementation written from the rulings alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import newest, record
from games.core import IllegalOrder, play_turn
from games.robosoccer.state import RobosoccerState
from games.robosoccer.turns import stuck, turns
from tests.games import reference_robosoccer as reference
from tests.games.pitch import crowd, other_board
from tests.games.sizes import size

GAME = newest("robosoccer")
RECORDS = sorted((Path(__file__).parent / "records").glob("robosoccer-*.json"))


def setups(rng: Random) -> tuple[dict[str, Any], dict[str, Any], list]:
    """Options, a setup, and what the reference wants to know of it."""
    options: dict[str, Any] = {}
    setup: dict[str, Any] = {}
    board = other_board(rng) if rng.random() < 0.4 else None
    if board:
        setup["board"] = board
    if rng.random() < 0.5:
        options["arrows"] = "custom"
        setup = GAME.draw(GAME.read_options(options), 2, rng, setup)
    if rng.random() < 0.4:
        options["actions"] = "two"
    return options, setup, [board, setup.get("arrows")]


def exactly_two(options: dict[str, Any]) -> bool:
    return options.get("actions") == "two"


def compare(state: RobosoccerState, match: reference.Match) -> None:
    scores = {"w": {"A": 1, "B": 0}, "b": {"A": 0, "B": 1}, None: {"A": 0.5, "B": 0.5}}
    outcome = state.outcome()
    if match.outcome is None:
        assert outcome is None
    else:
        reason, winner = match.outcome
        assert outcome and (outcome.reason, outcome.scores) == (reason, scores[winner])


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(size(3, 10)))
def test_whole_random_matches_agree_with_the_reference_turn_by_turn(seed: int) -> None:
    rng = Random(seed)
    options, setup, known = setups(rng)
    state = RobosoccerState.start(GAME.read_options(options), 2, setup)
    board, signs = known
    match = reference.Match(board, signs, exactly_two(options))
    assert state.position() == reference.written(match.pitch, {}, "w")
    for _ in range(50):
        legal = match.legal()
        if state.stage == 4:
            assert sorted(
                turn.text for turn in turns(state.board, state.cells, state.mover, state.least)
            ) == sorted(legal)
        (seat,) = state.to_act()
        sampled = state.sample(seat, rng)
        assert sampled in legal
        order = rng.choice(legal) if rng.random() < 0.5 else sampled
        assert state.check(seat, order) == order
        state = list(state.play({seat: order}))[-1]
        assert state.position() == match.turn(order)
        compare(state, match)
        if state.ended:
            break


@pytest.mark.fuzz
def test_the_legal_turns_of_many_crowded_positions_agree_with_the_reference() -> None:
    rng = Random("crowded")
    ways: Counter[str] = Counter()
    for n in range(size(40, 400)):
        if n % 10 == 0:
            options, setup, known = setups(rng)
            pitch = reference.Pitch(*known)
        text = crowd(rng, pitch.width, pitch.height)
        state = RobosoccerState.read(text, GAME.read_options(options), 2, setup)
        pieces, side = reference.read(pitch, text)
        legal = reference.legal_turns(pitch, pieces, side, exactly_two(options))
        made = {turn.text for turn in turns(state.board, state.cells, state.mover, state.least)}
        assert made == legal.keys()
        assert stuck(state.board, state.cells, state.mover, state.least) == (not legal)
        ways.update(sign for order in legal for sign in order if sign in "-^>=")
        if state.ended or not legal:
            continue
        (seat,) = state.to_act()
        for order in rng.sample(sorted(legal), min(3, len(legal))):
            assert state.check(seat, order) == order
            after = list(play_turn(state, {seat: order}))[-1]
            assert after.position() == reference.written(pitch, legal[order], "wb"[side == "w"])
    assert min(ways[sign] for sign in "-^>=") > size(60, 600)


def test_every_other_turn_that_can_be_written_is_refused() -> None:
    rng = Random("refused")
    pitch = reference.Pitch()
    refused = 0
    for _ in range(5):
        text = crowd(rng, 6, 8)
        state = RobosoccerState.read(text, GAME.read_options({}), 2)
        if state.ended:
            continue
        (seat,) = state.to_act()
        legal = reference.legal_turns(pitch, *reference.read(pitch, text))
        names = [pitch.name((file, row)) for file in range(1, 7) for row in range(1, 9)]
        for here in names:
            for there in names:
                for sign in "-^>=":
                    order = f"{here}{sign}{there}"
                    if order in legal:
                        continue
                    refused += 1
                    with pytest.raises(IllegalOrder) as fault:
                        state.check(seat, order)
                    assert str(fault.value).endswith(".")
    assert refused > 25_000


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_reference_agrees_with_the_golden_records(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    setup = data["setup"]
    match = reference.Match(setup.get("board"), setup.get("arrows"), exactly_two(data["options"]))
    positions = [reference.written(match.pitch, {}, "w")]
    for turn in data["turns"]:
        ((_, order),) = turn.items()
        assert order in match.legal()
        positions.append(match.turn(order))
    shown = record.replay(data)
    assert (shown.fault, shown.positions) == (None, positions)
    assert (match.outcome[0] if match.outcome else None) == (shown.outcome and shown.outcome.reason)


@pytest.mark.slow
@pytest.mark.fuzz
def test_many_more_positions_agree_with_the_reference() -> None:
    rng = Random(2026)
    for _ in range(2_500):
        options, setup, known = setups(rng)
        pitch = reference.Pitch(*known)
        text = crowd(rng, pitch.width, pitch.height)
        state = RobosoccerState.read(text, GAME.read_options(options), 2, setup)
        pieces, side = reference.read(pitch, text)
        legal = reference.legal_turns(pitch, pieces, side, exactly_two(options))
        made = {turn.text for turn in turns(state.board, state.cells, state.mover, state.least)}
        assert made == legal.keys(), (text, setup)

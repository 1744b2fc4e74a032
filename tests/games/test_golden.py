"""Matches that were written down: each record must lead to the positions beside it, step by step.

`records/NAME.json` is a record, `records/NAME.positions.txt` what it leads to, for people to read: the
orders of each turn, then a line a position. Whoever adds a record, or changes what one leads to on purpose,
writes the positions with `python -m tests.games.test_golden` and reads what changed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from games import GAMES, newest, record
from games.core import play_turn
from tests.games import reference_pigs, reference_roboxing

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))
PIGS = [path for path in RECORDS if path.name.startswith("pigs")]

BOXING = [path for path in RECORDS if path.name.startswith("roboxing")]


def story(data: dict) -> str:
    """A record as its `.positions.txt` has it."""
    read = record.read(data)
    state = read.start()
    lines = [f"start: {state.position()}"]
    for number, turn in enumerate(read.turns, 1):
        lines += ["", f"turn {number}", *(f"  {seat}: {order}" for seat, order in turn.items())]
        states = list(play_turn(state, turn))
        lines += [after.position() for after in states if after.tick]
        state = states[-1]
    outcome = state.outcome()
    if outcome:
        shares = ", ".join(f"{seat} {share:g}" for seat, share in outcome.scores.items())
        lines += ["", f"{outcome.reason}: {shares}"]
    return "\n".join(lines) + "\n"


def test_there_is_a_record_for_every_preset_of_every_game() -> None:
    names = {path.stem for path in RECORDS}
    assert {"pigs-example", "roboxing-example"} <= names
    assert {f"{slug}-{preset}" for slug in GAMES for preset in newest(slug).presets} <= names


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_golden_record_leads_to_the_positions_beside_it(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    expected = path.with_suffix(".positions.txt").read_text(encoding="utf-8")
    assert story(data) == expected
    shown = record.replay(data)
    assert shown.fault is None
    told = [line for line in expected.splitlines() if line and not line.startswith(("turn ", "  "))]
    if shown.outcome:
        told.pop()
    assert [line.removeprefix("start: ") for line in told] == shown.positions


@pytest.mark.parametrize("path", PIGS, ids=lambda path: path.stem)
def test_the_reference_agrees_with_the_golden_records_of_pigs(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    positions = record.replay(data).positions[:1]
    scores = None
    for turn in data["turns"]:
        options = {k: v for k, v in data["options"].items() if k not in ("mode", "start")}
        if data["options"].get("mode") == "continuous":
            after, scores = reference_pigs.play_turn_of_lists(positions[-1], turn, **options)
            positions.append(after)
        else:
            steps, scores = reference_pigs.play_round(positions[-1], turn, **options)
            positions += steps
    assert record.replay(data).positions == positions
    assert scores == (data["result"]["scores"] if data["result"] else None)


@pytest.mark.parametrize("path", BOXING, ids=lambda path: path.stem)
def test_the_reference_agrees_with_the_golden_records_of_roboxing(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    positions, scores, options = record.replay(data).positions, None, data["options"]
    ring = {side: options.get(side, 8) for side in ("width", "height")}
    if len(data["turns"]) == 1:
        assert reference_roboxing.is_dead(positions[1], **ring) == bool(data["result"])
        return
    for number, turn in enumerate(data["turns"][1:], 1):
        if set(turn.values()) == {"resign"}:
            return
        after, _, scores = reference_roboxing.play(positions[number], turn, **ring)
        assert after == positions[number + 1]
    assert scores == (data["result"]["scores"] if data["result"] else None)


if __name__ == "__main__":
    for path in RECORDS:
        path.with_suffix(".positions.txt").write_text(story(json.loads(path.read_text(encoding="utf-8"))))

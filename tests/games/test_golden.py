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

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


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


if __name__ == "__main__":
    for path in RECORDS:
        path.with_suffix(".positions.txt").write_text(story(json.loads(path.read_text(encoding="utf-8"))))

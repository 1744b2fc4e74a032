"""Matches that were written down: each record must lead to the positions beside it, step by step.

`records/NAME.json` is a record, `records/NAME.positions.txt` what it leads to, for people to read: the
orders of each turn, then a line a position. Whoever adds a record, or changes what one leads to on purpose,
writes the positions with `python -m tests.games.test_golden` and reads what changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games import GAMES, newest, record
from games.core import play_turn

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


def story(data: dict) -> str:
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


FRED, SALLY = "ga(d)/(e)[i]h/c(b)(f)", "c(g)b/(f)[e](i)/a(h)d"
NO_POSITIONS: dict[tuple[str, str], list[str]] = {
    ("pigs", ""): [
        "A=d8S5 B=e1N0", "A=d8S B=e1N0", "A=i8S0 B=e1N0", "A=d9S0 B=e1N0", "A=d0S0 B=e1N0",
        "A=d8Q0 B=e1N0", "A=d8S0 A=e1N0", "B=d8S0 A=e1N0", "A=d8S0 B=d8N0", "A=d8S0 B=d8Nx",
        "A=d8S0  B=e1N0", "A=d8S0 B=e1N0 ", "a=d8S0 B=e1N0", "A=d8s0 B=e1N0", "A=D8S0 B=e1N0",
        "A=d08S0 B=e1N0", "A=d8S00 B=e1N0", "A=d8SX B=e1N0", "A= B=e1N0", "A B", "A=d8S0",
        "A=d8S0 B=e1N0 C=h5W0", "A=d8S² B=e1N0", "A=d８S0 B=e1N0", "A=d8S-1 B=e1N0", "A=-- B=e1N0",
        "A=d8S0[] B=e1N0[]",
    ],
    ("pigs", "damage_moves"): [
        "A=d8S0 B=e1N0", "A=d8S0+0 B=e1N0", "A=d8S0+ B=e1N0+0", "A=d8S0+-1 B=e1N0+0", "A=d8S+1 B=e1N0+0",
        "A=d8S0+01 B=e1N0+0", "A=d8S00+1 B=e1N0+0", "A=d8S100+1 B=e1N0+0", "A=d8S0+100 B=e1N0+0",
        "A=d8Sx+1 B=e1N0+0", "A=-+1 B=e1N0+0", "A=d8S0+0[] B=e1N0+0[]", "A=d8S0+1+1 B=e1N0+0",
        "A=d8S0+² B=e1N0+0",
    ],
    ("roboxing", ""): [
        f"A1@a1:{FRED} B1@h9:{SALLY}", f"A1@a1:{FRED} B1@h8", f"A1@a1:{FRED} B2@h8:{SALLY}",
        f"A1@a1:{FRED}", f"A1@a1:{FRED}  B1@h8:{SALLY}", f"A1@a1:{FRED} B1@h8:{SALLY} ",
        f"A1@A1:{FRED} B1@h8:{SALLY}", f"A1@a1:{FRED} B1@h8:", f"A1@a1:{FRED} B1@h8:?ba",
        f"A1@a1:{FRED} B1@h8:?bb", f"A1@a1:{FRED} B1@h8:?j", f"A1@a1:{FRED} B1@h8:?abcdefgh",
        f"A1@a1:{FRED} B1@h8:*******(a)b", f"A1@a1:{FRED} B1@h8:{SALLY.upper()}",
        f"A1@a1:{FRED} B1@h8:*(a)*/*b*/***", f"A1@a1:{FRED} B1@h8:c(g)b(f)[e](i)a(h)d", "A1@x B1@y",
        f"A1@a1:{FRED} B1@h8:(*)***/*[e]*/a**", f"A1@a1:{FRED} B1@h8:(a)(b)(c)/(d)*e/(f)gh",
    ],
    ("robosoccer", ""): [
        "6/6/6/6/6/6/6/6 b", "6/6/6/6/6/6/6/6", "6/6/6/6/6/6/6/6 x", "6/6/6/6/6/6/6 w",
        "7/6/6/6/6/6/6/6 w", "06/6/6/6/6/6/6/6 w", "6/6/6/6/6/6/6/LMSSML w", "6/6/6/6/6/6/6/LMSSMM b",
        "6/6/6/6/6/6/LMSSML/6 b", "lmssml/6/6/6/6/2O3/6/LMSSML b", "lmssml/3o2/6/6/6/6/6/LMSSML w",
        "lmssml/3o2/6/6/6/6/2OO2/LMSSML b", "lmssml/3o2/6/6/S5/6/2O3/LMSSML b",
        "lmssml/3o2/6/6/6/6/2Q3/LMSSML b", "....../6/6/6/6/6/6/6 w",
    ],
    ("robble", "size"): [
        "5/5/5/5/5", "5/5/5/5/5 x", "5/5/5/5 b", "5/5/5/5/5/5 b", "5/5/5/5/4 b", "5/5/5/5/6 b",
        "5/5/5/5/23 b", "5/5/5/5/05 b", "5/5/5/5/b4w b", "5/5/5/5/x4 b", "5/5/5/5/B4 b", "5/5/5/5/5  b",
        "7/7/7/7/7/7/7 b",
    ],
}  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {"": {}, "damage_moves": {"damage_moves": False}, "size": {"size": 5}}


@pytest.mark.parametrize(("slug", "option"), NO_POSITIONS)
def test_a_position_is_read_strictly(slug: str, option: str) -> None:
    game = newest(slug)
    options = game.read_options(OPTIONS[option])
    for text in NO_POSITIONS[slug, option]:
        with pytest.raises(ValueError):
            game.state.read(text, options, 2)


if __name__ == "__main__":
    for path in RECORDS:
        path.with_suffix(".positions.txt").write_text(story(json.loads(path.read_text(encoding="utf-8"))))

"""Plays each program against the one below it and writes games/ladder.json: `make ladder`.

The same seed gives the same matches on every machine; only the times that it prints differ. Rows of games
that are not played stay as they were.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from games import GAMES, newest  # noqa: E402
from games.players import version_of  # noqa: E402
from games.players.ladder import RUNGS, Rung  # noqa: E402

FILE = ROOT / "games" / "ladder.json"

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=40, help="matches of each pair of programs")
    parser.add_argument("--sprt", action="store_true", help="stop once the sequential test has decided")
    parser.add_argument("--go-on", action="store_true", help="count the matches in the file, if of this kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="one game, or several: robble,robosoccer")
    parser.add_argument("--preset", default="", help="another preset than the first one")
    parser.add_argument("--seats", type=int, default=0, help="how many play, where that is not as usual")
    parser.add_argument("--rungs", default="", help="the stronger and the weaker one: thorough/quick")
    parser.add_argument("--file", type=Path, default=FILE)
    given = parser.parse_args()
    for slug in given.only.split(",") if given.only else GAMES:
        game = newest(slug)
        preset = given.preset or next(iter(game.presets))
        allowed = game.presets[preset].seats
        if given.seats and given.seats not in allowed:
            parser.error(
                f"{slug} {preset} is for {min(allowed)} to {max(allowed)} players, not {given.seats}."
            )
        for stronger, weaker in RUNGS:
            if given.rungs in ("", f"{stronger}/{weaker}"):
                rung = Rung(stronger, weaker, process_time, given.seats)
                if given.go_on:
                    _go_on(given.file, _kind(slug, preset, given.seed, rung), rung)
                for number in range(rung.matches, given.matches):
                    rung.play(game, preset, str(given.seed), number)
                    if number % 2:  # what is stopped early has written what it played
                        _write(given.file, {**_kind(slug, preset, given.seed, rung), **rung.as_json()})
                        if given.sprt and rung.sprt():
                            break
                _tell(slug, preset, rung)


def _kind(slug: str, preset: str, seed: int, rung: Rung) -> Row:
    """The facts on which a result depends: game, versions, and how much the stronger program may search."""
    game = newest(slug)
    work = getattr(game.state.search, "WORK", None) if rung.stronger == "thorough" else None
    versions = [version_of(player, slug) for player in (rung.stronger, rung.weaker)]
    return {
        "game": slug,
        "rules": game.rules,
        "preset": preset,
        "seats": rung.seats or game.presets[preset].usual_seats,
        "versions": versions,
        "seed": seed,
        "work": work,
    }


def _rows(file: Path) -> list[Row]:
    rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))["ladder"] if file.exists() else []
    return rows


def _go_on(file: Path, kind: Row, rung: Rung) -> None:
    """Takes over the results in the file, if they are of the same kind."""
    for row in _rows(file):
        if {**row, **kind, "stronger": rung.stronger, "weaker": rung.weaker} == row:
            rung.read(row)


def _write(file: Path, row: Row) -> None:
    key = ("game", "preset", "seats", "stronger", "weaker")
    kept = {tuple(one[name] for name in key): one for one in _rows(file)}
    kept[tuple(row[name] for name in key)] = row
    lines = ",\n".join(f"  {json.dumps(one)}" for one in kept.values())
    file.write_text(f'{{"ladder": [\n{lines}\n]}}\n', encoding="utf-8")


def _tell(slug: str, preset: str, rung: Rung) -> None:
    row = rung.as_json()
    times = ", ".join(
        f"{player} {rung.milliseconds(player, 0.5)}/{rung.milliseconds(player, 0.99)} ms"
        for player in (rung.stronger, rung.weaker)
    )
    table = f"{slug} {preset}{f' with {rung.seats}' if rung.seats else ''}"
    print(
        f"{table}: {rung.stronger} against {rung.weaker} {row['points']:g} of {row['matches']} "
        f"(first {row['first']:g}, second {row['second']:g}), "
        f"Elo {row['elo']} ({row['from']} to {row['to']}), {row['sprt'] or 'undecided'}, "
        f"{row['turns']} turns; "
        f"median and 99 % of the answers: {times}",
        flush=True,
    )


if __name__ == "__main__":
    main()

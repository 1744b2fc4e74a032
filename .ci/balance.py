"""Plays every preset by hasty programs and writes the figures to games/balance.json: `make balance`.

The same seed gives the same matches on every machine. A preset is played by its usual number of players.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from games import GAMES, newest  # noqa: E402
from games.figures import Tally, play_hastily  # noqa: E402

FILE = ROOT / "games" / "balance.json"
PORTION = 10

Job = tuple[str, str, int, range]


def jobs(matches: int, seed: int) -> Iterator[Job]:
    """Portions of all matches, every preset's first ones first."""
    for first in range(0, matches, PORTION):
        for slug in GAMES:
            for preset in newest(slug).presets:
                yield slug, preset, seed, range(first, min(first + PORTION, matches))


def play(job: Job) -> tuple[Job, dict[str, Any]]:
    """The tally of one portion."""
    slug, preset, seed, numbers = job
    tally = Tally()
    for number in numbers:
        tally.add(play_hastily(newest(slug), preset, Random(f"{seed}/{slug}/{preset}/{number}")))
    return job, tally.as_json()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000, help="matches of each preset")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--file", type=Path, default=FILE)
    given = parser.parse_args()
    tallies: dict[tuple[str, str], Tally] = {}
    last = [(slug, preset) for slug in GAMES for preset in newest(slug).presets][-1]
    with ProcessPoolExecutor(given.processes) as pool:
        for (slug, preset, _seed, numbers), counted in pool.map(play, jobs(given.matches, given.seed)):
            tally = tallies.setdefault((slug, preset), Tally())
            tally += Tally.from_json(counted)
            if (slug, preset) == last:  # what is stopped early has written what it played of every preset
                given.file.write_text(_written(tallies, given.seed), encoding="utf-8")
                print(f"{numbers.stop} matches of each preset", flush=True)


def _written(tallies: dict[tuple[str, str], Tally], seed: int) -> str:
    rows = [
        {
            "game": slug,
            "rules": newest(slug).rules,
            "preset": preset,
            "players": newest(slug).presets[preset].usual_seats,
            **tally.as_json(),
        }
        for (slug, preset), tally in tallies.items()
    ]
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{{"player": "hasty", "seed": {seed}, "figures": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    main()

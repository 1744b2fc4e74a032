"""Looks for puzzles in matches between hasty programs and adds them to games/puzzles.json: `make puzzles`.

The same seed gives the same puzzles on every machine. Puzzles that are in the file keep their numbers, since
people share their addresses; new ones follow in the order in which they were found, the hardest left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from games import GAMES, newest  # noqa: E402
from games.core import Order, PuzzleProver, Seat, State, play_turn  # noqa: E402
from games.proofs import Orders  # noqa: E402
from games.puzzles import Puzzle, proofs_of  # noqa: E402
from games.search import hasty_order  # noqa: E402

FILE = ROOT / "games" / "puzzles.json"
LONGEST = 240
"""Matches are looked at for so many turns."""
LAST = 8
"""Only the last turns of a match are looked at: that is where somebody can win."""
MOST = 40_000
"""Positions with more orders of one's own are left out."""
TOO_HARD = 1 / 20
"""The share of the new puzzles that are left out since they are the hardest."""


Row = dict[str, object]


class Turn(NamedTuple):
    """A turn of a match; `state` follows from `first` by `before`: the fight so far, elsewhere nothing."""

    number: int
    first: State
    before: tuple[Orders, ...]
    state: State


def turns(slug: str, preset: str, rng: Random) -> Iterator[Turn]:
    """The turns of a match between hasty players."""
    game, proofs = newest(slug), proofs_of(slug)
    options = game.read_options(game.presets[preset].options)
    first = state = game.state.start(options, 2, game.draw(options, 2, rng, {}))
    before: tuple[Orders, ...] = ()
    while not state.outcome() and state.turn < LONGEST:
        if not proofs.remembers or state.turn <= 1:
            first, before = state, ()
        # A position is judged as it is read: it knows nothing of a swap, nor of what was repeated before it.
        read = state if before else game.state.read(state.position(), options, 2)
        yield Turn(state.turn, first, before, read)
        orders = {seat: hasty_order(state.view(seat), seat, rng) for seat in sorted(state.to_act())}
        *_, state = play_turn(state, orders)
        before = (*before, orders)


def found_in(turn: Turn, proofs: PuzzleProver, deepest: int) -> tuple[Seat, int, int, list[Order]] | None:
    """The seat that wins for certain with few of its orders, within how many moves, and those orders.

    Where it may take several moves, it is looked for within `deepest` at most: so there are easy ones too.
    """
    requirements = proofs.requirements
    for seat in sorted(turn.state.to_act()):
        legal = turn.state.legal(seat, MOST)
        if not legal or len(legal) < requirements.least:
            continue
        for moves, room in requirements.room.items():
            if len(legal) > room or moves > deepest:
                continue
            try:
                solving = proofs.solutions(turn.state, seat, legal, moves)
            except ValueError:  # the others may do too much
                continue
            if solving:
                few = len(solving) <= requirements.share * len(legal)
                return (seat, moves, len(legal), solving) if few else None
    return None


def search(slug: str, number: int, seed: int) -> Iterator[Puzzle]:
    """The given number of puzzles of a game, at most one from each match, from its presets in turn."""
    proofs, left, positions = proofs_of(slug), number, set[str]()
    presets, deepest = proofs.requirements.presets, sorted(proofs.requirements.room)
    for match in count():
        preset = presets[match % len(presets)]
        rng = Random(f"{seed}/{slug}/{preset}/{match}")
        for turn in list(turns(slug, preset, rng))[-LAST:]:
            found = found_in(turn, proofs, deepest[match % len(deepest)])
            position = f"{turn.first.position()} {turn.before}"
            if not found or position in positions:
                continue
            positions.add(position)
            seat, moves, orders, solving = found
            yield Puzzle(
                game=slug,
                seat=seat,
                position=turn.first.position(),
                before=turn.before,
                moves=moves,
                orders=orders,
                solutions=len(solving),
                answer=solving[0],
                found=f"{seed}/{preset}/{match}/{turn.number}",
                options=dict(newest(slug).presets[preset].options),
            )
            left -= 1
            break
        if not left:
            return


def difficulty(puzzle: Puzzle) -> tuple[int, float]:
    """More moves are harder, and then a smaller share of orders that solve it."""
    return puzzle.moves, -puzzle.solutions / puzzle.orders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=420, help="puzzles of each game to look for")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(GAMES))
    parser.add_argument("--file", type=Path, default=FILE)
    given = parser.parse_args()
    rows = json.loads(given.file.read_text(encoding="utf-8")) if given.file.exists() else {}
    every = [slug for slug in GAMES if newest(slug).puzzle_prover]
    for slug in [given.only] if given.only else every:
        began, worked = perf_counter(), process_time()
        added = new_puzzles(slug, given.number, given.seed, rows.get(slug, []))
        rows[slug] = [*rows.get(slug, []), *added]
        spent = f"{perf_counter() - began:.0f} s, {process_time() - worked:.0f} s of a processor"
        print(f"{slug}: {len(rows[slug])} puzzles, {len(added)} of them new, in {spent}", flush=True)
        given.file.write_text(_written(rows), encoding="utf-8")


def new_puzzles(slug: str, number: int, seed: int, known: list[Row]) -> list[Row]:
    """The puzzles found that are not known, without the hardest, in the order in which they were found."""
    names = {row["found"] for row in known}
    found = [puzzle for puzzle in search(slug, number, seed) if puzzle.found not in names]
    hardest = sorted(found, key=difficulty)[len(found) - round(TOO_HARD * len(found)) :]
    return [puzzle.as_json() for puzzle in found if puzzle not in hardest]


def _written(rows: dict[str, list[Row]]) -> str:
    games = [
        f'"{slug}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows[slug]) + "\n]"
        for slug in GAMES
        if slug in rows
    ]
    return "{" + ",\n".join(games) + "}\n"


if __name__ == "__main__":
    main()

"""Near-equilibria of rounds of two pigs, from matches of two quick players: time and gap of each.

`python -m tests.bench.equilibria 500`: so many positions, in about four minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count, islice
from random import Random
from statistics import median
from time import process_time
from typing import cast

from games import newest
from games.core import play_turn
from games.pigs.bot.duel import Duel
from games.pigs.bot.equilibrium import GAP, near_equilibrium
from games.pigs.state import PigsState
from games.players import PLAYERS
from tests.bench.figures import Row, Section, percentile, row_of_times, table
from tests.bench.machine import machine

POSITIONS = 500
TINY = 1e-9
"""Errors of rounding are smaller."""
MOST_TURNS = 12
"""Later rounds of a match, of two pigs that only keep out of each other's way, are left out."""


def main() -> None:
    positions = int(sys.argv[1]) if sys.argv[1:] else POSITIONS
    print("\n".join(machine()), end="\n\n")
    print(table([measure(positions)]))


def measure(positions: int) -> Section:
    section = Section(f"Near-equilibria of {positions} rounds of two pigs, processor time")
    states = list(islice(rounds(), positions))
    section.rows += rows(states)
    return section


def rows(states: list[PigsState]) -> list[Row]:
    times, gaps = [], []
    for state in states:
        start = process_time()
        found = near_equilibrium(Duel(state))
        times.append(process_time() - start)
        gaps.append(found.gap)
    return [
        row_of_times("near-equilibrium and its certificate", times, f"at most {max(times):.1f} s"),
        Row(
            "gap: hits that the best responses of both sides gain",
            remark=f"median {median(gaps):.3f}, 99 % {percentile(gaps, 99):.3f}, at most {max(gaps):.3f}; "
            f"{sum(gap > GAP + TINY for gap in gaps)} above {GAP}",
        ),
    ]


def rounds() -> Iterator[PigsState]:
    """Positions before a round, from one match after another; each is there once."""
    game, seen = newest("pigs"), set[str]()
    options = game.read_options(game.presets["standard"].options)
    for seed in count():
        rng = Random(seed)
        state = game.state.start(options, 2, game.draw(options, 2, rng, {}))
        while len(state.to_act()) == 2 and state.turn < MOST_TURNS:
            if state.position() not in seen:
                seen.add(state.position())
                yield cast(PigsState, state)
            orders = {
                seat: PLAYERS["quick"].order(state.view(seat), seat, rng) for seat in sorted(state.to_act())
            }
            *_, state = play_turn(state, orders)


if __name__ == "__main__":
    main()

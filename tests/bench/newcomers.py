"""Plays the *thorough* program against what newcomers did in rounds of two pigs.

`python -m tests.bench.newcomers 4`: the rounds of `newcomers.txt` that were played against that version;
without a number, all. Each line there is a round that a newcomer played against the program: its version, the
match, the turn, and the newcomer's seat; the position before it; the newcomer's order; the program's. What
today's mix gains against that order says how well it guesses how they think, and nothing of how they would
answer it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import NamedTuple

from games import newest
from games.pigs.bot import search as thorough
from games.pigs.bot.duel import Duel, Mix, Program, encode
from games.pigs.bot.equilibrium import near_equilibrium
from games.pigs.state import PigsState

FILE = Path(__file__).with_name("newcomers.txt")


class Round(NamedTuple):
    """A round of a newcomer's match against the program."""

    version: str
    state: PigsState
    side: int
    """The program's place in a duel."""
    played: Program
    """The newcomer's."""
    answered: Program


def main() -> None:
    versions = sys.argv[1:]
    rounds = [one for one in read() if not versions or one.version in versions]
    gains: dict[str, list[float]] = {"as it played": [], "an equilibrium": [], "as it plays now": []}
    for number, one in enumerate(rounds):
        duel = Duel(one.state)
        seat = duel.seats[one.side]
        gains["as it played"].append(gained(duel, one, {one.answered: 1.0}))
        gains["an equilibrium"].append(gained(duel, one, near_equilibrium(duel).mixes[one.side]))
        gains["as it plays now"].append(
            gained(duel, one, thorough.mix_of_two(one.state, seat, Random(number)))
        )
    for name, each in gains.items():
        error = stdev(each) / len(each) ** 0.5
        print(f"{name}: {mean(each):+.2f} hits a round (standard error {error:.2f}) in {len(each)} rounds")


def read() -> Iterator[Round]:
    game = newest("pigs")
    options = game.read_options({})
    for line in FILE.read_text().splitlines():
        about, position, played, answered = line.split("; ")
        version, _match, turn, seat = about.split(" ")
        state = game.state.read(position, options, 2)
        assert isinstance(state, PigsState)
        yield Round(
            version, state._replace(turn=int(turn)), int(seat == "A"), encode(played), encode(answered)
        )


def gained(duel: Duel, one: Round, mix: Mix) -> float:
    """The gain of a mix of the program against what the newcomer played, in hits."""
    if one.side == 0:
        return duel.expected(mix, {one.played: 1.0})
    return -duel.expected({one.played: 1.0}, mix)


if __name__ == "__main__":
    main()

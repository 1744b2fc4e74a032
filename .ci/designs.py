"""Searches the schedules of tables without a block design, into robosite/leagues/arithmetic/designs.json.

The same seed gives the same schedules on every machine: `make designs`. A league's record is checked by that
file, so a schedule that was in a release does not change any more.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import combinations, count
from math import exp, gcd
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from robosite.leagues.arithmetic.designs import FILE, LARGEST, SIZES, STARTERS  # noqa: E402

STEPS, TRIES = 400_000, 8
"""The exchanges tried in one search, and the number of searches before everybody plays more matches."""
HOT, COLD = 0.6, 0.06
UNMET = 4

Block = list[int]


def weight(times: int) -> int:
    """The cost of two who meet so many times, to the search."""
    return times**2 if times else UNMET


GAINS = [weight(times + 1) - weight(times) for times in range(64)]


def matches_each(n: int, k: int) -> tuple[int, int]:
    """The fewest matches for each of n at tables of k in which all could meet, and the step to more.

    All play equally many, so the number of tables must come out whole.
    """
    step = k // gcd(n, k)
    return -(-(n - 1) // (k - 1) // step) * step, step


class Search:
    """Simulated annealing: two tables exchange a player each, so that everybody plays as many as before."""

    def __init__(self, n: int, k: int, each: int, chance: Random) -> None:
        self.n, self.chance = n, chance
        players = [at % n for at in range(n * each)]
        self.blocks = [players[at : at + k] for at in range(0, n * each, k)]
        self.met = [[0] * n for _ in range(n)]
        for block in self.blocks:
            for one, other in combinations(block, 2):
                self._count(one, other, 1)

    def _count(self, one: int, other: int, times: int) -> None:
        self.met[one][other] += times
        self.met[other][one] += times

    @property
    def cost(self) -> tuple[int, int]:
        """The number of pairs that never meet, and the sum of the squared numbers of meetings."""
        met = [self.met[one][other] for one, other in combinations(range(self.n), 2)]
        return met.count(0), sum(times * times for times in met)

    @property
    def least_cost(self) -> tuple[int, int]:
        """No search can be better: all pairs meet equally often, but for one meeting."""
        pairs = self.n * (self.n - 1) // 2
        often, more = divmod(sum(map(sum, self.met)) // 2, pairs)
        return 0, often**2 * (pairs - more) + (often + 1) ** 2 * more

    def run(self) -> list[Block]:
        """Searches; gives the best blocks that it met."""
        now = least = sum(weight(times) for row in self.met for times in row) // 2
        best, kept = self.cost, [list(block) for block in self.blocks]
        for step in range(STEPS):
            if best == self.least_cost:
                break
            warmth = HOT * (1 - step / STEPS) + COLD
            gain = self._exchange(warmth)
            if gain is not None:
                now += gain
                if now < least:
                    least = now
                    best, kept = min((best, kept), (self.cost, [list(block) for block in self.blocks]))
        self.blocks = kept
        self.best = best
        return kept

    def _exchange(self, warmth: float) -> int | None:
        """Exchanges two players of two tables if that is better, or by chance; the change of the cost."""
        random, met = self.chance.random, self.met
        a, b = (self.blocks[int(random() * len(self.blocks))] for _ in range(2))
        i, j = (int(random() * len(a)) for _ in range(2))
        one, other = a[i], b[j]
        if one in b or other in a:
            return None
        from_a = [player for player in a if player != one and player not in b]
        from_b = [player for player in b if player != other and player not in a]
        gain = sum(GAINS[met[other][player]] - GAINS[met[one][player] - 1] for player in from_a)
        gain += sum(GAINS[met[one][player]] - GAINS[met[other][player] - 1] for player in from_b)
        if gain > 0 and random() >= exp(-gain / 2 / warmth):
            return None
        for players, leaves, comes in ((from_a, one, other), (from_b, other, one)):
            for player in players:
                self._count(player, leaves, -1)
                self._count(player, comes, 1)
        a[i], b[j] = other, one
        return gain


def search(n: int, k: int, seed: int) -> list[Block]:
    """Blocks in which everybody plays as often and meets everybody, with the fewest repeated meetings."""
    first, step = matches_each(n, k)
    for each in count(first, step):
        found = []
        for again in range(TRIES):
            one = Search(n, k, each, Random(f"{seed} {n} {k} {each} {again}"))
            found.append((one.run(), one.best))
            if one.best == one.least_cost:
                break
        blocks, best = min(found, key=lambda made: made[1])
        if best[0] == 0:
            return seated(sorted(map(sorted, blocks)), n, k)
    raise AssertionError


def seated(blocks: list[Block], n: int, k: int) -> list[Block]:
    """The blocks in an order of their seats in which everybody has each seat as often, but for one.

    That is a colouring of the edges of a bipartite graph (Kőnig): a player with more than k matches counts as
    several. If a seat that is free at the table is taken for the player, two seats change along a path.
    """
    at_table: list[dict[int, int]] = [{} for _ in blocks]
    of_player: dict[tuple[int, int], dict[int, int]] = {}
    times = [0] * n
    for table, block in enumerate(blocks):
        for player in block:
            part = (player, times[player] // k)
            times[player] += 1
            seats = of_player.setdefault(part, {})
            free = next(seat for seat in range(k) if seat not in at_table[table])
            own = next(seat for seat in range(k) if seat not in seats)
            if free in seats:
                _change(at_table, of_player, part, free, own)
            at_table[table][free] = player
            seats[free] = table
    return [[seats[seat] for seat in range(k)] for seats in at_table]


def _change(
    at_table: list[dict[int, int]],
    of_player: dict[tuple[int, int], dict[int, int]],
    part: tuple[int, int],
    free: int,
    own: int,
) -> None:
    """Exchanges the seats `free` and `own` along the path from a player who has the first one only."""
    path, seat = [], free
    while seat in of_player[part]:
        table = of_player[part][seat]
        path.append((part, table, seat))
        seat = own if seat == free else free
        if seat not in at_table[table]:
            break
        player = at_table[table][seat]
        part = next(one for one in of_player if one[0] == player and of_player[one].get(seat) == table)
        path.append((part, table, seat))
        seat = own if seat == free else free
    for one, table, was in path:
        del of_player[one][was], at_table[table][was]
    for one, table, was in path:
        now = own if was == free else free
        of_player[one][now], at_table[table][now] = table, one[0]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=1)
    seed = arguments.parse_args().seed
    designs = {
        f"{n}/{k}": search(n, k, seed)
        for k in SIZES
        for n in range(k + 1, LARGEST + 1)
        if (n, k) not in STARTERS
    }
    lines = (f"  {json.dumps(size)}: {json.dumps(blocks)}" for size, blocks in designs.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

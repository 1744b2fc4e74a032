"""The schedules of leagues of tables, three to eight at each: who meets whom, at which seats. Pure functions.

A few sizes have block designs, from one or two blocks developed modulo n: everybody meets everybody equally
often, and has every seat equally often. For the others a search found the fewest repeated meetings, then the
most even seats (`.ci/designs.py`). They stay as they are, since records are checked by them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, count
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("designs.json")
SIZES = range(3, 9)
"""The numbers of seats of a table."""
LARGEST = 16
"""The most places of a division."""

Block = tuple[int, ...]
"""A table: numbers from 0 on, in the order of the seats."""

STARTERS: dict[tuple[int, int], tuple[Block, ...]] = {
    (4, 3): ((0, 1, 2),),
    (5, 3): ((0, 1, 2), (0, 1, 3)),
    (7, 3): ((0, 1, 3),),
    (5, 4): ((0, 1, 2, 3),),
    (7, 4): ((0, 3, 5, 6),),
    (9, 4): ((0, 1, 2, 4), (0, 3, 4, 7)),
    (13, 4): ((0, 1, 3, 9),),
}
"""The first blocks of the designs, by the numbers of places and of seats."""


class Meetings(NamedTuple):
    """The matches that each place plays, and how often it meets another one: at least and at most."""

    matches: int
    least: int
    most: int


@cache
def blocks_of(n: int, k: int) -> list[Block]:
    """The tables for n places, of k seats each; ValueError if n is smaller than k or greater than LARGEST.

    If all sit at one table, there are n matches, and the seats rotate.
    """
    if not k <= n <= LARGEST or k not in SIZES:
        raise ValueError(f"there is no schedule for {n} places at tables of {k}")
    starters = (tuple(range(n)),) if n == k else STARTERS.get((n, k))
    if starters is None:
        return [tuple(block) for block in _searched()[f"{n}/{k}"]]
    return [tuple((at + shift) % n for at in block) for block in starters for shift in range(n)]


@cache
def _searched() -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def rounds_of(n: int, k: int) -> list[int]:
    """The round of each table, from 1 on: the first one in which nobody of it plays yet."""
    busy: list[set[int]] = []
    rounds = []
    for block in blocks_of(n, k):
        at = next(at for at in count() if at == len(busy) or busy[at].isdisjoint(block))
        busy += [set()] if at == len(busy) else []
        busy[at].update(block)
        rounds.append(at + 1)
    return rounds


@cache
def meetings_of(n: int, k: int) -> Meetings:
    """The meetings in a division of `n` players at tables of `k`."""
    blocks = blocks_of(n, k)
    return meetings_in(blocks, n)


def meetings_in(blocks: Sequence[Sequence[int]], n: int) -> Meetings:
    """The same for any tables at which n places play equally often."""
    times = Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))
    met = [times[frozenset(pair)] for pair in combinations(range(n), 2)]
    return Meetings(sum(map(len, blocks)) // n, min(met), max(met))

"""The schedules of leagues whose matches have three to eight seats. Pure functions.

A match is called a table here. For some numbers of places and seats, the schedule is a block design of one or
two blocks developed modulo n, in which every two places meet equally often, and each place has every seat
equally often. For the other numbers, a search (`.ci/designs.py`) found schedules with the fewest repeated
meetings and, among these schedules, the most even distribution of seats. Never change a schedule: records are
checked against the schedules.
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
"""The possible numbers of seats at a table."""
LARGEST = 16
"""The maximum number of places of a division."""

Block = tuple[int, ...]
"""The places that sit at one table, as indices from 0, in the order of the seats."""

STARTERS: dict[tuple[int, int], tuple[Block, ...]] = {
    (4, 3): ((0, 1, 2),),
    (5, 3): ((0, 1, 2), (0, 1, 3)),
    (7, 3): ((0, 1, 3),),
    (5, 4): ((0, 1, 2, 3),),
    (7, 4): ((0, 3, 5, 6),),
    (9, 4): ((0, 1, 2, 4), (0, 3, 4, 7)),
    (13, 4): ((0, 1, 3, 9),),
}
"""The base blocks of the designs, by the number of places and the number of seats at a table."""


class Meetings(NamedTuple):
    """The numbers of matches that the participants of a division play, and play with each other.

    `matches` is the number of matches of each participant. `least` and `most` are the least and the greatest
    number of matches that any two participants have together.
    """

    matches: int
    least: int
    most: int


@cache
def blocks_of(n: int, k: int) -> list[Block]:
    """Returns the matches of a schedule for n participants with k seats in each match.

    Each match is a tuple of participants, as indices from 0, in the order of the seats. If n is k, all play
    in each of n matches, with the seats rotated from match to match. Raises ValueError if n is smaller than k
    or greater than LARGEST, or if k is not in SIZES.
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
    """Returns the round, counted from 1, in which each match of `blocks_of(n, k)` is played.

    Each match is put into the first round in which none of its participants has a match yet.
    """
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
    """Returns how often the participants meet in a division of n participants with k seats in each match."""
    blocks = blocks_of(n, k)
    return meetings_in(blocks, n)


def meetings_in(blocks: Sequence[Sequence[int]], n: int) -> Meetings:
    """Counts how often the participants 0 to n − 1 meet in these matches, and returns the Meetings."""
    times = Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))
    met = [times[frozenset(pair)] for pair in combinations(range(n), 2)]
    return Meetings(sum(map(len, blocks)) // n, min(met), max(met))

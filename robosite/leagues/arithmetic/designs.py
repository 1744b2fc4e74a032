"""The schedules of leagues whose matches have three to eight seats. Pure functions.

Some are block designs developed modulo n, in which all meet, and have each seat, equally often. The others
were found by a search (`.ci/designs.py`). Never change a schedule: records are checked against them.
"""

import json
from collections import Counter
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

    `matches` is each participant's number of matches; `least` and `most` are those that any two share.
    """

    matches: int
    least: int
    most: int


@cache
def blocks_of(n: int, k: int) -> list[Block]:
    """Returns the matches of a schedule for n participants with k seats in each match.

    Entries are participants' indices from 0, by seat; if n is k, the seats rotate through n matches. Raises
    ValueError for numbers without a schedule.
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
    """Returns the round of each match of `blocks_of`, from 1: the first in which all its players are free."""
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
    times = Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))
    met = [times[frozenset(pair)] for pair in combinations(range(n), 2)]
    return Meetings(sum(map(len, blocks)) // n, min(met), max(met))

"""A second, slow implementation of who moves up and down, and random ends of seasons to try it with."""

from __future__ import annotations

from itertools import chain, combinations
from math import ceil
from random import Random

from robosite.leagues.arithmetic.promotion import Came


def naive_divisions(
    tables: list[list[int]], stay: set[int], newcomers: list[int], largest: int = 10
) -> list[set[int]]:
    """The new divisions after these final tables, if those in `stay` go on; newcomers in order of their lots.

    Everybody gets a wish, a division; then the divisions are made even from the top, one step at a time.
    """
    rank = {place: at for at, place in enumerate([*chain(*tables), *newcomers])}
    everybody = [place for place in rank if place in stay or place in newcomers]
    count = max(1, ceil(len(everybody) / largest))
    wishes = dict.fromkeys(newcomers, count - 1)
    risers = set()
    for at, table in enumerate(tables):
        n = ceil(len(table) / 6)
        here = [place for place in table if place in stay]
        for place in here:
            wishes[place] = at
            if at and here.index(place) < n:
                wishes[place] = at - 1
                risers.add(place)
            elif at + 1 < len(tables) and table.index(place) >= len(table) - n:
                wishes[place] = at + 1
    wishes = {place: min(at, count - 1) for place, at in wishes.items()}
    wanted = [[place for place, at in wishes.items() if at == number] for number in range(count)]
    larger = len(everybody) % count
    best = max(combinations(range(count), larger), key=lambda ones: sum(len(wanted[at]) for at in ones))
    sizes = [len(everybody) // count + (at in best) for at in range(count)]
    for at in range(count - 1):
        while len(wanted[at]) > sizes[at]:
            last = max(
                (one for one in wanted[at] if one not in risers or wishes[one] != at), key=rank.__getitem__
            )
            wanted[at].remove(last)
            wanted[at + 1].append(last)
        while len(wanted[at]) < sizes[at]:
            first = min((one for below in wanted[at + 1 :] for one in below), key=rank.__getitem__)
            next(below for below in wanted[at + 1 :] if first in below).remove(first)
            wanted[at].append(first)
    return [set(one) for one in wanted]


class Ending:
    """The end of a random season: its final tables, who goes on, and who is new."""

    def __init__(self, chance: Random, sizes: list[int], *, changes: bool = True) -> None:
        numbers = chance.sample(range(1, 100), sum(sizes))
        self.tables = [[numbers.pop() for _ in range(size)] for size in sizes]
        everybody = list(chain(*self.tables))
        leaving = chance.choice((0, 0.1, 0.3, 0.8)) if changes else 0
        self.stay = {place for place in everybody if chance.random() >= leaving}
        free = [number for number in range(100, 164) if changes]
        room = min(64, 3 * len(everybody)) - len(self.stay)
        self.new = chance.sample(free, chance.choice((0, 1, chance.randint(0, room)))) if changes else []
        while len(self.stay) + len(self.new) < 3:
            self.new.append(free.pop() + 100)
        self.sizes = sizes

    @property
    def came(self) -> dict[int, Came | None]:
        rows = {
            place: Came(division, row)
            for division, table in enumerate(self.tables, 1)
            for row, place in enumerate(table, 1)
        }
        return {place: rows[place] for place in sorted(self.stay)} | dict.fromkeys(self.new)

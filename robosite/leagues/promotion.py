"""The divisions of a season: who moves up and down after the season before. Pure functions.

The first ⌈n/6⌉ of a division of n go up, and the last ⌈n/6⌉ go down. Somebody who left goes nowhere: if it
was one of the last, nobody goes down instead, and if it was one of the first, the next one goes up. Newcomers
begin at the bottom. Then the sizes are made equal: in a division with more room stay, or come into it, the
best of those who would be below; in one with less room, the last of those who would stay go down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robosite.leagues.pairing import divisions_of, drawn

SHARE = 6
"""One of so many, and of the rest, goes up or down."""


class Came(NamedTuple):
    """The division and the row that a place had in the final table of the season before, both from 1."""

    division: int
    row: int


def movers(size: int) -> int:
    """The number of places that go up from, and down to the next, of a division of this size: ⌈n/6⌉."""
    return -(-size // SHARE)


def sizes_of(players: int, table_seats: int = 2) -> list[int]:
    """The sizes of the divisions of a first season of so many players; later ones may order them anew."""
    return [len(division) for division in divisions_of(range(players), table_seats)]


def divisions_in(
    nonce: str,
    came: Mapping[int, Came | None],
    table_seats: int = 2,
    sizes_before: Sequence[int] = (),
) -> list[list[int]]:
    """The places of each division in the order of their lots; in a first season, nobody came from anywhere.

    `came` has all places, and `sizes_before` the sizes of the divisions of the season before.
    """
    order = drawn(nonce, came)
    if not sizes_before:
        return divisions_of(order, table_seats)
    groups: list[list[int]] = [[] for _ in sizes_before]
    for place, from_where in sorted(came.items(), key=lambda one: one[1] or (0, 0)):
        if from_where:
            groups[from_where.division - 1].append(place)
    newcomers = [place for place in order if came[place] is None]
    fallers = [
        sum(1 for place in group if _row(came[place]) > size - movers(size))
        for group, size in zip(groups, sizes_before, strict=True)
    ]
    lot = {place: at for at, place in enumerate(order)}
    moved = _moved(groups, fallers, [movers(size) for size in sizes_before], newcomers, table_seats)
    return [sorted(division, key=lot.__getitem__) for division in moved]


def _row(came: Came | None) -> int:
    return came.row if came else 0


def _moved(
    groups: Sequence[Sequence[int]],
    fallers: Sequence[int],
    risers: Sequence[int],
    newcomers: Sequence[int],
    table_seats: int,
) -> list[list[int]]:
    """The new divisions: `groups` are those before, in order of rank, without those who do not go on.

    Of each, the first `risers` go up, and the last `fallers` down, as far as the new sizes have room.
    """
    rising = [[], *(list(group[:count]) for group, count in zip(groups[1:], risers[1:], strict=True))]
    waiting = [*(place for group in groups for place in group), *newcomers]
    natural = _natural_sizes(groups, [*fallers[:-1], 0], [len(group) for group in rising])
    divisions = []
    for number, size in enumerate(_even_sizes(len(waiting), natural, table_seats), 1):
        up = [place for place in (rising[number] if number < len(rising) else ()) if place in waiting][:size]
        rest = [place for place in waiting if place not in up]
        divisions.append([*up, *rest[: size - len(up)]])
        waiting = rest[size - len(up) :]
    return divisions


def _natural_sizes(groups: Sequence[Sequence[int]], down: Sequence[int], up: Sequence[int]) -> list[int]:
    """The sizes of the divisions, without newcomers, if so many of each go down and up."""
    return [
        len(group) - down[at] - up[at] + (down[at - 1] if at else 0) + (up[at + 1] if at + 1 < len(up) else 0)
        for at, group in enumerate(groups)
    ]


def _even_sizes(places: int, natural: Sequence[int], table_seats: int) -> list[int]:
    """The sizes of the new divisions, which differ by at most one: those that would be larger are."""
    sizes = sizes_of(places, table_seats)
    count, least, larger = len(sizes), places // len(sizes), places % len(sizes)
    here = [*natural, *(0 for _ in range(count))][:count]
    here[-1] += places - sum(here)
    first = sorted(range(count), key=lambda at: -here[at])[:larger]
    return [least + (at in first) for at in range(count)]

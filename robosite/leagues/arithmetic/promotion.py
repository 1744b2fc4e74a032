"""The divisions of a season, with promotion and relegation after the season before. Pure functions.

Of n places, the first ⌈n/6⌉ go up and the last ⌈n/6⌉ go down. If one of the first does not play on, the next
goes up instead; if one of the last does not, one fewer goes down. Newcomers start at the bottom. Then sizes
are evened out: a division takes the best of the one below, or relegates the lowest of those who would have
stayed. All who have earned promotion are promoted.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robosite.leagues.arithmetic.pairing import divisions_of, drawn

SHARE = 6
"""The denominator of the share of places that move: of n places, ⌈n/SHARE⌉ go up, and as many go down."""


class Came(NamedTuple):
    """The position of a participant in the previous season's final table: division and row, both from 1."""

    division: int
    row: int


def movers(size: int) -> int:
    """Returns how many participants a division of this size promotes, and how many it relegates: ⌈size/6⌉."""
    return -(-size // SHARE)


def sizes_of(players: int, table_seats: int = 2) -> list[int]:
    """The sizes of the divisions of a first season with this number of players, the largest first."""
    return [len(division) for division in divisions_of(range(players), table_seats)]


def divisions_in(
    nonce: str,
    came: Mapping[int, Came | None],
    table_seats: int = 2,
    sizes_before: Sequence[int] = (),
) -> list[list[int]]:
    """Returns the divisions of a season, top one first: lists of place numbers in the order drawn by lot.

    `came` maps place numbers to positions in the season before, None for newcomers. `sizes_before` is empty
    for a first season.
    """
    order = drawn(nonce, came)
    if not sizes_before:
        return divisions_of(order, table_seats)
    groups: list[list[int]] = [[] for _ in sizes_before]
    for place, from_where in sorted(came.items(), key=lambda one: one[1] or (0, 0)):
        if from_where:
            groups[from_where.division - 1].append(place)
    newcomers = [place for place in order if came[place] is None]
    rising = [group[: movers(size)] for group, size in zip(groups[1:], sizes_before[1:], strict=True)]
    natural = [len(group) for group in groups]
    for at, up in enumerate(rising):
        last = sizes_before[at] - movers(sizes_before[at])
        down = [place for place in groups[at] if _row(came[place]) > last and not _is_in(place, rising)]
        natural[at] += len(up) - len(down)
        natural[at + 1] += len(down) - len(up)
    waiting = [*(place for group in groups for place in group), *newcomers]
    moved = _filled(waiting, rising, _even_sizes(len(waiting), natural, table_seats))
    lot = {place: at for at, place in enumerate(order)}
    return [sorted(division, key=lot.__getitem__) for division in moved]


def _row(came: Came | None) -> int:
    return came.row if came else 0


def _is_in(place: int, groups: Sequence[Sequence[int]]) -> bool:
    return any(place in group for group in groups)


def _filled(waiting: Sequence[int], rising: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[list[int]]:
    """Distributes participants over divisions of the given `sizes`; returns the divisions, top one first."""
    divisions = []
    for number, size in enumerate(sizes):
        up = [place for place in (rising[number] if number < len(rising) else ()) if place in waiting][:size]
        rest = [place for place in waiting if place not in up]
        divisions.append([*up, *rest[: size - len(up)]])
        waiting = rest[size - len(up) :]
    return divisions


def _even_sizes(places: int, natural: Sequence[int], table_seats: int) -> list[int]:
    """Returns the sizes of the new divisions, the top division first; they differ by at most one."""
    count = len(sizes_of(places, table_seats))
    least, larger = divmod(places, count)
    here = [*natural, *(0 for _ in range(count))][:count]
    here[-1] += places - sum(here)
    first = sorted(range(count), key=lambda at: -here[at])[:larger]
    return [least + (at in first) for at in range(count)]

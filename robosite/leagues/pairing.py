"""The schedule of a league: lots that can be verified, divisions, and rounds of tables. Pure functions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from robosite.leagues import designs

LEAST, MOST = 3, 64
"""The least and the most places of a league."""
LARGEST_DIVISION = 10
"""The most places of a division with matches of two; for larger tables it is `designs.LARGEST`."""
MOST_LEGS = 2
MOST_LEGS_OF_PROGRAMS = 10

Pair = tuple[int, int]
"""Two places; the first one has seat A."""


class Pairing(NamedTuple):
    """A match of the schedule; `division` and `round` count from 1, `seats` are the places from seat A on."""

    division: int
    round: int
    seats: tuple[int, ...]


def lot_of(nonce: str) -> str:
    """The SHA-256 of the nonce, in hex; published before the start, so that the nonce is fixed by then."""
    return hashlib.sha256(nonce.encode()).hexdigest()


def drawn(nonce: str, places: Iterable[int]) -> list[int]:
    """The places in the order of their lots: by SHA-256(nonce, a line feed, the place's number), in hex."""
    return sorted(places, key=lambda place: hashlib.sha256(f"{nonce}\n{place}".encode()).hexdigest())


def divisions_of(places: Sequence[int], table_seats: int = 2) -> list[list[int]]:
    """Splits the places, in order, into the fewest divisions possible, whose sizes differ by at most one."""
    count = max(1, -(-len(places) // largest_division(table_seats)))
    size, larger = divmod(len(places), count)
    divisions, at = [], 0
    for number in range(count):
        end = at + size + (number < larger)
        divisions.append(list(places[at:end]))
        at = end
    return divisions


def largest_division(table_seats: int) -> int:
    """The most places of a division, for this number of seats at a table."""
    return LARGEST_DIVISION if table_seats == 2 else designs.LARGEST


def fewest_places(table_seats: int) -> int:
    """The fewest places for which there is a schedule, for this number of seats at a table."""
    return max(LEAST, table_seats)


def berger(n: int) -> list[list[Pair]]:
    """The rounds for the numbers 1 to n, as pairs (FIDE Handbook C.05, Annex 1).

    If n is odd, the pair with number n + 1 is left out: the other number of that pair rests.
    """
    even = n + n % 2
    rounds = []
    for number in range(1, even):
        a = (number + 1) // 2 if number % 2 else (even + number) // 2
        pairs = [(a, even) if number % 2 else (even, a)]
        pairs += [((a - 1 + i) % (even - 1) + 1, (a - 1 - i) % (even - 1) + 1) for i in range(1, even // 2)]
        rounds.append([pair for pair in pairs if max(pair) <= n])
    return rounds


def rounds_of(n: int, table_seats: int = 2) -> list[list[tuple[int, ...]]]:
    """The rounds for the numbers 1 to n; each is a list of tables, each table the numbers from seat A on."""
    if table_seats == 2:
        return [list(pairs) for pairs in berger(n)]
    blocks, numbers = designs.blocks_of(n, table_seats), designs.rounds_of(n, table_seats)
    rounds: list[list[tuple[int, ...]]] = [[] for _ in range(max(numbers))]
    for block, number in zip(blocks, numbers, strict=True):
        rounds[number - 1].append(tuple(at + 1 for at in block))
    return rounds


def schedule_of(divisions: Sequence[Sequence[int]], legs: int = 1, table_seats: int = 2) -> list[Pairing]:
    """All matches of these divisions of places; a second leg repeats the first with the seats reversed."""
    schedule = []
    for division, places in enumerate(divisions, 1):
        rounds = rounds_of(len(places), table_seats)
        for leg in range(legs):
            for number, tables in enumerate(rounds, 1 + leg * len(rounds)):
                for table in tables:
                    seats = tuple(places[index - 1] for index in (table if leg % 2 == 0 else table[::-1]))
                    schedule.append(Pairing(division, number, seats))
    return schedule


def meetings(places: int, table_seats: int, legs: int = 1) -> designs.Meetings:
    """The number of matches of each place, and the least and the most times that two of a division meet.

    Divisions may differ in size by one; the figures are then the extremes over all divisions.
    """
    sizes = {len(division) for division in divisions_of(range(places), table_seats)}
    found = [_meetings_of(size, table_seats) for size in sizes]
    return designs.Meetings(
        matches=legs * max(one.matches for one in found),
        least=legs * min(one.least for one in found),
        most=legs * max(one.most for one in found),
    )


def _meetings_of(size: int, table_seats: int) -> designs.Meetings:
    return designs.Meetings(size - 1, 1, 1) if table_seats == 2 else designs.meetings_of(size, table_seats)


def days_needed(
    most: int, legs: int, every_days: int | None, deadline_hours: float, table_seats: int = 2
) -> float:
    """The days that the rounds of a league with at most `most` places need, `every_days` for each round.

    If `every_days` is None, all matches begin at once, and the result is the time of one turn.
    """
    if every_days is None:
        return deadline_hours / 24
    least = fewest_places(table_seats)
    return max(rounds_in(places, legs, table_seats) for places in range(least, most + 1)) * every_days


def rounds_in(places: int, legs: int = 1, table_seats: int = 2) -> int:
    """The number of rounds of a league with this many places."""
    return (
        max(
            len(rounds_of(len(division), table_seats))
            for division in divisions_of(range(places), table_seats)
        )
        * legs
    )

"""The schedule of a league: lots that anybody can verify, divisions, rounds. Pure functions."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from robosite.leagues.arithmetic import designs

LEAST, MOST = 3, 64
"""The minimum and the maximum number of places of a league."""
LARGEST_DIVISION = 10
"""The maximum number of places in a division with matches of two; with larger ones, `designs.LARGEST`."""
MOST_LEGS = 2
MOST_LEGS_OF_PROGRAMS = 10

Pair = tuple[int, int]
"""The numbers of two places; the first place has seat A."""


class Pairing(NamedTuple):
    """A match of the schedule: place numbers by seat; `division` and `round` count from 1."""

    division: int
    round: int
    seats: tuple[int, ...]


def lot_of(nonce: str) -> str:
    """Returns the SHA-256 in hex of `nonce`, from which a league's seeds and divisions are drawn by lot."""
    return hashlib.sha256(nonce.encode()).hexdigest()


def drawn(nonce: str, places: Iterable[int]) -> list[int]:
    """Returns the place numbers in an order drawn by lot."""
    return sorted(places, key=lambda place: hashlib.sha256(f"{nonce}\n{place}".encode()).hexdigest())


def divisions_of(places: Sequence[int], table_seats: int = 2) -> list[list[int]]:
    """Splits participants, in their order, into as few even divisions as possible, larger ones first."""
    count = max(1, -(-len(places) // largest_division(table_seats)))
    size, larger = divmod(len(places), count)
    divisions, at = [], 0
    for number in range(count):
        end = at + size + (number < larger)
        divisions.append(list(places[at:end]))
        at = end
    return divisions


def largest_division(table_seats: int) -> int:
    """Returns the maximum number of participants of a division, for this number of seats in a match."""
    return LARGEST_DIVISION if table_seats == 2 else designs.LARGEST


def fewest_places(table_seats: int) -> int:
    """Returns the minimum number of participants of a league, for this number of seats in a match."""
    return max(LEAST, table_seats)


def berger(n: int) -> list[list[Pair]]:
    """Returns the rounds of a round-robin of n participants, as lists of pairs of numbers from 1 to n.

    These are the Berger tables (FIDE Handbook C.05, Annex 1). If n is odd, one has no match in each round.
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
    """Returns the rounds of a league of n: lists of matches, which are tuples of numbers from 1, by seat."""
    if table_seats == 2:
        return [list(pairs) for pairs in berger(n)]
    blocks, numbers = designs.blocks_of(n, table_seats), designs.rounds_of(n, table_seats)
    rounds: list[list[tuple[int, ...]]] = [[] for _ in range(max(numbers))]
    for block, number in zip(blocks, numbers, strict=True):
        rounds[number - 1].append(tuple(at + 1 for at in block))
    return rounds


def schedule_of(divisions: Sequence[Sequence[int]], legs: int = 1, table_seats: int = 2) -> list[Pairing]:
    """Returns all matches of these divisions, by division and round; every other leg swaps the seats."""
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
    """Returns the number of matches of each participant, and how often two of a division meet."""
    sizes = {len(division) for division in divisions_of(range(places), table_seats)}
    found = [
        designs.Meetings(size - 1, 1, 1) if table_seats == 2 else designs.meetings_of(size, table_seats)
        for size in sizes
    ]
    return designs.Meetings(
        matches=legs * max(one.matches for one in found),
        least=legs * min(one.least for one in found),
        most=legs * max(one.most for one in found),
    )


def days_needed(
    most: int, legs: int, every_days: int | None, deadline_hours: float, table_seats: int = 2
) -> float:
    """Returns the number of days that the rounds of a league with at most `most` participants need."""
    if every_days is None:
        return deadline_hours / 24
    least = fewest_places(table_seats)
    return max(rounds_in(places, legs, table_seats) for places in range(least, most + 1)) * every_days


def rounds_in(places: int, legs: int = 1, table_seats: int = 2) -> int:
    """Returns the number of rounds, of all `legs`, in the largest division of `places` participants."""
    sizes = map(len, divisions_of(range(places), table_seats))
    return legs * max(len(rounds_of(size, table_seats)) for size in sizes)

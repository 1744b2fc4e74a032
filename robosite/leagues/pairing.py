"""The schedule of a league: lots that can be checked, divisions, and Berger tables. Pure functions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LEAST, MOST = 3, 64
"""The least and the most places of a league."""
LARGEST_DIVISION = 10
MOST_LEGS = 2

Pair = tuple[int, int]
"""Two places; the first named has seat A."""


class Pairing(NamedTuple):
    """A match of the schedule: `division` and `round` count from 1; `a` and `b` sit at seats A and B."""

    division: int
    round: int
    a: int
    b: int


def lot_of(nonce: str) -> str:
    """The SHA-256 of the nonce, in hex: published before the start, so that the nonce is fixed by then."""
    return hashlib.sha256(nonce.encode()).hexdigest()


def drawn(nonce: str, places: Iterable[int]) -> list[int]:
    """The places in the order of their lots: by SHA-256(nonce, a line feed, the place's number), in hex."""
    return sorted(places, key=lambda place: hashlib.sha256(f"{nonce}\n{place}".encode()).hexdigest())


def divisions_of(places: Sequence[int]) -> list[list[int]]:
    """The places, in this order, in as few divisions as possible, whose sizes differ by at most one."""
    count = max(1, -(-len(places) // LARGEST_DIVISION))
    size, larger = divmod(len(places), count)
    divisions, at = [], 0
    for number in range(count):
        end = at + size + (number < larger)
        divisions.append(list(places[at:end]))
        at = end
    return divisions


def berger(n: int) -> list[list[Pair]]:
    """The rounds for n numbers from 1 on, as pairs (FIDE Handbook C.05, Annex 1).

    For odd n, whoever would play number n + 1 rests, and the pair is left out.
    """
    even = n + n % 2
    rounds = []
    for number in range(1, even):
        a = (number + 1) // 2 if number % 2 else (even + number) // 2
        pairs = [(a, even) if number % 2 else (even, a)]
        pairs += [((a - 1 + i) % (even - 1) + 1, (a - 1 - i) % (even - 1) + 1) for i in range(1, even // 2)]
        rounds.append([pair for pair in pairs if max(pair) <= n])
    return rounds


def schedule_of(divisions: Sequence[Sequence[int]], legs: int = 1) -> list[Pairing]:
    """All matches of these divisions of places. The second leg repeats the first with seats changed."""
    schedule = []
    for division, places in enumerate(divisions, 1):
        rounds = berger(len(places))
        for leg in range(legs):
            for number, pairs in enumerate(rounds, 1 + leg * len(rounds)):
                for pair in pairs:
                    a, b = (places[index - 1] for index in (pair if leg % 2 == 0 else pair[::-1]))
                    schedule.append(Pairing(division, number, a, b))
    return schedule


def days_needed(most: int, legs: int, every_days: int | None, deadline_hours: float) -> float:
    """The least number of days of a league with up to so many places: its rounds times their pace.

    If all matches begin at once, the pace is that of one turn.
    """
    if every_days is None:
        return deadline_hours / 24
    return max(rounds_in(places, legs) for places in range(LEAST, most + 1)) * every_days


def rounds_in(places: int, legs: int = 1) -> int:
    """The number of rounds of a league of so many places."""
    largest = len(divisions_of(range(places))[0])
    return (largest - 1 + largest % 2) * legs

"""The bracket of a cup: who meets whom, the matches of each tie, who goes on, the places at the end.

Pure functions. All follows from the nonce, the places and the results, in whatever order these came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from robosite.leagues.pairing import drawn
from robosite.leagues.table import Decided, Result

LEAST, MOST = 4, 32
"""The least and the most places of a cup."""
NOBODY = 0
"""Stands for a place where nobody comes, so that the opponent has a bye."""


class Stage(IntEnum):
    """A step of a tie: two matches with sides changed; if level, one more; if that is drawn, one replay."""

    PAIR = 1
    DECIDER = 2
    REPLAY = 3


class CupMatch(NamedTuple):
    """A match of a tie. `round` and `tie` count from 1; `seats` are the places at seats A and B."""

    round: int
    tie: int
    stage: Stage
    seats: tuple[int, int]


Results = Mapping[CupMatch, Result]


@dataclass(frozen=True, slots=True)
class Tie:
    """Two who meet in a round, the better seed first: places, NOBODY for a bye, None for one not known yet.

    `matches` are those that are played or to be played by now. `winner` is None until the tie is decided,
    and NOBODY if neither goes on. `by_seed`: it stayed level, so the better seed goes on.
    """

    round: int
    number: int
    entrants: tuple[int | None, int | None]
    matches: tuple[CupMatch, ...] = ()
    winner: int | None = None
    by_seed: bool = False

    @property
    def is_bye(self) -> bool:
        """Tell whether one of them has nobody to play against."""
        return NOBODY in self.entrants

    @property
    def loser(self) -> int | None:
        """The one who is out by this tie, if it is one of two."""
        first, second = self.entrants
        return {first: second, second: first}.get(self.winner) if self.winner else None


class Standing(NamedTuple):
    """The standing of a place: the round that it plays or waits for, or in which it went out."""

    place: int
    round: int
    out: bool
    rank: int
    worst: int
    """The worst rank that it can still have; the best is the first, as long as it is in."""


@dataclass(frozen=True)
class Bracket:
    """The rounds of a cup so far, each with its ties from top to bottom; `seeds` are the places in order."""

    seeds: tuple[int, ...]
    rounds: tuple[tuple[Tie, ...], ...] = field(repr=False)

    @property
    def winner(self) -> int | None:
        """The winner of the cup; None as long as there is none, NOBODY if nobody came to its end."""
        return self.rounds[-1][0].winner

    @property
    def ties(self) -> Iterator[Tie]:
        for ties in self.rounds:
            yield from ties

    @property
    def matches(self) -> list[CupMatch]:
        """The matches that are played or to be played by now, round by round."""
        return [match for tie in self.ties for match in tie.matches]

    def seed(self, place: int) -> int:
        return self.seeds.index(place) + 1

    def next_tie(self, place: int) -> Tie | None:
        """The tie that a place plays, or waits for; None once it is out, or has won the cup."""
        return next((tie for tie in self.ties if tie.winner is None and place in tie.entrants), None)

    def first_round(self, place: int) -> int:
        """The first round in which a place has an opponent, or waits for one."""
        return next(tie.round for tie in self.ties if place in tie.entrants and not tie.is_bye)

    def into(self, tie: Tie) -> tuple[Tie, Tie] | None:
        """The two ties whose winners meet in this one; None in the first round."""
        if tie.round == 1:
            return None
        before = self.rounds[tie.round - 2]
        return before[2 * tie.number - 2], before[2 * tie.number - 1]

    @cached_property
    def standings(self) -> list[Standing]:
        """All places: those who are in, the furthest first, then the others; equal ones in order of seeds.

        Whoever goes out in the same round shares the rank, which stays.
        """
        last = len(self.rounds)
        reached = {place: self._reached(place) for place in self.seeds}
        here = [at for at, out in reached.values() if not out]
        standings = []
        for place, (at, out) in reached.items():
            worst = 1 if at > last else 2 ** (last - at) + 1
            rank = worst if out else 1 + sum(other > at for other in here)
            standings.append(Standing(place, at, out, rank, worst))
        return sorted(standings, key=lambda one: (one.out, -one.round))

    def _reached(self, place: int) -> tuple[int, bool]:
        """The round that a place has come to, the last and one more for the winner; True if it is out."""
        at = max(tie.round for tie in self.ties if place in tie.entrants)
        tie = next(one for one in self.rounds[at - 1] if place in one.entrants)
        if tie.winner == place:
            return at + 1, False
        return at, tie.winner is not None


def slots(size: int) -> list[int]:
    """The seeds from top to bottom, for a power of two: 1-8 4-5 3-6 2-7 for eight, neighbours meet."""
    order = [1]
    while len(order) < size:
        pairs = [(seed, 2 * len(order) + 1 - seed) for seed in order]
        order = [seed for at, pair in enumerate(pairs) for seed in (pair if at % 2 == 0 else pair[::-1])]
    return order


def rounds_for(places: int) -> int:
    """The number of rounds of a cup of so many places."""
    return max(places - 1, 1).bit_length()


def bracket_of(nonce: str, places: Sequence[int], results: Results) -> Bracket:
    """The bracket of these places, with the results so far; those that belong to no tie are left out.

    The seeds are drawn by lot, as the numbers of a league. The first of them have the byes.
    """
    seeds = drawn(nonce, places)
    size = 2 ** rounds_for(len(seeds))
    line: list[int | None] = [seeds[at - 1] if at <= len(seeds) else NOBODY for at in slots(size)]
    rounds: list[tuple[Tie, ...]] = []
    while len(line) > 1:
        ties = tuple(
            _tie(nonce, seeds, (len(rounds) + 1, at // 2 + 1), (line[at], line[at + 1]), results)
            for at in range(0, len(line), 2)
        )
        rounds.append(ties)
        line = [tie.winner for tie in ties]
    return Bracket(tuple(seeds), tuple(rounds))


def _tie(
    nonce: str,
    seeds: Sequence[int],
    at: tuple[int, int],
    entrants: tuple[int | None, int | None],
    results: Results,
) -> Tie:
    first, second = entrants
    if first is None or second is None:
        return Tie(*at, entrants)
    if NOBODY in entrants:
        return Tie(*at, entrants, winner=first or second)
    pair = (first, second) if seeds.index(first) < seeds.index(second) else (second, first)
    matches: list[CupMatch] = []
    for step in _steps(nonce, at, pair):
        matches += step
        found = [results[one] for one in step if one in results and results[one].over]
        if len(found) < len(step):
            return Tie(*at, pair, tuple(matches))
        if all(one.points is not None and not any(one.points) for one in found):
            return Tie(*at, pair, tuple(matches), NOBODY)
        points = {place: _points(found, place) for place in pair}
        ahead = [place for place in pair if points[place] == max(points.values())]
        if len(ahead) == 1:
            return Tie(*at, pair, tuple(matches), ahead[0])
        if any(one.decided == Decided.LAST_DAY for one in found):
            break  # nothing more is played
    return Tie(*at, pair, tuple(matches), pair[0], by_seed=True)


def _steps(nonce: str, at: tuple[int, int], pair: tuple[int, int]) -> Iterator[list[CupMatch]]:
    """The matches of a tie, in the steps in which it is played as long as it is level."""
    lot = decider_seats(nonce, at[0], pair)
    yield [CupMatch(*at, Stage.PAIR, pair), CupMatch(*at, Stage.PAIR, pair[::-1])]
    yield [CupMatch(*at, Stage.DECIDER, lot)]
    yield [CupMatch(*at, Stage.REPLAY, lot[::-1])]


def decider_seats(nonce: str, number: int, pair: tuple[int, int]) -> tuple[int, int]:
    """The seats of the one more match in a round, by lot: SHA-256(nonce, round, place) in lines, ascending.

    In a replay they change.
    """
    first, second = drawn(f"{nonce}\n{number}", pair)
    return first, second


def _points(results: Sequence[Result], place: int) -> float:
    return sum(own for one in results for at, own in one.points_by_place() if at == place)

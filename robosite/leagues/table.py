"""The table of a division: points, ties, and the ranks that can still be reached. Pure functions.

Points and ties after the FIDE Handbook, C.07 (direct encounter, Sonneborn–Berger, wins played), withdrawals
after its General Regulations, 6.6.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Decided(StrEnum):
    """The way in which a match got its result."""

    PLAY = "play"
    DEFAULT = "default"
    LAST_DAY = "last day"
    NOBODY = "nobody came"


class Left(StrEnum):
    """The fate of the results of a place that was left after the start."""

    WITHDRAWN = "withdrawn"
    """Fewer than half were played to their end: none counts."""
    DEFAULTED = "defaulted"
    """All count, and the rest is lost."""


@dataclass(frozen=True, slots=True)
class Result:
    """A match between two places. `decided` is None while it goes on, or if it was taken out of the league.

    `points` are those of `a` and `b`: 1 and 0, a half each, or none for either if nobody came.
    """

    a: int
    b: int
    points: tuple[float, float] | None = None
    decided: Decided | None = None
    void: bool = False
    """True if it never counts, since a moderator has closed it."""

    @classmethod
    def without_a_match(cls, a: int, b: int, decided: Decided, forfeit: str) -> Result:
        """A pairing decided before it began: `forfeit`, A or B, has left; a draw if it is ""."""
        points = {"A": (0.0, 1.0), "B": (1.0, 0.0)}.get(forfeit, (0.5, 0.5))
        return cls(a, b, points, decided)

    @property
    def over(self) -> bool:
        """Tell whether nothing more will be played."""
        return self.decided is not None or self.void

    def by_place(self) -> tuple[tuple[int, int, float], ...]:
        """Each place with its opponent and its own points; none before there is a result."""
        if self.points is None:
            return ()
        return (self.a, self.b, self.points[0]), (self.b, self.a, self.points[1])


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `rank` is None for a place that was withdrawn."""

    place: int
    rank: int | None
    played: int
    won: int
    drawn: int
    lost: int
    points: float
    direct: float
    sonneborn_berger: float
    wins: int
    counts: bool
    reach: tuple[int, int] | None


def left_as(place: int, results: Iterable[Result]) -> Left:
    """The fate of a place that was left: withdrawn if fewer than half of its matches were played out."""
    own = [one for one in results if place in (one.a, one.b)]
    to_their_end = sum(one.decided == Decided.PLAY for one in own)
    return Left.WITHDRAWN if 2 * to_their_end < len(own) else Left.DEFAULTED


def withdrawn_of(places: Iterable[int], results: Sequence[Result], gone: Iterable[int]) -> set[int]:
    """Those of the places that were withdrawn; `gone` are all that were left."""
    here = set(gone) & set(places)
    return {place for place in here if left_as(place, results) == Left.WITHDRAWN}


def does_count(result: Result, withdrawn: Iterable[int]) -> bool:
    """Tell whether a result counts: there is one, and neither of its places was withdrawn."""
    return result.decided is not None and not result.void and not {result.a, result.b} & set(withdrawn)


def table_of(places: Sequence[int], results: Sequence[Result], gone: Iterable[int] = ()) -> list[Row]:
    """The rows of a division in order of rank; equal ones, and those without a rank, as in `places`."""
    withdrawn = withdrawn_of(places, results, gone)
    counting = [one for one in results if does_count(one, withdrawn)]
    ranked = [place for place in places if place not in withdrawn]
    points = _points(ranked, counting)
    direct = _direct(points, counting)
    berger = _sonneborn_berger(points, counting)
    wins = _wins_played(ranked, counting)
    keys = {place: (points[place], direct[place], berger[place], wins[place]) for place in ranked}
    ranks = {place: 1 + sum(keys[other] > keys[place] for other in ranked) for place in ranked}
    reach = _reach(ranked, results, counting, set(gone), ranks)
    rows = []
    for place in sorted(ranked, key=ranks.__getitem__) + [one for one in places if one in withdrawn]:
        counts = place in ranks
        won, drawn, lost = _won_drawn_lost(place, counting)
        rows.append(
            Row(
                place=place,
                rank=ranks.get(place),
                played=won + drawn + lost,
                won=won,
                drawn=drawn,
                lost=lost,
                points=points.get(place, 0.0),
                direct=direct.get(place, 0.0),
                sonneborn_berger=berger.get(place, 0.0),
                wins=wins.get(place, 0),
                counts=counts,
                reach=reach.get(place),
            )
        )
    return rows


def _points(places: Iterable[int], counting: Iterable[Result]) -> dict[int, float]:
    points = dict.fromkeys(places, 0.0)
    for result in counting:
        for place, _, own in result.by_place():
            points[place] += own
    return points


def _direct(points: Mapping[int, float], counting: Sequence[Result]) -> dict[int, float]:
    """Each place's points from matches among those that are tied with it; 0 for one that is not tied."""
    direct = dict.fromkeys(points, 0.0)
    for result in counting:
        if points[result.a] == points[result.b]:
            for place, _, own in result.by_place():
                direct[place] += own
    return direct


def _sonneborn_berger(points: Mapping[int, float], counting: Iterable[Result]) -> dict[int, float]:
    """The points of beaten opponents, and half those of opponents with whom it was a draw."""
    sums = dict.fromkeys(points, 0.0)
    for result in counting:
        for place, other, own in result.by_place():
            sums[place] += own * points[other]
    return sums


def _wins_played(places: Iterable[int], counting: Iterable[Result]) -> dict[int, int]:
    wins = dict.fromkeys(places, 0)
    for result in counting:
        for place, _, own in result.by_place():
            wins[place] += own == 1 and result.decided == Decided.PLAY
    return wins


def _won_drawn_lost(place: int, counting: Iterable[Result]) -> tuple[int, int, int]:
    """A match to which nobody came is lost for both."""
    own = [points for result in counting for at, _, points in result.by_place() if at == place]
    return own.count(1), own.count(0.5), own.count(0)


def _reach(
    ranked: Sequence[int],
    results: Sequence[Result],
    counting: Sequence[Result],
    gone: set[int],
    ranks: Mapping[int, int],
) -> dict[int, tuple[int, int]]:
    """The best and worst ranks that each place can still have, if it is not withdrawn itself.

    Points against somebody who may still be withdrawn are not sure, nor is that place's own rank. Ties are
    counted against whoever wants to know, until all is over.
    """
    open_ones = [one for one in results if not one.over and one.a in ranks and one.b in ranks]
    if not open_ones:
        return {place: (rank, rank) for place, rank in ranks.items()}
    sure = {place for place in ranked if place in gone or _is_sure(place, results)}
    least: defaultdict[int, float] = defaultdict(float)
    most: defaultdict[int, float] = defaultdict(float)
    for result in counting:
        for place, other, own in result.by_place():
            most[place] += own
            least[place] += own if other in sure else 0
    for result in open_ones:
        for place in (result.a, result.b):
            most[place] += 1
    reach = {}
    for place in ranked:
        others = [other for other in ranked if other != place]
        best = 1 + sum(other in sure and least[other] > most[place] for other in others)
        worst = 1 + sum(most[other] >= least[place] for other in others)
        reach[place] = (best, worst)
    return reach


def _is_sure(place: int, results: Iterable[Result]) -> bool:
    """Tell whether a place that nobody has left can be withdrawn no more."""
    own = [one for one in results if place in (one.a, one.b)]
    to_their_end = sum(one.decided == Decided.PLAY for one in own)
    return 2 * to_their_end >= len(own) or all(one.over for one in own)

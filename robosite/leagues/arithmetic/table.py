"""The table of a division: points, tie-breaks, and the ranks that are still possible. Pure functions.

After the FIDE Handbook: C.07 for points and tie-breaks, General Regulations 6.6 for withdrawals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any


class Decided(StrEnum):
    """The way in which a match got its result: play, default, the league's last day, or nobody came."""

    PLAY = "play"
    DEFAULT = "default"
    LAST_DAY = "last day"
    NOBODY = "nobody came"


ENOUGH_SEALS = 2
"""The number of orders that each seat must have sealed for a win to count as a win in the tie-breaks."""


class Left(StrEnum):
    """The treatment of the results of a participant who left after the start."""

    WITHDRAWN = "withdrawn"
    """The place played fewer than half of its matches to their end, and none of its results counts."""
    DEFAULTED = "defaulted"
    """All matches of the place count, and the unfinished ones are lost."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match; `seats` has the place numbers of its participants, from seat A on.

    `points` are in the order of `seats`, None before there is a result. `decided` is None if the match is not
    over or is void.
    """

    seats: tuple[int, ...]
    points: tuple[float, ...] | None = None
    decided: Decided | None = None
    void: bool = False
    """A flag: True if the match never counts."""
    left: frozenset[int] = frozenset()
    """The places that gave up a match of more than two. The match goes on between the other places."""
    shares: tuple[float, ...] | None = None
    """The share of the win (0 to 1) of each seat; None in a match of two, and before there is a result."""
    top: float = 1.0
    """The maximum number of points that a place can get from the match."""
    early: bool = False
    """A flag: True if a seat sealed fewer than ENOUGH_SEALS orders, so that no tie-break counts the win."""

    @classmethod
    def at_table(
        cls,
        seats: tuple[int, ...],
        shares: Sequence[float] | None = None,
        decided: Decided | None = None,
        *,
        left: Iterable[int] = (),
        order: Sequence[Collection[int]] | None = None,
        by_finish: bool = False,
    ) -> Result:
        """Returns the result of a match with more than two seats; `shares` is None while the match goes on.

        Those in `left` get no share; the others' shares are then scaled up to 1. Points are shares times
        seats or, with `by_finish`, follow from `order`: groups from the first to the last, without those who
        left.
        """
        gone, top = frozenset(left), WINNER_POINTS if by_finish else float(len(seats))
        if shares is None:
            return cls(seats, left=gone, top=top)
        own = {seat: 0.0 if seat in gone else share for seat, share in zip(seats, shares, strict=True)}
        won = sum(own.values())
        if gone and 0 < won < 1:  # a draw, in which they would have had a part
            own = {seat: share / won for seat, share in own.items()}
        if by_finish and any(own.values()):
            points = place_points(_finishing_order(own, gone, order or ()))
        else:
            points = {seat: float(_exact(share) * len(seats)) for seat, share in own.items()}
        return cls(
            seats,
            tuple(points[seat] for seat in seats),
            decided,
            left=gone,
            shares=tuple(own.values()),
            top=top,
        )

    @classmethod
    def without_a_match(
        cls, seats: tuple[int, ...], decided: Decided, *, left: Iterable[int], by_finish: bool = False
    ) -> Result:
        """Returns the result of a match decided before it began: all who have not `left` share the win."""
        gone = set(left)
        stay = [seat for seat in seats if seat not in gone]
        shares = [0.0 if seat in gone else 1 / len(stay) for seat in seats]
        if len(seats) == 2:
            return cls(seats, tuple(shares), decided)
        return cls.at_table(seats, shares, decided, left=gone, order=[stay], by_finish=by_finish)

    @property
    def over(self) -> bool:
        """Returns True if the match is decided or void."""
        return self.decided is not None or self.void

    @property
    def won_shares(self) -> tuple[float, ...]:
        """The share of the win (0 to 1) of each seat, from seat A on; () before there is a result."""
        return (self.points if self.shares is None else self.shares) or ()

    def by_place(self) -> tuple[tuple[int, int, float], ...]:
        """Returns (participant, opponent, points) from both sides of a match of two; () before its result."""
        if self.points is None:
            return ()
        (a, b), (of_a, of_b) = self.seats, self.points
        return (a, b, of_a), (b, a, of_b)

    def points_by_place(self) -> Iterable[tuple[int, float]]:
        """Returns pairs of a participant's place number and their points; empty before there is a result."""
        return zip(self.seats, self.points or (), strict=False)


WINNER_POINTS = 2.0
"""The winner's points if finishing order counts; the last gets 0, and those between are evenly spaced."""


def place_points(order: Sequence[Collection[int]]) -> dict[int, float]:
    """Returns the points of each participant in a match that is scored by finishing order."""
    last = sum(map(len, order)) - 1
    points: dict[int, float] = {}
    at = 0
    for group in order:
        shared = sum(Fraction(last - place) for place in range(at, at + len(group)))
        points |= {one: float(2 * shared / (last * len(group))) for one in group}
        at += len(group)
    return points


def _finishing_order(
    shares: Mapping[int, float], gone: Collection[int], order: Iterable[Collection[int]]
) -> list[Collection[int]]:
    """Returns the finishing order of a match as groups of participants; those in `gone` are last."""
    groups = [[place for place in group if place not in gone] for group in order]
    if sum(map(len, groups)) + len(gone) < len(shares):  # nobody has noted the order
        first = [place for place in shares if shares[place]]
        groups = [first, [place for place in shares if place not in gone and place not in first]]
    return [*groups, gone]


def _exact(number: float) -> Fraction:
    return Fraction(number).limit_denominator(1000)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a league's table; `place` is the participant's number in the league, not a rank.

    `wins` counts wins by play: the last tie-break in matches of two, the first in larger ones. `reach` is the
    best and the worst rank still possible. Without results that count, `rank` and `reach` are None.
    """

    place: int
    rank: int | None
    played: int
    won: int
    drawn: int
    lost: int
    points: float
    direct: float = 0.0
    sonneborn_berger: float = 0.0
    wins: int = 0
    counts: bool = True
    reach: tuple[int, int] | None = None


def left_as(place: int, results: Iterable[Result]) -> Left:
    """Returns how the results of a participant who left are treated: WITHDRAWN or DEFAULTED."""
    own = [one for one in results if place in one.seats]
    to_their_end = sum(_is_played(one, place) or not (one.over or place in one.left) for one in own)
    return Left.WITHDRAWN if 2 * to_their_end < len(own) else Left.DEFAULTED


def _is_played(result: Result, place: int) -> bool:
    return result.decided == Decided.PLAY and place not in result.left


def withdrawn_of(places: Iterable[int], results: Sequence[Result], gone: Iterable[int]) -> set[int]:
    """Returns those of `places` who left (`gone`) so early that none of their results count (`left_as`)."""
    here = set(gone) & set(places)
    return {place for place in here if left_as(place, results) == Left.WITHDRAWN}


def does_count(result: Result, withdrawn: Iterable[int]) -> bool:
    """Returns True if a match counts: it has a result, and at least two of its players are not withdrawn."""
    is_between = len(set(result.seats).difference(withdrawn)) > 1
    return result.decided is not None and not result.void and is_between


def table_of(places: Sequence[int], results: Sequence[Result], gone: Iterable[int] = ()) -> list[Row]:
    """Returns the rows of a division's table in order of rank, followed by withdrawn participants."""
    withdrawn = withdrawn_of(places, results, gone)
    counting = [one for one in results if does_count(one, withdrawn)]
    ranked = [place for place in places if place not in withdrawn]
    points, wins = _points(ranked, counting), _wins_played(ranked, counting)
    of_two = all(len(one.seats) == 2 for one in results)
    direct, berger, keys = _tie_breaks(points, wins, counting, of_two=of_two)
    ranks = {place: 1 + sum(keys[other] > keys[place] for other in ranked) for place in ranked}
    reach = _reach(ranked, results, counting, set(gone), ranks)
    return [
        _row(
            place,
            counting if place in ranks else (),
            rank=ranks.get(place),
            points=float(points.get(place, 0)),
            direct=float(direct.get(place, 0)),
            sonneborn_berger=berger.get(place, 0.0),
            wins=wins.get(place, 0),
            counts=place in ranks,
            reach=reach.get(place),
        )
        for place in sorted(ranked, key=ranks.__getitem__) + [one for one in places if one in withdrawn]
    ]


def _tie_breaks(
    points: Mapping[int, float | Fraction],
    wins: Mapping[int, int],
    counting: Sequence[Result],
    *,
    of_two: bool,
) -> tuple[Mapping[int, float | Fraction], dict[int, float], dict[int, Any]]:
    """Returns dicts by place number: direct comparison, Sonneborn–Berger score, and key for the rank."""
    if of_two:
        direct, berger = _direct(points, counting), _sonneborn_berger(points, counting)
        return direct, berger, {one: (points[one], direct[one], berger[one], wins[one]) for one in points}
    against = _against_the_tied({one: (points[one], wins[one]) for one in points}, counting)
    keys = {one: (points[one], wins[one], against[one]) for one in points}
    return against, dict.fromkeys(points, 0.0), keys


def cup_row(place: int, results: Iterable[Result], *, rank: int, reach: tuple[int, int]) -> Row:
    """Returns the row of a participant in a cup's table; `reach` is the best and the worst possible rank."""
    own = [one for one in results if place in one.seats and one.decided is not None]
    points = sum(points for one in own for at, points in one.points_by_place() if at == place)
    return _row(place, own, rank=rank, points=points, wins=_wins_played([place], own)[place], reach=reach)


def _points(places: Iterable[int], counting: Iterable[Result]) -> dict[int, float | Fraction]:
    """Returns the points by place number; fractions for larger matches, so that equal sums are equal."""
    points: dict[int, float | Fraction] = dict.fromkeys(places, 0)  # 0.0 would make floats of fractions
    for result in counting:
        for place, own in result.points_by_place():
            if place in points:
                points[place] += own if result.shares is None else _exact(own)
    return points


def _direct(points: Mapping[int, float | Fraction], counting: Sequence[Result]) -> dict[int, float]:
    direct = dict.fromkeys(points, 0.0)
    for result in counting:
        for place, other, own in result.by_place():
            if points[place] == points[other]:
                direct[place] += own
    return direct


def _against_the_tied(keys: Mapping[int, Any], counting: Iterable[Result]) -> dict[int, Fraction]:
    """Returns each participant's shares of the win in matches with somebody who has equal `keys`."""
    direct = dict.fromkeys(keys, Fraction())
    for result in counting:
        for place, share in zip(result.seats, result.won_shares, strict=True):
            others = [keys.get(other) for other in result.seats if other != place]
            if place in keys and keys[place] in others:
                direct[place] += _exact(share)
    return direct


def _sonneborn_berger(points: Mapping[int, float | Fraction], counting: Iterable[Result]) -> dict[int, float]:
    """Returns the Sonneborn–Berger scores: points of beaten opponents, and half those of drawn ones."""
    sums = dict.fromkeys(points, 0.0)
    for result in counting:
        for place, other, own in result.by_place():
            sums[place] += own * float(points[other])
    return sums


def _wins_played(places: Iterable[int], counting: Iterable[Result]) -> dict[int, int]:
    wins = dict.fromkeys(places, 0)
    for result in counting:
        for place, share in zip(result.seats, result.won_shares, strict=True):
            if place in wins:
                wins[place] += share == 1 and result.decided == Decided.PLAY and not result.early
    return wins


def _row(place: int, counting: Iterable[Result], **more: Any) -> Row:
    """Returns a row with the matches that a participant won, drew and lost; if nobody came, all have lost."""
    shares = (dict(zip(one.seats, one.won_shares, strict=True)) for one in counting)
    own = [of_match[place] for of_match in shares if place in of_match]
    won, lost = own.count(1), own.count(0)
    return Row(place=place, played=len(own), won=won, drawn=len(own) - won - lost, lost=lost, **more)


def _reach(
    ranked: Sequence[int],
    results: Sequence[Result],
    counting: Sequence[Result],
    gone: set[int],
    ranks: Mapping[int, int],
) -> dict[int, tuple[int, int]]:
    """Returns the best and the worst rank that each participant in `ranked` can still get, by place number.

    Others with equal points count as behind for the best rank, and as ahead for the worst. Nobody who can
    still be withdrawn is certain to be ahead, and points are certain only if an opponent there is certain to
    stay. The participant is assumed to stay.
    """
    open_ones = [one for one in results if not one.over and len(ranks.keys() & set(one.seats)) > 1]
    if not open_ones:
        return {place: (rank, rank) for place, rank in ranks.items()}
    sure = {place for place in ranked if _is_sure(place, results, gone)}
    least: defaultdict[int, float | Fraction] = defaultdict(int)
    most: defaultdict[int, float | Fraction] = defaultdict(int)
    for result in counting:
        for place, own in result.points_by_place():
            exact = own if result.shares is None else _exact(own)
            most[place] += exact
            least[place] += exact if sure.intersection(result.seats).difference({place}) else 0
    for result in open_ones:
        for place in result.seats:
            most[place] += Fraction(result.top) if len(result.seats) > 2 else result.top
    reach = {}
    for place in ranked:
        others = [other for other in ranked if other != place]
        best = 1 + sum(other in sure and least[other] > most[place] for other in others)
        worst = 1 + sum(most[other] >= least[place] for other in others)
        reach[place] = (best, worst)
    return reach


def _is_sure(place: int, results: Iterable[Result], gone: Collection[int]) -> bool:
    """Returns True if a participant can no longer be withdrawn, which would void all their results."""
    own = [one for one in results if place in one.seats]
    if 2 * sum(_is_played(one, place) for one in own) >= len(own):
        return True
    return all(one.over or (place in gone and place in one.left) for one in own)

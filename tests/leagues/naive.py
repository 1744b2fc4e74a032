"""A second, slow implementation of a league's table, and random seasons to hold the first one against."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from robosite.leagues.arithmetic.pairing import berger
from robosite.leagues.arithmetic.table import Decided, Result

HALF = Fraction(1, 2)


def naive_table(
    places: list[int], results: list[Result], gone: set[int]
) -> dict[int, tuple[int | None, int, int, int, Fraction, Fraction, Fraction, int]]:
    """For each place: rank, won, drawn, lost, points, direct, Sonneborn–Berger, wins played."""
    out = set()
    for place in gone:
        mine = [r for r in results if place in r.seats]
        if Fraction(len([r for r in mine if r.decided == "play"]), len(mine)) < HALF:
            out.add(place)
    cells: dict[tuple[int, int], list[tuple[Fraction, bool]]] = {}
    for r in results:
        if r.decided is None or r.void or out & set(r.seats):
            continue
        a, b = r.seats
        cells.setdefault((a, b), []).append((Fraction(r.points[0]), r.decided == "play"))
        cells.setdefault((b, a), []).append((Fraction(r.points[1]), r.decided == "play"))
    left = [p for p in places if p not in out]
    score = {
        p: sum((own for (a, _), many in cells.items() if a == p for own, _ in many), Fraction()) for p in left
    }
    rows = {}
    for p in left:
        tied = {q for q in left if score[q] == score[p]}
        met = [(b, own, played) for (a, b), many in cells.items() if a == p for own, played in many]
        rows[p] = (
            sum(own == 1 for _, own, _ in met),
            sum(own == HALF for _, own, _ in met),
            sum(own == 0 for _, own, _ in met),
            score[p],
            sum((own for b, own, _ in met if b in tied), Fraction()),
            sum((score[b] for b, own, _ in met if own == 1), Fraction())
            + sum((score[b] / 2 for b, own, _ in met if own == HALF), Fraction()),
            sum(own == 1 and played for _, own, played in met),
        )
    order = sorted((rows[p][3:] for p in left), reverse=True)
    told = {p: (order.index(rows[p][3:]) + 1, *rows[p]) for p in left}
    none = Fraction()
    return told | dict.fromkeys(out, (None, 0, 0, 0, none, none, none, 0))


class Season:
    """A random season of one division: matches end in any order, some places are left."""

    def __init__(self, chance: Random, *, most: int = 10) -> None:
        self.chance = chance
        self.places = chance.sample(range(1, 65), chance.randint(3, most))
        legs = chance.choice((1, 1, 2))
        pairs = [pair for pairs in berger(len(self.places)) for pair in pairs]
        named = [(self.places[a - 1], self.places[b - 1]) for a, b in pairs]
        self.results = [Result((a, b)) for a, b in named] + [Result((b, a)) for a, b in named] * (legs - 1)
        self.gone: set[int] = set()
        self.leavers = chance.choice((0, 0, 0.02, 0.1))

    def step(self) -> bool:
        """One thing that happens; False once all is over."""
        still = [at for at, one in enumerate(self.results) if not one.over]
        if not still:
            return False
        there = [place for place in self.places if place not in self.gone]
        if there and self.chance.random() < self.leavers:
            self.leave(self.chance.choice(there))
            return True
        at = self.chance.choice(still)
        self.results[at] = self.ended(self.results[at])
        return True

    def ended(self, one: Result) -> Result:
        points = self.chance.choice(((1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)))
        kind = self.chance.random()
        if kind < 0.02:
            return Result(one.seats, (0.0, 0.0), Decided.NOBODY)
        if kind < 0.03:
            return Result(one.seats, void=True)
        if kind < 0.1:
            return Result(one.seats, points, Decided.LAST_DAY)
        if kind < 0.15 and 0.5 not in points:
            return Result(one.seats, points, Decided.DEFAULT)
        return Result(one.seats, points, Decided.PLAY)

    def leave(self, place: int) -> None:
        """As the site does it: whatever the place has not finished is lost by default."""
        if all(one.over for one in self.results if place in one.seats):
            return
        self.gone.add(place)
        for at, one in enumerate(self.results):
            if not one.over and place in one.seats:
                points = (0.0, 1.0) if one.seats[0] == place else (1.0, 0.0)
                self.results[at] = Result(one.seats, points, Decided.DEFAULT)

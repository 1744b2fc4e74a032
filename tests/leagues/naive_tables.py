"""A second, slow implementation of the table of a league of tables, and random seasons of it."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from robosite.leagues.arithmetic.pairing import rounds_of
from robosite.leagues.arithmetic.table import Decided, Result

Told = dict[int, tuple[Any, ...]]


def naive_points(shares: list[Fraction], order: list[list[int]] | None, left: set[int]) -> list[Fraction]:
    """The points of each seat: seats times share, or by the order of being put out, those who left last."""
    k = len(shares)
    if order is None or not any(shares):
        return [share * k for share in shares]
    staying = [[at for at in group if at not in left] for group in order]
    line = [at for group in staying for at in group] + sorted(left)
    each = [Fraction(2 * (k - 1 - place), k - 1) for place in range(k)]
    points = {}
    for group in [*staying, sorted(left)]:
        for at in group:
            points[at] = sum((each[line.index(other)] for other in group), Fraction()) / len(group)
    return [points[at] for at in range(k)]


def naive_table(season: Tables) -> Told:
    """For each place: rank, won, shared, lost, points, shares against the tied, wins played."""
    matches = season.matches
    out = set()
    for place in season.gone:
        mine = [match for match in matches if place in match["seats"]]
        whole = [m for m in mine if m["how"] == "play" and m["seats"].index(place) not in m["left"]]
        pending = [m for m in mine if m["how"] is None and m["seats"].index(place) not in m["left"]]
        if Fraction(len(whole) + len(pending), len(mine)) < Fraction(1, 2):
            out.add(place)
    ranked = [place for place in season.places if place not in out]
    rows: dict[int, list[tuple[dict[str, Any], Fraction, Fraction]]] = {place: [] for place in ranked}
    for match in matches:
        if match["how"] in (None, "void") or len([s for s in match["seats"] if s in ranked]) < 2:
            continue
        points = naive_points(match["shares"], match["order"], match["left"])
        for place, share, own in zip(match["seats"], match["shares"], points, strict=True):
            if place in rows:
                rows[place].append((match, share, own))
    score = {place: sum((own for _, _, own in rows[place]), Fraction()) for place in ranked}
    wins = {
        place: len([1 for match, share, _ in rows[place] if share == 1 and match["how"] == "play"])
        for place in ranked
    }
    lines = {}
    for place in ranked:
        tied = [q for q in ranked if q != place and (score[q], wins[q]) == (score[place], wins[place])]
        against = [share for match, share, _ in rows[place] if any(q in match["seats"] for q in tied)]
        shares = [share for _, share, _ in rows[place]]
        lines[place] = (
            shares.count(Fraction(1)),
            len([1 for share in shares if 0 < share < 1]),
            shares.count(Fraction(0)),
            score[place],
            sum(against, Fraction()),
            wins[place],
        )
    keys = {place: (line[3], line[5], line[4]) for place, line in lines.items()}
    order = sorted(keys.values(), reverse=True)
    told: Told = {place: (order.index(keys[place]) + 1, *lines[place]) for place in ranked}
    return told | dict.fromkeys(out, (None, 0, 0, 0, 0, 0, 0))


class Tables:
    """A random season of one division of tables: matches end in any order, some places are left."""

    def __init__(self, chance: Random, *, most: int = 9) -> None:
        self.chance = chance
        k = chance.choice((3, 3, 4, 5))
        self.places = chance.sample(range(1, 65), chance.randint(k, most))
        self.by_finish = chance.random() < 0.5
        tables = [table for one in rounds_of(len(self.places), k) for table in one]
        self.matches: list[dict[str, Any]] = [
            {"seats": [self.places[at - 1] for at in table], "how": None, "left": set(), "shares": None}
            for table in tables
        ]
        for match in self.matches:
            match["order"] = None
            match["out"] = []
        self.gone: set[int] = set()
        self.leavers = chance.choice((0, 0, 0.03, 0.1))

    @property
    def results(self) -> list[Result]:
        return [self._result(match) for match in self.matches]

    def _result(self, match: dict[str, Any]) -> Result:
        seats = tuple(match["seats"])
        left = {seats[at] for at in match["left"]}
        if match["how"] is None:
            return Result.at_table(seats, left=left, by_finish=self.by_finish)
        if match["how"] == "void":
            return Result(seats, void=True)
        order = match["order"] and [[seats[at] for at in group] for group in match["order"]]
        shares = [float(share) for share in match["shares"]]
        how = Decided(match["how"])
        return Result.at_table(seats, shares, how, left=left, order=order, by_finish=self.by_finish)

    def step(self) -> bool:
        """One thing that happens; False once all is over."""
        still = [match for match in self.matches if match["how"] is None]
        if not still:
            return False
        there = [place for place in self.places if place not in self.gone]
        if there and self.chance.random() < self.leavers:
            self.leave(self.chance.choice(there))
            return True
        match = self.chance.choice(still)
        alive = [at for at in range(len(match["seats"])) if at not in match["left"] | set(match["out"])]
        if len(alive) > 2 and self.chance.random() < 0.4:
            match["out"].append(self.chance.choice(alive))
            return True
        kind = self.chance.random()
        how = (
            "nobody came" if kind < 0.03 else "void" if kind < 0.05 else "last day" if kind < 0.1 else "play"
        )
        self.end(match, how)
        return True

    def end(self, match: dict[str, Any], how: str) -> None:
        """The players who are still in it win or share it; the others have been put out one by one."""
        match["how"] = how
        k = len(match["seats"])
        alive = [at for at in range(k) if at not in match["left"] | set(match["out"])]
        won = self.chance.sample(alive, self.chance.choice((1, 1, len(alive))))
        if how == "nobody came":
            won = []
        match["shares"] = [Fraction(at in won, len(won) or 1) for at in range(k)]
        if self.by_finish:
            last = [at for at in alive if at not in won]
            match["order"] = [won, last, *([at] for at in reversed(match["out"])), sorted(match["left"])]

    def leave(self, place: int) -> None:
        """As the site does it: the place resigns wherever it is still in, and the others play on."""
        mine = [match for match in self.matches if place in match["seats"] and match["how"] is None]
        if not mine:
            return
        self.gone.add(place)
        for match in mine:
            at = match["seats"].index(place)
            if at in match["out"]:
                continue
            match["left"].add(at)
            alive = [
                one for one in range(len(match["seats"])) if one not in match["left"] | set(match["out"])
            ]
            if len(alive) == 1:
                there = len(match["seats"]) - len(match["left"])
                self.end(match, "play" if there > 1 else "default")

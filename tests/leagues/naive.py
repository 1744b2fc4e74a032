"""Slow and simple second implementations of what leagues work out."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations
from math import ceil
from random import Random
from typing import Any

from robosite.leagues.arithmetic.pairing import berger, rounds_of
from robosite.leagues.arithmetic.promotion import Came
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


TO_COME, VACANT = "to come", "vacant"


class NaiveCup:
    """`results` are by round, the two places, the stage (0 to 2) and the place at seat A: how it was decided,
    and the points of seat A and B (None if it is void).
    """

    def __init__(self, nonce: str, places: list[int], results: dict[Any, Any]) -> None:
        self.nonce, self.results = nonce, results
        by_hash = {sha256(f"{nonce}\n{place}".encode()).hexdigest(): place for place in places}
        self.seeds = [by_hash[key] for key in sorted(by_hash)]
        self.rounds = 1
        while 2**self.rounds < len(places):
            self.rounds += 1
        self.wanted: set[Any] = set()
        self.lost_in: dict[int, int] = {}
        self.champion = self.winner(self.rounds, 1)

    def winner(self, number: int, best: int) -> Any:
        """The winner of the part of a bracket, `number` rounds high, whose best seed is `best`."""
        if number == 0:
            return self.seeds[best - 1] if best <= len(self.seeds) else VACANT
        ties_in_round = 2 ** (self.rounds - number)
        top = self.winner(number - 1, best)
        low = self.winner(number - 1, 2 * ties_in_round + 1 - best)
        if TO_COME in (top, low):
            return TO_COME
        if VACANT in (top, low):
            return low if top == VACANT else top
        better, other = sorted([top, low], key=self.seeds.index)
        goes_on = self.tie(number, better, other)
        if goes_on != TO_COME:
            for place in (better, other):
                if place != goes_on:
                    self.lost_in[place] = number
        return goes_on

    def tie(self, number: int, better: int, other: int) -> Any:
        by_lot = sorted(
            [better, other], key=lambda one: sha256(f"{self.nonce}\n{number}\n{one}".encode()).hexdigest()
        )
        for stage, at_a in enumerate(([better, other], [by_lot[0]], [by_lot[1]])):
            score = {better: 0.0, other: 0.0}
            found: list[Any] = []
            for a in at_a:
                key = (number, frozenset((better, other)), stage, a)
                self.wanted.add(key)
                found.append(self.results.get(key))
            if None in found:
                return TO_COME
            nobody_came = True
            for a, (_decided, points) in zip(at_a, found, strict=True):
                b = other if a == better else better
                if points is None:
                    nobody_came = False
                    continue
                score[a] += points[0]
                score[b] += points[1]
                nobody_came = nobody_came and points == (0, 0)
            if nobody_came:
                return VACANT
            if score[better] != score[other]:
                return better if score[better] > score[other] else other
            if "last day" in [decided for decided, _points in found]:
                return better
        return better

    def rank(self, place: int) -> int | None:
        """The rank of a place that is out, or has won; None while it is in."""
        if place in self.lost_in:
            return 2 ** (self.rounds - self.lost_in[place]) + 1
        return 1 if place == self.champion else None


def naive_divisions(
    tables: list[list[int]], stay: set[int], newcomers: list[int], largest: int = 10
) -> list[set[int]]:
    """The new divisions after these final tables, if those in `stay` go on; newcomers in order of their lots.

    Everybody gets a wish, a division; then the divisions are made even from the top, one step at a time.
    """
    rank = {place: at for at, place in enumerate([*chain(*tables), *newcomers])}
    everybody = [place for place in rank if place in stay or place in newcomers]
    count = max(1, ceil(len(everybody) / largest))
    wishes = dict.fromkeys(newcomers, count - 1)
    risers = set()
    for at, table in enumerate(tables):
        n = ceil(len(table) / 6)
        here = [place for place in table if place in stay]
        for place in here:
            wishes[place] = at
            if at and here.index(place) < n:
                wishes[place] = at - 1
                risers.add(place)
            elif at + 1 < len(tables) and table.index(place) >= len(table) - n:
                wishes[place] = at + 1
    wishes = {place: min(at, count - 1) for place, at in wishes.items()}
    wanted = [[place for place, at in wishes.items() if at == number] for number in range(count)]
    larger = len(everybody) % count
    best = max(combinations(range(count), larger), key=lambda ones: sum(len(wanted[at]) for at in ones))
    sizes = [len(everybody) // count + (at in best) for at in range(count)]
    for at in range(count - 1):
        while len(wanted[at]) > sizes[at]:
            last = max(
                (one for one in wanted[at] if one not in risers or wishes[one] != at), key=rank.__getitem__
            )
            wanted[at].remove(last)
            wanted[at + 1].append(last)
        while len(wanted[at]) < sizes[at]:
            first = min((one for below in wanted[at + 1 :] for one in below), key=rank.__getitem__)
            next(below for below in wanted[at + 1 :] if first in below).remove(first)
            wanted[at].append(first)
    return [set(one) for one in wanted]


class Ending:
    """The end of a random season: its final tables, who goes on, and who is new."""

    def __init__(self, chance: Random, sizes: list[int], *, changes: bool = True) -> None:
        numbers = chance.sample(range(1, 100), sum(sizes))
        self.tables = [[numbers.pop() for _ in range(size)] for size in sizes]
        everybody = list(chain(*self.tables))
        leaving = chance.choice((0, 0.1, 0.3, 0.8)) if changes else 0
        self.stay = {place for place in everybody if chance.random() >= leaving}
        free = [number for number in range(100, 164) if changes]
        room = min(64, 3 * len(everybody)) - len(self.stay)
        self.new = chance.sample(free, chance.choice((0, 1, chance.randint(0, room)))) if changes else []
        while len(self.stay) + len(self.new) < 3:
            self.new.append(free.pop() + 100)
        self.sizes = sizes

    @property
    def came(self) -> dict[int, Came | None]:
        rows = {
            place: Came(division, row)
            for division, table in enumerate(self.tables, 1)
            for row, place in enumerate(table, 1)
        }
        return {place: rows[place] for place in sorted(self.stay)} | dict.fromkeys(self.new)


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


def naive_table_of_more(season: Tables) -> Told:
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

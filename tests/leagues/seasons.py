"""Random seasons, and what the second referee (static/js/referee/league.js) makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain
from random import Random
from typing import Any

from py_mini_racer import MiniRacer

from robosite.leagues.arithmetic.bracket import CupMatch
from robosite.leagues.arithmetic.pairing import berger, rounds_of
from robosite.leagues.arithmetic.promotion import Came
from robosite.leagues.arithmetic.table import Decided, Result, Row
from robosite.leagues.record.record import faults_of as record_faults
from robosite.share.referee import bundle

UNIT = 840
"""A point, as league.js counts."""


@cache
def _v8() -> MiniRacer:
    racer = MiniRacer()
    racer.eval(bundle("league_schedule", "league_strength", "league"))
    return racer


def asked(function: str, *given: Any) -> Any:
    """The result of a JavaScript function that is given these values."""
    return json.loads(
        str(_v8().eval(f"JSON.stringify(({function})(...{json.dumps(given)}))", timeout_sec=20))
    )


def checked(record: Mapping[str, Any]) -> dict[str, Any]:
    said: Any = _v8().eval(f"referee.checkLeague({json.dumps(json.dumps(record))}).then(JSON.stringify)")
    found: dict[str, Any] = json.loads(said.get(timeout=60))
    return found


def as_counted(result: Result) -> dict[str, Any]:
    return {
        "seats": result.seats,
        "points": result.points and [round(one * UNIT) for one in result.points],
        "shares": result.points and [round(one * UNIT) for one in result.won_shares],
        "decided": result.decided,
        "isVoid": result.void,
        "left": sorted(result.left),
        "isEarly": result.early,
    }


def rows_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [
        {
            "place": row.place,
            "rank": row.rank,
            "won": row.won,
            "drawn": row.drawn,
            "lost": row.lost,
            "points": round(row.points * UNIT),
            "direct": round(row.direct * UNIT),
            "berger": round(row.sonneborn_berger * UNIT**2),
            "wins": row.wins,
        }
        for row in rows
    ]


def second_table(places: Sequence[int], results: Iterable[Any], gone: Iterable[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = asked("referee.tableOf", places, list(results), sorted(gone))
    return rows


def second_divisions(
    nonce: str, came: Mapping[int, Came | None], table_seats: int, sizes: Sequence[int]
) -> list[list[int]]:
    entries = [[place, from_where and from_where._asdict()] for place, from_where in came.items()]
    function = "(nonce, came, ...more) => referee.divisionsOf(nonce, new Map(came), ...more)"
    divisions: list[list[int]] = asked(function, nonce, entries, table_seats, sizes)
    return divisions


def second_cup(nonce: str, places: Sequence[int], results: Mapping[CupMatch, Result]) -> dict[str, Any]:
    """The result of `cupOf`: champion, wanted matches, ranks."""
    matches = [
        {**one._asdict(), "stage": one.stage.name.lower(), "result": as_counted(found)}
        for one, found in results.items()
    ]
    cup: dict[str, Any] = asked("referee.cupOf", nonce, places, matches)
    return cup


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

    @property
    def second(self) -> list[Any]:
        return [as_counted(one) for one in self.results]

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
        return Result(one.seats, points, Decided.PLAY, early=kind < 0.2)

    def leave(self, place: int) -> None:
        """As the site does it: whatever the place has not finished is lost by default."""
        if all(one.over for one in self.results if place in one.seats):
            return
        self.gone.add(place)
        for at, one in enumerate(self.results):
            if not one.over and place in one.seats:
                points = (0.0, 1.0) if one.seats[0] == place else (1.0, 0.0)
                self.results[at] = Result(one.seats, points, Decided.DEFAULT)


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
    def second(self) -> list[Any]:
        """The results as league.js makes them of the same matches."""
        function = """(matches) => matches.map(({ seats, shares, how, left, order }) =>
          how === null || how === "void"
            ? { seats, points: null, shares: null, decided: null, isVoid: how === "void", left }
            : referee.atTable(seats, shares, how, left, order))"""
        given = []
        for match in self.matches:
            seats = match["seats"]
            order = match["order"] and [[seats[at] for at in group] for group in match["order"]]
            shares = match["shares"] and list(map(float, match["shares"]))
            left = [seats[at] for at in match["left"]]
            given.append({**match, "seats": seats, "order": order, "shares": shares, "left": left})
        return list(asked(function, [{**one, "out": None} for one in given]))

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


def faults_of(record: Any) -> list[str]:
    """The faults of a league’s record; where there are none, the second referee finds none either."""
    faults = list(record_faults(record))
    assert faults or checked(record)["faults"] == []
    return faults


def kinds_of(record: Any) -> set[str]:
    return {fault["kind"] for fault in checked(record)["faults"]}

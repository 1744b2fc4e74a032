"""Random seasons, and what the second referee (static/js/referee/league.js) makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
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

    def __init__(self, chance: Random, *, most: int = 10, above: int = 0) -> None:
        self.chance = chance
        self.places = chance.sample(range(above + 1, above + 65), chance.randint(3, most))
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
        self.matches: list[dict[str, Any]] = [
            {"seats": [self.places[at - 1] for at in table], "how": None, "left": [], "out": []}
            | {"shares": None, "order": None}
            for table in chain(*rounds_of(len(self.places), k))
        ]
        self.gone: set[int] = set()
        self.leavers = chance.choice((0, 0, 0.03, 0.1))

    @property
    def second(self) -> list[Any]:
        """The results as league.js makes them of the same matches."""
        function = """(matches) => matches.map(({ seats, shares, how, left, order }) =>
          how === null || how === "void"
            ? { seats, points: null, shares: null, decided: null, isVoid: how === "void", left }
            : referee.atTable(seats, shares, how, left, order))"""
        return list(asked(function, self.matches))

    @property
    def results(self) -> list[Result]:
        return [self._result(**match) for match in self.matches]

    def _result(self, seats: list[int], how: str | None, out: list[int], **more: Any) -> Result:
        if how == "void":
            return Result(tuple(seats), void=True)
        decided = Decided(how) if how else None
        return Result.at_table(tuple(seats), decided=decided, by_finish=self.by_finish, **more)

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
        alive = self.alive(match)
        if len(alive) > 2 and self.chance.random() < 0.4:
            match["out"].append(self.chance.choice(alive))
            return True
        self.end(match, self.chance.choices(("nobody came", "void", "last day", "play"), (3, 2, 5, 90))[0])
        return True

    def alive(self, match: dict[str, Any]) -> list[int]:
        return [place for place in match["seats"] if place not in match["left"] + match["out"]]

    def end(self, match: dict[str, Any], how: str) -> None:
        """The players who are still in it win or share it; the others have been put out one by one."""
        match["how"] = how
        alive = self.alive(match)
        won = self.chance.sample(alive, self.chance.choice((1, 1, len(alive))))
        if how == "nobody came":
            won = []
        match["shares"] = [1 / len(won) if place in won else 0.0 for place in match["seats"]]
        if self.by_finish:
            last = [place for place in alive if place not in won]
            match["order"] = [won, last, *([place] for place in reversed(match["out"])), match["left"]]

    def leave(self, place: int) -> None:
        """As the site does it: the place resigns wherever it is still in, and the others play on."""
        mine = [match for match in self.matches if place in match["seats"] and match["how"] is None]
        self.gone |= {place} if mine else set()
        for match in mine:
            if place in match["out"]:
                continue
            match["left"].append(place)
            if len(self.alive(match)) == 1:
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

"""Tables, their winners, strengths, promotion."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import chain
from math import ceil
from random import Random
from typing import Any

import pytest

from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.arithmetic.promotion import Came, divisions_in, sizes_of
from robosite.leagues.arithmetic.strength import ELO, strengths_of
from robosite.leagues.arithmetic.table import Decided, Left, Result, left_as, table_of
from robosite.leagues.arithmetic.table_data import table_data
from robosite.leagues.pages.wording import winners_of
from tests.games.sizes import size
from tests.leagues.seasons import Ending, Season, Tables, as_counted, rows_of, second_divisions, second_table


def won(a: int, b: int, decided: Decided = Decided.PLAY) -> Result:
    return Result((a, b), (1.0, 0.0), decided)


def drew(a: int, b: int) -> Result:
    return Result((a, b), (0.5, 0.5), Decided.PLAY)


def test_fides_own_exercise_and_a_match_to_which_nobody_came():
    results = [won(1, 2), won(1, 3), won(1, 5), won(4, 1), drew(1, 6), drew(2, 3)]
    results += [won(p, q) for p in (2, 3) for q in (4, 5, 6)]
    results += [drew(4, 5), won(5, 6, Decided.DEFAULT), won(6, 4)]
    rows = {row.place: row for row in table_of([1, 2, 3, 4, 5, 6], results)}
    assert [rows[p].points for p in range(1, 7)] == [3.5, 3.5, 3.5, 1.5, 1.5, 1.5]
    assert [rows[p].sonneborn_berger for p in range(1, 7)] == [9.25, 6.25, 6.25, 4.25, 2.25, 3.25]
    assert [rows[p].direct for p in range(1, 7)] == [2, 0.5, 0.5, 0.5, 1.5, 1]
    assert rows[5].wins == 0, "a win by default is not one that was played"
    assert [rows[p].rank for p in range(1, 7)] == [1, 2, 2, 6, 4, 5]
    rows = table_of([1, 2, 3], [Result((1, 2), (0.0, 0.0), Decided.NOBODY), drew(1, 3), drew(2, 3)])
    assert [(row.place, row.points, row.lost) for row in rows] == [(3, 1, 0), (1, 0.5, 1), (2, 0.5, 1)]


def test_who_played_fewer_than_half_is_withdrawn_else_the_rest_is_lost():
    played = [won(1, 2), won(1, 3)]
    rest = [won(q, 1, Decided.DEFAULT) for q in (4, 5)]
    others = [drew(p, q) for p, q in ((2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5))]
    assert left_as(1, played + rest) == Left.DEFAULTED
    rows = {row.place: row for row in table_of([1, 2, 3, 4, 5], played + rest + others, {1})}
    assert (rows[1].points, rows[1].lost, rows[4].points) == (2, 2, 2.5)

    played = [won(1, 2)]
    rest = [won(q, 1, Decided.DEFAULT) for q in (3, 4, 5)]
    assert left_as(1, played + rest) == Left.WITHDRAWN
    rows = {row.place: row for row in table_of([1, 2, 3, 4, 5], played + rest + others, {1})}
    assert (rows[1].rank, rows[1].counts, rows[1].played) == (None, False, 0)
    assert [rows[q].points for q in (2, 3, 4, 5)] == [1.5] * 4
    assert {rows[q].rank for q in (2, 3, 4, 5)} == {1}


@pytest.mark.fuzz
def test_random_seasons_are_as_the_second_referee_has_them():
    for seed in range(size(200, 5000)):
        season = Season(Random(seed))
        while season.step():
            if season.chance.random() < 0.9:
                continue
            check(season)
        check(season)


def check(season: Season) -> None:
    rows = table_of(season.places, season.results, season.gone)
    assert rows_of(rows) == second(season), season.__dict__


def second(season: Season) -> list[dict[str, Any]]:
    return second_table(season.places, map(as_counted, season.results), season.gone)


@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("kind", "most", "seeds"),
    [(Season, 7, size(100, 1000)), pytest.param(Tables, 6, 1000, marks=pytest.mark.more)],
)
def test_what_can_be_reached_is_sound_and_never_widens(kind: Any, most: int, seeds: int):
    for seed in range(seeds):
        season = kind(Random(seed), most=most)
        seen: dict[int, list[tuple[int, int]]] = {}
        while True:
            for row in table_of(season.places, season.results, season.gone):
                if row.reach:
                    seen.setdefault(row.place, []).append(row.reach)
            if not season.step():
                break
        for row in table_of(season.places, season.results, season.gone):
            if row.rank is None:
                continue
            for before, after in zip(seen[row.place], seen[row.place][1:], strict=False):
                assert before[0] <= after[0] <= after[1] <= before[1], (seed, row.place)
            assert seen[row.place][-1] == (row.rank, row.rank)


class Divisions:
    """A random season of several divisions, whose places are those of each, moved apart."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.parts = [Season(chance, most=6) for _ in range(chance.randint(2, 3))]

    def step(self) -> bool:
        """One thing that happens in one of them; False once all is over."""
        return any(part.step() for part in self.chance.sample(self.parts, len(self.parts)))

    def rows(self) -> list[list[dict[str, Any]]]:
        """The rows of each division, from the table of all of them."""
        divisions = [[100 * at + place for place in part.places] for at, part in enumerate(self.parts)]
        results = [
            replace(one, seats=tuple(100 * at + place for place in one.seats))
            for at, part in enumerate(self.parts)
            for one in part.results
        ]
        gone = {100 * at + place for at, part in enumerate(self.parts) for place in part.gone}
        names = {place: f"{place}" for division in divisions for place in division}
        shuffled = self.chance.sample(results, len(results))
        return [one["rows"] for one in table_data(divisions, shuffled, gone, names)["divisions"]]


@pytest.mark.fuzz
def test_divisions_know_nothing_of_each_other():
    """The rows of each are its own, and what can be reached there never widens."""
    for seed in range(size(30, 1000)):
        season = Divisions(Random(seed))
        seen: dict[int, list[int]] = {}
        going_on = True
        while going_on:
            going_on = season.step()
            for at, (part, rows) in enumerate(zip(season.parts, season.rows(), strict=True)):
                own = [(row["place"] - 100 * at, row["rank"]) for row in rows]
                assert own == [(row["place"], row["rank"]) for row in second(part)], seed
                for row in rows:
                    best, worst = seen.get(row["place"], [1, len(rows)])
                    reach = row["reach"] or [best, worst]
                    assert best <= reach[0] <= reach[1] <= worst, (seed, row["place"])
                    seen[row["place"]] = reach
        for rows in season.rows():
            assert all(row["reach"] == [row["rank"]] * 2 for row in rows if row["rank"])


def test_reach_says_more_than_nothing():
    results = [won(1, 2), won(1, 3), won(1, 4), Result((2, 3)), Result((2, 4)), Result((3, 4))]
    reach = {row.place: row.reach for row in table_of([1, 2, 3, 4], results)}
    assert reach[1] == (1, 4), "all three may still be withdrawn, and the points against them with them"
    sure = [replace(one, points=(1.0, 0.0), decided=Decided.PLAY) for one in results[3:5]] + results[5:]
    reach = {row.place: row.reach for row in table_of([1, 2, 3, 4], results[:3] + sure)}
    assert reach == {1: (1, 1), 2: (2, 2), 3: (3, 4), 4: (3, 4)}


NAMES = {1: "Ada", 2: "Ben", 3: "Cleo", 4: "Dora"}


def all_won(*pairs: tuple[int, int]) -> list[Result]:
    """Matches of two that the first one of each pair has won."""
    return [Result(pair, (1.0, 0.0), Decided.PLAY) for pair in pairs]


@pytest.mark.parametrize(
    ("results", "names", "why"),
    [
        (all_won((1, 2), (1, 3), (2, 3)), ["Ada"], ""),
        (
            all_won((1, 2), (1, 3), (4, 1), (2, 3), (2, 4), (3, 4)),
            ["Ada"],
            "Tied on points: Ben. Head-to-head decided.",
        ),
        (
            all_won((1, 2), (2, 3), (3, 1)),
            ["Ada", "Ben", "Cleo"],
            "They’re tied even on tie-breaks.",
        ),
    ],
)
def test_winners(results: list[Result], names: list[str], why: str) -> None:
    places = sorted({place for result in results for place in result.seats})
    rows = [asdict(row) for row in table_of(places, results)]
    told = winners_of(rows, NAMES, 2)
    assert (told.names, told.why) == (names, why)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        ("direct", "Head-to-head decided"),
        ("sonneborn_berger", "beat stronger opponents"),
        ("wins", "has more wins on the board"),
    ],
)
def test_the_first_column_that_differs_decides(column: str, says: str) -> None:
    level = {"points": 2.0, "direct": 1.0, "sonneborn_berger": 1.0, "wins": 1}
    rows = [{**level, column: 2, "place": 1, "rank": 1}, {**level, "place": 2, "rank": 2}]
    assert says in winners_of(rows, NAMES, 2).why and "Ben" in winners_of(rows, NAMES, 2).why


def test_strengths_with_and_without_a_prior():
    found = strengths_of([{1: 1, 2: 0}] * 3 + [{1: 0, 2: 1}])
    apart = found[1].elo - found[2].elo
    assert apart / ELO == pytest.approx(0.85834, abs=5e-6)
    assert round(apart) == 149
    assert found[1].error == pytest.approx(found[2].error)
    found = strengths_of([{1: 1, 2: 0}] * 50)
    assert 0 < found[1].elo < 600 and found[1].error > 50
    found = strengths_of([{1: 1, 9: 0}] * 5, fixed={9: 2.0})
    assert found[9] == (pytest.approx(2 * ELO), 0)
    assert found[1].elo > 2 * ELO / 2
    assert strengths_of([{1: 0.5, 2: 0.5}] * 9)[1].elo == pytest.approx(0)
    found = strengths_of([{1: 1, 2: 0, 3: 0}, {1: 0.5, 2: 0.5, 3: 0}])
    assert found[1].elo > found[2].elo > found[3].elo
    assert sum(one.elo for one in found.values()) == pytest.approx(0)


def test_stiglers_citations_without_a_prior():
    cited = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
    matches = [{i: 1.0, j: 0.0} for i in range(4) for j in range(4) for _ in range(cited[i][j])]
    found = strengths_of(matches, fixed={0: 0.0}, prior=None)
    assert [round(found[i].elo / ELO, 5) for i in range(4)] == [0, -2.94907, -0.47957, 0.26895]


def test_the_order_of_results_never_matters():
    chance = Random(7)
    matches = []
    for _ in range(60):
        a, b = chance.sample(range(8), 2)
        share = chance.choice((0, 0.5, 1))
        matches.append({a: share, b: 1 - share})
    first = strengths_of(matches)
    for _ in range(10):
        chance.shuffle(matches)
        assert strengths_of([dict(reversed(one.items())) for one in matches]) == first


def after(
    tables: list[list[int]], *, left: tuple[int, ...] = (), new: tuple[int, ...] = ()
) -> list[list[int]]:
    """The divisions after these final tables, each in the order of the places' numbers."""
    rows = {place: Came(at, row) for at, one in enumerate(tables, 1) for row, place in enumerate(one, 1)}
    came = {place: row for place, row in rows.items() if place not in left} | dict.fromkeys(new)
    return [sorted(division) for division in divisions_in("n", came, 2, [len(one) for one in tables])]


SIX = [list(range(11, 17)), list(range(21, 27))]
SEVEN = [[*range(11, 18)], [*range(21, 28)], [*range(31, 38)]]


@pytest.mark.parametrize(
    ("tables", "given", "expected"),
    [
        (SIX, {}, [[11, 12, 13, 14, 15, 21], [16, 22, 23, 24, 25, 26]]),
        (
            SEVEN,
            {},
            [
                [11, 12, 13, 14, 15, 21, 22],
                [16, 17, 23, 24, 25, 31, 32],
                [26, 27, 33, 34, 35, 36, 37],
            ],
        ),
        # of a division of seven two go down, and of one of six one goes up
        ([SEVEN[0], SIX[1]], {}, [[11, 12, 13, 14, 15, 21], [16, 17, 22, 23, 24, 25, 26]]),
        # the last has left: nobody goes down in their stead
        (SIX, {"left": (16,)}, [[11, 12, 13, 14, 15, 21], [22, 23, 24, 25, 26]]),
        (SIX, {"left": (13,)}, [[11, 12, 14, 15, 21], [16, 22, 23, 24, 25, 26]]),
        # the first has left: the next one goes up
        (SIX, {"left": (21,)}, [[11, 12, 13, 14, 15, 22], [16, 23, 24, 25, 26]]),
        (SIX, {"new": (1,)}, [[11, 12, 13, 14, 15, 21], [1, 16, 22, 23, 24, 25, 26]]),
        # one division again: too few for two
        (SIX, {"left": (11, 22)}, [[12, 13, 14, 15, 16, 21, 23, 24, 25, 26]]),
        # a second division: the newcomer and the last are in it
        ([[*range(1, 11)]], {"new": (99,)}, [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 99]]),
        # whoever goes up does so though the upper division has less room by now
        (
            [[*range(11, 21)], [*range(21, 31)]],
            {"left": (29, 30)},
            [[11, 12, 13, 14, 15, 16, 17, 21, 22], [18, 19, 20, 23, 24, 25, 26, 27, 28]],
        ),
    ],
)
def test_who_moves(
    tables: list[list[int]], given: dict[str, tuple[int, ...]], expected: list[list[int]]
) -> None:
    assert after(tables, **given) == expected


def test_lots_decide_the_order_within_a_division_and_a_whole_first_season() -> None:
    came = {place: Came(at, row) for at, one in enumerate(SIX, 1) for row, place in enumerate(one, 1)}
    one, other = (divisions_in(nonce, came, 2, [6, 6]) for nonce in ("a", "b"))
    assert one != other and [set(each) for each in one] == [set(each) for each in other]
    assert one[0] == drawn("a", one[0])
    new = dict.fromkeys(range(1, 13))
    order = drawn("n", new)
    assert divisions_in("n", new) == [order[:6], order[6:]]


@pytest.mark.parametrize("table_seats", [2, 3])
@pytest.mark.parametrize("count", [300, pytest.param(5_000, marks=pytest.mark.more)])
def test_random_divisions_are_as_the_second_referee_has_them(count: int, table_seats: int) -> None:
    chance = Random(17 + table_seats)
    for _ in range(count):
        sizes = sizes_of(chance.randint(3, 64), table_seats)
        chance.shuffle(sizes)
        ending = Ending(chance, sizes)
        nonce = str(chance.random())
        found = divisions_in(nonce, ending.came, table_seats, sizes)
        assert found == second_divisions(nonce, ending.came, table_seats, sizes)
        here = [len(one) for one in found]
        assert max(here) - min(here) <= 1 and sorted(chain(*found)) == sorted(ending.came)
        assert len(here) == len(sizes_of(sum(here), table_seats))


@pytest.mark.parametrize("players", range(3, 65))
def test_if_everybody_goes_on_a_sixth_of_each_division_moves(players: int) -> None:
    chance = Random(players)
    sizes = sizes_of(players)
    for _ in range(4):
        ending = Ending(chance, sizes, changes=False)
        found = [set(one) for one in divisions_in("n", ending.came, 2, sizes)]
        for at, table in enumerate(ending.tables):
            n = ceil(len(table) / 6)
            up, down = table[:n] if at else [], table[-n:] if at + 1 < len(found) else []
            assert all(place in found[at - 1] for place in up)
            assert all(place in found[at + 1] for place in down)
            assert all(place in found[at] for place in table if place not in up + down)
        sizes = [len(one) for one in found]

"""Points, ties, leavers, and what can still be reached; against a second implementation."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from robosite.leagues.arithmetic.table import Decided, Left, Result, left_as, table_of
from robosite.leagues.arithmetic.table_data import table_data
from tests.games.sizes import size
from tests.leagues.naive import Season, naive_table


def won(a: int, b: int, decided: Decided = Decided.PLAY) -> Result:
    return Result((a, b), (1.0, 0.0), decided)


def drew(a: int, b: int) -> Result:
    return Result((a, b), (0.5, 0.5), Decided.PLAY)


def test_fides_own_exercise():
    results = [won(1, 2), won(1, 3), won(1, 5), won(4, 1), drew(1, 6), drew(2, 3)]
    results += [won(p, q) for p in (2, 3) for q in (4, 5, 6)]
    results += [drew(4, 5), won(5, 6, Decided.DEFAULT), won(6, 4)]
    rows = {row.place: row for row in table_of([1, 2, 3, 4, 5, 6], results)}
    assert [rows[p].points for p in range(1, 7)] == [3.5, 3.5, 3.5, 1.5, 1.5, 1.5]
    assert [rows[p].sonneborn_berger for p in range(1, 7)] == [9.25, 6.25, 6.25, 4.25, 2.25, 3.25]
    assert [rows[p].direct for p in range(1, 7)] == [2, 0.5, 0.5, 0.5, 1.5, 1]
    assert rows[5].wins == 0, "a win by default is not one that was played"
    assert [rows[p].rank for p in range(1, 7)] == [1, 2, 2, 6, 4, 5]


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


def test_a_match_to_which_nobody_came_brings_nothing():
    rows = table_of([1, 2, 3], [Result((1, 2), (0.0, 0.0), Decided.NOBODY), drew(1, 3), drew(2, 3)])
    assert [(row.place, row.points, row.lost) for row in rows] == [(3, 1, 0), (1, 0.5, 1), (2, 0.5, 1)]


@pytest.mark.fuzz
def test_random_seasons_are_as_the_naive_implementation_has_them():
    for seed in range(size(200, 5000)):
        season = Season(Random(seed))
        while season.step():
            if season.chance.random() < 0.9:
                continue
            check(season)
        check(season)


def check(season: Season) -> None:
    rows = table_of(season.places, season.results, season.gone)
    expected = naive_table(season.places, season.results, season.gone)
    for row in rows:
        told: Any = (
            row.rank,
            row.won,
            row.drawn,
            row.lost,
            row.points,
            row.direct,
            row.sonneborn_berger,
            row.wins,
        )
        assert told == expected[row.place], season.__dict__
    ranks = [row.rank for row in rows if row.rank]
    assert ranks == sorted(ranks), "rows stand in order of rank, those without one last"
    assert [row.place for row in rows[len(ranks) :]] == [p for p in season.places if expected[p][0] is None]


@pytest.mark.fuzz
def test_what_can_be_reached_is_sound_and_never_widens():
    for seed in range(size(100, 1000)):
        season = Season(Random(seed), most=7)
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
                expected = naive_table(part.places, part.results, part.gone)
                assert {row["place"] - 100 * at: row["rank"] for row in rows} == {
                    place: row[0] for place, row in expected.items()
                }, seed
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

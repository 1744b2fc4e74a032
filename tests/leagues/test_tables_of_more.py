"""Leagues of tables of three to eight: who meets whom at which seat, points, ties, leavers, ranks."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import newest
from games.core import Seat, finishing_order, play_turn
from games.players import hasty
from robosite.leagues.arithmetic.designs import LARGEST, SIZES, STARTERS, blocks_of, meetings_of, rounds_of
from robosite.leagues.arithmetic.pairing import divisions_of, meetings, rounds_in, schedule_of
from robosite.leagues.arithmetic.strength import strengths_of
from robosite.leagues.arithmetic.table import Decided, Left, Result, left_as, place_points, table_of
from robosite.leagues.arithmetic.table_data import table_data
from tests.games.sizes import size
from tests.leagues.seasons import Tables, second_table
from tests.leagues.seasons import rows_of as counted

ALL = [(n, k) for k in SIZES for n in range(k, LARGEST + 1)]
DESIGNS = {(4, 3): 2, (5, 4): 3, (7, 3): 1, (7, 4): 2, (13, 4): 1, (5, 3): 3, (9, 4): 3}
"""The number of times that each pair meets, by the numbers of places and seats."""


def seats_had(n: int, k: int) -> list[int]:
    times = Counter((place, seat) for block in blocks_of(n, k) for seat, place in enumerate(block))
    return [times[place, seat] for place in range(n) for seat in range(k)]


@pytest.mark.parametrize(("n", "k"), DESIGNS)
def test_block_designs_are_developed_and_even(n: int, k: int) -> None:
    starters = STARTERS[n, k]
    assert blocks_of(n, k)[: n : n - 1] == [
        starters[0],
        tuple((at + n - 1) % n for at in starters[0]),
    ]
    assert set(seats_had(n, k)) == {len(starters)}
    assert meetings_of(n, k)[1:] == (DESIGNS[n, k], DESIGNS[n, k])
    assert set(seats_had(k, k)) == {1} and meetings_of(k, k) == (k, k, k), "one table changes seats"


@pytest.mark.parametrize(("n", "k"), ALL)
def test_everybody_plays_as_often_meets_everybody_and_has_even_seats(n: int, k: int) -> None:
    blocks = blocks_of(n, k)
    assert all(len(set(block)) == k and set(block) <= set(range(n)) for block in blocks)
    each = Counter(place for block in blocks for place in block)
    assert set(each.values()) == {len(blocks) * k // n}
    assert max(seats_had(n, k)) - min(seats_had(n, k)) <= 1
    met = Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))
    assert len(met) == n * (n - 1) // 2, "everyone meets everyone"
    fewest = -(-len(blocks) * k * (k - 1) // (n * (n - 1)))
    assert max(met.values()) <= fewest + 1
    for number in range(1, max(rounds_of(n, k)) + 1):
        here = [block for block, at in zip(blocks, rounds_of(n, k), strict=True) if at == number]
        assert len({place for block in here for place in block}) == k * len(here) > 0


def test_the_search_finds_the_same_again() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / ".ci"))
    search = import_module("designs").search
    for n, k in ((6, 3), (9, 3), (12, 4), (10, 8)):
        assert [tuple(block) for block in search(n, k, 1)] == blocks_of(n, k)


def test_schedules_of_divisions_legs_and_what_is_told_of_them() -> None:
    assert [len(one) for one in divisions_of(range(16), 3)] == [16]
    assert [len(one) for one in divisions_of(range(33), 8)] == [11, 11, 11]
    once, twice = schedule_of([[5, 9, 7, 2]], 1, 3), schedule_of([[5, 9, 7, 2]], 2, 3)
    assert once[0] == (1, 1, (5, 9, 7)) and twice[:4] == once and rounds_in(4, 2, 3) == 8
    assert [(one.round, one.seats) for one in twice[4:]] == [(one.round + 4, one.seats[::-1]) for one in once]
    assert meetings(7, 3) == (3, 1, 1) and meetings(7, 3, 2) == (6, 2, 2)
    assert meetings(6, 3) == (3, 1, 2) and meetings(8, 2) == (7, 1, 1)


def three(*shares: float, decided: Decided = Decided.PLAY, left: tuple[int, ...] = ()) -> Result:
    return Result.at_table((1, 2, 3), shares, decided, left=left)


def test_points_are_shares_times_seats_and_ties_are_broken() -> None:
    by_place = {row.place: row for row in table_of([1, 2, 3], [three(1, 0, 0), three(0.5, 0.5, 0)])}
    assert [by_place[p].points for p in (1, 2, 3)] == [4.5, 1.5, 0]
    assert (by_place[1].won, by_place[1].drawn, by_place[1].lost, by_place[1].wins) == (1, 1, 0, 1)
    thirds = [three(1 / 3, 1 / 3, 1 / 3)] * 3
    assert [row.points for row in table_of([1, 2, 3], thirds)] == [3, 3, 3]
    assert {row.rank for row in table_of([1, 2, 3], thirds)} == {1}

    def four(*won: int) -> Result:
        shares = [1 / len(won) if seat in won else 0 for seat in (1, 2, 3, 4)]
        return Result.at_table((1, 2, 3, 4), shares, Decided.PLAY)

    rows = table_of([1, 2, 3, 4], [four(1), four(2, 3), four(2, 3)])
    assert [(row.place, row.rank, row.points, row.wins) for row in rows] == [
        (1, 1, 4, 1),
        (2, 2, 4, 0),
        (3, 2, 4, 0),
        (4, 4, 0, 0),
    ]
    seats = [(1, 2, 5), (1, 3, 4), (2, 3, 4)]
    results = [
        Result.at_table(seats[0], (0, 1, 0), Decided.PLAY),
        Result.at_table(seats[1], (1, 0, 0), Decided.PLAY),
        Result.at_table(seats[2], (0, 1, 0), Decided.PLAY),
    ]
    rows = table_of([1, 2, 3, 4, 5], results)
    told = [(row.place, row.rank, row.points, row.direct) for row in rows[:3]]
    assert told == [(1, 1, 3, 1), (2, 1, 3, 1), (3, 1, 3, 1)]
    rows = table_of([1, 2, 4, 5], [results[0], Result.at_table((1, 4, 5), (1, 0, 0), Decided.PLAY)])
    assert [(row.place, row.rank, row.direct) for row in rows[:2]] == [(2, 1, 1), (1, 2, 0)]


def test_places_count_by_the_order_of_being_put_out_and_a_draw_among_those_who_have_not_left() -> None:
    assert place_points([[1], [2], [3]]) == {1: 2, 2: 1, 3: 0}
    assert place_points([[7], [1, 2], [3, 4]]) == {7: 2, 1: 1.25, 2: 1.25, 3: 0.25, 4: 0.25}
    for order in ([[1], [2, 3], [4]], [[1, 2, 3, 4]], [[4], [3], [2], [1]]):
        assert sum(place_points(order).values()) == pytest.approx(4), "1 on average"
    one = Result.at_table((1, 2, 3), (0, 1, 0), Decided.PLAY, order=[[2], [1], [3]], left=[1], by_finish=True)
    assert one.points == (0, 2, 1), "whoever has left is last"
    unknown = Result.at_table((1, 2, 3), (0, 1, 0), Decided.PLAY, by_finish=True)
    assert unknown.points == (0.5, 2, 0.5)
    drawn = three(1 / 3, 1 / 3, 1 / 3, decided=Decided.LAST_DAY, left=(2,))
    assert drawn.points == (1.5, 0, 1.5)
    undone = Result.without_a_match((1, 2, 3), Decided.LAST_DAY, left=[3])
    assert undone.points == (1.5, 1.5, 0)
    last = Result.without_a_match((1, 2, 3), Decided.DEFAULT, left=[1, 3], by_finish=True)
    assert last.points == (0.5, 2, 0.5)


def test_a_game_tells_in_which_order_players_were_put_out() -> None:
    game = newest("pigs")
    options = game.read_options({"ends": "last_standing"})
    chance = Random(3)
    for _ in range(12):
        first: Any = game.state.start(options, 4, game.draw(options, 4, chance, {}))
        state, turns = first, list[Any]()
        fell: list[set[Seat]] = []
        while not state.outcome() and len(turns) < 60:
            orders = {seat: state.sample(seat, chance) for seat in sorted(state.to_act())}
            turns.append(orders)
            for after in state.play(orders):
                left = {s for s, d in zip(state.seats, state.damage, strict=True) if d < 5}
                left -= {s for s, d in zip(after.seats, after.damage, strict=True) if d < 5}
                fell += [left] * bool(left)
                state = after
        if not (ended := state.outcome()):
            continue
        won = {seat for seat, share in ended.scores.items() if share}
        expected = [won, *([group - won for group in reversed(fell)])]
        assert finishing_order(first, turns) == [group for group in expected if group]
        assert sum(map(len, expected)) == 4


def test_a_melee_tells_the_order_too() -> None:
    game = newest("roboxing")
    options = game.read_options(game.presets["melee"].options)
    assert game.last_standing(options) and not newest("pigs").last_standing(newest("pigs").read_options({}))
    chance, several = Random(4), 0
    for _ in range(6):
        first: Any = game.state.start(options, 4, game.draw(options, 4, chance, {}))
        state, turns = first, list[Any]()
        stood = [first.still_in()]
        while not state.outcome() and len(turns) < 200:
            orders = {seat: hasty.order(state.view(seat), seat, chance) for seat in sorted(state.to_act())}
            turns.append(orders)
            *_, state = play_turn(state, orders)
            stood.append(state.still_in())
        ended = state.outcome()
        if not ended:
            continue
        won = frozenset(seat for seat, share in ended.scores.items() if share)
        fell = [before - after - won for before, after in pairwise(stood)]
        expected = [won, *(group for group in reversed(fell) if group)]
        assert finishing_order(first, turns) == expected
        several += len(expected) > 2
    assert several


def test_whoever_leaves_a_table_is_withdrawn_and_the_match_counts_for_the_others_if_there_are_any() -> None:
    results = [three(0, 1, 0, left=(1,)), three(0, 0, 1, left=(1,)), three(1, 0, 0)]
    assert left_as(1, results) == Left.WITHDRAWN
    rows = {row.place: row for row in table_of([1, 2, 3], results, {1})}
    assert (rows[1].rank, rows[1].counts, rows[1].points, rows[1].played) == (None, False, 0, 0)
    assert [(rows[p].points, rows[p].played) for p in (2, 3)] == [(3, 3), (3, 3)]
    results[1] = three(1, 0, 0)
    rows = {row.place: row for row in table_of([1, 2, 3], results, {1})}
    assert (rows[1].rank, rows[1].points, rows[1].lost) == (1, 6, 1)
    results = [three(1, 0, 0, decided=Decided.DEFAULT, left=(2, 3))]
    rows = {row.place: row for row in table_of([1, 2, 3], results, {2, 3})}
    assert (rows[1].points, rows[1].played, rows[2].counts) == (0, 0, False)


@pytest.mark.fuzz
def test_random_seasons_are_as_the_second_referee_has_them() -> None:
    for seed in range(size(200, 5000)):
        season = Tables(Random(seed))
        while season.step():
            if season.chance.random() < 0.05:
                check(season)
        check(season)


def check(season: Tables) -> None:
    rows = counted(table_of(season.places, season.results, season.gone))
    assert rows == second_table(season.places, season.second, season.gone), season.__dict__


def rows_of(results: list[Result]) -> dict[int, dict[str, Any]]:
    places = sorted({place for one in results for place in one.seats})
    data = table_data([places], results, set(), dict.fromkeys(places, ""))
    return {row["place"]: row for row in data["divisions"][0]["rows"]}


def test_strength_is_by_shares_of_the_win_whatever_counts() -> None:
    """One wins two of three tables: e^θ1 / Σ e^θ, held back by the prior; places change nothing."""
    results = [three(1, 0, 0)] * 4 + [three(0, 1, 0)] * 2
    by_finish = [
        Result.at_table((1, 2, 3), one.won_shares, Decided.PLAY, order=[[1], [2], [3]], by_finish=True)
        for one in results
    ]
    rows = rows_of(results)
    assert rows[1]["strength"]["elo"] > rows[2]["strength"]["elo"] > rows[3]["strength"]["elo"]
    assert [row["strength"] for row in rows_of(by_finish).values()] == [
        row["strength"] for row in rows.values()
    ]
    found = strengths_of([{1: 1, 2: 0, 3: 0}] * 4 + [{1: 0, 2: 1, 3: 0}] * 2)
    assert rows[1]["strength"] == {"elo": round(found[1].elo, 1), "error": round(found[1].error, 1)}


def test_strength_leaves_out_whoever_left_a_table_and_what_was_not_played_out() -> None:
    whole = [three(1, 0, 0), three(0, 1, 0), three(1, 0, 0), three(0, 0, 1), three(0, 1, 0)]
    more = [three(0, 1, 0, decided=Decided.LAST_DAY), three(0, 1, 0, decided=Decided.DEFAULT, left=(1, 3))]
    assert rows_of(whole + more)[1]["strength"] == rows_of(whole)[1]["strength"]
    left = [three(1, 0, 0, left=(3,))] * 4
    assert rows_of(left)[3]["strength"] is None and rows_of(left)[1]["strength"] is None
    told = rows_of([*whole, *left])
    found = strengths_of(
        [dict(zip((1, 2, 3), one.won_shares, strict=True)) for one in whole] + [{1: 1, 2: 0}] * 4
    )
    assert told[1]["strength"]["elo"] == round(found[1].elo, 1)
    assert rows_of(whole[:4])[1]["strength"] is None, "hidden below five results"

"""Tables of matches of two and of more, their winners, strengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from games import newest
from games.core import Seat, finishing_order, play_turn
from games.search import hasty_order
from robosite.leagues.arithmetic.strength import ELO, strengths_of
from robosite.leagues.arithmetic.table import Decided, Result, place_points, table_of
from robosite.leagues.arithmetic.table_data import table_data
from robosite.leagues.pages.wording import winners_of
from tests.games.cases import size
from tests.leagues.seasons import Season, Tables, rows_of, second_table


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


@pytest.mark.fuzz
@pytest.mark.parametrize(("kind", "checks"), [(Season, 0.1), (Tables, 0.05)])
def test_random_seasons_are_as_the_second_referee_has_them(kind: Any, checks: float) -> None:
    for seed in range(size(200, 5000)):
        season = kind(Random(seed))
        while season.step():
            if season.chance.random() < checks:
                check(season)
        check(season)


def check(season: Season | Tables) -> None:
    rows = table_of(season.places, season.results, season.gone)
    assert rows_of(rows) == second(season), season.__dict__


def second(season: Season | Tables) -> list[dict[str, Any]]:
    return second_table(season.places, season.second, season.gone)


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


@pytest.mark.fuzz
def test_divisions_know_nothing_of_each_other():
    """The rows of each are those that it would have alone."""
    for seed in range(size(10, 1000)):
        chance = Random(seed)
        parts = [Season(chance, most=6, above=100 * at) for at in range(chance.randint(2, 3))]
        names = {place: f"{place}" for part in parts for place in part.places}
        while any(part.step() for part in chance.sample(parts, len(parts))):
            results = [one for part in parts for one in part.results]
            gone = {place for part in parts for place in part.gone}
            shuffled = chance.sample(results, len(results))
            told = table_data([part.places for part in parts], shuffled, gone, names)
            for part, division in zip(parts, told["divisions"], strict=True):
                alone = table_data([part.places], part.results, part.gone, names)
                assert [division] == alone["divisions"], seed


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
        (all_won((1, 2), (2, 3), (3, 1)), ["Ada", "Ben", "Cleo"], "They’re tied even on tie-breaks."),
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


def three(*shares: float, decided: Decided = Decided.PLAY, left: tuple[int, ...] = ()) -> Result:
    return Result.at_table((1, 2, 3), shares, decided, left=left)


def test_points_are_shares_times_seats_and_ties_are_broken() -> None:
    by_place = {row.place: row for row in table_of([1, 2, 3], [three(1, 0, 0), three(0.5, 0.5, 0)])}
    assert [by_place[p].points for p in (1, 2, 3)] == [4.5, 1.5, 0]
    assert (by_place[1].won, by_place[1].drawn, by_place[1].lost, by_place[1].wins) == (1, 1, 0, 1)
    first = Result.at_table((1, 2, 5), (0, 1, 0), Decided.PLAY)
    rows = table_of([1, 2, 4, 5], [first, Result.at_table((1, 4, 5), (1, 0, 0), Decided.PLAY)])
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


def unhurt(state: Any) -> frozenset[Seat]:
    """The pigs that are not destroyed, also where the match is over."""
    return frozenset(seat for seat, hits in zip(state.seats, state.damage, strict=True) if hits < 5)


@pytest.mark.parametrize(
    ("slug", "preset", "living", "matches"),
    [("pigs", "bash", unhurt, 12), ("roboxing", "melee", lambda state: state.still_in(), 6)],
)
def test_a_game_tells_in_which_order_players_were_put_out(
    slug: str, preset: str, living: Callable[[Any], frozenset[Seat]], matches: int
) -> None:
    game, chance, several = newest(slug), Random(4), 0
    options = game.read_options(game.presets[preset].options)
    assert game.last_standing(options) and not newest("pigs").last_standing(newest("pigs").read_options({}))
    for _ in range(matches):
        first: Any = game.state.start(options, 4, game.draw(options, 4, chance, {}))
        state, turns, stood = first, list[Any](), [living(first)]
        while not state.outcome() and len(turns) < 200:
            orders = {seat: hasty_order(state.view(seat), seat, chance) for seat in sorted(state.to_act())}
            turns.append(orders)
            *before, state = play_turn(state, orders)
            stood += map(living, (*before, state))
        if not (ended := state.outcome()):
            continue
        won = frozenset(seat for seat, share in ended.scores.items() if share)
        fell = [before - after - won for before, after in pairwise(stood)]
        expected = [won, *(group for group in reversed(fell) if group)]
        assert finishing_order(first, turns) == expected and sum(map(len, expected)) == 4
        several += len(expected) > 2
    assert several


def strengths_in(results: list[Result]) -> dict[int, dict[str, Any]]:
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
    rows = strengths_in(results)
    assert rows[1]["strength"]["elo"] > rows[2]["strength"]["elo"] > rows[3]["strength"]["elo"]
    assert [row["strength"] for row in strengths_in(by_finish).values()] == [
        row["strength"] for row in rows.values()
    ]
    found = strengths_of([{1: 1, 2: 0, 3: 0}] * 4 + [{1: 0, 2: 1, 3: 0}] * 2)
    assert rows[1]["strength"] == {"elo": round(found[1].elo, 1), "error": round(found[1].error, 1)}


def test_strength_leaves_out_whoever_left_a_table_and_what_was_not_played_out() -> None:
    whole = [three(1, 0, 0), three(0, 1, 0), three(1, 0, 0), three(0, 0, 1), three(0, 1, 0)]
    more = [three(0, 1, 0, decided=Decided.LAST_DAY), three(0, 1, 0, decided=Decided.DEFAULT, left=(1, 3))]
    assert strengths_in(whole + more)[1]["strength"] == strengths_in(whole)[1]["strength"]
    left = [three(1, 0, 0, left=(3,))] * 4
    assert strengths_in(left)[3]["strength"] is None and strengths_in(left)[1]["strength"] is None
    told = strengths_in([*whole, *left])
    found = strengths_of(
        [dict(zip((1, 2, 3), one.won_shares, strict=True)) for one in whole] + [{1: 1, 2: 0}] * 4
    )
    assert told[1]["strength"]["elo"] == round(found[1].elo, 1)
    assert strengths_in(whole[:4])[1]["strength"] is None, "hidden below five results"

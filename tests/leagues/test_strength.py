"""The strength of places: two worked checks, and what must not matter."""

from __future__ import annotations

from random import Random

import pytest

from robosite.leagues.arithmetic.strength import ELO, most_likely, strengths_of


def test_three_wins_of_four():
    found = strengths_of([{1: 1, 2: 0}] * 3 + [{1: 0, 2: 1}])
    apart = found[1].elo - found[2].elo
    assert apart / ELO == pytest.approx(0.85834, abs=5e-6)
    assert round(apart) == 149
    assert found[1].error == pytest.approx(found[2].error)


def test_stiglers_citations_without_a_prior():
    cited = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
    matches = [{i: 1.0, j: 0.0} for i in range(4) for j in range(4) for _ in range(cited[i][j])]
    found = most_likely(matches, 0)
    assert [round(found[i], 5) for i in range(4)] == [0, -2.94907, -0.47957, 0.26895]


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


def test_a_shared_win_is_shared_and_tables_may_be_larger():
    assert strengths_of([{1: 0.5, 2: 0.5}] * 9)[1].elo == pytest.approx(0)
    found = strengths_of([{1: 1, 2: 0, 3: 0}, {1: 0.5, 2: 0.5, 3: 0}])
    assert found[1].elo > found[2].elo > found[3].elo
    assert sum(one.elo for one in found.values()) == pytest.approx(0)


def test_somebody_who_wins_all_is_strong_but_not_endlessly():
    found = strengths_of([{1: 1, 2: 0}] * 50)
    assert 0 < found[1].elo < 600 and found[1].error > 50


def test_a_place_whose_strength_is_known_stays_there():
    found = strengths_of([{1: 1, 9: 0}] * 5, fixed={9: 2.0})
    assert found[9] == (pytest.approx(2 * ELO), 0)
    assert found[1].elo > 2 * ELO / 2

"""Berger tables, legs, divisions and lots."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from robosite.leagues.arithmetic.pairing import berger, divisions_of, drawn, lot_of, rounds_in, schedule_of

EIGHT = (
    "1-8 2-7 3-6 4-5 · 8-5 6-4 7-3 1-2 · 2-8 3-1 4-7 5-6 · 8-6 7-5 1-4 2-3"
    " · 3-8 4-2 5-1 6-7 · 8-7 1-6 2-5 3-4 · 4-8 5-3 6-2 7-1"
)


def test_the_table_for_eight_is_fides():
    rounds = [[tuple(map(int, pair.split("-"))) for pair in one.split()] for one in EIGHT.split(" · ")]
    assert berger(8) == rounds


@pytest.mark.parametrize("n", range(3, 17))
def test_each_pair_meets_once_and_seats_are_even(n):
    rounds = berger(n)
    pairs = [pair for one in rounds for pair in one]
    assert sorted(sorted(pair) for pair in pairs) == [
        [a, b] for a in range(1, n) for b in range(a + 1, n + 1)
    ]
    assert all(len({at for pair in one for at in pair}) == 2 * len(one) for one in rounds)
    times = Counter(a for a, _ in pairs)
    assert max(times.values()) - min(times[at] for at in range(1, n + 1)) == (0 if n % 2 else 1)


def test_the_second_leg_changes_seats():
    once, twice = schedule_of([[5, 9, 7, 2]]), schedule_of([[5, 9, 7, 2]], legs=2)
    assert twice[:6] == once
    assert [(one.round, one.seats) for one in twice[6:]] == [(one.round + 3, one.seats[::-1]) for one in once]
    assert rounds_in(4, 2) == 6


@pytest.mark.parametrize(
    ("places", "sizes"), [(3, [3]), (10, [10]), (11, [6, 5]), (21, [7, 7, 7]), (64, [10] + 6 * [9])]
)
def test_divisions_are_as_few_as_possible_and_of_equal_size(places, sizes):
    divisions = divisions_of(list(range(places)))
    assert [len(division) for division in divisions] == sizes
    assert [place for division in divisions for place in division] == list(range(places))


def test_a_schedule_keeps_divisions_apart():
    divisions = divisions_of(drawn("n", range(1, 13)))
    for one in schedule_of(divisions):
        assert set(one.seats) <= set(divisions[one.division - 1])


def test_numbers_are_drawn_by_the_hash_of_nonce_and_place():
    nonce = "ab" * 32
    hashes = {place: sha256(f"{nonce}\n{place}".encode()).hexdigest() for place in (1, 2, 3, 10)}
    order = drawn(nonce, [3, 10, 1, 2])
    assert [hashes[place] for place in order] == sorted(hashes.values())
    assert lot_of(nonce) == sha256(nonce.encode()).hexdigest()

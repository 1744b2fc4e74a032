"""Promotion and relegation from one season to the next."""

from __future__ import annotations

from itertools import chain
from math import ceil
from random import Random

import pytest

from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.arithmetic.promotion import Came, divisions_in, sizes_of
from tests.leagues.naive_promotion import Ending, naive_divisions


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


def test_lots_decide_the_order_within_a_division() -> None:
    came = {place: Came(at, row) for at, one in enumerate(SIX, 1) for row, place in enumerate(one, 1)}
    one, other = (divisions_in(nonce, came, 2, [6, 6]) for nonce in ("a", "b"))
    assert one != other and [set(each) for each in one] == [set(each) for each in other]
    assert one[0] == drawn("a", one[0])


def test_a_first_season_is_drawn_by_lot_alone() -> None:
    came = dict.fromkeys(range(1, 13))
    order = drawn("n", came)
    assert divisions_in("n", came) == [order[:6], order[6:]]


@pytest.mark.parametrize("table_seats", [2, 3])
@pytest.mark.parametrize("count", [300, pytest.param(5_000, marks=pytest.mark.more)])
def test_random_seasons_as_a_naive_implementation_has_them(count: int, table_seats: int) -> None:
    chance = Random(17 + table_seats)
    largest = 10 if table_seats == 2 else 16
    for _ in range(count):
        sizes = sizes_of(chance.randint(3, 64), table_seats)
        chance.shuffle(sizes)
        ending = Ending(chance, sizes)
        nonce = str(chance.random())
        found = divisions_in(nonce, ending.came, table_seats, sizes)
        newcomers = [place for place in drawn(nonce, ending.came) if place in ending.new]
        expected = naive_divisions(ending.tables, ending.stay, newcomers, largest)
        assert [set(one) for one in found] == expected
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

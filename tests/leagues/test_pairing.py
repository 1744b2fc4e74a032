"""Pairings, designs of larger tables, brackets, promotion."""

from __future__ import annotations

import sys
from collections import Counter
from hashlib import sha256
from importlib import import_module
from itertools import chain, combinations
from math import ceil
from pathlib import Path
from random import Random

import pytest

from robosite.leagues.arithmetic.bracket import (
    LEAST,
    MOST,
    NOBODY,
    Bracket,
    CupMatch,
    Results,
    Stage,
    bracket_of,
    slots,
)
from robosite.leagues.arithmetic.designs import LARGEST, SIZES, STARTERS, blocks_of, meetings_of, rounds_of
from robosite.leagues.arithmetic.pairing import (
    berger,
    divisions_of,
    drawn,
    lot_of,
    meetings,
    rounds_in,
    schedule_of,
)
from robosite.leagues.arithmetic.promotion import Came, divisions_in, sizes_of
from robosite.leagues.arithmetic.table import Decided, Result
from tests.games.cases import size
from tests.leagues.seasons import Ending, second_cup, second_divisions

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


def test_the_second_leg_changes_seats_and_divisions_are_kept_apart():
    once, twice = schedule_of([[5, 9, 7, 2]]), schedule_of([[5, 9, 7, 2]], legs=2)
    assert twice[:6] == once
    assert [(one.round, one.seats) for one in twice[6:]] == [(one.round + 3, one.seats[::-1]) for one in once]
    assert rounds_in(4, 2) == 6
    divisions = divisions_of(drawn("n", range(1, 13)))
    for one in schedule_of(divisions):
        assert set(one.seats) <= set(divisions[one.division - 1])


@pytest.mark.parametrize(
    ("places", "sizes"), [(3, [3]), (10, [10]), (11, [6, 5]), (21, [7, 7, 7]), (64, [10] + 6 * [9])]
)
def test_divisions_are_as_few_as_possible_and_of_equal_size(places, sizes):
    divisions = divisions_of(list(range(places)))
    assert [len(division) for division in divisions] == sizes
    assert [place for division in divisions for place in division] == list(range(places))


def test_numbers_are_drawn_by_the_hash_of_nonce_and_place():
    nonce = "ab" * 32
    hashes = {place: sha256(f"{nonce}\n{place}".encode()).hexdigest() for place in (1, 2, 3, 10)}
    order = drawn(nonce, [3, 10, 1, 2])
    assert [hashes[place] for place in order] == sorted(hashes.values())
    assert lot_of(nonce) == sha256(nonce.encode()).hexdigest()


CUPS = size(40, 5_000)
"""The numbers of random cups in the short and the long form."""


def result(seats: tuple[int, int], points: tuple[float, float] = (0.5, 0.5), how: str = "play") -> Result:
    return Result(seats, points, Decided(how))


def any_result(chance: Random, seats: tuple[int, int]) -> Result:
    how = chance.choices(("play", "default", "last day", "nobody came", "void"), (12, 2, 1, 2, 1))[0]
    if how == "void":
        return Result(seats, void=True)
    if how == "nobody came":
        return result(seats, (0, 0), how)
    points = [(1, 0), (0, 1), (0, 0) if how == "default" else (0.5, 0.5)]
    return result(seats, chance.choice(points), how)


def played(chance: Random, nonce: str, places: list[int], steps: int = 1_000) -> tuple[Bracket, Results]:
    """A cup in which the matches end in any order, after so many of them at most."""
    results: dict[CupMatch, Result] = {}
    while True:
        bracket = bracket_of(nonce, places, results)
        due = [one for one in bracket.matches if one not in results]
        if not due or len(results) >= steps:
            return bracket, results
        match = chance.choice(due)
        results[match] = any_result(chance, match.seats)


def test_eight_meet_as_the_rules_say() -> None:
    order = slots(8)
    assert [tuple(sorted(order[at : at + 2])) for at in range(0, 8, 2)] == [(1, 8), (4, 5), (3, 6), (2, 7)]
    assert slots(4) == [1, 4, 3, 2]
    assert sorted(slots(32)) == list(range(1, 33))


def tie_after(*points: tuple[float, float], how: str = "play") -> tuple[int | None, list[Stage]]:
    """The winner and the stages of the tie 1-4, after matches with these points, the better seed first."""
    results: dict[CupMatch, Result] = {}
    for own in points:
        tie = bracket_of("n", [1, 2, 3, 4], results).rounds[0][0]
        match = next(one for one in tie.matches if one not in results)
        results[match] = result(match.seats, own if match.seats == tie.entrants else own[::-1], how)
    bracket = bracket_of("n", [1, 2, 3, 4], results)
    tie = bracket.rounds[0][0]
    winner = bracket.seed(tie.winner) if tie.winner else tie.winner
    return winner, [one.stage for one in tie.matches]


WIN, LOSS, DRAW = (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)
PAIR = [Stage.PAIR, Stage.PAIR]


def test_a_tie_is_a_pair_and_if_level_one_more_and_a_replay_or_the_better_seeds() -> None:
    assert tie_after(WIN) == (None, PAIR)
    assert tie_after(LOSS, DRAW) == (4, PAIR)
    assert tie_after(WIN, LOSS) == (None, [*PAIR, Stage.DECIDER])
    assert tie_after(DRAW, DRAW, LOSS) == (4, [*PAIR, Stage.DECIDER])
    assert tie_after(WIN, LOSS, DRAW) == (None, [*PAIR, Stage.DECIDER, Stage.REPLAY])
    assert tie_after(WIN, LOSS, DRAW, LOSS) == (4, [*PAIR, Stage.DECIDER, Stage.REPLAY])
    assert tie_after(WIN, LOSS, DRAW, DRAW) == (1, [*PAIR, Stage.DECIDER, Stage.REPLAY])
    assert tie_after(DRAW, DRAW, how="last day") == (1, PAIR)
    assert tie_after(LOSS, DRAW, how="last day") == (4, PAIR)
    assert tie_after((0, 0), (0, 0), how="nobody came") == (NOBODY, PAIR)


def _check(bracket: Bracket, results: Results, places: list[int], nonce: str) -> None:
    second = second_cup(nonce, places, results)
    names = [
        f"{one.round} {one.tie} {one.stage.name.lower()} {one.seats[0]}-{one.seats[1]}"
        for one in bracket.matches
    ]
    assert sorted(second["wanted"]) == sorted(names)
    assert second["champion"] == bracket.winner
    assert second["ranks"] == [{"place": one.place, "rank": one.rank} for one in bracket.standings]


@pytest.mark.fuzz
def test_random_cups_are_as_a_second_implementation_has_them() -> None:
    chance = Random(5)
    for _ in range(CUPS):
        places = chance.sample(range(1, 65), chance.randint(LEAST, MOST))
        nonce = f"{chance.random()}"
        steps = chance.choice((chance.randint(0, 40), 1_000))
        bracket, results = played(chance, nonce, places, steps)
        _check(bracket, results, places, nonce)
        assert len(bracket.matches) <= 4 * (len(places) - 1)
        assert bracket.winner is not None or len(results) == steps, "every cup ends"
        shuffled = list(results.items())
        chance.shuffle(shuffled)
        assert bracket_of(nonce, chance.sample(places, len(places)), dict(shuffled)) == bracket


@pytest.mark.fuzz
def test_what_has_happened_stays_and_ranks_never_widen() -> None:
    chance = Random(6)
    for _ in range(CUPS // 10):
        places = list(range(1, chance.randint(LEAST, MOST) + 1))
        results: dict[CupMatch, Result] = {}
        before = bracket_of("n", places, results)
        while due := [one for one in before.matches if one not in results]:
            match = chance.choice(due)
            results[match] = any_result(chance, match.seats)
            after = bracket_of("n", places, results)
            assert set(before.matches) <= set(after.matches)
            reach = {one.place: (one.out, one.worst) for one in before.standings}
            for one in after.standings:
                out, worst = reach[one.place]
                assert one.worst <= worst and (not out or (one.out and one.rank == worst))
            before = after


ALL = [(n, k) for k in SIZES for n in range(k, LARGEST + 1)]
DESIGNS = {(4, 3): 2, (5, 4): 3, (7, 3): 1, (7, 4): 2, (13, 4): 1, (5, 3): 3, (9, 4): 3}
"""The number of times that each pair meets, by the numbers of places and seats."""


def seats_had(n: int, k: int) -> list[int]:
    times = Counter((place, seat) for block in blocks_of(n, k) for seat, place in enumerate(block))
    return [times[place, seat] for place in range(n) for seat in range(k)]


@pytest.mark.parametrize(("n", "k"), DESIGNS)
def test_block_designs_are_developed_and_even(n: int, k: int) -> None:
    starters = STARTERS[n, k]
    assert blocks_of(n, k)[: n : n - 1] == [starters[0], tuple((at + n - 1) % n for at in starters[0])]
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
            [[11, 12, 13, 14, 15, 21, 22], [16, 17, 23, 24, 25, 31, 32], [26, 27, 33, 34, 35, 36, 37]],
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


@pytest.mark.parametrize("table_seats", [2, 3])
@pytest.mark.parametrize("count", [100, pytest.param(5_000, marks=pytest.mark.more)])
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

"""The round with numpy beside the round without it, and beside the rules. Skipped where numpy is missing."""

from __future__ import annotations

from importlib.util import find_spec
from random import Random

import pytest

from games.pigs.duel import Duel, decode, encode
from games.pigs.equilibrium import GAP, certify, near_equilibrium
from games.pigs.review import review
from games.pigs.state import PigsState
from games.pigs.vectors import VectorDuel, fastest_duel
from tests.games.pig_table import stand
from tests.games.sizes import size
from tests.games.test_pigs_duel import naive, some_mix, some_position

with_numpy = pytest.mark.skipif(find_spec("numpy") is None, reason="without numpy")


def some_round(rng: Random) -> PigsState:
    """A position that the kernel knows: no hulks, no forward crossings."""
    while True:
        state = some_position(rng, rng.randint(0, 12))
        if len(state.poses) == 2 and state.options.side_cross != "forward":
            return state


@with_numpy
@pytest.mark.fuzz
def test_the_kernel_gives_what_the_rules_give() -> None:
    """Two million steps in the long form."""
    rng = Random(1)
    for _ in range(size(20, 4_000)):
        state = some_round(rng)
        duel = VectorDuel(state)
        two = state.sample(duel.seats[1], rng)
        for _ in range(100):
            one = state.sample(duel.seats[0], rng)
            assert duel.payoff(encode(one), encode(two)) == naive(state, one, two), (state, one, two)


@with_numpy
@pytest.mark.fuzz
def test_the_kernel_gives_what_the_round_without_it_gives() -> None:
    """All programs of both sides: 37,000 steps against each program."""
    rng = Random(2)
    for _ in range(size(1, 60)):
        state = some_round(rng)
        duel, plain = VectorDuel(state), Duel(state)
        for side in (0, 1):
            mix = some_mix(state, duel.seats[1 - side], rng, rng.randint(1, 12))
            found, expected = duel.responses(side, mix, 5), plain.respond(side, mix)
            assert found[0].value == pytest.approx(expected.value, abs=1e-5)
            other = next(iter(mix))
            for program in map(encode, state.legal(duel.seats[side], 40_000) or []):
                pair = (program, other) if side == 0 else (other, program)
                gained = duel._vector(side, other)[duel._trees[side].places[program]]
                assert gained == (1 - 2 * side) * plain.payoff(*pair)


@with_numpy
def test_its_equilibrium_holds_without_it() -> None:
    state = stand("A=d5S3 B=d3N3")
    found = near_equilibrium(fastest_duel(state))
    assert certify(Duel(state), found.mixes).gap <= GAP + 1e-6


@with_numpy
def test_the_gap_of_rounded_shares_is_still_small() -> None:
    """Here the rounding widened a gap of 0.0499 to 0.0502."""
    state = stand("A=d7S1 B=d2N3", damage_moves=True)
    mixes = review(
        state, {seat: "X TL TL TL TL" if seat == "A" else "X X X TL TL" for seat in state.seats}
    ).mixes
    assert sum(mixed.gap for mixed in mixes.values()) <= GAP


@with_numpy
def test_only_rounds_it_knows_are_left_to_it() -> None:
    assert isinstance(fastest_duel(stand("A=d5S3 B=d3N3")), VectorDuel)
    hulk = stand("A=d5S3 B=e4N4 C=d4Ex", ends="last_standing")
    for state in (hulk, stand("A=d5S3 B=e5N3", side_cross="forward")):
        assert not isinstance(fastest_duel(state), VectorDuel)


def test_without_numpy_a_round_is_reviewed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.pigs.vectors.find_spec", lambda name: None)
    state = stand("A=d5S3 B=d3N3")
    assert type(fastest_duel(state)) is Duel
    orders = {seat: decode(encode("X X X F H")) for seat in state.seats}
    assert set(review(state, orders).mixes) == set(state.seats)

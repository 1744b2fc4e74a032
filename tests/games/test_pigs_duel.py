"""A round of two pigs as a zero-sum game, beside the rules themselves."""

from __future__ import annotations

from random import Random

import pytest

from games import newest
from games.core import Order, Seat, play_turn
from games.pigs.bot.duel import LAST, REPAIRED, Duel, Mix, Program, Stakes, decode, encode
from games.pigs.bot.equilibrium import certify, near_equilibrium
from games.pigs.bot.values import stakes
from games.pigs.state import PigsState
from games.pigs.steps import HULK
from tests.games.pig_table import PIGS, play, stand
from tests.games.sizes import size

ROUNDS = [preset.options for key, preset in newest("pigs").presets.items() if "continuous" not in key]
DESTROYED = {"damage_moves": False, "ends": "last_standing"}


def naive(state: PigsState, one: Order, two: Order) -> float:
    """The value for the first living pig, from the rules' own positions."""
    seats = sorted(state.still_in())
    *_, after = play(state, **{str(seats[0]): one, str(seats[1]): two})
    if state.dealt:
        gains = [after.dealt[i] - state.dealt[i] for i in map(state.seats.index, seats)]
    else:
        points = [5 if after.damage[i] == HULK else after.damage[i] for i in map(state.seats.index, seats)]
        before = [state.damage[state.seats.index(seat)] for seat in seats]
        gains = [points[1] - before[1], points[0] - before[0]]
    ended = after.outcome()
    last = LAST * (ended.scores[seats[0]] - ended.scores[seats[1]]) if ended else 0
    return gains[0] - gains[1] + last


def some_position(rng: Random, turns: int) -> PigsState:
    """Two pigs in the middle of a match, of any preset of rounds; sometimes there were three before."""
    options = PIGS.read_options(rng.choice([*ROUNDS, DESTROYED]))
    state = PigsState.start(options, rng.choice((2, 3)), {})
    if len(state.seats) == 3:
        state = state.leave(frozenset({rng.choice(state.seats)}))
    for _ in range(turns):
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        *_, after = play_turn(state, orders)
        if after.outcome():
            break
        assert isinstance(after, PigsState)
        state = after
    return state


def some_mix(state: PigsState, seat: Seat, rng: Random, count: int) -> Mix:
    programs = {encode(state.sample(seat, rng)): rng.random() for _ in range(count)}
    return {program: share / sum(programs.values()) for program, share in programs.items()}


@pytest.mark.fuzz
def test_the_payoff_is_what_the_rules_give() -> None:
    rng = Random(1)
    for _ in range(size(30, 1_000)):
        state = some_position(rng, rng.randint(0, 12))
        duel = Duel(state)
        for _ in range(5):
            one, two = (state.sample(seat, rng) for seat in duel.seats)
            assert duel.payoff(encode(one), encode(two)) == naive(state, one, two), (state, one, two)


def by_stakes(state: PigsState, at_stake: Stakes, one: Order, two: Order) -> float:
    """The same by what events are worth: a match that ends is worth its end, whatever was hit before."""
    seats = sorted(state.still_in())
    *_, after = play(state, **{str(seats[0]): one, str(seats[1]): two})
    ended = after.outcome()
    if ended:
        assert at_stake.ends
        return at_stake.ends[1 - round(ended.scores[seats[0]] - ended.scores[seats[1]])]
    mended = [decode(REPAIRED) == order for order in (one, two)]
    taken, landed = (
        after.damage[i] - state.damage[i] + mended[side]
        for side, i in enumerate(map(state.seats.index, seats))
    )
    repairs = at_stake.repair_values[0] * mended[0] - at_stake.repair_values[1] * mended[1]
    return at_stake.landed * landed - at_stake.taken * taken + repairs


@pytest.mark.fuzz
def test_a_payoff_by_what_is_at_stake_is_what_the_rules_give() -> None:
    rng, ends = Random(2), 0
    for _ in range(size(60, 1_000)):
        state = some_position(rng, rng.randint(0, 20))
        if state.repairs:
            duel = Duel(state, at_stake := stakes(state))
            for _ in range(5):
                one, two = (state.sample(seat, rng) for seat in duel.seats)
                expected = by_stakes(state, at_stake, one, two)
                assert duel.payoff(encode(one), encode(two)) == pytest.approx(expected), (state, one, two)
                ends += expected in (at_stake.ends or ())
    assert ends


SMALL = [
    pytest.param("A=d5S3 B=d3N3", {}, id="close"),
    pytest.param("A=d5S4 B=e4N3", {}, id="nearly over", marks=pytest.mark.more),
    pytest.param("A=d5S3 B=e4N4 C=d4Ex", {"ends": "last_standing"}, id="a hulk between"),
    pytest.param("A=d5S3 B=e5N3", {"side_cross": "forward"}, id="side by side", marks=pytest.mark.more),
]


@pytest.mark.parametrize(("position", "options"), SMALL)
def test_a_best_response_is_the_best_of_all_programs(position: str, options: dict[str, object]) -> None:
    state, rng = stand(position, **options), Random(2)
    duel = Duel(state)
    for side, seat in enumerate(duel.seats):
        mix = some_mix(state, duel.seats[1 - side], rng, 4)
        every = state.legal(seat, 10_000)
        assert every
        naively = {
            order: sum(
                share
                * ((1, -1)[side])
                * duel.payoff(*((encode(order), p) if side == 0 else (p, encode(order))))
                for p, share in mix.items()
            )
            for order in every
        }
        found = duel.respond(side, mix)
        assert found.value == pytest.approx(max(naively.values()))
        assert naively[decode(found.program)] == pytest.approx(found.value)


def test_a_best_response_without_damage_is_beaten_by_none() -> None:
    state, rng = stand("A=d6S0 B=c4N0"), Random(3)
    duel = Duel(state)
    mix = some_mix(state, Seat("B"), rng, 5)
    found = duel.respond(0, mix)
    for order in rng.sample(state.legal(Seat("A"), 40_000) or [], 2_000):
        assert duel.expected({encode(order): 1.0}, mix) <= found.value + 1e-9
    assert duel.expected({found.program: 1.0}, mix) == pytest.approx(found.value)


@pytest.mark.fuzz
def test_no_program_at_all_beats_a_best_response() -> None:
    """All programs one by one; the responses come in order, and each gives what it says."""
    rng = Random(4)
    for _ in range(size(1, 60)):
        state = some_position(rng, rng.randint(0, 8))
        duel, side = Duel(state), rng.randrange(2)
        mix = some_mix(state, duel.seats[1 - side], rng, rng.randint(1, 12))
        found = duel.responses(side, mix, 5)
        assert found == sorted(found, reverse=True) and len(set(found)) == len(found)
        for response in found:
            assert gained(duel, side, response.program, mix) == pytest.approx(response.value)
        every = map(encode, state.legal(duel.seats[side], 40_000) or [])
        assert found[0].value == pytest.approx(max(gained(duel, side, program, mix) for program in every))


def gained(duel: Duel, side: int, program: Program, mix: Mix) -> float:
    """The average value of a side's program against a mix of the other side."""
    if side == 0:
        return duel.expected({program: 1.0}, mix)
    return -duel.expected(mix, {program: 1.0})


@pytest.mark.parametrize(("position", "options"), SMALL)
def test_nobody_gains_more_on_an_equilibrium_than_its_certificate_says(
    position: str, options: dict[str, object]
) -> None:
    """With the rules alone: every program of each side against the other's mix."""
    state = stand(position, **options)
    duel = Duel(state)
    found = near_equilibrium(duel)
    assert found.gap <= 0.05 and min(found.gaps) >= -1e-9
    for side, seat in enumerate(duel.seats):
        mix = found.mixes[1 - side]
        best = max(
            sum(
                share * (1, -1)[side] * duel.payoff(*((p, q) if side == 0 else (q, p)))
                for q, share in mix.items()
            )
            for p in map(encode, state.legal(seat, 10_000) or [])
        )
        assert best == pytest.approx(found.responses[side].value)
    some_one, some_two = (decode(max(mix)) for mix in found.mixes)
    assert duel.payoff(encode(some_one), encode(some_two)) == naive(state, some_one, some_two)


def test_each_side_keeps_its_safest_mix() -> None:
    """Here the mixes of single solutions go in a circle, none of them with a gap under 0.052."""
    assert near_equilibrium(Duel(stand("A=e6S1 B=e7N0", damage_moves=True))).gap <= 0.05


def test_the_same_mixes_have_the_same_certificate() -> None:
    found = near_equilibrium(Duel(stand("A=d7S2 B=c3N2")))
    again = certify(Duel(stand("A=d7S2 B=c3N2")), found.mixes)
    assert again.value == pytest.approx(found.value) and again.gaps == pytest.approx(found.gaps)


def test_a_repair_is_the_best_answer_to_a_pig_far_off_that_only_turns() -> None:
    duel = Duel(stand("A=a8N1 B=h1S0"))
    found = duel.respond(0, {encode("TL TL TL TL TL"): 1.0})
    assert found == (1.0, REPAIRED)


@pytest.mark.parametrize("position", ["A=d8S0 B=e1N0 C=h5W0", "A=d8S0 B=e1Nx"])
def test_a_duel_has_two_pigs(position: str) -> None:
    with pytest.raises(ValueError, match="two pigs"):
        Duel(stand(position))

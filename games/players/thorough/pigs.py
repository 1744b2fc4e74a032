"""The search for Robo Battle Pigs: an unpredictable mix against one pig, sampled play against more.

Against one opponent, it mostly expects the other to think as newcomers were seen to (docs/strength.md): to
play programs that do well against a pig that stands and fires, against one that answers such a pig, or
against one that answers random programs. Otherwise it expects an opponent who knows this mix and answers it
best. An equilibrium would be safer still, but would not punish anybody's mistakes. Continuous feedback is
left to the quick bot: one step at a time, that sees far enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from random import Random

from games.core import Order, Seat
from games.pigs.duel import DAMAGED, MOVES, Duel, Mix, Response, decode
from games.pigs.equilibrium import restricted_response, together
from games.pigs.places import stakes, worth
from games.pigs.state import PigsState
from games.pigs.steps import COMMANDS, FIRE, STEPS, Pose
from games.players import quick

GAP, MOST, WORK = 0.1, 12, 28_000
"""Limits of the search for two pigs: the acceptable distance from the best mix, in hits; the most restricted
games that are solved; and the work (`Duel.work`) after which no further one is begun."""
TRUST = 0.7
"""For two pigs: the probability with which the opponent is expected to think as newcomers were seen to."""
CHANCES, GOOD, EASY = 24, 12, 0.25
"""For two pigs: the number of random programs that are answered, and of good programs that an answer is
chosen from; a program that gains EASY hits less is e times less likely to be expected."""
SHOT = COMMANDS.index(FIRE)
POOL, TRIALS, KEPT = 100, 12, 8
"""For more pigs, the programs of each other pig: the number tried, the trials of each, the number kept."""
CHANCE = 0.3
"""The probability with which another pig is expected to play at random."""
OWN = 800
"""For more pigs: the number of the bot's programs that are tried at first."""
STAGES = ((12, 150), (36, 40), (100, 12))
"""The stages of trying the bot's programs: the trials of each, and the number of best programs that
remain."""
USUAL = 4
"""The number of pigs beyond which fewer programs are tried, since a turn then takes longer to play.

The programs of each other pig are reduced even more, since there are more of those pigs too.
"""
HEAT = 0.003
"""A program whose value is this much lower (a share of the point) is e times less likely to be drawn."""


def order(view: PigsState, seat: Seat, rng: Random) -> Order:
    """Returns a program drawn from a mix that nobody can foresee."""
    if view.lists:
        return quick.order(view, seat, rng)
    if len(view.still_in()) > 2:
        return _among_many(view, seat, rng)
    mix = mix_of_two(view, seat, rng)
    return decode(rng.choices(list(mix), list(mix.values()))[0])


def mix_of_two(view: PigsState, seat: Seat, rng: Random) -> Mix:
    """The mix for one of two pigs: the probability of each of its programs."""
    side = sorted(view.still_in()).index(seat)

    def to_first(one: Pose, two: Pose) -> float:
        return -worth(two, one, view.turn) if side else worth(one, two, view.turn)

    duel = Duel(view, stakes(view), to_first)
    return restricted_response(duel, side, _thinking(duel, 1 - side, rng), TRUST, GAP, MOST, WORK)


def _thinking(duel: Duel, side: int, rng: Random) -> Mix:
    """The expected mix of `side`: answers to a pig that stands and fires, to an answer to that, to chance."""
    one = 1 - side
    guesses = (
        _standing(duel, one),
        _eased(duel.responses(one, _standing(duel, side), GOOD)),
        _eased(duel.responses(one, _by_chance(duel, side, rng), GOOD)),
    )
    return together(*[(1 / len(guesses), _eased(duel.responses(side, guess, GOOD))) for guess in guesses])


def _standing(duel: Duel, side: int) -> Mix:
    """The mix of a pig that stays where it is and fires, its X equally likely first or last."""
    marks = duel.owed[side]
    damaged, shots = (DAMAGED,) * marks, (SHOT,) * (STEPS - marks)
    return together((1 / 2, {shots + damaged: 1.0}), (1 / 2, {damaged + shots: 1.0}))


def _by_chance(duel: Duel, side: int, rng: Random) -> Mix:
    """A mix of random programs of one side, without repairs."""
    marks = [DAMAGED] * duel.owed[side]
    mixed = [[*marks, *rng.choices(MOVES, k=STEPS - len(marks))] for _ in range(CHANCES)]
    return together(*[(1 / CHANCES, {tuple(rng.sample(program, STEPS)): 1.0}) for program in mixed])


def _eased(responses: list[Response]) -> Mix:
    """A mix of good programs, in which better ones have larger shares."""
    weights = [exp((one.value - responses[0].value) / EASY) for one in responses]
    return {one.program: weight / sum(weights) for one, weight in zip(responses, weights, strict=True)}


is_content = quick.is_content


def _among_many(state: PigsState, seat: Seat, rng: Random) -> Order:
    """Tries programs against what the others may well play, and draws one of the best."""
    share = min(1.0, USUAL / len(state.still_in()))
    pools = {
        other: _pool(state, other, rng, int(POOL * share**2)) for other in sorted(state.still_in() - {seat})
    }
    ideas = state.ideas(seat, rng, int(OWN * share))
    hopes, tried = dict.fromkeys(ideas, 0.0), 0
    for trials, kept in STAGES:
        profiles = [_profile(state, pools, rng) for _ in range(trials)]
        for idea in ideas:
            hopes[idea] += sum(_tried(state, {**profile, seat: idea}, seat) for profile in profiles)
        tried += trials
        ideas = sorted(ideas, key=lambda idea: -hopes[idea])[: int(kept * share)]
    weights = [exp((hopes[idea] - hopes[ideas[0]]) / tried / HEAT) for idea in ideas]
    return rng.choices(ideas, weights)[0]


def _pool(state: PigsState, seat: Seat, rng: Random, count: int) -> Sequence[Order]:
    """The programs of a seat that do best against random programs of the others."""
    others = sorted(state.still_in() - {seat})
    profiles = [{other: state.sample(other, rng) for other in others} for _ in range(TRIALS)]
    hopes = {
        idea: sum(_tried(state, {**profile, seat: idea}, seat) for profile in profiles)
        for idea in state.ideas(seat, rng, count)
    }
    return sorted(hopes, key=lambda idea: -hopes[idea])[:KEPT]


def _profile(state: PigsState, pools: Mapping[Seat, Sequence[Order]], rng: Random) -> dict[Seat, Order]:
    """Draws a program for each other pig: mostly one of its good ones, sometimes a random one."""
    return {
        other: state.sample(other, rng) if rng.random() < CHANCE else rng.choice(pool)
        for other, pool in pools.items()
    }


def _tried(state: PigsState, orders: Mapping[Seat, Order], seat: Seat) -> float:
    """The share of the point that the seat may expect after these orders."""
    *_, position_after = state.play(orders)
    return position_after.evaluate(seat)

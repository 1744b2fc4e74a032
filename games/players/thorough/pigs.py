"""A search of Robo Battle Pigs: a near-equilibrium between two, sampled play among more.

Continuous feedback is left to the quick player: one step at a time it sees far enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from random import Random

from games.core import Order, Seat
from games.pigs.duel import Duel, decode
from games.pigs.equilibrium import near_equilibrium
from games.pigs.state import PigsState
from games.players import quick

GAP, MOST = 0.1, 18
"""Between two: how near to an equilibrium it goes, in hits, and how many restricted games it solves."""
POOL, TRIALS, KEPT = 100, 12, 8
"""Among four: how many programs of each other pig are tried, how often each, and how many of them stay."""
CHANCE = 0.3
"""How often another pig is taken to play just anything."""
OWN = 800
"""Among four: how many programs of its own are tried first."""
STAGES = ((12, 150), (36, 40), (100, 12))
"""How often each of them is tried, and how many of the best stay then."""
USUAL = 4
"""With more pigs than these it tries fewer programs, since each turn moves more of them, and of each other
pig fewer still, since there are more of those too."""
HEAT = 0.003
"""Programs that promise so much less, as a share of the point, are drawn e times as rarely."""


def order(view: PigsState, seat: Seat, rng: Random) -> Order:
    """A program drawn from a mix that nobody can foresee."""
    if view.lists:
        return quick.order(view, seat, rng)
    if len(view.still_in()) > 2:
        return _among_many(view, seat, rng)
    duel = Duel(view)
    mix = near_equilibrium(duel, GAP, MOST).mixes[duel.seats.index(seat)]
    return decode(rng.choices(list(mix), list(mix.values()))[0])


is_content = quick.is_content


def _among_many(state: PigsState, seat: Seat, rng: Random) -> Order:
    """Tries its programs against what the others may well play, and draws one of the best."""
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
    """Programs of a seat that do well against chance."""
    others = sorted(state.still_in() - {seat})
    profiles = [{other: state.sample(other, rng) for other in others} for _ in range(TRIALS)]
    hopes = {
        idea: sum(_tried(state, {**profile, seat: idea}, seat) for profile in profiles)
        for idea in state.ideas(seat, rng, count)
    }
    return sorted(hopes, key=lambda idea: -hopes[idea])[:KEPT]


def _profile(state: PigsState, pools: Mapping[Seat, Sequence[Order]], rng: Random) -> dict[Seat, Order]:
    """Programs that all others may play: mostly ones that do well."""
    return {
        other: state.sample(other, rng) if rng.random() < CHANCE else rng.choice(pool)
        for other, pool in pools.items()
    }


def _tried(state: PigsState, orders: Mapping[Seat, Order], seat: Seat) -> float:
    """How much of the point the seat may hope for once these orders have been played."""
    *_, after = state.play(orders)
    return after.evaluate(seat)

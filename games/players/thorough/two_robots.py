"""A fight of two robots: what the enemy may do in worlds that fit what is known, and the mix against it.

In each world the enemy has orders of two kinds: those that a plain player gives, who tries many against what
he may believe of the robot before him, and those that do best for somebody who knows it. The mix is the one
that regret matching finds against somebody who is plain half of the time, and for the rest knows the world
and adapts: a restricted Nash response (Johanson, Zinkevich and Bowling, 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from games.core import Order, Seat
from games.roboxing.bout import Act, Boxer, clash
from games.roboxing.deduction import Guesses
from games.roboxing.state import RoboxingState

WORLDS = 24
"""How many worlds are drawn that fit the view."""
BELIEFS, SAMPLES = 16, 64
"""How many robots the enemy may take the own one for, and how many orders of theirs by chance."""
IDEAS = 240
"""How many orders of the enemy are tried in each world."""
STAGES = ((4, 4), (12, 4), (24, 4))
"""How a plain player chooses: tried against so many samples, and the part that stays: one in so many."""
PLAIN, KNOWING, AGAINST = 2, 3, 8
"""In each world: how many orders of a plain player, and how many of one who knows, against so many samples."""
OWN, FIRST, SECOND, ROWS = 1200, 12, 240, 60
"""How many own orders are tried against so many replies, how many against all, and how many may be mixed."""
TRUST = 0.5
"""How much of the time the enemy is taken to be plain."""
LONG = 12
"""After so many turns without a hit a fight is as good as drawn."""
ROUNDS = 300
"""So many rounds of regret matching."""


class Fought(NamedTuple):
    """Orders of the enemy in one world: first PLAIN ones of a plain player, then those of one who knows."""

    enemy: Boxer
    plain: list[Act]
    knowing: list[Act]


def order(view: RoboxingState, seat: Seat, rng: Random) -> Order:
    """An order drawn from the mix."""
    mine, worlds = fights(view, seat, rng)
    rows = chosen(view, seat, mine, worlds, rng)
    plain = [_plain(mine, act, worlds) for act in rows.values()]
    knowing = [
        [[clash(mine, world.enemy, act, reply) for reply in (*world.plain, *world.knowing)] for world in worlds]
        for act in rows.values()
    ]
    return rng.choices(list(rows), matched(plain, knowing))[0]


def fights(view: RoboxingState, seat: Seat, rng: Random) -> tuple[Boxer, list[Fought]]:
    """The own robot, and what the enemy may do in each world."""
    own = view.robots(seat)[0]
    other = 1 - own
    inside, squares, gone = view.ring.inside, view.squares, view.gone
    keeps = 1 - min(1.0, (view.idle() + 1) / LONG) ** 2
    mine = Boxer(inside, view.layout(own), squares[own], gone[own], keeps)
    trials = _believed(view, seat, own, rng)
    enemies: dict[str, Boxer] = {}
    worlds = []
    for world in view.worlds(rng, WORLDS):
        layout = world.layout(other)
        enemy = enemies.setdefault(layout.text, Boxer(inside, layout, squares[other], gone[other], keeps))
        worlds.append(_fought(world, view.ring.owners[other], enemy, trials, seat, mine, rng))
    return mine, worlds


def _believed(view: RoboxingState, seat: Seat, own: int, rng: Random) -> list[tuple[Boxer, Act]]:
    """What the enemy may take the own robot for, with orders by chance."""
    guesses = Guesses(view, own)
    trials = []
    for _ in range(BELIEFS):
        layout = guesses.draw(rng)
        boxer = Boxer(view.ring.inside, layout, view.squares[own], view.gone[own])
        layouts = tuple(layout if i == own else None for i in range(2))
        supposed = view._replace(layouts=layouts)
        trials += [(boxer, boxer.act(supposed.sample(seat, rng))) for _ in range(SAMPLES // BELIEFS)]
    return trials


def _fought(
    world: RoboxingState,
    foe: Seat,
    enemy: Boxer,
    trials: list[tuple[Boxer, Act]],
    seat: Seat,
    mine: Boxer,
    rng: Random,
) -> Fought:
    ideas = list({enemy.act(idea)[::2] + (idea,): idea for idea in world.ideas(foe, rng, IDEAS)}.values())
    acts = [enemy.act(idea) for idea in ideas]
    plain = [_plainly(enemy, acts, trials, rng) for _ in range(PLAIN)]
    samples = [mine.act(world.sample(seat, rng)) for _ in range(AGAINST)]
    hopes = [sum([clash(enemy, mine, act, reply) for reply in samples]) for act in acts]
    best = sorted(range(len(acts)), key=lambda at: -hopes[at])[:KNOWING]
    return Fought(enemy, plain, [acts[at] for at in best])


def _plainly(enemy: Boxer, acts: list[Act], trials: list[tuple[Boxer, Act]], rng: Random) -> Act:
    """What a plain player chooses: an order that does worse against samples drops out."""
    acts = rng.sample(acts, len(acts))
    hopes = {at: 0.0 for at in range(len(acts))}
    for tries, part in STAGES:
        against = rng.choices(trials, k=tries)
        for at in hopes:
            act = acts[at]
            hopes[at] += sum([clash(enemy, boxer, act, reply) for boxer, reply in against])
        best = sorted(hopes, key=lambda at: -hopes[at])[: max(1, len(hopes) // part)]
        hopes = {at: hopes[at] for at in best}
    return acts[next(iter(hopes))]


def chosen(
    view: RoboxingState, seat: Seat, mine: Boxer, worlds: Sequence[Fought], rng: Random
) -> dict[Order, Act]:
    """The own orders that do best."""
    ideas = view.ideas(seat, rng, OWN)
    rng.shuffle(ideas)
    acts = {idea: mine.act(idea) for idea in ideas}
    different = {(act.to, id(act.zone), act.far, act.bit): idea for idea, act in acts.items()}
    acts = {idea: acts[idea] for idea in different.values()}
    trials = [(world.enemy, rng.choice(world.plain)) for world in rng.sample(list(worlds), FIRST)]
    hopes = {idea: sum([clash(mine, enemy, act, r) for enemy, r in trials]) for idea, act in acts.items()}
    best = sorted(acts, key=lambda idea: -hopes[idea])[:SECOND]
    hopes = {idea: _plain(mine, acts[idea], worlds) for idea in best}
    return {idea: acts[idea] for idea in sorted(best, key=lambda idea: -hopes[idea])[:ROWS]}


def _plain(mine: Boxer, act: Act, worlds: Sequence[Fought]) -> float:
    """What an order may hope for against plain players."""
    return sum(
        [clash(mine, world.enemy, act, reply) for world in worlds for reply in world.plain]
    ) / sum(len(world.plain) for world in worlds)


def matched(plain: Sequence[float], knowing: Sequence[Sequence[Sequence[float]]]) -> list[float]:
    """The average mix of regret matching (RM+) over rows: what each hopes for against somebody plain, and
    against each reply in each world of somebody who knows it and adapts."""
    own, total = [0.0] * len(plain), [0.0] * len(plain)
    count = len(knowing[0])
    columns = [list(zip(*(row[world] for row in knowing), strict=True)) for world in range(count)]
    theirs = [[0.0] * len(group) for group in columns]
    trusted = [TRUST * hope for hope in plain]
    rest = (1 - TRUST) / count
    for number in range(1, ROUNDS + 1):
        mix = positive(own)
        played = [(at, share) for at, share in enumerate(mix) if share]
        gains = trusted[:]
        for group, regrets in zip(columns, theirs, strict=True):
            shares = positive(regrets)
            values = [sum([column[at] * share for at, share in played]) for column in group]
            mean = sum([value * share for value, share in zip(values, shares, strict=True)])
            for j, share in enumerate(shares):
                if share:
                    weight = rest * share
                    gains = [gain + weight * a for gain, a in zip(gains, group[j], strict=True)]
                regrets[j] = max(0.0, regrets[j] + mean - values[j])
        mean = sum([gain * share for gain, share in zip(gains, mix, strict=True)])
        own = [max(0.0, regret + gain - mean) for regret, gain in zip(own, gains, strict=True)]
        total = [weight + number * share for weight, share in zip(total, mix, strict=True)]
    return total


def positive(regrets: Sequence[float]) -> list[float]:
    """Shares of what is positive; even ones where nothing is."""
    total = sum(regrets)
    return [regret / total for regret in regrets] if total else [1 / len(regrets)] * len(regrets)

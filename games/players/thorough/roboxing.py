"""A search of Roboxing: its orders against what others may do in worlds that fit what is known, mixed.

In each world the others have a few orders that do well there. With one opponent its own mix is the one that
regret matching finds against somebody who plays, half of the time, what does best against chance, and for the
rest knows the world and adapts: a restricted Nash response (Johanson, Zinkevich and Bowling, 2007). With more
opponents it takes one of the orders that do best on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from random import Random
from typing import NamedTuple

from games.core import Judged, Order, Review, Seat
from games.players import quick
from games.roboxing.robot import BOOSTER, ENGINE, LASER, LETTERS, built
from games.roboxing.state import RoboxingState
from games.roboxing.sure_hits import SureHits

WORLDS = 24
"""How many worlds are drawn that fit the view."""
REPLIES, AGAINST, KEPT = 24, 8, 4
"""In each world: how many orders of the others are tried, against how many of its own, and how many stay."""
OWN, FIRST, ROWS = 600, 12, 70
"""How many of its own orders are tried first, against how many replies, and how many go into the matrix."""
ROUNDS = 400
"""So many rounds of regret matching."""
TRUST, SLACK = 0.5, 0.02
"""How much of the time the other is taken to play what does best against chance; what promises so much less,
as a share of the point, e times as rarely."""
BUILDS = tuple(f"{c}{s}{c}{s}{BOOSTER}{s}{c}{s}{c}" for c, s in ((LASER, ENGINE), (ENGINE, LASER)))
"""What sits in the nine slots, row by row from the north-west."""
HEAT = 0.004
"""Against several: orders that promise so much less, as a share of the point, are drawn e times as rarely."""
LIGHT = 2
"""A table with more robots tries as many orders fewer as each turn moves more of them."""

Profile = dict[Seat, Order]


class Reply(NamedTuple):
    """Orders of the others in the world of that number, and how much of the time plain players give them.

    The shares of a world come to 1.
    """

    world: int
    orders: Profile
    share: float


def order(view: RoboxingState, seat: Seat, rng: Random) -> Order:
    """An order drawn from a mix; to build, a robot that can go and shoot everywhere."""
    if not view.layouts:
        return " ".join(_build(rng) for _ in view.ring.team[seat])
    share, worlds, replies = _guessed(view, seat, rng)
    rows = _rows(worlds, replies, seat, rng, int(OWN / share))
    matrix = [[_tried(worlds, reply, seat, row) for reply in replies] for row in rows]
    if len(view.to_act()) == 2:
        return rng.choices(rows, _matched(matrix, replies))[0]
    means = [sum(row) / len(row) for row in matrix]
    return rng.choices(rows, [exp((mean - max(means)) / HEAT) for mean in means])[0]


def _guessed(view: RoboxingState, seat: Seat, rng: Random) -> tuple[float, list[RoboxingState], list[Reply]]:
    """Worlds that fit what the seat knows, and what the others may do in each.

    The first is by how much less is looked at where there are many pieces.
    """
    share = max(1.0, view.pieces() / LIGHT)
    worlds = view.worlds(rng, WORLDS)
    replies = [
        reply
        for number, world in enumerate(worlds)
        for reply in _replies(number, world, seat, rng, int(REPLIES / share))
    ]
    return share, worlds, replies


def judge(state: RoboxingState, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Each order beside the best one found: on what was true, and on what its player could know.

    The robots that were built are not judged.
    """
    if not state.layouts or orders.keys() != state.to_act():
        return None
    return Review({seat: _judged(state, orders, seat, rng) for seat in sorted(orders)}, {})


def _judged(state: RoboxingState, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> Judged:
    own, view = orders[seat], state.view(seat)
    then = _judged_then(view, seat, own, rng)
    tried = {own: _worth(state, dict(orders), seat)}
    for idea in (*view.ideas(seat, rng, OWN), then.best):
        tried[idea] = _worth(state, {**orders, seat: idea}, seat)
    best = max(tried, key=lambda idea: tried[idea])  # the first of equals is the player's own
    return Judged(own, tried[own], best, tried[best], then=then)


def _judged_then(view: RoboxingState, seat: Seat, own: Order, rng: Random) -> Judged:
    """The order beside the best one, on average over worlds that fit what its player knew."""
    share, worlds, replies = _guessed(view, seat, rng)
    rows = [own, *_rows(worlds, replies, seat, rng, int(OWN / share))]
    sure = _sure(view, seat, rows)
    if sure and own not in sure:
        rows.append(sure[0])
    means = {row: sum(_tried(worlds, reply, seat, row) for reply in replies) / len(replies) for row in rows}
    best = max(sure or means, key=lambda row: means[row])
    if own in sure:
        best = own
    return Judged(own, means[own], best, 1.0 if sure else means[best], sure=bool(sure) and own not in sure)


def _sure(view: RoboxingState, seat: Seat, rows: Sequence[Order]) -> list[Order]:
    """Those of the orders that win for certain, whatever the enemy does: in a fight of two robots."""
    if len(view.squares) != len(view.seats) or len(view.seats) != 2:
        return []
    sure = SureHits(view, seat)
    return [row for row in rows if sure.wins(row)] if sure.fatal else []


is_content = quick.is_content


def _build(rng: Random) -> str:
    """The booster in the centre, lasers in the corners and engines at the sides, or the other way around.

    Either way it goes and shoots everywhere until it has lost some (X8), and the letters tell nothing.
    """
    return built("".join(rng.sample(LETTERS, len(LETTERS))), rng.choice(BUILDS)).text


def _replies(number: int, world: RoboxingState, seat: Seat, rng: Random, count: int) -> list[Reply]:
    """Orders of the others in a world: for each of them some that do well against chance, and another."""
    acting = sorted(world.to_act())
    pools, plain = {}, [1.0]
    for other in acting:
        if other != seat:
            rest = [one for one in acting if one != other]
            trials = [{one: world.sample(one, rng) for one in rest} for _ in range(AGAINST)]
            hopes = {
                idea: sum(_worth(world, {**trial, other: idea}, other) for trial in trials)
                for idea in world.ideas(other, rng, count)
            }
            best = sorted(hopes, key=lambda idea: -hopes[idea])[:KEPT]
            pools[other] = [*best, world.sample(other, rng)]
            plain = [exp((hopes[idea] - hopes[best[0]]) / (AGAINST * SLACK)) for idea in best] + [0.0]
    most = max(map(len, pools.values()))
    if len(pools) > 1:
        plain = [1.0] * most
    profiles = [{other: pool[i % len(pool)] for other, pool in pools.items()} for i in range(most)]
    return [Reply(number, orders, share / sum(plain)) for orders, share in zip(profiles, plain, strict=True)]


def _rows(
    worlds: Sequence[RoboxingState], replies: Sequence[Reply], seat: Seat, rng: Random, count: int
) -> list[Order]:
    """The orders that do best against some of the replies."""
    ideas = worlds[0].ideas(seat, rng, count)
    rng.shuffle(ideas)
    trials = rng.sample(replies, min(FIRST, len(replies)))
    hopes = {idea: sum(_tried(worlds, reply, seat, idea) for reply in trials) for idea in ideas}
    return sorted(ideas, key=lambda idea: -hopes[idea])[:ROWS]


def _matched(matrix: list[list[float]], replies: Sequence[Reply]) -> list[float]:
    """The average mix of regret matching (RM+) over rows, where an opponent mixes in each world apart.

    For TRUST of the time the opponent is plain, and does not adapt.
    """
    columns = list(zip(*matrix, strict=True))
    plain = [sum(a * reply.share for a, reply in zip(row, replies, strict=True)) for row in matrix]
    worlds = [reply.world for reply in replies]
    own, total = [0.0] * len(matrix), [0.0] * len(matrix)
    theirs = [0.0] * len(columns)
    groups = [[j for j, w in enumerate(worlds) if w == world] for world in sorted(set(worlds))]
    for number in range(1, ROUNDS + 1):
        mix = _positive(own)
        values = [sum(a * p for a, p in zip(column, mix, strict=True)) for column in columns]
        reply = [0.0] * len(columns)
        for group in groups:
            shares = _positive([theirs[j] for j in group])
            mean = sum(values[j] * share for j, share in zip(group, shares, strict=True))
            for j, share in zip(group, shares, strict=True):
                reply[j] = share
                theirs[j] = max(0.0, theirs[j] + mean - values[j])
        gains = [
            TRUST * hope + (1 - TRUST) * sum(a * q for a, q in zip(row, reply, strict=True))
            for row, hope in zip(matrix, plain, strict=True)
        ]
        mean = sum(gain * share for gain, share in zip(gains, mix, strict=True))
        own = [max(0.0, regret + gain - mean) for regret, gain in zip(own, gains, strict=True)]
        total = [weight + number * share for weight, share in zip(total, mix, strict=True)]
    return total


def _positive(regrets: Sequence[float]) -> list[float]:
    total = sum(regrets)
    return [r / total for r in regrets] if total else [1 / len(regrets)] * len(regrets)


def _tried(worlds: Sequence[RoboxingState], reply: Reply, seat: Seat, own: Order) -> float:
    return _worth(worlds[reply.world], {**reply.orders, seat: own}, seat)


def _worth(world: RoboxingState, orders: Profile, seat: Seat) -> float:
    """How much of the point the seat may hope for after these orders."""
    *_, after = world.play(orders)
    return after.evaluate(seat)

"""A search of Roboxing: its orders against what others may do in worlds that fit what is known.

Turns are tried as numbers (`games/roboxing/bout.py`), two robots and more in searches of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from games.core import Judged, Order, Review, Seat
from games.players import quick
from games.players.thorough import many_robots, two_robots
from games.roboxing.bout import brawl
from games.roboxing.robot import BOOSTER, ENGINE, LASER, LETTERS, built
from games.roboxing.state import RoboxingState
from games.roboxing.sure_hits import SureHits

OTHERS = 600
"""How many other orders an order that was played is compared with."""
BUILDS = tuple(f"{c}{s}{c}{s}{BOOSTER}{s}{c}{s}{c}" for c, s in ((LASER, ENGINE), (ENGINE, LASER)))
"""What sits in the nine slots, row by row from the north-west."""

is_content = quick.is_content


def order(view: RoboxingState, seat: Seat, rng: Random) -> Order:
    """An order drawn from a mix; to build, a robot that can go and shoot everywhere."""
    if not view.layouts:
        return " ".join(_build(rng) for _ in view.ring.team[seat])
    return _search(view, seat, rng).order()


def _search(view: RoboxingState, seat: Seat, rng: Random) -> two_robots.Search | many_robots.Search:
    search = two_robots.Search if view.pieces() == 2 else many_robots.Search
    return search(view, seat, rng)


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
    boxers, acts = many_robots.played(state, orders)
    mine = many_robots.boxers_of(state, boxers, seat)
    tried = {
        idea: brawl(boxers, state.ring.owners, {**acts, **many_robots.acts_of(mine, idea)}, seat)
        for idea in (own, *view.ideas(seat, rng, OTHERS), then.best)
    }
    best = max(tried, key=lambda idea: tried[idea])  # the first of equals is the player's own
    return Judged(own, tried[own], best, tried[best], then=then)


def _judged_then(view: RoboxingState, seat: Seat, own: Order, rng: Random) -> Judged:
    """The order beside the best one, on average over worlds that fit what its player knew."""
    search = _search(view, seat, rng)
    rows = [own, *search.best()]
    sure = _sure(view, seat, rows)
    if sure and own not in sure:
        rows.append(sure[0])
    means = {row: search.hope(row) for row in rows}
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


def _build(rng: Random) -> str:
    """The booster in the centre, lasers in the corners and engines at the sides, or the other way around.

    Either way it goes and shoots everywhere until it has lost some (X8), and the letters tell nothing.
    """
    return built("".join(rng.sample(LETTERS, len(LETTERS))), rng.choice(BUILDS)).text

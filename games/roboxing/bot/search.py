"""The search for Roboxing, which tries orders against likely orders of the others in possible worlds.

There is one search for fights of two robots, and another for fights of more, both on the model of `bout.py`.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

from games import search as quick
from games.core import Judged, Order, Review, Seat
from games.roboxing.bot import is_sound, many_robots, two_robots
from games.roboxing.bot.bout import brawl
from games.roboxing.bot.sure_hits import SureHits
from games.roboxing.robot import BOOSTER, CENTRE, ENGINE, LASER, LETTERS, SLOTS, built, in_zone
from games.roboxing.rules import Position

OTHERS = 600
"""The maximum number of other orders with which a played order is compared in a review."""
CORNERS, SIDES = (0, 2, 6, 8), (1, 3, 5, 7)
"""The slots of a robot that face diagonally, and the slots that face straight (ruling X1)."""
OPEN = 1
"""The most of the eight directions between straight and diagonal that the lasers leave uncovered."""

is_content = quick.is_content


def order(view: Position, seat: Seat, rng: Random) -> Order:
    if not view.layouts:
        return " ".join(_build(rng) for _ in view.ring.team[seat])
    return _search(view, seat, rng).order()


def _search(view: Position, seat: Seat, rng: Random) -> two_robots.Search | many_robots.Search:
    search = two_robots.Search if view.pieces() == 2 else many_robots.Search
    return search(view, seat, rng)


def judge(state: Position, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Reviews orders against the best found, in truth and as their players saw it; None before the fight."""
    if not state.layouts or orders.keys() != state.to_act():
        return None
    return Review({seat: _judge_order(state, orders, seat, rng) for seat in sorted(orders)}, {})


def _judge_order(state: Position, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> Judged:
    own, view = orders[seat], state.view(seat)
    then = _judge_with_knowledge_then(view, seat, own, rng)
    boxers, acts = many_robots.played(state, orders)
    mine = many_robots.boxers_of(state, boxers, seat)
    tried = {
        idea: brawl(boxers, state.ring.owners, {**acts, **many_robots.acts_of(mine, idea)}, seat)
        for idea in (own, *view.ideas(seat, rng, OTHERS), then.best)
    }
    best = max(tried, key=lambda idea: tried[idea])  # the player's own order comes first among equals
    return Judged(own, tried[own], best, tried[best], with_knowledge_then=then)


def _judge_with_knowledge_then(view: Position, seat: Seat, own: Order, rng: Random) -> Judged:
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


def _sure(view: Position, seat: Seat, rows: Sequence[Order]) -> list[Order]:
    if len(view.squares) != len(view.seats) or len(view.seats) != 2:
        return []
    sure = SureHits(view, seat)
    return [row for row in rows if sure.wins(row)] if sure.fatal else []


def _families() -> tuple[tuple[str, ...], ...]:
    """Returns the robots that the bot may build, grouped by the lasers in their diagonal slots."""
    families: dict[int, list[str]] = {}
    for slots in combinations(sorted(CORNERS + SIDES), 4):
        parts = "".join(
            BOOSTER if slot == CENTRE else LASER if slot in slots else ENGINE for slot in range(len(SLOTS))
        )
        if _open(slots) <= OPEN and is_sound(built(LETTERS, parts)):
            families.setdefault(len(set(slots) & set(CORNERS)), []).append(parts)
    return tuple(tuple(builds) for _, builds in sorted(families.items()))


def _open(slots: Sequence[int]) -> int:
    """Returns how many of eight directions the lasers in `slots` leave uncovered (ruling X8)."""
    ways = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)]
    return sum(not any(in_zone(slot, *way) for slot in slots) for way in ways)


FAMILIES = _families()
"""The parts of the robots that the bot may build, in the groups of `_families`."""


def _build(rng: Random) -> str:
    return built("".join(rng.sample(LETTERS, len(LETTERS))), rng.choice(rng.choice(FAMILIES))).text

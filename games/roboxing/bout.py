"""A fight of two robots as numbers, for programs that try many thousands of turns.

It gives what `Position.play` gives, without a position for every turn; `tests/games/test_roboxing_bout.py`
compares the two. What a position is worth is a fit to how 2,000 fights of quick players ended.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import NamedTuple

from games.core import Order
from games.roboxing.dead_fights import COVERED, Squares, can_hit, roaming
from games.roboxing.orders import legs_of
from games.roboxing.ring import At
from games.roboxing.robot import BIT, COUNT, FAR, IN_MASK, Layout, Mask, reach

Zone = dict[int, int]

PARTS = (
    ((-0.8, -0.7), (-1.0, -0.9), (-1.1, -0.9), (-1.3, -0.7)),
    ((-1.5, -0.9), (-0.6, -0.4), (-0.3, 0.1), (-0.3, 0.5)),
    ((-0.9, -0.4), (-0.2, 0.5), (0.6, 1.1), (0.6, 1.6)),
    ((-0.6, 0.1), (0.2, 1.2), (0.9, 2.1), (1.5, 2.7)),
)
"""What a robot's parts are worth: by lasers and engines less one, and without and with its booster."""
COVERS, FINDS, SPACE = 0.3, 0.65, 1.2
"""What it is worth to cover the enemy, to be able to come where it would, and from how much of the ring."""
IDLE = 0.2
"""What is left of all that where neither can hit the other on the square where it stands."""
SIDE = 9
"""A square's number has at most so many bits."""


class Act(NamedTuple):
    """An order of a robot: where it goes, what its turret covers from there and how far, and the target."""

    to: At
    zone: Zone
    far: int
    bit: Mask


class Shape:
    """A robot with some of its parts destroyed, wherever it stands."""

    __slots__ = ("down", "inside", "parts", "reach", "roams", "slots", "stands", "ways")

    def __init__(self, inside: Squares, layout: Layout, gone: Mask) -> None:
        self.inside = inside
        self.down = layout.down(gone)
        """Whether it is knocked out (X11); nothing else is asked of it then."""
        self.ways = tuple(sorted(layout.steps[letter] for letter in IN_MASK[layout.movers & ~gone]))
        self.slots = tuple(sorted(map(layout.slot, IN_MASK[layout.lasers & ~gone])))
        self.reach = reach(layout, gone, 0)
        self.roams: dict[At, Squares] = {}
        self.stands: dict[int, tuple[float, bool]] = {}
        if not self.down:
            lasers, engines = COUNT[layout.lasers & ~gone], COUNT[layout.engines & ~gone]
            self.parts = PARTS[lasers - 1][engines - 1][layout.booster & ~gone > 0]

    def reaches(self, at: At) -> Squares:
        """The squares to which it can ever come."""
        found = self.roams.get(at)
        if found is None:
            found = self.roams[at] = roaming(self.inside, at, self.ways)
        return found

    def stand(self, at: At, there: At) -> tuple[float, bool]:
        """What it is worth on a square with the enemy on another, and whether it can ever hit it there."""
        key = at << SIDE | there
        found = self.stands.get(key)
        if found is None:
            aims = 0
            for slot in self.slots:
                aims |= _covering(slot, self.reach, there)
            here = aims & self.reaches(at)
            worth = self.parts + SPACE * (here.bit_count() / self.inside.bit_count()) ** 0.5
            if here:
                worth += FINDS + COVERS * (here >> at & 1)
            found = self.stands[key] = worth, here > 0
        return found


@lru_cache(maxsize=1 << 15)
def _covering(slot: int, within: int, there: At) -> Squares:
    """The squares from which a turret in that slot covers a square; some may lie outside of the ring."""
    return sum(1 << there - by for by in COVERED[slot][within] if there >= by)


class Boxer:
    """A robot of a known layout, as it stands before a turn."""

    __slots__ = ("at", "gone", "inside", "keeps", "layout", "shapes")

    def __init__(self, inside: Squares, layout: Layout, at: At, gone: Mask, keeps: float = 1.0) -> None:
        self.inside, self.layout, self.at, self.gone = inside, layout, at, gone
        self.keeps = keeps
        """What a turn without a hit leaves of being ahead or behind."""
        self.shapes: dict[Mask, Shape] = {}

    def act(self, order: Order) -> Act:
        """Its canonical order, taken apart."""
        move, _, shot = order.partition(" ")
        layout, at, moved = self.layout, self.at, 0
        if move != "-":
            for letter, n in legs_of(move):
                at += layout.steps[letter] * n
                moved += n
        if not shot:
            return Act(at, {}, 0, 0)
        return Act(at, layout.zones[shot[0]], reach(layout, self.gone, moved), BIT[shot[-1]])

    def shape(self, gone: Mask) -> Shape:
        found = self.shapes.get(gone)
        if found is None:
            found = self.shapes[gone] = Shape(self.inside, self.layout, gone)
        return found


def clash(one: Boxer, other: Boxer, act: Act, reply: Act) -> float:
    """What `one` may hope for after a turn of these two orders, as a share of the point."""
    to, zone, far, bit = act
    its_to, its_zone, its_far, its_bit = reply
    by = its_to - to
    gone = one.gone | its_bit if its_zone.get(-by, FAR) <= its_far else one.gone
    its_gone = other.gone | bit if zone.get(by, FAR) <= far else other.gone
    mine = one.shapes.get(gone) or one.shape(gone)
    its = other.shapes.get(its_gone) or other.shape(its_gone)
    if mine.down or its.down:
        return 0.5 if mine.down and its.down else float(its.down)
    if gone == one.gone and its_gone == other.gone:
        return 0.5 + (worth(mine, its, to, its_to) - 0.5) * one.keeps
    return worth(mine, its, to, its_to)


def worth(mine: Shape, its: Shape, at: At, there: At) -> float:
    """What a robot on `at` may hope for against one on `there`; half where nobody can hit any more (X13)."""
    own, finds = mine.stands.get(at << SIDE | there) or mine.stand(at, there)
    other, found = its.stands.get(there << SIDE | at) or its.stand(there, at)
    ahead = own - other
    if not (finds or found):
        here, hers = mine.reaches(at), its.reaches(there)
        if not (
            can_hit(here, mine.slots, mine.reach, hers) or can_hit(hers, its.slots, its.reach, here)
        ):
            return 0.5
        ahead *= IDLE
    return 1 / (1 + exp(-ahead))

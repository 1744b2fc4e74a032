"""A fast model of a fight in plain numbers, for bots that try many thousands of turns.

It gives the same results as `Position.play`, but builds no position. The estimates of values are fitted to
the results of 2,000 fights between quick bots.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, sqrt
from typing import NamedTuple

from games.core import Order, Seat
from games.roboxing.bot import for_passive_turns
from games.roboxing.dead_fights import COVERED, Squares, can_hit, spreading
from games.roboxing.orders import legs_of
from games.roboxing.ring import OFF, At, Fields
from games.roboxing.robot import BIT, COUNT, FAR, IN_MASK, Layout, Mask, reach

Zone = dict[int, int]
NOWHERE: Zone = {}

PARTS = (
    ((-0.8, -0.7), (-1.0, -0.9), (-1.1, -0.9), (-1.3, -0.7)),
    ((-1.5, -0.9), (-0.6, -0.4), (-0.3, 0.1), (-0.3, 0.5)),
    ((-0.9, -0.4), (-0.2, 0.5), (0.6, 1.1), (0.6, 1.6)),
    ((-0.6, 0.1), (0.2, 1.2), (0.9, 2.1), (1.5, 2.7)),
)
"""The value of a robot's intact parts: PARTS[lasers - 1][engines - 1][boosters]."""
COVERS, FINDS, SPACE, STEP = 0.1, 0.9, 1.2, 0.07
"""The values, on the scale of PARTS, of covering an enemy now, of being able to move to a square that covers
it, and of the root of the share of such squares; and the cost of each step to the nearest."""
IDLE = 0.2
"""The factor of a lead if no robot can hit an enemy that stays; if no robot can ever hit, it is 0."""
ONE, OTHER = Seat("A"), Seat("B")
DIGITS = 9
"""The decimal places of exponentials, whose last digits may differ between machines."""
SQUARE_BITS = 9
"""The number of bits that hold a square's number."""


class ParsedOrder(NamedTuple):
    """A parsed order of a robot: the square after its move and, with a shot, what fires at whom.

    `zone` has the offsets that the laser covers, `far` is its reach, `bit` stands for the target letter.
    """

    to: At
    zone: Zone
    far: int
    target: int
    bit: Mask


class DamagedRobot:
    __slots__ = ("down", "inside", "parts", "reach", "slots", "spreads", "values", "ways")

    def __init__(self, inside: Squares, layout: Layout, gone: Mask) -> None:
        self.inside = inside
        self.down = layout.down(gone)
        """A flag: True if the robot is knocked out (ruling X11). Its other attributes are then not used."""
        self.ways = tuple(sorted(layout.steps[letter] for letter in IN_MASK[layout.movers & ~gone]))
        self.slots = tuple(sorted(map(layout.slot, IN_MASK[layout.lasers & ~gone])))
        self.reach = reach(layout, gone, 0)
        self.spreads: dict[At, tuple[Squares, ...]] = {}
        self.values: dict[int, tuple[float, bool]] = {}
        if not self.down:
            lasers, engines = COUNT[layout.lasers & ~gone], COUNT[layout.engines & ~gone]
            self.parts = PARTS[lasers - 1][engines - 1][layout.booster & ~gone > 0]

    def spread(self, at: At) -> tuple[Squares, ...]:
        """Returns a tuple whose entry n has the squares at most n single steps away from `at`, as bits."""
        found = self.spreads.get(at)
        if found is None:
            found = self.spreads[at] = spreading(self.inside, at, self.ways)
        return found

    def reaches(self, at: At) -> Squares:
        return self.spread(at)[-1]

    def aims(self, there: At) -> Squares:
        """Returns the squares, some outside the ring, from which a laser would cover `there`."""
        found = 0
        for slot in self.slots:
            found |= _covering(slot, self.reach, there)
        return found

    def steps(self, at: At, there: At) -> int | None:
        """Returns the number of steps to the nearest square from which it can hit `there`, or None."""
        spread = self.spread(at)
        here = self.aims(there) & spread[-1]
        return _steps(spread, here) if here else None

    def value_against(self, at: At, there: At) -> tuple[float, bool]:
        """Returns the robot's value on `at`, and True if it can ever hit an enemy that stays on `there`."""
        key = at << SQUARE_BITS | there
        found = self.values.get(key)
        if found is None:
            spread = self.spread(at)
            here = self.aims(there) & spread[-1]
            value = self.parts + SPACE * sqrt(here.bit_count() / self.inside.bit_count())
            if here:
                value += FINDS + COVERS * (here >> at & 1) - STEP * _steps(spread, here)
            found = self.values[key] = value, here > 0
        return found


@lru_cache(maxsize=1 << 15)
def _covering(slot: int, within: int, there: At) -> Squares:
    return sum(1 << there - by for by in COVERED[slot][within] if there >= by)


def _steps(spread: Sequence[Squares], to: Squares) -> int:
    return next(steps for steps, squares in enumerate(spread) if squares & to)


class Boxer:
    """A robot as it is at the start of a turn; its layout is known or assumed."""

    __slots__ = ("at", "by_damage", "gone", "keeps", "layout", "ring", "target")

    def __init__(self, state: Fields, i: int, layout: Layout, keeps: float = 1.0) -> None:
        self.ring, self.at, self.gone, self.layout = state.ring, state.squares[i], state.gone[i], layout
        self.keeps = keeps
        """The factor by which a lead, positive or negative, is multiplied after a turn without a hit."""
        self.target = 1 - i
        """The index of the enemy in a fight of two robots; in other fights, it is not used."""
        self.by_damage: dict[Mask, DamagedRobot] = {}

    def act(self, order: Order) -> ParsedOrder:
        """Parses an order of this robot in canonical form, such as `a2+d1 g e`."""
        move, _, shot = order.partition(" ")
        layout, at, moved = self.layout, self.at, 0
        if move != "-":
            for letter, n in legs_of(move):
                at += layout.steps[letter] * n
                moved += n
        if not shot:
            return ParsedOrder(at, NOWHERE, 0, 0, 0)
        target = self.target if self.ring.is_one_on_one else self.ring.index[shot[2:4]]
        return ParsedOrder(at, layout.zones[shot[0]], reach(layout, self.gone, moved), target, BIT[shot[-1]])

    def damaged(self, gone: Mask) -> DamagedRobot:
        found = self.by_damage.get(gone)
        if found is None:
            found = self.by_damage[gone] = DamagedRobot(self.ring.inside, self.layout, gone)
        return found


def clash(one: Boxer, other: Boxer, act: ParsedOrder, reply: ParsedOrder) -> float:
    """Returns the share of the point (0 to 1) that the robot `one` may expect after a turn."""
    to, zone, far, _, bit = act
    its_to, its_zone, its_far, _, its_bit = reply
    by = its_to - to
    gone = one.gone | its_bit if its_zone.get(-by, FAR) <= its_far else one.gone
    its_gone = other.gone | bit if zone.get(by, FAR) <= far else other.gone
    mine = one.by_damage.get(gone) or one.damaged(gone)
    its = other.by_damage.get(its_gone) or other.damaged(its_gone)
    if mine.down or its.down:
        return 0.5 if mine.down and its.down else float(its.down)
    own, finds = mine.values.get(to << SQUARE_BITS | its_to) or mine.value_against(to, its_to)
    that, found = its.values.get(its_to << SQUARE_BITS | to) or its.value_against(its_to, to)
    ahead = own - that
    if not (finds or found):
        ahead *= 0.0 if is_over([(ONE, mine, to), (OTHER, its, its_to)]) else IDLE
    share = round(1 / (1 + exp(-ahead)), DIGITS)
    if gone == one.gone and its_gone == other.gone:
        return 0.5 + (share - 0.5) * one.keeps
    return share


RobotInRing = tuple[Seat, DamagedRobot, At]
"""A robot that is still in the ring: its owner, its abilities, and its square."""


def evaluate(state: Fields, seat: Seat) -> float:
    """Returns the share of the point (0 to 1) that a player may expect in a fight of known robots."""
    if not state.layouts:
        return 1 / len(state.standing)
    inside, owners = state.ring.inside, state.ring.owners
    robots = [(i, at) for i, at in enumerate(state.squares) if at != OFF]
    hopes = shares(
        [(owners[i], damaged_robot(inside, state.layout(i), state.gone[i]), at) for i, at in robots]
    )
    for i, _ in robots:
        hopes[owners[i]] *= for_passive_turns(state, i)
    return hopes.get(seat, 0.0) / sum(hopes.values())


damaged_robot = lru_cache(maxsize=1 << 9)(DamagedRobot)


def is_over(robots: Sequence[RobotInRing]) -> bool:
    """Returns True if none of these robots can ever hit an enemy again (ruling X13)."""
    for owner, robot, at in robots:
        roams = robot.reaches(at)
        for other, its, there in robots:
            if other != owner and can_hit(roams, robot.slots, robot.reach, its.reaches(there)):
                return False
    return True


def brawl(
    robots: Mapping[int, Boxer], owners: Sequence[Seat], acts: Mapping[int, ParsedOrder], seat: Seat
) -> float:
    """Returns the share of the point (0 to 1) that `seat` may expect after a turn of a fight."""
    gone = {i: boxer.gone for i, boxer in robots.items()}
    hit = False
    for to, zone, far, target, bit in acts.values():
        if bit and zone.get(acts[target].to - to, FAR) <= far:
            gone[target] |= bit
            hit = True
    standing = []
    for i, boxer in robots.items():
        robot = boxer.by_damage.get(gone[i]) or boxer.damaged(gone[i])
        if not robot.down:
            standing.append((owners[i], robot, acts[i].to))
    before = {owners[i] for i in robots}
    left = {owner for owner, _, _ in standing}
    if len(left) <= 1:
        left = left or before
        return 1 / len(left) if seat in left else 0.0
    hope = shares(standing).get(seat, 0.0)
    if hit or seat not in left:
        return hope
    even = 1 / len(left)
    return even + (hope - even) * next(iter(robots.values())).keeps


def shares(standing: Sequence[RobotInRing]) -> dict[Seat, float]:
    """Returns the share of the point (0 to 1) that each player may expect, by seat."""
    values, finding = [], False
    for owner, robot, at in standing:
        total, count = 0.0, 0
        for other, _, there in standing:
            if other != owner:
                value, finds = robot.values.get(at << SQUARE_BITS | there) or robot.value_against(at, there)
                total += value
                finding = finding or finds
                count += 1
        values.append(total / count)
    scale = 1.0 if finding else 0.0 if is_over(standing) else IDLE
    weights = [round(exp(value * scale), DIGITS) for value in values]
    every = sum(weights)
    found: dict[Seat, float] = {}
    for (owner, _, _), weight in zip(standing, weights, strict=True):
        found[owner] = found.get(owner, 0.0) + weight / every
    if scale:
        return found
    return dict.fromkeys(found, 1 / len(found))

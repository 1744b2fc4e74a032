"""The value of a position of Roboxing; in its modules, the searches that bots and reviews use."""

from collections.abc import Iterable
from functools import lru_cache

from games.core import Seat
from games.roboxing.ring import OFF, At, Fields
from games.roboxing.robot import BIT, CENTRE, COUNT, FAR, IN_MASK, ZONES, Layout, Mask, reach, towards

PASSIVE, MANY = 0.9, 5
"""A share counts PASSIVE to the power of n² after n turns in a row without a move or a hit, at most MANY."""


def for_passive_turns(state: Fields, i: int) -> float:
    """Returns the factor (0 to 1) of the share of robot `i` for its passive turns (PASSIVE)."""
    turns = 0
    for cause in reversed(state.past[-MANY:]):
        if cause.before[i] != cause.after[i] or cause.hits[i]:
            break
        turns += 1
    return PASSIVE**turns**2


AIMS = 0.4
"""The value of covering an enemy with some laser, as a fraction of the value of the robot's parts."""
NEARLY, A_STEP = 0.6, 0.05
"""The part that counts for an enemy beyond a laser's reach: NEARLY, less A_STEP for each square beyond it."""
BESIDE = 0.2
"""The fraction of AIMS for an enemy in no laser's quarter, before it is divided by 1 plus the distance."""
ROAMS = 0.6
"""The value of being able to move into all four quarters, as a fraction of the value of the robot's parts."""


def evaluate(state: Fields, seat: Seat) -> float:
    if not state.layouts:
        return 1 / len(state.standing)
    inside, owners, squares = state.ring.inside, state.ring.owners, state.squares
    own = every = 0.0
    for i, at in enumerate(squares):
        if at != OFF:
            robot = robot_value(inside, state.layout(i), state.gone[i])
            aims, owner = robot.aims, owners[i]
            found = 0.0
            for there, other in zip(squares, owners, strict=True):
                if there != OFF and other != owner:
                    found += aims[there - at]
            strength = robot.parts * (1 + AIMS * found + ROAMS * robot.roams[at])
            strength *= for_passive_turns(state, i)
            every += strength
            if owner == seat:
                own += strength
    return own / every


class RobotValue:
    __slots__ = ("aims", "parts", "roams")

    def __init__(self, inside: int, layout: Layout, gone: Mask) -> None:
        lasers, engines = COUNT[layout.lasers & ~gone], COUNT[layout.engines & ~gone]
        parts = min(lasers, engines) * 2 + lasers + engines + (layout.booster & ~gone > 0)
        self.parts = parts * parts
        """The value of the intact parts. The nearer a knockout is, the lower the value is (ruling X11)."""
        self.aims = Aims(layout, gone)
        self.roams = Roams(inside, layout, gone)


class Aims(dict[int, float]):
    """The degree (0 to 1) to which a robot's lasers cover an enemy, by the enemy's offset (a cache)."""

    def __init__(self, layout: Layout, gone: Mask) -> None:
        self.within = reach(layout, gone, 0)
        self.zones = [zone for letter, zone in layout.zones.items() if not gone & BIT[letter]]

    def __missing__(self, by: int) -> float:
        far = min(zone.get(by, FAR) for zone in self.zones)
        if far <= self.within:
            aim = 1.0
        elif far < FAR:
            aim = max(0.0, NEARLY - (far - self.within) * A_STEP)
        else:
            aim = BESIDE / (1 + ZONES[CENTRE].get(by, 0))
        self[by] = aim
        return aim


class Roams(dict[At, float]):
    """The share of the quarters around a robot into which its engines lead, by square (a cache)."""

    def __init__(self, inside: int, layout: Layout, gone: Mask) -> None:
        self.inside, self.layout = inside, layout
        self.movers = IN_MASK[layout.movers & ~gone]

    def __missing__(self, at: At) -> float:
        beside = {letter: at + self.layout.steps[letter] for letter in self.movers}
        free = [letter for letter, to in beside.items() if to >= 0 and self.inside >> to & 1]
        self[at] = share = _quarters(self.layout, free) / 4
        return share


robot_value = lru_cache(maxsize=1 << 11)(RobotValue)


def is_sound(layout: Layout) -> bool:
    """Returns True if a robot's engines lead into all four quarters around the robot."""
    return _quarters(layout, IN_MASK[layout.movers]) == 4


def _quarters(layout: Layout, engines: Iterable[str]) -> int:
    ways = [towards(layout.slot(letter)) for letter in engines]
    return sum(any(x * east >= 0 <= y * north for x, y in ways) for east in (1, -1) for north in (1, -1))

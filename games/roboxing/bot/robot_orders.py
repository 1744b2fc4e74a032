"""The orders of a robot that are worth trying in a fight of two robots.

Each move is a shortest path. Each shot can hit where the enemy may be, at a letter whose loss would knock it
out, if one is known.
"""

from collections.abc import Iterator
from itertools import groupby
from random import Random

from games.core import Order
from games.roboxing.bot.sure_hits import fatal
from games.roboxing.dead_fights import Squares, can_hit, spreading
from games.roboxing.deduction import Guesses
from games.roboxing.orders import STAY
from games.roboxing.ring import At
from games.roboxing.robot import ALL, BIT, CENTRE, IN_MASK, STEPS, Layout, Mask, longest, reach
from games.roboxing.rules import Position


class Chances:
    """The squares where a robot's enemy may be, and the letters of the enemy that are worth aiming at."""

    def __init__(self, view: Position, robot: int, enemy: int) -> None:
        self.view, self.robot, self.enemy = view, robot, enemy
        self.guesses = Guesses(view, enemy)
        self.squares = may_stand(view, enemy, self.guesses)
        self.fatal = fatal(self.guesses.fitting, view.gone[enemy])

    def orders(self, shown: Mask, rng: Random) -> list[Order]:
        """Returns orders for each square in reach: to move there, also with each sensible shot."""
        view, layout, gone = self.view, self.view.layout(self.robot), self.view.gone[self.robot]
        targets = self._targets(rng)
        orders = []
        for path, at in paths(view, self.robot, shown):
            move, far = written(path), reach(layout, gone, len(path))
            orders.append(move)
            for turret in self.turrets(layout, gone, at, far):
                orders += [f"{move} {turret} {target}" for target in targets]
        return orders

    def turrets(self, layout: Layout, gone: Mask, at: At, far: int) -> list[str]:
        """Returns the lasers that would cover, from `at`, a square where the enemy may be (X8)."""
        lasers = IN_MASK[layout.lasers & ~gone]
        return [one for one in lasers if can_hit(1 << at, (layout.slot(one),), far, self.squares)]

    def _targets(self, rng: Random) -> list[str]:
        ring, known = self.view.ring, self.guesses.known
        seen = known.movers | known.turrets
        letters = IN_MASK[self.fatal]
        if not letters:
            hidden = IN_MASK[ALL & ~known.gone & ~seen]
            letters = IN_MASK[seen & ~known.gone] + (rng.choice(hidden) if hidden else "")
        return [letter if ring.is_one_on_one else f"{ring.names[self.enemy]}:{letter}" for letter in letters]


def may_stand(view: Position, robot: int, guesses: Guesses) -> Squares:
    """Returns the squares where a robot may be after this turn; some may be out of reach (ruling X4)."""
    gone, found = view.gone[robot], 0
    ways = set()
    for kinds in guesses.fitting:
        allowed = guesses.allowed(kinds)
        slots = {slot for letter in IN_MASK[kinds.engines & ~gone] for slot in allowed[letter]}
        ways.add((tuple(sorted(STEPS[slot] for slot in slots if slot != CENTRE)), longest(kinds, gone)))
    for steps, most in ways:
        spread = spreading(view.ring.inside, view.squares[robot], steps)
        found |= spread[min(most, len(spread) - 1)]
    return found


def paths(view: Position, robot: int, shown: Mask) -> Iterator[tuple[str, At]]:
    """Yields a shortest path of a robot to each square in reach, together with the square."""
    layout, gone, room = view.layout(robot), view.gone[robot], view.ring.room
    movers = IN_MASK[layout.movers & ~gone]
    found: set[At] = set()
    edge = {view.squares[robot]: ""}
    for _ in range(longest(layout, gone) + 1):
        found |= edge.keys()
        yield from ((path, at) for at, path in edge.items())
        beyond: dict[At, list[str]] = {}
        for at, path in edge.items():
            for letter in movers:
                to = at + layout.steps[letter]
                if room[layout.steps[letter]][at] and to not in found:
                    beyond.setdefault(to, []).append(path + letter)
        edge = {to: min(ways, key=lambda path: _cost(path, shown)) for to, ways in beyond.items()}


def _cost(path: str, shown: Mask) -> tuple[int, int]:
    """Returns a sort key for paths: the number of engines revealed, then that of legs."""
    return sum(not BIT[letter] & shown for letter in set(path)), sum(1 for _ in groupby(path))


def written(path: str) -> Order:
    """Writes a path of single steps as a move in the game's notation: `aab` becomes `a2+b1`."""
    return "+".join(f"{letter}{len(list(steps))}" for letter, steps in groupby(path)) or STAY

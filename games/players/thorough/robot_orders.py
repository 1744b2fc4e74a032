"""The orders of a robot that are worth trying in a fight of two robots.

Each move is a shortest path to its square. Each shot can hit some square where the enemy may be. If letters
that decide the fight are known, each shot is aimed at one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from random import Random

from games.core import Order
from games.roboxing.dead_fights import Squares, can_hit, spreading
from games.roboxing.deduction import Guesses
from games.roboxing.orders import STAY
from games.roboxing.ring import At
from games.roboxing.robot import ALL, BIT, CENTRE, COUNT, IN_MASK, STEPS, Layout, Mask, longest, reach
from games.roboxing.state import RoboxingState


class Chances:
    """The possible targets of a robot: the squares where the enemy may be, and the letters to aim at."""

    def __init__(self, view: RoboxingState, robot: int, enemy: int) -> None:
        self.view, self.robot, self.enemy = view, robot, enemy
        self.guesses = Guesses(view, enemy)
        self.squares = may_stand(view, enemy, self.guesses)
        self.fatal = fatal(self.guesses, view.gone[enemy])

    def orders(self, shown: Mask, rng: Random) -> list[Order]:
        """Returns a move to each square in reach, alone and with every sensible shot from that square.

        A shot is sensible if its laser covers a square where the enemy may be. `shown` are the letters of the
        robot whose parts the enemy already knows.
        """
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
        """The lasers that, from the square `at`, cover some square where the enemy may be (ruling X8).

        `layout` is the robot's layout, `gone` are its destroyed letters, and `far` is the reach of its
        lasers.
        """
        lasers = IN_MASK[layout.lasers & ~gone]
        return [one for one in lasers if can_hit(1 << at, (layout.slot(one),), far, self.squares)]

    def _targets(self, rng: Random) -> list[str]:
        """The letters to aim at.

        If some letters certainly decide the fight, only these are returned. Otherwise the result has the
        enemy's intact letters of known kind, and one letter that has revealed nothing, if there is one. This
        letter is chosen at random, since all such letters are equally good targets.
        """
        ring, known = self.view.ring, self.guesses.known
        seen = known.movers | known.turrets
        letters = IN_MASK[self.fatal]
        if not letters:
            hidden = IN_MASK[ALL & ~known.gone & ~seen]
            letters = IN_MASK[seen & ~known.gone] + (rng.choice(hidden) if hidden else "")
        return [letter if ring.is_one_on_one else f"{ring.names[self.enemy]}:{letter}" for letter in letters]


def fatal(guesses: Guesses, gone: Mask) -> Mask:
    """The letters that are certainly the enemy's last laser or last engine.

    The loss of one of them knocks the enemy out (ruling X11).
    """
    found = ALL & ~gone
    for kinds in guesses.fitting:
        lasers, engines = kinds.lasers & ~gone, kinds.engines & ~gone
        found &= (lasers if COUNT[lasers] == 1 else 0) | (engines if COUNT[engines] == 1 else 0)
    return found


def may_stand(view: RoboxingState, robot: int, guesses: Guesses) -> Squares:
    """The squares where a robot may end its turn, with any layout that is consistent with `guesses`.

    A few of these squares may be impossible (ruling X4).
    """
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


def paths(view: RoboxingState, robot: int, shown: Mask) -> Iterator[tuple[str, At]]:
    """Yields a shortest path to each square in reach, together with the square.

    A path is a text with the letter of an engine for each step; it is empty for the robot's own square. Of
    equally short paths, the one that reveals the fewest engines is preferred, then the one with the fewest
    legs. A leg is a run of steps with the same engine. `shown` are the letters whose parts are already
    revealed.
    """
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
    """A sort key for paths: the number of engines that a path reveals, then the number of its legs."""
    return sum(not BIT[letter] & shown for letter in set(path)), sum(1 for _ in groupby(path))


def written(path: str) -> Order:
    """Writes a path of single steps as a move in the game's notation: `aab` becomes `a2+b1`.

    An empty path becomes STAY.
    """
    return "+".join(f"{letter}{len(list(steps))}" for letter, steps in groupby(path)) or STAY

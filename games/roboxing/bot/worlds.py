"""Worlds that fit a view: layouts for the hidden robots with which somebody can still hit (rulings X12, X13).

A fight ends once nobody can ever hit, so while it goes on everybody knows that somebody still can. If random
layouts do not allow a hit (a dead world), a search looks for layouts that do.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from games.core import Seat
from games.roboxing.dead_fights import Squares, can_hit, is_dead, roaming, threat
from games.roboxing.deduction import Guesses, Kinds
from games.roboxing.ring import OFF, At
from games.roboxing.robot import BIT, CENTRE, COUNT, IN_MASK, STEPS, Layout, reach
from games.roboxing.rules import Position

TRIES = 40
"""The number of dead worlds that are drawn before a world that is not dead is constructed."""
WORK, LITTLE = 20_000, 400
"""The maximum numbers of layouts that are tried: WORK to construct a world, LITTLE to judge a plan."""


class PossibleRobot(NamedTuple):
    """The abilities that a robot may have, by whichever layout; `roams` are the squares it can ever reach.

    `engines` are () if its layout is known; `laser` is the slot of one of its lasers, or -1 for any.
    """

    engines: tuple[int, ...]
    laser: int
    reach: int
    roams: Squares


Layouts = tuple[Layout | None, ...]


def draw_layouts(view: Position, rng: Random, count: int) -> list[Layouts]:
    """Draws a layout for each robot, `count` times; those of hidden ones fit what was seen.

    The first TRIES - 1 dead results are drawn again, others replaced by constructed ones if possible.
    """
    guesses = {i: Guesses(view, i) for i in hidden_in(view)}
    free = view.ended is not None or not view.tick
    tries = TRIES if guesses else 0
    world: Layouts | None = None
    worlds: list[Layouts] = []
    while len(worlds) < count:
        layouts = tuple(
            guesses[i].draw(rng) if i in guesses else layout for i, layout in enumerate(view.layouts)
        )
        if not free and is_dead(view._replace(layouts=layouts)):
            tries -= 1
            if tries > 0:
                continue
            if world is None:
                found = _Search(view, view.squares, guesses, rng, WORK).hit() or {}
                world = tuple(found.get(i, layout) for i, layout in enumerate(layouts))
            layouts = world
        worlds.append(layouts)
    return worlds


def hidden_in(view: Position) -> list[int]:
    return [i for i, at in enumerate(view.squares) if at != OFF and view.layouts[i] is None]


def will_be_dead(view: Position, seat: Seat, squares: tuple[At, ...]) -> bool:
    """Returns True if the view proves, with little work, that from `squares` nobody could ever hit again."""
    ring, seen = view.ring, [at for at, owner in zip(squares, view.ring.owners, strict=True) if owner != seat]
    enemies = sum({1 << at for at in seen if at != OFF})
    for i in view.robots(seat):
        own = threat(ring.inside, squares[i], view.layout(i), view.gone[i])
        if can_hit(own.roams, own.slots, own.reach, enemies):
            return False
    guesses = {i: Guesses(view, i) for i in hidden_in(view)}
    search = _Search(view, squares, guesses, Random(0), LITTLE)
    return search.hit() is None and search.work > 0


class _Search:
    """A search, among at most `work` fitting layouts, for some with which a robot could hit an enemy."""

    def __init__(
        self, view: Position, squares: tuple[At, ...], guesses: dict[int, Guesses], rng: Random, work: int
    ) -> None:
        self.view, self.squares, self.guesses, self.rng, self.work = view, squares, guesses, rng, work
        self.made: dict[tuple[int, PossibleRobot], Layout | None] = {}
        self.kinds: dict[int, list[Kinds]] = {}

    def hit(self) -> dict[int, Layout] | None:
        """Returns layouts of two robots, by index, with which one could hit the other, or None."""
        ring, squares = self.view.ring, self.squares
        here = [i for i, at in enumerate(squares) if at != OFF]
        pairs = [(i, j) for i in here for j in here if ring.owners[i] != ring.owners[j]]
        self.rng.shuffle(pairs)
        for i, j in pairs:
            targets = self._targets(j)
            roamed = 0
            for target in targets:
                roamed |= target.roams
            for robot in self._possible_robots(i):
                if can_hit(robot.roams, (robot.laser,), robot.reach, roamed):
                    found = self._pair(i, robot, j, targets)
                    if found:
                        return found
        return None

    def _pair(
        self, i: int, robot: PossibleRobot, j: int, targets: Sequence[PossibleRobot]
    ) -> dict[int, Layout] | None:
        for target in targets:
            if can_hit(robot.roams, (robot.laser,), robot.reach, target.roams):
                one = self._layout(i, robot)
                other = one and self._layout(j, target)
                if one and other:
                    return {i: one, j: other}
        return None

    def _targets(self, i: int) -> list[PossibleRobot]:
        """Returns robots that robot `i` may be as a target, where its lasers do not matter."""
        by_roams = {robot.roams: robot._replace(laser=-1) for robot in self._possible_robots(i)}
        if i not in self.guesses:
            return list(by_roams.values())
        robots = dict.fromkeys(robot._replace(laser=-1, reach=0) for robot in self._possible_robots(i))
        return sorted(robots, key=lambda robot: -robot.roams.bit_count())

    def _possible_robots(self, i: int) -> Iterator[PossibleRobot]:
        """Yields robots that robot `i` may be, each with one laser; some may not fit what was seen."""
        view, at = self.view, self.squares[i]
        layout = view.layouts[i]
        if layout:
            own = threat(view.ring.inside, at, layout, view.gone[i])
            yield from (PossibleRobot((), slot, own.reach, own.roams) for slot in own.slots)
            return
        slots = [slot for slot in range(9) if view.options.centre == "free" or slot != CENTRE]
        for n, within in sorted({self._strength(i, kinds) for kinds in self.guesses[i].fitting}):
            every = list(combinations(slots, n))
            self.rng.shuffle(every)
            for engines in every:
                ways = tuple(sorted(STEPS[slot] for slot in engines if slot != CENTRE))
                roams = roaming(view.ring.inside, at, ways)
                yield from (
                    PossibleRobot(engines, slot, within, roams) for slot in slots if slot not in engines
                )

    def _strength(self, i: int, kinds: Kinds) -> tuple[int, int]:
        """Returns the number of intact engines of robot `i`, and the reach of its lasers."""
        gone = self.view.gone[i]
        return COUNT[kinds.engines & ~gone], reach(kinds, gone, 0)

    def _layout(self, i: int, robot: PossibleRobot) -> Layout | None:
        if i not in self.guesses:
            return self.view.layout(i)
        key = i, robot
        if key not in self.made:
            self.made[key] = self._place(i, robot)
        return self.made[key]

    def _place(self, i: int, robot: PossibleRobot) -> Layout | None:
        guesses, intact = self.guesses[i], ~self.view.gone[i]
        if i not in self.kinds:
            self.kinds[i] = guesses.differing()
        for kinds in self.kinds[i]:
            n, within = self._strength(i, kinds)
            if n != len(robot.engines) or (robot.laser >= 0 and within != robot.reach):
                continue
            for letter in IN_MASK[kinds.lasers & intact] if robot.laser >= 0 else ("",):
                self.work -= 1
                if self.work <= 0:
                    return None
                allowed = {
                    other: [
                        slot
                        for slot in slots
                        if (slot in robot.engines) == bool(BIT[other] & kinds.engines & intact)
                        and (slot == robot.laser or other != letter)
                    ]
                    for other, slots in guesses.allowed(kinds).items()
                }
                found = all(allowed.values()) and guesses.placed(kinds, allowed, self.rng)
                if found:
                    return found
        return None

"""Proves that an order wins a fight of two robots, wherever the enemy goes and however it is built.

The proof uses only one player's view. The quick one fails for a few orders that do win, since it considers
each part of the enemy by itself; the exact one looks for whole layouts.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import product
from random import Random

from games.core import Order, Seat
from games.roboxing.dead_fights import spreading
from games.roboxing.deduction import Guesses, Kinds
from games.roboxing.orders import legs_of, spent
from games.roboxing.ring import OFF, At
from games.roboxing.robot import ALL, BIT, CENTRE, COUNT, FAR, IN_MASK, STEPS, Mask, longest, reach
from games.roboxing.rules import Position

SAFE = 2
"""The minimum number of intact lasers, and of intact engines, of a robot that survives any single shot."""


def fatal(possible: Iterable[Kinds], gone: Mask) -> Mask:
    """Returns the letters whose loss would certainly knock the enemy out (ruling X11)."""
    found = ALL & ~gone
    for kinds in possible:
        lasers, engines = kinds.lasers & ~gone, kinds.engines & ~gone
        found &= (lasers if COUNT[lasers] == 1 else 0) | (engines if COUNT[engines] == 1 else 0)
    return found


class SureHits:
    """The conclusions about the enemy that are certain for `seat`, in a fight of two robots."""

    def __init__(self, state: Position, seat: Seat, *, exact: bool = False) -> None:
        self.exact = exact
        self.view = state.view(seat)
        self.own = self.view.robots(seat)[0]
        self.enemy = 1 - self.own
        self.guesses = Guesses(self.view, self.enemy)
        self.kinds = [kinds for kinds in self.guesses.fitting if self._fits(kinds, {})]
        """The assignments of parts to the enemy's letters that are possible."""
        layout, intact = self.view.layout(self.own), ~self.view.gone[self.own]
        self.is_safe = COUNT[layout.lasers & intact] >= SAFE and COUNT[layout.engines & intact] >= SAFE
        """A flag: True if no single shot by the enemy can knock the player's robot out."""
        self.fatal = fatal(self.kinds, self.view.gone[self.enemy])
        """The letters whose loss certainly knocks the enemy out, whatever parts they are."""

    def wins(self, order: Order) -> bool:
        """Returns True if this order certainly knocks out the enemy while the player's robot survives."""
        move, _, shot = order.partition(" ")
        if not shot or not BIT[shot[-1]] & self.fatal or not self.is_safe:
            return False
        view, legs = self.view, legs_of(move)
        layout = view.layout(self.own)
        at = view.squares[self.own] + sum(layout.steps[letter] * n for letter, n in legs)
        far = reach(layout, view.gone[self.own], spent(legs))
        return all(layout.zones[shot[0]].get(square - at, FAR) <= far for square in self.squares)

    def _fits(self, kinds: Kinds, slots: dict[str, int]) -> bool:
        if not self.exact:
            return True
        fixed = {letter: [slot] for letter, slot in slots.items()}
        allowed = self.guesses.allowed(kinds) | fixed
        return self.guesses.placed(kinds, allowed, Random(0)) is not None

    @cached_property
    def squares(self) -> set[At]:
        """The squares where the enemy may be when the shots are fired."""
        view, gone = self.view, self.view.gone[self.enemy]
        at = view.squares[self.enemy]
        if at == OFF:
            return set()
        ways: set[tuple[frozenset[int], int]] = set()
        for kinds in self.kinds:
            most = longest(kinds, gone)
            for slots in self._slots(kinds, gone):
                # an engine in the centre has no direction (ruling X9)
                way = frozenset(STEPS[slot] for slot in slots.values() if slot != CENTRE), most
                if way not in ways and self._fits(kinds, slots):
                    ways.add(way)
        found, ring = 0, view.ring
        for steps, most in ways:  # X4
            spread = spreading(ring.inside, at, tuple(sorted(steps)))
            found |= spread[min(most, len(spread) - 1)]
        return {square for square in ring.room[STEPS[CENTRE]] if found >> square & 1}

    def _slots(self, kinds: Kinds, gone: Mask) -> Iterator[dict[str, int]]:
        allowed, letters = self.guesses.allowed(kinds), IN_MASK[kinds.engines & ~gone]
        for chosen in product(*(allowed[letter] for letter in letters)):
            if len(set(chosen)) == len(chosen):
                yield dict(zip(letters, chosen, strict=True))

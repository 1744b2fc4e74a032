"""Decides whether any robot in the ring can ever hit an enemy again (ruling X13).

A set of squares is an integer in which bit n stands for square n. A rank takes up ROW bits, of which a ring
uses at most 15, so that no step or shot wraps around.
"""

from functools import lru_cache
from typing import NamedTuple

from games.roboxing.ring import OFF, At, Fields
from games.roboxing.robot import FARTHEST, IN_MASK, MIDDLE, ZONES, Layout, Mask, Step, reach

OUT_OF_REACH = "out of reach"
"""The reason of an outcome if nobody can ever hit an enemy again (docs/record.md)."""

Squares = int
COVERED = tuple(
    tuple(
        tuple(by for by, away in sorted(zone.items(), key=lambda item: item[1]) if away <= within)
        for within in range(FARTHEST + 1)
    )
    for zone in ZONES
)
"""The offsets of the squares that a laser covers, by its slot and its reach; the nearest come first."""


class Threat(NamedTuple):
    """The squares to which a robot can ever move, the slots of its lasers, and their reach."""

    roams: Squares
    slots: tuple[int, ...]
    reach: int


@lru_cache(maxsize=1 << 15)
def spreading(inside: Squares, at: At, ways: tuple[Step, ...]) -> tuple[Squares, ...]:
    """Returns the squares reached by at most n of these steps, for n = 0, 1, 2 … until no new ones come."""
    found = [1 << at]
    new = found[0]
    while new:
        stepped = 0
        for way in ways:
            stepped |= new << way if way > 0 else new >> -way
        new = stepped & inside & ~found[-1]
        if new:
            found.append(found[-1] | new)
    return tuple(found)


def roaming(inside: Squares, at: At, ways: tuple[Step, ...]) -> Squares:
    """Returns the squares that any number of the steps `ways` reach."""
    return spreading(inside, at, ways)[-1]


@lru_cache(maxsize=1 << 15)
def threat(inside: Squares, at: At, layout: Layout, gone: Mask) -> Threat:
    ways = sorted(layout.steps[letter] for letter in IN_MASK[layout.movers & ~gone])
    slots = sorted(map(layout.slot, IN_MASK[layout.lasers & ~gone]))
    return Threat(roaming(inside, at, tuple(ways)), tuple(slots), reach(layout, gone, 0))


@lru_cache(maxsize=1 << 14)
def can_hit(roams: Squares, slots: tuple[int, ...], within: int, targets: Squares) -> bool:
    """Returns True if a robot that can go to the squares `roams` can hit an enemy on one of `targets`."""
    for slot in slots:
        for by in COVERED[slot][within]:
            if (roams << by if by > 0 else roams >> -by) & targets:
                return True
    return False


def is_dead(state: Fields) -> bool:
    """Returns True if no robot can ever hit an enemy again (ruling X13); all layouts must be known."""
    if _some_covers(state):
        return False
    gone, layout = state.gone, state.layout
    inside, owners = state.ring.inside, state.ring.owners
    threats = [
        (owners[i], threat(inside, at, layout(i), gone[i])) for i, at in enumerate(state.squares) if at != OFF
    ]
    for seat, one in threats:
        targets = 0
        for other, its in threats:
            if other != seat:
                targets |= its.roams
        if can_hit(one.roams, one.slots, one.reach, targets):
            return False
    return True


def _some_covers(state: Fields) -> bool:
    squares, layouts, gone, rivals = state.squares, state.layouts, state.gone, state.ring.rivals
    for i, at in enumerate(squares):
        if at != OFF:
            layout = layouts[i]
            assert layout
            sight, here = layout.powers[gone[i]].sight, MIDDLE - at
            for j in rivals[i]:
                if sight >> squares[j] + here & 1:  # nobody sees as far as OFF
                    return True
    return False

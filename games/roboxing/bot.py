"""What a position of Roboxing promises a player: intact parts, and enemies before the turrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.core import Seat
from games.roboxing.ring import OFF
from games.roboxing.robot import BIT, COUNT, FAR

if TYPE_CHECKING:
    from games.roboxing.rules import RoboxingState

AIMS = 0.4
"""What it is worth to cover an enemy with some turret."""
NEARLY, A_STEP = 0.6, 0.05
"""What it is worth of that to have one in a turret's quarter, and what each square too many takes of it."""


def promise(state: RoboxingState, seat: Seat) -> float:
    """The player's robots, as a share of all."""
    if not state.layouts:
        return 1 / len(state.still_in())
    own = sum(strength(state, i) for i in state.robots(seat))
    every = sum(strength(state, i) for i, at in enumerate(state.squares) if at != OFF)
    return own / every


def strength(state: RoboxingState, i: int) -> float:
    """How far a robot is from being knocked out (X11), and whether it stands so that it can hit."""
    layout, gone = state.layout(i), state.gone[i]
    lasers, engines = COUNT[layout.lasers & ~gone], COUNT[layout.engines & ~gone]
    parts = min(lasers, engines) * 2 + lasers + engines + (layout.booster & ~gone > 0)
    return parts * parts * (1 + AIMS * covers(state, i))


def covers(state: RoboxingState, i: int) -> float:
    """How many enemies' robots some turret of robot `i` covers where they stand now.

    One in a turret's quarter of the ring, but too far off, counts in part.
    """
    layout, gone, ring = state.layout(i), state.gone[i], state.ring
    reach = COUNT[layout.lasers & ~gone] * (2 if layout.booster & ~gone else 1)
    zones = [zone for letter, zone in layout.zones.items() if not gone & BIT[letter]]
    here, owner = state.squares[i], ring.owners[i]
    found = 0.0
    for at, other in zip(state.squares, ring.owners, strict=True):
        if at != OFF and other != owner:
            far = min(zone.get(at - here, FAR) for zone in zones) - reach
            found += 1 if far <= 0 else max(0.0, NEARLY - far * A_STEP)
    return found

"""The worth of a position of Roboxing to a player: intact parts, and enemies before the turrets."""

from __future__ import annotations

from collections.abc import Iterable

from games.core import Seat
from games.roboxing.ring import OFF
from games.roboxing.robot import BIT, CENTRE, COUNT, FAR, IN_MASK, ZONES, Layout, reach, towards
from games.roboxing.rules import Position

AIMS = 0.4
"""What it is worth to cover an enemy with some turret."""
NEARLY, A_STEP = 0.6, 0.05
"""What it is worth of that to have one in a turret's quarter, and what each square too many takes of it."""
BESIDE = 0.2
"""What it is worth of that to have one in no turret's quarter, but near."""
ROAMS = 0.6
"""What it is worth to be able to go into all four quarters of the ring."""


def evaluate(state: Position, seat: Seat) -> float:
    """The player's robots, as a share of all."""
    if not state.layouts:
        return 1 / len(state.still_in())
    own = sum(strength(state, i) for i in state.robots(seat))
    every = sum(strength(state, i) for i, at in enumerate(state.squares) if at != OFF)
    return own / every


def strength(state: Position, i: int) -> float:
    """How far a robot is from being knocked out (X11), and whether it can hit and move where it stands."""
    layout, gone = state.layout(i), state.gone[i]
    lasers, engines = COUNT[layout.lasers & ~gone], COUNT[layout.engines & ~gone]
    parts = min(lasers, engines) * 2 + lasers + engines + (layout.booster & ~gone > 0)
    return parts * parts * (1 + AIMS * covers(state, i) + ROAMS * roams(state, i))


def roams(state: Position, i: int) -> float:
    """Into how many of the four quarters some engine takes robot `i` from where it stands, as a share."""
    layout, at, room = state.layout(i), state.squares[i], state.ring.room
    movers = IN_MASK[layout.movers & ~state.gone[i]]
    return _quarters(layout, [letter for letter in movers if room[layout.steps[letter]][at]]) / 4


def is_sound(layout: Layout) -> bool:
    """Whether its engines lead into all four quarters, and so out of every corner."""
    return _quarters(layout, IN_MASK[layout.movers]) == 4


def _quarters(layout: Layout, engines: Iterable[str]) -> int:
    ways = [towards(layout.slot(letter)) for letter in engines]
    return sum(any(x * east >= 0 <= y * north for x, y in ways) for east in (1, -1) for north in (1, -1))


def covers(state: Position, i: int) -> float:
    """How many enemies' robots some turret of robot `i` covers where they stand now.

    One in a turret's quarter of the ring, but too far off, counts in part, and so does one that is near.
    """
    layout, gone, ring = state.layout(i), state.gone[i], state.ring
    within = reach(layout, gone, 0)
    zones = [zone for letter, zone in layout.zones.items() if not gone & BIT[letter]]
    here, owner = state.squares[i], ring.owners[i]
    found = 0.0
    for at, other in zip(state.squares, ring.owners, strict=True):
        if at != OFF and other != owner:
            far = min(zone.get(at - here, FAR) for zone in zones)
            if far <= within:
                found += 1
            elif far < FAR:
                found += max(0.0, NEARLY - (far - within) * A_STEP)
            else:
                found += BESIDE / (1 + ZONES[CENTRE].get(at - here, 0))
    return found

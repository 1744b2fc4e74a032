"""The worth of a position of Robo Battle Pigs to a pig: little damage, and others before its snout."""

from __future__ import annotations

from games.core import Seat
from games.pigs.rules import Position
from games.pigs.steps import GONE, LIVES, in_line

WORTH = (*(0.55**damage for damage in range(LIVES)), 0.0)
"""By damage: each point nearly halves what a pig may hope for."""
AIMS, AIMED_AT = 1.08, 0.9
"""What it is worth to have somebody in line, and to be in somebody's."""


def evaluate(state: Position, seat: Seat) -> float:
    """The pig's hopes, as a share of the hopes of all."""
    hopes = [WORTH[damage] for damage in state.damage]
    for i, pose in enumerate(state.poses):
        if pose != GONE and hopes[i]:
            target = in_line(i, state.poses)
            if target is not None and hopes[target]:
                hopes[i] *= AIMS
                hopes[target] *= AIMED_AT
    return hopes[state.seats.index(seat)] / sum(hopes)

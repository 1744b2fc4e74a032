"""The worth of the places of two pigs when a round is over, for a player that looks one round ahead."""

from __future__ import annotations

from functools import cache

from games.pigs.steps import REACH, Pose, square_of

IN_LINE = (0.3, 0.12, 0.0, 0.12)
"""To have the other pig in line ahead, in hits, by its heading as one sees it: the same as one's own, to the
right, towards one, to the left. About what equilibria of the next round give, over 1,700 places by chance."""
FREE, ROOM = 0.03, 3
"""For each square up to the wall ahead, of so many."""
FAR, FARTHER, MOST, NEAR = 0.15, 0.05, 0.3, 3
"""The cost of each step of distance beyond so many (NEAR): more with each round that is over, up to MOST.
A pig that keeps away from the other hits nobody."""


def worth(own: Pose, other: Pose, rounds: int = 0) -> float:
    """The worth to this pig after so many rounds, in hits; the other does not lose all of it."""
    return _aimed(own, other) - min(FAR + FARTHER * rounds, MOST) * max(0, _distance(own, other) - NEAR)


@cache
def _aimed(own: Pose, other: Pose) -> float:
    """The hits that one of them gains by it and the other loses."""
    room = min(len(REACH[own]), ROOM) - min(len(REACH[other]), ROOM)
    return _in_line(own, other) - _in_line(other, own) + FREE * room


def _in_line(own: Pose, other: Pose) -> float:
    """The worth to a pig of having the other in line ahead."""
    return IN_LINE[(other - own) % len(IN_LINE)] if other >> 2 in REACH[own] else 0.0


def _distance(own: Pose, other: Pose) -> int:
    """The distance in steps, which may go diagonally."""
    here, there = square_of(own), square_of(other)
    return max(abs(here.file - there.file), abs(here.rank - there.rank))

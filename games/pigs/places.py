"""The values of damage and poses of two pigs after a round, for a bot that looks one round ahead."""

from __future__ import annotations

from functools import cache

from games.pigs.duel import HITS, Stakes
from games.pigs.rules import Position
from games.pigs.steps import LIVES, REACH, Pose, square_of

BEHIND = (
    (0.0,),
    (0.18, 0.0),
    (0.44, 0.28, 0.0),
    (0.65, 0.54, 0.35, 0.0),
    (0.82, 0.79, 0.69, 0.34, 0.0),
    (1.0, 1.0, 1.0, 1.0, 1.0),
)
"""The disadvantage in winning chances of a pig, by its damage and by the other's smaller damage.

Estimated from the equilibria of rounds in 3,000 positions, and smoothed; what follows the round was judged by
the equilibria of 2,000 others.
"""
A_HIT = 0.2
"""The value of a hit on the scale of BEHIND. The first hit costs less, since it can be repaired."""

IN_LINE = (0.3, 0.12, 0.0, 0.12)
"""The value, in hits, of having the other pig in line ahead, by its heading relative to one's own: the same,
to the right, towards one, to the left.

Close to what equilibria of the next round give, over 1,700 random positions.
"""
FREE, ROOM = 0.03, 3
"""The value of each free square up to the wall ahead, and the most squares that count."""
FAR, FARTHER, MOST, NEAR = 0.06, 0.03, 0.2, 3
"""The cost of each step of distance beyond NEAR: FAR, plus FARTHER for each round played, up to MOST.

A pig that keeps away hits nobody, but coming near at any price means being hit.
"""


def stakes(position: Position) -> Stakes:
    """The values of hits and repairs, given the damage of the two pigs that are still in.

    Where damage takes no slots and is not repaired (P14), all hits count the same.
    """
    if not position.repairs:
        return HITS
    own, other = (position.owed(seat) for seat in sorted(position.still_in()))
    now = ahead(own, other)
    landed, taken = ahead(own, other + 1) - now, now - ahead(own + 1, other)
    mended = ahead(own - 1, other) - now if own else 0.0
    other_mended = now - ahead(own, other - 1) if other else 0.0
    won = ahead(0, LIVES)
    return Stakes(landed, taken, (mended, other_mended), ends=(won - now, -now, -won - now))


def ahead(own: int, other: int) -> float:
    """The lead of a pig with damage `own` over one with damage `other`, in hits; negative if it is behind."""
    return (BEHIND[other][own] if own < other else -BEHIND[own][other]) / A_HIT


def worth(own: Pose, other: Pose, rounds: int = 0) -> float:
    """The value of these poses to pig `own` after `rounds` rounds, in hits.

    It is not zero-sum, since distance costs both pigs.
    """
    return _aimed(own, other) - min(FAR + FARTHER * rounds, MOST) * max(0, _distance(own, other) - NEAR)


@cache
def _aimed(own: Pose, other: Pose) -> float:
    """The zero-sum part of the value, in hits: which pig has the other in line, the room ahead of each."""
    room = min(len(REACH[own]), ROOM) - min(len(REACH[other]), ROOM)
    return _in_line(own, other) - _in_line(other, own) + FREE * room


def _in_line(own: Pose, other: Pose) -> float:
    """The value to a pig of having the other in line ahead."""
    return IN_LINE[(other - own) % len(IN_LINE)] if other >> 2 in REACH[own] else 0.0


def _distance(own: Pose, other: Pose) -> int:
    """The distance in steps, which may be diagonal."""
    here, there = square_of(own), square_of(other)
    return max(abs(here.file - there.file), abs(here.rank - there.rank))

"""The value of two pigs' damage and poses after a round, for a bot that looks one round ahead."""

from functools import cache

from games.pigs.bot.duel import HITS, Stakes
from games.pigs.rules import Position
from games.pigs.steps import LIVES, REACH, Pose, square_of

LEAD_BY_DAMAGE = (
    (0.0,),
    (0.18, 0.0),
    (0.44, 0.28, 0.0),
    (0.65, 0.54, 0.35, 0.0),
    (0.82, 0.79, 0.69, 0.34, 0.0),
    (1.0, 1.0, 1.0, 1.0, 1.0),
)
"""The less damaged pig's lead in chances, by the greater and then the smaller damage (docs/strength.md)."""
A_HIT = 0.2
"""The value of an average hit on the scale of LEAD_BY_DAMAGE."""

IN_LINE = (0.3, 0.12, 0.0, 0.12)
"""The value to a pig, in hits, of having the other in line ahead, by the other's relative heading: same way,
right, opposite, left; close to the equilibria of 1,700 random positions."""
FREE_SQUARE_VALUE, MAX_FREE_SQUARES = 0.03, 3
"""The value, in hits, of each square between a pig and the wall ahead, and how many squares count at most."""
STEP_COST, STEP_COST_PER_ROUND, MAX_STEP_COST, NEAR_DISTANCE = 0.06, 0.03, 0.2, 3
"""The cost, in hits, of each step beyond NEAR_DISTANCE: it grows with each round played, up to a limit.
A pig that keeps away hits nobody, but a pig that comes near at any price is hit."""


def stakes(position: Position) -> Stakes:
    """Returns the values of hits, repairs and wins in the next round; without repairs, HITS (P14)."""
    if not position.repairs:
        return HITS
    own, other = (position.owed(seat) for seat in sorted(position.still_in()))
    now = ahead(own, other)
    landed, taken = ahead(own, other + 1) - now, now - ahead(own + 1, other)
    own_repair = ahead(own - 1, other) - now if own else 0.0
    other_repair = now - ahead(own, other - 1) if other else 0.0
    won = ahead(0, LIVES)
    return Stakes(landed, taken, (own_repair, other_repair), ends=(won - now, -now, -won - now))


def ahead(own: int, other: int) -> float:
    """Returns the lead of a pig with damage `own` over a pig with damage `other`, in hits."""
    return (LEAD_BY_DAMAGE[other][own] if own < other else -LEAD_BY_DAMAGE[own][other]) / A_HIT


def pose_value(own: Pose, other: Pose, rounds: int = 0) -> float:
    """Returns the value of two poses to the first pig; it is not zero-sum, since distance costs both."""
    step_cost = min(STEP_COST + STEP_COST_PER_ROUND * rounds, MAX_STEP_COST)
    here, there = square_of(own), square_of(other)
    distance = max(abs(here.file - there.file), abs(here.rank - there.rank))
    return _aimed(own, other) - step_cost * max(0, distance - NEAR_DISTANCE)


@cache
def _aimed(own: Pose, other: Pose) -> float:
    """Returns the part of `pose_value` that is a gain to one pig and an equal loss to the other."""
    room = min(len(REACH[own]), MAX_FREE_SQUARES) - min(len(REACH[other]), MAX_FREE_SQUARES)
    return _in_line(own, other) - _in_line(other, own) + FREE_SQUARE_VALUE * room


def _in_line(own: Pose, other: Pose) -> float:
    return IN_LINE[(other - own) % len(IN_LINE)] if other >> 2 in REACH[own] else 0.0

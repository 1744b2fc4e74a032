"""The price of standing still without a hit, so that no bot hides."""

from games.roboxing.ring import Fields

PASSIVE, MANY = 0.9, 5
"""The factor of a share to the power of n², for n turns in a row without a move or a hit, at most MANY."""


def for_passive_turns(state: Fields, i: int) -> float:
    """Returns the factor of the share of robot `i`."""
    turns = 0
    for cause in reversed(state.past[-MANY:]):
        if cause.before[i] != cause.after[i] or cause.hits[i]:
            break
        turns += 1
    return PASSIVE**turns**2

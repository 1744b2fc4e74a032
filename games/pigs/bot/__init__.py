"""The value of a position of Robo Battle Pigs; in its modules, the searches that bots and reviews use."""

from games.core import Seat
from games.pigs.rules import Position
from games.pigs.steps import GONE, HULK, LIVES, all_in_line, in_line

SHARE = 0.55
WORTH = {**{damage: SHARE**damage for damage in range(LIVES)}, HULK: 0.0}
"""The winning chances of a pig by its damage, relative to a pig without damage; 0 for a hulk."""
AIMING_FACTOR, AIMED_AT_FACTOR = 1.08, 0.9
"""Factors of a pig's chances for each pig at which it aims and, outside a race, that aims at it."""


def evaluate(state: Position, seat: Seat) -> float:
    if state.dealt:  # P14: the most landed hits lead, whatever the damage
        hopes = [0.0 if d == HULK else SHARE**-n for d, n in zip(state.damage, state.dealt, strict=True)]
    else:
        hopes = [WORTH[damage] for damage in state.damage]
    through, aimed_at = state.options.laser == "through", 1.0 if state.dealt else AIMED_AT_FACTOR
    for i, pose in enumerate(state.poses):
        if pose != GONE and hopes[i]:
            if through:  # P7
                line = all_in_line(i, state.poses)
            else:
                target = in_line(i, state.poses)
                line = [] if target is None else [target]
            for j in line:
                if hopes[j]:
                    hopes[i] *= AIMING_FACTOR
                    hopes[j] *= aimed_at
    return hopes[state.seats.index(seat)] / sum(hopes)

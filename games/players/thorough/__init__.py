"""The thorough bot: a separate search for each game; for a game without one, the quick bot plays.

A search is a module of this package with the functions `order` and `is_content` of `games.players.Player`,
and optionally `judge`, for reviews of finished matches. It is bounded by work, not by a clock, and takes at
most two seconds of a core for an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import ModuleType

from games.core import Order, Review, Seat, State
from games.pigs.state import PigsState
from games.players import quick
from games.players.thorough import pigs, robble, robosoccer, roboxing
from games.robble.state import RobbleState
from games.robosoccer.state import RobosoccerState
from games.roboxing.state import RoboxingState

SEARCHES: dict[type[State], ModuleType] = {
    PigsState: pigs,
    RobbleState: robble,
    RobosoccerState: robosoccer,
    RoboxingState: roboxing,
}
"""The module with a game's search, by the class of the game's positions."""


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best order; where all act at once, one drawn from a mix that nobody can foresee."""
    answer: Order = SEARCHES.get(type(view), quick).order(view, seat, rng)
    return answer


def is_judged(state: State) -> bool:
    """Tell whether the search of this game can judge turns that were played."""
    return hasattr(SEARCHES.get(type(state)), "judge")


def judge(state: State, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Compares the orders of a turn with the best found; None if the game's search judges no turns."""
    if not is_judged(state):
        return None
    found: Review | None = SEARCHES[type(state)].judge(state, orders, rng)
    return found


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Tell whether the bot is content with a draw: it does not estimate that it is ahead."""
    answer: bool = SEARCHES.get(type(view), quick).is_content(view, seat, rng)
    return answer

"""The thorough player: a search of its own for each game; where a game has none, it plays as the quick one.

A search is a module of this package with `order` and `is_content`, as `games.players.Player` has them. It
may have `judge` too, for reviews of finished matches. It is bounded by work, not by a clock, and takes at
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
"""The module that searches a game, by the class of its positions."""


def order(view: State, seat: Seat, rng: Random) -> Order:
    """The order that comes out best; where all act at once, drawn from a mix that nobody can foresee."""
    answer: Order = SEARCHES.get(type(view), quick).order(view, seat, rng)
    return answer


def is_judged(state: State) -> bool:
    """Whether the search of this game judges turns that were played."""
    return hasattr(SEARCHES.get(type(state)), "judge")


def judge(state: State, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """The orders of a turn beside the best ones that the search finds, where it judges them."""
    if not is_judged(state):
        return None
    found: Review | None = SEARCHES[type(state)].judge(state, orders, rng)
    return found


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Whether it does not judge itself ahead."""
    answer: bool = SEARCHES.get(type(view), quick).is_content(view, seat, rng)
    return answer

"""The thorough bot, which has a separate search for each game.

Each search is a module of this package. The module has the functions `order` and `is_content` of
`games.players.Player`, and may have `judge`, for reviews of finished matches. Each search is limited by the
number of its steps, not by a clock, and takes at most two seconds of a processor core for an answer. In a
game without a search, the quick bot plays.
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
    """Returns an order that the game's search finds; in a game without a search, the quick bot's order.

    In a turn in which several players act, the order may be drawn at random from several good ones.
    """
    answer: Order = SEARCHES.get(type(view), quick).order(view, seat, rng)
    return answer


def is_judged(state: State) -> bool:
    """Returns True if the search for this class of positions can judge turns of finished matches."""
    return hasattr(SEARCHES.get(type(state)), "judge")


def judge(state: State, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
    """Returns a review that compares the orders of a turn with the best orders that the game's search finds.

    Returns None if the search judges no turns at all, or not this turn.
    """
    if not is_judged(state):
        return None
    found: Review | None = SEARCHES[type(state)].judge(state, orders, rng)
    return found


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Returns True if the bot would accept a draw, as judged by the game's search.

    In a game without a search, the quick bot's judgement is used.
    """
    answer: bool = SEARCHES.get(type(view), quick).is_content(view, seat, rng)
    return answer

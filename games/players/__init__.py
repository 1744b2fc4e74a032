"""The bots, each of which can play any game. A bot sees only the view of its seat (`State.view`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from games.core import Order, Seat, Sentence, State
from games.players import hasty, quick, thorough

PATIENCE = 150
"""The number of turns after which a bot agrees to every draw offer, so that no match goes on for ever.
"""
IDLE = 12
"""The number of turns without a lasting change after which a bot agrees to a draw, and offers one too."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot: `order` chooses an order, and `is_content` returns True if the bot would accept a draw.

    Both functions take the seat's view of the position (`State.view`), the seat, and a random generator. For
    the same view and the same state of the generator, their results are always the same.
    """

    key: str
    name: Sentence
    """The bot's strength in words, which players read as its name."""
    says: Sentence
    """The bot's way of playing, in words."""
    order: Callable[[State, Seat, Random], Order]
    is_content: Callable[[State, Seat, Random], bool]

    def agrees(self, view: State, seat: Seat, rng: Random) -> bool:
        """Returns True if the bot, on `seat`, agrees to a draw in this position.

        A bot agrees if it is content, or if the match has lasted long (at least PATIENCE turns). A bot also
        agrees if there has been no lasting change, such as a hit, for a long time (at least IDLE turns).
        """
        return view.turn >= PATIENCE or is_stuck(view) or self.is_content(view, seat, rng)


def is_stuck(state: State) -> bool:
    """Returns True if there has been no lasting change for so long (IDLE turns) that a bot offers a draw."""
    return state.turns_without_change() >= IDLE


def _random(view: State, seat: Seat, rng: Random) -> Order:
    return view.sample(seat, rng)


def _always(view: State, seat: Seat, rng: Random) -> bool:
    return True


PLAYERS = {
    player.key: player
    for player in (
        Player(
            key="random",
            name=Sentence("Easiest"),
            says=Sentence("Does anything that the rules allow, at random."),
            order=_random,
            is_content=_always,
        ),
        Player(
            key="hasty",
            name=Sentence("Easy"),
            says=Sentence("Tries a handful of ideas and takes the best of them."),
            order=hasty.order,
            is_content=quick.is_content,
        ),
        Player(
            key="quick",
            name=Sentence("Medium"),
            says=Sentence("Looks a little ahead and takes what seems best."),
            order=quick.order,
            is_content=quick.is_content,
        ),
        Player(
            key="thorough",
            name=Sentence("Hard"),
            says=Sentence("Looks far ahead, and expects your best answer."),
            order=thorough.order,
            is_content=thorough.is_content,
        ),
    )
}
"""All bots by key, the weakest first."""
VERSIONS = {("thorough", "pigs"): 5, ("thorough", "robosoccer"): 2, ("thorough", "roboxing"): 4}
"""The version of each bot that has changed, by its key and the game's slug; other bots have version 1."""
USUAL = "hasty"
"""The key of the bot that is proposed by default."""


def version_of(player: str, game: str) -> int:
    """Returns the version of the bot with the key `player` for the game with the slug `game`.

    The version rises with every change after which the bot gives other orders with the same random numbers.
    """
    return VERSIONS.get((player, game), 1)

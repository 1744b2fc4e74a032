"""The bots, each of which can play any game. A bot sees only the view of its seat (`State.view`)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random

from games import search as quick
from games.core import Order, Seat, Sentence, State

PATIENCE = 150
"""The number of turns after which a bot agrees to every draw, so that no match goes on for ever."""
IDLE = 12
"""The number of turns without a lasting change after which a bot agrees to a draw, and offers one too."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot; its functions depend only on their arguments: the seat's view, the seat, and dice."""

    key: str
    name: Sentence
    """The bot's strength in words, which players read as its name."""
    says: Sentence
    """The bot's way of playing, in words."""
    order: Callable[[State, Seat, Random], Order]
    is_content: Callable[[State, Seat, Random], bool]

    def agrees(self, view: State, seat: Seat, rng: Random) -> bool:
        """Returns True if the bot agrees to a draw: if it is content, after PATIENCE turns, or when stuck."""
        return view.turn >= PATIENCE or is_stuck(view) or self.is_content(view, seat, rng)


def is_stuck(state: State) -> bool:
    """Returns True if there has been no lasting change for IDLE turns, so that a bot offers a draw."""
    return state.turns_without_change() >= IDLE


PLAYERS = {
    player.key: player
    for player in (
        Player(
            key="random",
            name=Sentence("Easiest"),
            says=Sentence("Plays any legal turn at random."),
            order=lambda view, seat, rng: view.sample(seat, rng),
            is_content=lambda view, seat, rng: True,
        ),
        Player(
            key="hasty",
            name=Sentence("Easy"),
            says=Sentence("Tries a handful of ideas and takes the best of them."),
            order=partial(quick.order, effort=quick.EASY),
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
            says=Sentence("Looks far ahead, and expects your best reply."),
            # Each game's search is limited by its steps, not by a clock: at most two seconds of a core.
            order=lambda view, seat, rng: (view.search or quick).order(view, seat, rng),
            is_content=lambda view, seat, rng: (view.search or quick).is_content(view, seat, rng),
        ),
    )
}
"""All bots by key, the weakest first."""
VERSIONS = {
    **{("hasty", game): 2 for game in ("pigs", "robble", "robosoccer")},
    ("hasty", "roboxing"): 5,
    ("quick", "pigs"): 2,
    ("quick", "roboxing"): 4,
    ("thorough", "pigs"): 6,
    ("thorough", "robosoccer"): 2,
    ("thorough", "roboxing"): 4,
}
"""The version of each bot that has changed, by its key and the game's slug; other bots have version 1."""
USUAL = "hasty"
"""The key of the bot that is proposed by default."""


def version_of(player: str, game: str) -> int:
    """The version of a bot for a game, raised whenever its orders for the same view and dice change."""
    return VERSIONS.get((player, game), 1)

"""Template functions for the site's bots, and for client programs of the API."""

from collections.abc import Callable
from typing import Any

from games.players import PLAYERS, Player
from robosite.matches.models import Match
from robosite.play.opponents import are_programs


def bots() -> list[Player]:
    """The kinds of bots that the site offers, strongest first."""
    return list(reversed(PLAYERS.values()))


def programs_take(match: Match) -> bool:
    """Returns True if at least one program of the API accepts invitations to matches of this match's game."""
    return are_programs(match.game_slug)


def bot(key: str) -> Player | None:
    return PLAYERS.get(key)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        bots,
        programs_take,
        bot,
    )
}

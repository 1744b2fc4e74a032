"""Template functions about bots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.players import PLAYERS, Player
from robosite.matches.models import Match
from robosite.play.opponents import are_programs


def bots() -> list[Player]:
    """The programs that can take a seat, strongest first."""
    return list(reversed(PLAYERS.values()))


def programs_take(match: Match) -> bool:
    """Tell whether people have written programs that can be invited to a match of this game."""
    return are_programs(match.game_slug)


def bot(key: str) -> Player | None:
    """The program with that key; None if it does not exist any more."""
    return PLAYERS.get(key)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        bots,
        programs_take,
        bot,
    )
}

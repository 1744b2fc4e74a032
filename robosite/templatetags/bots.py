"""Bots in templates: which there are."""

from __future__ import annotations

from django import template

from games import GAMES, newest
from games.core import Game
from games.players import PLAYERS, Player

register = template.Library()


@register.simple_tag
def bots() -> list[Player]:
    """The programs that can take a seat, strongest first."""
    return list(reversed(PLAYERS.values()))


@register.simple_tag
def games_with_bots() -> list[Game]:
    """All games: every program plays every one."""
    return [newest(slug) for slug in GAMES]


@register.simple_tag
def bot(key: str) -> Player | None:
    """The program of that name, if there is one still."""
    return PLAYERS.get(key)

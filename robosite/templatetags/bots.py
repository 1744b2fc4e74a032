"""Bots in templates: which there are."""

from __future__ import annotations

from django import template

from games.players import PLAYERS, Player

register = template.Library()


@register.simple_tag
def bots() -> list[Player]:
    """The programs that can take a seat, strongest first."""
    return list(reversed(PLAYERS.values()))


@register.simple_tag
def bot(key: str) -> Player | None:
    """The program of that name, if there is one still."""
    return PLAYERS.get(key)

"""Words in templates: a game's sentence with the players' names in it."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from games import GAMES, newest
from games.core import Game
from robosite.matches.models import Match
from robosite.matches.phrases import phrases_of
from robosite.words import told

register = template.Library()


@register.simple_tag(takes_context=True)
def say(context: Context, sentence: Any) -> str:
    """A sentence as a reader sees it: translated, with names (the context's `names`) in place of seats."""
    return told(sentence, context.get("names") or {})


@register.simple_tag
def all_games() -> list[Game]:
    """Every game, in its newest rules."""
    return [newest(slug) for slug in GAMES]


@register.simple_tag(takes_context=True)
def name(context: Context, seat: str) -> str:
    """The name of who sits there."""
    names: dict[str, str] = context.get("names") or {}
    return names.get(seat, seat)


@register.simple_tag(takes_context=True)
def phrase(context: Context, what: str, **facts: Any) -> str:
    """Words that hang on how the context's `game` is played (`matches/phrases.py`)."""
    return phrases_of(context["game"]).say(what, **facts)


@register.filter
def played(match: Match) -> str:
    """How many turns of a match have been played, in its game's words."""
    return phrases_of(match.game).say("played", n=match.turn)

"""Words in templates: a game's sentence with the players' names in it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.template.base import FilterExpression, Parser, Token
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from games import GAMES, newest
from games.core import Game
from robosite.matches import phrases
from robosite.matches.models import Match, Seat
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


@register.filter
def code(text: str) -> SafeString:
    """Markdown's `code` as HTML: the API's description speaks so, for programs too."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts)
    )


@register.simple_tag(takes_context=True)
def name(context: Context, seat: str) -> str:
    """The name of who sits there."""
    names: dict[str, str] = context.get("names") or {}
    return names.get(seat, seat)


@register.simple_tag(takes_context=True)
def phrase(context: Context, what: str, **facts: Any) -> str:
    """Words that hang on how the context's `game` is played (`matches/phrases.py`)."""
    return phrases.phrases_of(context["game"]).say(what, **facts)


class KeptNode(template.Node):
    """Markup that never changes for a played step or turn: made once, then said again."""

    def __init__(
        self, inside: template.NodeList, owner: FilterExpression, parts: list[FilterExpression]
    ) -> None:
        self.nodelist, self.owner, self.parts = inside, owner, parts

    def render(self, context: Context) -> SafeString:
        kept = getattr(self.owner.resolve(context), "kept", None)
        if kept is None:
            return self.nodelist.render(context)
        names = context.get("names") or {}
        key = (get_language(), *names.values(), *(part.resolve(context) for part in self.parts))
        if key not in kept:
            kept[key] = self.nodelist.render(context)
        return kept[key]


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """`{% kept step "frame" %} … {% endkept %}`: what stands between depends on the step (or the film),
    on names and language, on the parts that are named, and on nothing else.
    """
    _tag, owner, *parts = token.split_contents()
    inside = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(inside, parser.compile_filter(owner), [parser.compile_filter(part) for part in parts])


@register.simple_tag
def moment(at: datetime) -> str:
    """A time in the reader's zone, which it names; pages with JavaScript write it as his machine does."""
    here = timezone.localtime(at)
    says = date_format(here, "j M, H:i")
    return format_html(
        '<time datetime="{}" data-time>{} {}</time>', at.isoformat(), says, here.tzname() or ""
    )


@register.filter
def names(seats: list[Seat]) -> list[str]:
    return [seat.name for seat in seats]


@register.filter
def listed(names: list[str]) -> str:
    """“Alice, Bob and Charlie”."""
    return phrases.listed(names)


@register.filter
def played(match: Match) -> str:
    """How many turns of a match have been played, in its game's words."""
    return phrases.phrases_of(match.game).say("played", n=match.turn)

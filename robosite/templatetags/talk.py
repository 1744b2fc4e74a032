"""What other pages show of what was said."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from robosite.matches.models import Match
from robosite.matches.page import Film
from robosite.people.here import guest_here
from robosite.talk import margin, messages, stock
from robosite.talk.models import Message

register = template.Library()


@register.simple_tag(takes_context=True)
def unread(context: Context) -> int:
    """How many messages are new to who holds the context's `seat`; 0 for a watcher."""
    seat, hold = context.get("seat"), getattr(context["request"], "hold", None)
    return messages.unread(hold, seat) if seat and hold and hold.seat_id == seat.pk else 0


@register.simple_tag(takes_context=True)
def hears_watchers(context: Context) -> bool:
    """Whether the reader may hear what watchers say: who plays not before the end."""
    match: Match = context["match"]
    return messages.may_hear_watchers(match, guest_here(context["request"]))


@register.simple_tag
def words_with(match: Match, film: Film) -> list[tuple[str, str]]:
    """The words that were sealed with the turn shown, by letter, once they are revealed."""
    return list(margin.words_with(match, film.turn).items())


@register.filter
def stock_phrase(message: Message) -> str:
    return stock.told(message.phrase)


@register.simple_tag
def to_whom(message: Message) -> list[str]:
    """Whom a private message was for."""
    seats: list[Any] = [ear.seat for ear in message.ears.all() if ear.seat_id != message.seat_id]
    return [seat.name for seat in seats]

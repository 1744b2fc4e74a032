"""Template functions for messages, among them messages that are revealed with a turn."""

from typing import Any

from django.template import Library
from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.matches.models import Match
from robosite.people.current_guest import current_guest
from robosite.play.film import Film
from robosite.talk import messages, turn_notes, undo
from robosite.talk.models import Message


@pass_context
def unread_messages(context: Context) -> int:
    """The number of messages that the player of the context's `seat` has not read; 0 for other readers."""
    seat, hold = context.get("seat"), getattr(context["request"], "hold", None)
    return messages.unread(hold, seat) if seat and hold and hold.seat_id == seat.pk else 0


@pass_context
def hears_watchers(context: Context) -> bool:
    """Returns True if the reader may read watchers' messages (`messages.may_hear_watchers`)."""
    match: Match = context["match"]
    return messages.may_hear_watchers(match, current_guest(context["request"]))


@pass_context
def own_word(context: Context) -> str:
    """The message of the context's `seat` that will be revealed with the present turn, or ""."""
    request = context["request"]
    if not hasattr(request, "own_word"):
        request.own_word = turn_notes.word_of(context["seat"], context["match"])
    return str(request.own_word)


def words_with(match: Match, film: Film) -> tuple[tuple[str, str], ...]:
    """The players' messages that were revealed with the turn shown, as pairs (seat's letter, text)."""
    return tuple(turn_notes.words_with(match, film.turn).items())


def stock_phrase(message: Message) -> str:
    return messages.phrase_text(message.phrase)


def to_whom(message: Message) -> list[str]:
    """The names of the players to whom a private message was written; [] for a message to all."""
    seats: list[Any] = [one.seat for one in message.recipients.all() if one.seat_id != message.seat_id]
    return [seat.shown_name for seat in seats]


def message_key(message: Message) -> int:
    return undo.key_of(message)


register = Library()  # of the staff's pages, which are Django templates: {% load talk %}
register.filter(stock_phrase)

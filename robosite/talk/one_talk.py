"""Talk as players read it: ordinary messages, and those revealed with turns, from a match and earlier ones.

A rematch continues the talk of the match before; guests read there what their seat may read.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import NamedTuple

from robosite.matches.flow.series import next_seat, seats_moved
from robosite.matches.models import Hold, Match, Seat
from robosite.talk import messages, undo
from robosite.talk.models import Message
from robosite.talk.turn_notes import SealedWord, words_among_messages

MOST_MATCHES = 3
"""The maximum number of earlier matches whose talk one page shows. A link leads to the other ones."""


class OfMatch(NamedTuple):
    """The messages of one match that the player of a seat may read, oldest first."""

    number: int
    """The number of the match, from 1, in its series or among its rematches."""
    said: list[Message | SealedWord]
    own: int
    """The primary key of the reader's seat in the match."""
    older: Seat | None = None
    """The seat whose own page of talk shows the older messages, or None if there are none."""


def at_table(seat: Seat, before: datetime | None = None, thread: str = "") -> OfMatch:
    """Returns the latest messages that the seat may read, with those revealed with turns (words)."""
    talk = messages.at_table(seat, before, thread)
    first = talk.messages[0].sent_at if talk.older else None
    words = [
        word
        for word in (words_among_messages([seat.match_id]) if thread in ("", messages.ALL) else ())
        if (first is None or word.sent_at >= first) and (before is None or word.sent_at < before)
    ]
    together: list[Message | SealedWord] = sorted([*talk.messages, *words], key=lambda one: one.sent_at)
    return OfMatch(number_of(seat.match), together, seat.pk, seat if talk.older else None)


def earlier(hold: Hold, seat: Seat, room: int, thread: str = "") -> list[OfMatch]:
    """Returns the messages of earlier matches, of which the seat's match is a rematch; oldest match first.

    They are read backwards, until the guest had no seat, a match has older messages, or `room` messages or
    MOST_MATCHES matches are read; then the next match follows without messages, for a link. In an earlier
    match, `thread` is with the seat that has become the other's. A match is marked as read if all of it is
    returned.
    """
    found: list[OfMatch] = []
    for number, there in enumerate(_seats_before(hold, seat)):
        if room <= 0 or number == MOST_MATCHES:
            found.insert(0, OfMatch(number_of(there.match), [], there.pk, there))
            break
        if thread not in ("", messages.ALL):
            thread = next_seat(thread, there.match.seats.count(), -1)
        talk = at_table(there, thread=thread)
        if not undo.mark_read(talk.said, partial(_is_from, there)):
            talk = at_table(there, thread=thread)
        if there.hold and not talk.older:
            messages.note_heard(there.hold, talk.said)
        if talk.said:
            found.insert(0, talk)
        room -= len(talk.said)
        if talk.older:
            break
    return found


def _is_from(seat: Seat, message: Message) -> bool:
    return message.seat_id == seat.pk


def _seats_before(hold: Hold, seat: Seat) -> Iterator[Seat]:
    """Yields the guest's seats in earlier matches, of which this match is a rematch; latest match first.

    At most MOST_MATCHES + 1, until one where the guest had none. Of several seats, it is the one that became
    their next. Sets `hold` of each.
    """
    match, letter = seat.match, seat.letter
    for _ in range(MOST_MATCHES + 1):
        before = match.rematch_of
        if before is None:
            return
        holds = Hold.objects.filter(guest=hold.guest_id, seat__match=before).select_related("seat__match")
        own = list(holds)
        letter = next_seat(letter, before.seats.count(), -seats_moved(match))
        found = own[0] if len(own) == 1 else next((one for one in own if one.seat.letter == letter), None)
        if found is None:
            return
        there, match, letter = found.seat, before, found.seat.letter
        there.hold = found
        yield there


def number_of(match: Match) -> int:
    return int((match.series or {}).get("number", 1))

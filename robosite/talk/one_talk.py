"""Talk as players read it: ordinary messages, and those revealed with turns, from a match and earlier ones.

A rematch, and each match of a series, continues the talk of the match before. Guests who had a seat in the
earlier match may read the messages that this seat may read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import NamedTuple

from robosite.matches.flow.series import next_seat
from robosite.matches.models import Hold, Match, Seat
from robosite.talk import messages, undo
from robosite.talk.models import Message
from robosite.talk.turn_notes import SealedWord, words_among_messages

MOST_MATCHES = 3
"""The maximum number of earlier matches whose talk one page shows. A link leads to the other ones."""


class OfMatch(NamedTuple):
    """The messages of one match that the player of a seat may read, oldest first.

    Some of them (`SealedWord`) were revealed together with a turn. `number` is the number of the match, from
    1, in its series or among its rematches. `own` is the primary key of the reader's seat. `older` is the
    seat whose page shows older messages, or None if there are none.
    """

    number: int
    """The number of the match, from 1, in its series or among its rematches."""
    said: list[Message | SealedWord]
    own: int
    """The primary key of the reader's seat in the match."""
    older: Seat | None = None
    """The seat whose own page of talk shows the older messages, or None if there are none."""


def at_table(seat: Seat, before: datetime | None = None, thread: str = "") -> OfMatch:
    """Returns the latest messages that the seat may read, with those that were revealed with turns (words).

    `before` and `thread` are as for `messages.at_table`; the words are those to all players.
    """
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

    `hold` is the guest's right to act for `seat`. `thread` is as for `messages.at_table` in the seat's match;
    earlier matches have the thread with the seat that has become that one. The matches are read backwards in
    time, and matches without messages are left out. The reading ends in these cases:

    - The guest had no seat in the next match to be read.
    - `room` or more messages, or MOST_MATCHES matches, have been read. The next match to be read, if there is
      one, is then added without messages, so that a link can lead to its messages.
    - The last match that was read has older messages, which are not returned.

    The messages of a match are marked as read if all of them are returned.
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

    Yields at most MOST_MATCHES + 1 seats, and stops at a match in which the guest had no seat. If the guest
    held several seats of a match, yields the one that became their seat in the next match. Sets `hold` of
    each seat.
    """
    match, letter = seat.match, seat.letter
    for _ in range(MOST_MATCHES + 1):
        before = match.rematch_of
        if before is None:
            return
        holds = Hold.objects.filter(guest=hold.guest_id, seat__match=before).select_related("seat__match")
        own = list(holds)
        letter = next_seat(letter, before.seats.count(), -1)
        found = own[0] if len(own) == 1 else next((one for one in own if one.seat.letter == letter), None)
        if found is None:
            return
        there, match, letter = found.seat, before, found.seat.letter
        there.hold = found
        yield there


def number_of(match: Match) -> int:
    return int((match.series or {}).get("number", 1))

"""Talk as its players read it: messages and words that were sealed with turns, on from match to match.

A rematch and a series go on in the same talk. Of an earlier match a player reads what the seat of the same
guest could read there, and nobody else reads any of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from robosite.matches.flow.series import next_seat
from robosite.matches.models import Hold, Match, Seat
from robosite.talk import messages
from robosite.talk.messages import Said
from robosite.talk.models import Message
from robosite.talk.turn_notes import SealedWord, words_among_messages

MOST_MATCHES = 3
"""The number of earlier matches that are read for one page; a link leads on from there."""


class OfMatch(NamedTuple):
    """The messages of one match, oldest first."""

    number: int
    """The number of the match among rematches, or in its series, from 1."""
    said: list[Message | SealedWord]
    own: int
    """The reader's seat there (primary key)."""
    older: Seat | None = None
    """The seat on whose page of talk there is more, before this."""


def at_table(seat: Seat, before: datetime | None = None) -> OfMatch:
    """The last messages that the seat may read, or the last before a time, and the words between them."""
    talk = messages.at_table(seat, before)
    first = talk.messages[0].sent_at if talk.older else None
    words = [
        word
        for word in words_among_messages(seat.match)
        if (first is None or word.sent_at >= first) and (before is None or word.sent_at < before)
    ]
    together: list[Message | SealedWord] = sorted([*talk.messages, *words], key=lambda one: one.sent_at)
    return OfMatch(number_of(seat.match), together, seat.pk, seat if talk.older else None)


def earlier(hold: Hold, seat: Seat, room: int) -> list[OfMatch]:
    """The messages of the matches before this one, the first of them first, until `room` is filled.

    All that is shown of them counts as read.
    """
    found: list[OfMatch] = []
    for number, there in enumerate(_seats_before(hold, seat)):
        if room <= 0 or number == MOST_MATCHES:
            found.insert(0, OfMatch(number_of(there.match), [], there.pk, there))
            break
        talk = at_table(there)
        if there.hold and not talk.older:
            of_messages = [one for one in talk.said if isinstance(one, Message)]
            messages.note_heard(there.hold, Said(of_messages, older=False))
        if talk.said:
            found.insert(0, talk)
        room -= len(talk.said)
        if talk.older:
            break
    return found


def _seats_before(hold: Hold, seat: Seat) -> Iterator[Seat]:
    """The seats of the same guest in the matches before, the last first, up to one that was not theirs."""
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

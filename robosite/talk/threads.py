"""The threads of a match's talk: one of messages to all, and one with each other player."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from robosite.matches.models import Hold, Seat
from robosite.talk import messages
from robosite.talk.models import Message, Recipient


class Thread(NamedTuple):
    """A player's thread: `key` is ALL or the other player's letter, `unread` a number of messages."""

    key: str
    name: str
    unread: int = 0


def threads_of(seat: Seat, others: list[Seat]) -> list[Thread]:
    """Returns the player's private threads, or [] if there is at most one other player.

    A thread with a seat that has left `others`, the other people at the table, stays.
    """
    if not others[1:]:
        return []
    rows = Recipient.objects.filter(seat=seat, sent_at__gte=seat.taken_at)
    new = rows.filter(read_at=None).exclude(message__seat=seat)
    unread = Counter(new.values_list("message__seat", flat=True)[: messages.COUNTED])
    spoke = set(Recipient.objects.filter(message__in=rows.values("message")).values_list("seat", flat=True))
    beside = {one.pk for one in others} | spoke - {seat.pk}
    seats = [one for one in seat.match.seats.all() if one.pk in beside]
    return [Thread(one.letter, one.shown_name, unread[one.pk]) for one in seats]


def first_thread(hold: Hold, seat: Seat, threads: list[Thread]) -> str:
    """Returns the key of the thread that opens first: an unread one, else that of the player's last message.

    Unread messages to all come before private ones.
    """
    private = sum(one.unread for one in threads)
    unread = messages.unread(hold, seat)
    if unread:
        return messages.ALL if unread > private else next(one.key for one in threads if one.unread)
    last = Message.objects.filter(match=seat.match_id, seat=seat, sent_at__gte=seat.taken_at)
    newest = last.order_by("-sent_at", "-pk").prefetch_related("recipients__seat").first()
    to = [one.seat.letter for one in newest.recipients.all() if one.seat_id != seat.pk] if newest else []
    return to[0] if len(to) == 1 else messages.ALL

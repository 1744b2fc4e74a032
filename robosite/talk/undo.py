"""Taking back a message: its author may, for a minute, and then until somebody else has read it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.dispatch import Signal
from django.utils import timezone

from robosite.matches import flow, locks
from robosite.matches.flow import Refused
from robosite.matches.live import push
from robosite.matches.models import Match, Seat
from robosite.people.models import Guest
from robosite.talk.messages import TOLD, keep_pace
from robosite.talk.models import Message
from robosite.talk.turn_notes import SealedWord
from robosite.web.transactions import lock_rows, send_to_all

AT_LEAST = timedelta(minutes=1)
"""The time for which a message can be taken back although it has been read."""

taken_back = Signal()
"""Signal sent after a `message` was taken back, in the same transaction; `number` was its primary key."""


def mark_read(shown: Iterable[Message | SealedWord], own: Callable[[Message], bool]) -> bool:
    """Stores that somebody has read these messages, but for their own; True if all are still there."""
    fresh = [one.pk for one in shown if isinstance(one, Message) and not one.read_at and not own(one)]
    marked = Message.objects.filter(pk__in=fresh).update(read_at=timezone.now()) if fresh else 0
    return marked == len(fresh)


def newest_own(shown: Sequence[Message | SealedWord], own: Callable[[Message], bool]) -> Message | None:
    """Returns the reader's newest message if it can still be taken back, else None."""
    for one in reversed(shown):
        if isinstance(one, Message) and own(one):
            return one if _may_go(one) else None
    return None


def key_of(message: Message) -> int:
    """The key of a message: its time in microseconds, as a row's number would tell of messages to others."""
    return round(message.sent_at.timestamp() * 1_000_000)


def at_table(seat: Seat, sent_at: datetime) -> Message | None:
    """Takes back and returns the message of that time; None if it has gone, Refused if it is too late."""
    keep_pace(("talk", f"seat {seat.pk}"))
    with locks.locked(seat.match_id) as match:
        flow.confirm_seat(seat)
        return delete(Message.objects.filter(seat=seat, sent_at__gte=seat.taken_at), sent_at, match)


def among_watchers(match: Match, guest: Guest, sent_at: datetime) -> Message | None:
    """Takes back a message that a watcher has written, as `at_table` does."""
    keep_pace(("talk", f"guest {guest.pk}"))
    with locks.locked(match.pk) as fresh:
        return delete(Message.objects.filter(match=fresh, watchers=True, guest=guest), sent_at, fresh)


def delete(own: QuerySet[Message], sent_at: datetime, match: Match | None = None) -> Message | None:
    """Deletes and returns the one of the author's `own` messages that has this time, or None.

    Call it inside the lock of the match or league. Raises Refused if it is too late. A report keeps the text;
    open pages in a `match` fetch their messages again.
    """
    message = lock_rows(own.filter(sent_at=sent_at)).first()
    if message is None:
        return None
    number = message.pk
    if not _may_go(message):
        raise Refused("Someone has read this already.")
    if match:
        seats = match.seats.all() if message.to_all else [one.seat for one in message.recipients.all()]
        heard = [] if message.watchers else [seat.letter for seat in seats]
        push.said(match, number, heard, watchers=message.watchers)
    message.delete()
    of = message.match or message.league
    send_to_all(taken_back, Message, of.key if of else "", message=message, number=number)
    return message


def _may_go(message: Message) -> bool:
    if message.hidden or message.phrase in TOLD:
        return False
    return message.read_at is None or message.sent_at > timezone.now() - AT_LEAST

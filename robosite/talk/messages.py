"""Messages among the players of a match, or among its watchers: writing them, and the rights to read them.

A message does not change the match's version. Open pages learn of a message by a separate push, which goes
only to people who may read the message.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

import regex
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value, prefetch_related_objects
from django.db.models.functions import Coalesce
from django.dispatch import Signal
from django.utils import timezone

from robosite.matches import flow, locks
from robosite.matches.flow import Refused
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.people.names import check_not_taken_away
from robosite.talk.models import Heard, Message, Recipient
from robosite.talk.stock import STOCK
from robosite.talk.strangers import check_may_type, typed_before
from robosite.talk.turn_notes import SealedWord, recently_revealed, words_among_messages
from robosite.web import limits
from robosite.web.signals import send_to_all

LONGEST = 500
"""The maximum length of a message, in characters."""
SHOWN = 30
"""The maximum number of messages that a page shows at once."""
COUNTED = 99
"""The number up to which unread messages are counted."""

BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
"""A time before that of any message."""

said = Signal()
"""Signal that is sent after a message was written, in the same transaction.

The sender is Message. The argument `message` is the new message. The function `hearers` returns the seats
that may read it.
"""

Row = TypeVar("Row", Message, Recipient)

# Control characters except the line feed, surrogates, and marks that change the direction of later lines.
_REFUSED = regex.compile(r"[[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u202a-\u202e\u2066-\u2069]--[\n]]", regex.V1)


class TooMuch(Refused):
    """Raised if a seat or an address sends too many messages. `wait` is the number of seconds to wait."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(
            "That was a lot at once. Please send it again in a second."
            if wait == 1
            else "That was a lot at once. Please send it again in {n} seconds.",
            n=wait,
        )


class Said(NamedTuple):
    """Messages that one reader may see, oldest first; `older` is True if there are still older ones."""

    messages: list[Message]
    older: bool


# Saying


def say(
    seat: Seat,
    guest: Guest | None,
    text: str,
    phrase: str = "",
    *,
    to: Collection[str] = (),
    once: str = "",
) -> Message:
    """Writes a player's message to all players, or only to the seats `to`, and notifies its readers.

    `to` has letters of seats; an empty `to` stands for all players. `phrase` is the key of a stock phrase, or
    "". `once` identifies the form, or is "". If the seat has already sent the same content with the same
    `once`, no message is written, and the earlier message is returned. Raises Refused if the message is not
    allowed, and SeatLost if the guest has lost the seat.
    """
    text, phrase = clean(text, phrase)
    once = content_mark(once, text, phrase, *sorted(to))
    keep_pace(f"seat {seat.pk}")
    with locks.locked(seat.match_id) as match:  # simultaneous messages one after the other
        flow.confirm_seat(seat)
        seats = {one.letter: one for one in match.seats.all()}
        if before := _said_before(match, once, seat=(own := seats[seat.letter])):
            return before
        if text:
            check_may_type(match)
        chosen = [_hearer(seats, own, letter) for letter in dict.fromkeys(to)]
        said_by = {"seat": own, "guest": guest, "name": own.name}
        message = Message(match=match, phrase=phrase, text=text, once=once, **said_by)
        _send(message, chosen, list(seats.values()))
    return message


def _send(message: Message, chosen: list[Seat], seats: list[Seat]) -> None:
    """Stores a player's new message, with its recipients if it is private, and notifies its readers.

    `chosen` has the recipients' seats; [] stands for all players. `seats` has all seats of the match. Call
    this function while the match is locked.
    """
    own = message.seat
    assert own
    message.to_all, message.sent_at = not chosen, timezone.now()
    message.save()
    if chosen:
        _address(message, own, *chosen)
    heard_by = [one for one in chosen or seats if one.pk != own.pk]
    flow.note_addressed(heard_by)
    push.said(message.match, message.pk, [one.letter for one in (*heard_by, own)])
    send_to_all(said, Message, message.match.key, message=message)


def _address(message: Message, *seats: Seat) -> None:
    """Stores who may read a private message: the players of these seats."""
    Recipient.objects.bulk_create(
        Recipient(message=message, seat=one, sent_at=message.sent_at) for one in seats
    )


def say_among_watchers(
    match: Match, who: Callable[[], Guest], where: str, *, text: str, phrase: str = "", once: str = ""
) -> Message:
    """Writes a watcher's message, which players may not read until the match is over.

    `who` returns the author or raises RefusedName, and is called only if the text is valid. `where` is the
    network address under which the rate of messages is limited. `phrase` is the key of a stock phrase, or "".
    `once` identifies the form, or is "". If the guest has already sent the same content with the same `once`,
    no message is written, and the earlier message is returned. Raises Refused if the message is not allowed,
    and RefusedName if a moderator has taken the author's name away.
    """
    text, phrase = clean(text, phrase)
    once = content_mark(once, text, phrase)
    keep_pace(f"from {where}")
    guest = who()
    with locks.locked(match.pk) as fresh:
        if not may_hear_watchers(fresh, guest):
            raise Refused("Until the match is over, only people who do not play can read what watchers say.")
        check_not_taken_away(guest.name, guest, fresh.pk)
        if said_before := _said_before(match, once, guest=guest):
            return said_before
        message = Message.objects.create(
            match=match,
            watchers=True,
            guest=guest,
            name=guest.name,
            phrase=phrase,
            text=text,
            sent_at=timezone.now(),
            once=once,
        )
        push.said(match, message.pk, [], watchers=True)
        send_to_all(said, Message, message.match.key, message=message)
    return message


@push.register_poll
def said_since(keys: list[str], since: datetime) -> list[push.Message]:
    """Returns the pushes (to open pages) for all messages sent at or after `since` in some matches.

    Open pages that may have missed the pushes get them again. `keys` are the keys of the matches.
    """
    found = Message.objects.filter(match__key__in=keys, sent_at__gte=since).select_related("match", "seat")
    pushes = []
    for message in found.prefetch_related("recipients__seat", "match__seats"):
        seats = [] if message.watchers else [seat.letter for seat in message.match.seats.all()]
        if not message.to_all:
            seats = [one.seat.letter for one in message.recipients.all()]
        pushes.append(push.said_message(message.match.key, message.pk, seats, watchers=message.watchers))
    return pushes


def clean(text: str, phrase: str) -> tuple[str, str]:
    """Returns the cleaned text of a message, and the key of its stock phrase.

    Control characters except line feeds, and repeated empty lines, are removed from the text. An unknown key
    becomes "". Raises Refused if the text is too long, or if the cleaned text and the key are both empty.
    """
    text = _REFUSED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = regex.sub(r"\n{3,}", "\n\n", text).strip()
    phrase = phrase if phrase in STOCK else ""
    if not text and not phrase:
        raise Refused("Please type something first.")
    if len(text) > LONGEST:
        raise Refused("This is too long: {n} characters, {most} at most.", n=len(text), most=LONGEST)
    return text, phrase


def keep_pace(who: str) -> None:
    """Counts a message against the rate limit of `who`, which identifies a seat or is a network address.

    Raises TooMuch if the limit is exceeded.
    """
    wait = limits.wait("talk", who)
    if wait:
        raise TooMuch(wait)


def content_mark(once: str, *parts: str) -> str:
    """Returns a hash by which a message that is sent twice is recognized; "" if `once` is empty.

    The hash is made from `once`, which identifies the form, and from `parts`, the form's content.
    """
    return hashlib.sha256(json.dumps([once, *parts]).encode()).hexdigest()[:32] if once else ""


def _said_before(match: Match, once: str, **by: Any) -> Message | None:
    return match.messages.filter(once=once, **by).first() if once else None


def _hearer(seats: dict[str, Seat], own: Seat, letter: str) -> Seat:
    seat = seats.get(letter)
    if seat is None or not seat.taken or seat.is_bot or seat.pk == own.pk:
        raise Refused("There is nobody in seat {at} to write to.", at=letter[:8])
    return seat


# Hearing


def hearers(message: Message) -> list[Seat]:
    """Returns the seats of people and programs that may read a message, except the author's.

    Returns [] for a watcher's message.
    """
    if message.watchers:
        return []
    seats = message.match.seats.filter(taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    if not message.to_all:
        seats = seats.filter(recipients__message=message)
    if message.text and message.match.may_have(MatchFlag.STRANGERS):
        seats = seats.filter(taken_at__lte=message.sent_at)  # as in `typed_before`
    return [seat for seat in seats if seat.pk != message.seat_id]


def may_hear_watchers(match: Match, guest: Guest | None) -> bool:
    """Returns True if the guest may read watchers' messages.

    Players of the match may read these messages only after the match is over, and everybody else at any time.
    """
    if match.status not in flow.GOING_ON:
        return True
    return guest is None or not Hold.objects.filter(guest=guest, seat__match=match).exists()


def at_table(seat: Seat, before: datetime | None = None) -> Said:
    """Returns the latest messages in a match that the player of `seat` may read.

    The constant SHOWN limits their number. With `before`, returns only messages from before that time.
    """
    to_all, private = _audible(seat)
    found = _last(to_all, before) + [one.message for one in _last(private.select_related("message"), before)]
    prefetch_related_objects(found, "recipients__seat")
    return _page(sorted(found, key=lambda one: (one.sent_at, one.pk)))


def among_watchers(match: Match, before: datetime | None = None) -> Said:
    return _page(_last(Message.objects.filter(match=match, watchers=True, to_all=True), before)[::-1])


def unread(hold: Hold, seat: Seat) -> int:
    """The number of messages from others in a match that the holder of `seat` has not read, at most COUNTED.

    Messages that were revealed with a turn count too. `hold` is the holder's right to act for the seat, for
    which the time of the last message read is stored.
    """
    if not seat.addressed:
        return 0
    upto = Heard.objects.filter(hold=hold).values_list("upto", flat=True).first()
    to_all, private = _audible(seat)
    new = to_all.exclude(seat=seat), private.exclude(message__seat=seat)
    counts = [(rows.filter(sent_at__gt=upto) if upto else rows)[:COUNTED].count() for rows in new]
    words = words_among_messages([seat.match_id], upto or BEFORE_ALL)
    counts.append(sum(word.seat_id != seat.pk for word in words))
    return min(sum(counts), COUNTED)


def unread_among(guest: Guest, matches: Collection[int]) -> set[int]:
    """Returns the primary keys of those `matches` in which a guest has unread messages.

    `matches` are primary keys. A message counts if `unread` counts it for any of the guest's seats. Makes a
    single query, and two more if messages were revealed with turns since the guest last read the messages.
    """
    since = Coalesce(OuterRef("heard__upto"), Value(BEFORE_ALL))
    new = Q(sent_at__gt=since)
    typed_late = Q(strange=0) | Q(text="") | Q(sent_at__gte=OuterRef("seat__taken_at"))
    to_all = (
        Message.objects.filter(match=OuterRef("seat__match"), watchers=False, to_all=True)
        .annotate(strange=F("match__flags").bitand(MatchFlag.STRANGERS))
        .filter(new, typed_late)
    )
    private = Recipient.objects.filter(seat=OuterRef("seat"), sent_at__gte=OuterRef("seat__taken_at"))
    others = Q(seat=None) | ~Q(seat=OuterRef("seat"))
    of_others = Q(message__seat=None) | ~Q(message__seat=OuterRef("seat"))
    words = recently_revealed().filter(seat__match=OuterRef("seat__match")).exclude(seat=OuterRef("seat"))
    rows = (
        Hold.objects.filter(guest=guest, seat__match__in=matches, seat__addressed=True)
        .annotate(
            upto=Coalesce("heard__upto", Value(BEFORE_ALL)),
            said=Exists(to_all.filter(others)) | Exists(private.filter(new, of_others)),
            sealed=Exists(words.filter(at__gt=since)),
        )
        .filter(Q(said=True) | Q(sealed=True))
        .values_list("seat__match", "seat", "upto", "said")
    )
    holds = list(rows)
    found = {match for match, _, _, is_said in holds if is_said}
    unsure = [hold for hold in holds if hold[0] not in found]
    if unsure:
        for word in words_among_messages({match for match, *_ in unsure}, min(hold[2] for hold in unsure)):
            found.update(
                match
                for match, seat, upto, _ in unsure
                if match == word.match_id and seat != word.seat_id and upto < word.sent_at
            )
    return found


def note_heard(hold: Hold, shown: Sequence[Message | SealedWord]) -> None:
    """Stores that a guest has read the messages in a match up to the last one in `shown`, oldest first.

    `hold` is the guest's right to act for a seat of the match. Notifies the guest's open pages if one of
    these messages was unread.
    """
    if not shown:
        return
    upto = shown[-1].sent_at
    if not Heard.objects.filter(hold=hold, upto__gte=upto).exists():
        Heard.objects.update_or_create(hold=hold, defaults={"upto": upto})
        push.guest_caught_up(hold.guest_id)


def _audible(seat: Seat) -> tuple[QuerySet[Message], QuerySet[Recipient]]:
    """Returns two querysets: messages to all players, and the seat's rows for private messages (Recipient).

    Only messages that the seat's present player may read are included. Left out are private messages to a
    former player of the seat. If strangers met in the match, typed messages from before the seat was taken
    are left out too.
    """
    private = Recipient.objects.filter(seat=seat, sent_at__gte=seat.taken_at)
    to_all = Message.objects.filter(match=seat.match_id, watchers=False, to_all=True)
    return to_all.exclude(typed_before(seat)), private


def _last(rows: QuerySet[Row], before: datetime | None) -> list[Row]:
    if before:
        rows = rows.filter(sent_at__lt=before)
    return list(rows.order_by("-sent_at", "-pk")[: SHOWN + 1])


def _page(messages: list[Message]) -> Said:
    return Said(messages[-SHOWN:], len(messages) > SHOWN)

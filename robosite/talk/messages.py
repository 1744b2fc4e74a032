"""Messages among the players of a match, or among its watchers: writing them, and the rights to read them.

A message does not change the match's version. A separate push goes only to those who may read it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

import regex
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value, prefetch_related_objects
from django.db.models.functions import Coalesce
from django.dispatch import Signal, receiver
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from robosite.matches import flow, locks
from robosite.matches.flow import Refused
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.people.models import Guest
from robosite.people.names import check_not_taken_away
from robosite.talk.models import Heard, Message, Recipient
from robosite.talk.strangers import typed_before, why_only_phrases
from robosite.talk.turn_notes import SealedWord, recently_revealed, words_among_messages
from robosite.web import limits
from robosite.web.transactions import send_to_all

LONGEST = 500
"""The maximum length of a message, in characters."""
SHOWN = 30
"""The maximum number of messages that a page shows at once."""
COUNTED = 99
"""The number up to which unread messages are counted."""
ALL = "all"
"""The thread of messages to all players; the thread with one other player is named by the seat's letter."""

BEFORE_ALL = datetime(2000, 1, 1, tzinfo=UTC)
"""A time before that of any message."""

said = Signal()
"""Signal sent after a `message` was written, in the same transaction; the sender is Message."""

Row = TypeVar("Row", Message, Recipient)

# Control characters except the line feed, surrogates, and marks that change the direction of later lines.
_REFUSED = regex.compile(r"[[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u202a-\u202e\u2066-\u2069]--[\n]]", regex.V1)


class TooMuch(Refused):
    """Raised if a seat or an address sends too many messages. `wait` is the number of seconds to wait."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(
            "Too many messages at once. Please send it again in a second."
            if wait == 1
            else "Too many messages at once. Please send it again in {n} seconds.",
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
) -> Message:
    """Writes a player's message to all players, or only to the seats `to`, and notifies its readers."""
    text, phrase = clean(text, phrase)
    keep_pace(("talk", f"seat {seat.pk}"))
    with locks.locked(seat.match_id) as match:  # simultaneous messages one after the other
        flow.confirm_seat(seat)
        seats = {one.letter: one for one in match.seats.all()}
        own = seats[seat.letter]
        if text and (why := why_only_phrases(match)):
            raise why
        chosen = [_hearer(seats, own, letter) for letter in dict.fromkeys(to)]
        said_by = {"seat": own, "guest": guest, "name": own.name}
        message = Message(match=match, phrase=phrase, text=text, **said_by)
        _send(match, message, chosen, list(seats.values()))
    return message


def _send(match: Match, message: Message, chosen: list[Seat], seats: list[Seat]) -> None:
    """Stores a player's new message, with its recipients if it is private, and notifies its readers."""
    own = message.seat
    assert own
    message.to_all, message.sent_at = not chosen, timezone.now()
    message.save()
    Recipient.objects.bulk_create(
        Recipient(message=message, seat=one, sent_at=message.sent_at) for one in (chosen and [own, *chosen])
    )
    heard_by = [one for one in chosen or seats if one.pk != own.pk]
    flow.note_addressed(heard_by)
    push.said(match, message.pk, [one.letter for one in (*heard_by, own)])
    send_to_all(said, Message, match.key, message=message)


@receiver(flow.passed)
def tell_handover(sender: object, seat: Seat, guest: Guest | None, given_by: str, **_signal: object) -> None:
    """Signal receiver: tells a match's players that a seat was handed over, in the names of both players."""
    match = seat.match
    for name, phrase in ((given_by, "hands over"), (seat.name, "takes over")) if given_by else ():
        author = guest if phrase == "takes over" else None
        message = Message(match=match, seat=seat, guest=author, name=name, phrase=phrase)
        _send(match, message, [], list(match.seats.all()))


def say_among_watchers(
    match: Match,
    who: Callable[[], Guest],
    counted_as: Iterable[limits.Use],
    *,
    text: str,
    phrase: str = "",
) -> Message:
    """Writes a watcher's message, which players may not read until the match is over."""
    text, phrase = clean(text, phrase)
    keep_pace(*counted_as)
    guest = who()
    with locks.locked(match.pk) as fresh:
        if not may_hear_watchers(fresh, guest):
            raise Refused("Players can read the spectators’ chat only after the match.")
        check_not_taken_away(guest.name, guest, fresh.pk)
        message = Message.objects.create(
            match=match,
            watchers=True,
            guest=guest,
            name=guest.name,
            phrase=phrase,
            text=text,
            sent_at=timezone.now(),
        )
        push.said(match, message.pk, [], watchers=True)
        send_to_all(said, Message, match.key, message=message)
    return message


@push.register_poll
def said_since(keys: list[str], since: datetime) -> list[push.Message]:
    """Returns the pushes for messages from `since` on, for open pages that may have missed them."""
    found = Message.objects.filter(match__key__in=keys, sent_at__gte=since).select_related("match", "seat")
    pushes = []
    for message in found.prefetch_related("recipients__seat", "match__seats"):
        assert message.match
        seats = [] if message.watchers else [seat.letter for seat in message.match.seats.all()]
        if not message.to_all:
            seats = [one.seat.letter for one in message.recipients.all()]
        pushes.append(push.said_message(message.match.key, message.pk, seats, watchers=message.watchers))
    return pushes


def clean(text: str, phrase: str) -> tuple[str, str]:
    """Cleans a text and a phrase's key ("" if unknown); Refused if both are empty or the text is too long."""
    text = _REFUSED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = regex.sub(r"\n{3,}", "\n\n", text).strip()
    phrase = phrase if phrase in STOCK else ""
    if not text and not phrase:
        raise Refused("Please type something first.")
    if len(text) > LONGEST:
        raise Refused("This is too long: {n} characters, {most} at most.", n=len(text), most=LONGEST)
    return text, phrase


def keep_pace(*uses: limits.Use) -> None:
    """Counts a message against rate limits; raises TooMuch if one of them is exceeded."""
    if wait := limits.wait_for(uses):
        raise TooMuch(wait)


def _hearer(seats: dict[str, Seat], own: Seat, letter: str) -> Seat:
    seat = seats.get(letter)
    if seat is None or not seat.taken or seat.is_bot or seat.pk == own.pk:
        raise Refused("There’s no one in seat {at} to write to.", at=letter[:8])
    return seat


# Hearing


def hearers(message: Message) -> list[Seat]:
    """Returns the seats of people and programs that may read a message, without its author's."""
    if message.watchers or message.match is None:
        return []
    seats = message.match.seats.filter(taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    if not message.to_all:
        seats = seats.filter(recipients__message=message)
    if message.text and message.match.may_have(MatchFlag.STRANGERS):
        seats = seats.filter(taken_at__lte=message.sent_at)  # as in `typed_before`
    return [seat for seat in seats if seat.pk != message.seat_id]


def may_hear_watchers(match: Match, guest: Guest | None) -> bool:
    if match.status not in flow.GOING_ON:
        return True
    return guest is None or not Hold.objects.filter(guest=guest, seat__match=match).exists()


def at_table(seat: Seat, before: datetime | None = None, thread: str = "") -> Said:
    """Returns the latest messages in a match that the player of `seat` may read.

    At most SHOWN; only those `before` a time, and of a `thread`: ALL, or the letter of the other's seat.
    """
    to_all, private = _audible(seat)
    found = _last(to_all, before) if thread in ("", ALL) else []
    if thread != ALL:
        between = Q(message__recipients__seat__letter=thread) if thread else Q()
        private = private.filter(between).select_related("message")
        found += [one.message for one in _last(private, before)]
    prefetch_related_objects(found, "recipients__seat")
    return _page(sorted(found, key=lambda one: (one.sent_at, one.pk)))


def among_watchers(match: Match, before: datetime | None = None) -> Said:
    return last_page(Message.objects.filter(match=match, watchers=True, to_all=True), before)


def unread(hold: Hold, seat: Seat) -> int:
    """The number of messages in a match that the holder of `seat` has not read, at most COUNTED."""
    if not seat.addressed:
        return 0
    upto = Heard.objects.filter(hold=hold).values_list("upto", flat=True).first()
    to_all, private = _audible(seat)
    new = to_all.exclude(seat=seat)
    counts = [(new.filter(sent_at__gt=upto) if upto else new)[:COUNTED].count()]
    counts.append(private.filter(read_at=None).exclude(message__seat=seat)[:COUNTED].count())
    words = words_among_messages([seat.match_id], upto or BEFORE_ALL)
    counts.append(sum(word.seat_id != seat.pk for word in words))
    return min(sum(counts), COUNTED)


def unread_among(guest: Guest, matches: Collection[int]) -> set[int]:
    """Returns the primary keys of those `matches` in which a guest has unread messages."""
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
            said=Exists(to_all.filter(others)) | Exists(private.filter(of_others, read_at=None)),
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
    """Stores that a guest has read the private messages in `shown`, and those to all up to the last one."""
    private = [one.pk for one in shown if isinstance(one, Message) and not one.to_all]
    new = Recipient.objects.filter(seat=hold.seat_id, message__in=private, read_at=None) if private else None
    is_new = bool(new and new.update(read_at=timezone.now()))
    upto = max((one.sent_at for one in shown if one.to_all), default=None)
    if upto and not Heard.objects.filter(hold=hold, upto__gte=upto).exists():
        Heard.objects.update_or_create(hold=hold, defaults={"upto": upto})
        is_new = True
    if is_new:
        push.guest_caught_up(hold.guest_id)


def _audible(seat: Seat) -> tuple[QuerySet[Message], QuerySet[Recipient]]:
    """Two querysets: messages to all players, and the seat's rows for private messages (Recipient)."""
    private = Recipient.objects.filter(seat=seat, sent_at__gte=seat.taken_at)
    to_all = Message.objects.filter(match=seat.match_id, watchers=False, to_all=True)
    return to_all.exclude(typed_before(seat)), private


def _last(rows: QuerySet[Row], before: datetime | None) -> list[Row]:
    if before:
        rows = rows.filter(sent_at__lt=before)
    return list(rows.order_by("-sent_at", "-pk")[: SHOWN + 1])


def last_page(rows: QuerySet[Message], before: datetime | None) -> Said:
    """The latest of these messages, at most SHOWN; with `before`, of those from before that time."""
    return _page(_last(rows, before)[::-1])


def _page(messages: list[Message]) -> Said:
    return Said(messages[-SHOWN:], len(messages) > SHOWN)


STOCK = {
    "hello": _("Hello!"),
    "luck": _("Good luck, and have fun!"),
    "nice": _("Well played!"),
    "oops": _("Oops."),
    "wow": _("I didn’t see that coming."),
    "moment": _("I need a little time."),
    "no-hurry": _("No hurry."),
    "thanks": _("Thanks for the match!"),
    "again": _("Play again?"),
    "bye": _("See you!"),
}

TOLD = {
    "hands over": _("I’ve handed my seat to someone else."),
    "takes over": _("I’ve taken over this seat and am playing on."),
}
"""The phrases that the site itself says in a player's name. Nobody can choose these phrases."""


def phrase_text(key: str) -> str:
    """The stock phrase with this key in the reader's language; "" for an unknown key."""
    known = STOCK.get(key) or TOLD.get(key)
    return gettext(known) if known else ""


def stock_phrases() -> list[tuple[str, str]]:
    """A pair for each stock phrase: its key, and its text in the reader's language."""
    return [(key, phrase_text(key)) for key in STOCK]

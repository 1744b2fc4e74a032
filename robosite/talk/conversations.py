"""The talks that one page shows: among the players of a match, and among its watchers.

The third kind is in `leagues.league_talk`; `views.conversation_page` does not know which kind it has.
"""

from abc import ABC, abstractmethod
from collections import Counter
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from robosite.matches.flow import Refused
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.wording import listed
from robosite.people.current_guest import current_guest, welcome
from robosite.people.models import Guest
from robosite.people.names import clean_name
from robosite.play.decorators import Request
from robosite.play.players import table_mark
from robosite.talk import messages, one_talk, undo
from robosite.talk.models import Message, Recipient
from robosite.talk.strangers import why_only_phrases
from robosite.web import limits
from robosite.web.http import path_of


class Conversation(ABC):
    """A talk as one reader has it: what they may read and say there, and what the page says about it."""

    seat: Any = None
    """The reader's seat in the match, or their place in the league; None for a watcher."""

    def __init__(self, request: Request) -> None:
        self.request = request

    @abstractmethod
    def say(self, text: str, phrase: str) -> Message:
        """Writes the message of a posted form; raises Refused or RefusedName if it is not allowed."""

    @abstractmethod
    def take_back(self, sent_at: datetime) -> Message | None:
        """Deletes the reader's message of this time and returns it; raises Refused if it is too late."""

    @abstractmethod
    def is_own(self, message: Message) -> bool:
        """Returns True if the reader has written the message."""

    @property
    def there(self) -> str:
        """The address of the page, with the thread that it shows."""
        return self.request.path

    @abstractmethod
    def read(self, before: datetime | None) -> dict[str, Any]:
        """The messages as a template's context; with `before`, only those from before this time."""

    @abstractmethod
    def note_heard(self, said: list[Any]) -> None:
        """Stores that the reader has read these messages, oldest first."""

    @abstractmethod
    def around(self) -> dict[str, Any]:
        """The rest of the template's context."""


def read_page(said: messages.Said) -> dict[str, Any]:
    """The template context of a page of messages; `older` is the value of `before` for the page before."""
    older = undo.key_of(said.messages[0]) if said.older else ""
    return {"said": said.messages, "older": older, "earlier": (), "number": 1}


def about_match(request: Request, match: Match) -> dict[str, Any]:
    """The template context about a match, which every page of its talk and notes needs."""
    names = [seat.shown_name for seat in match.seats.all() if seat.taken]
    return {"match": match, "game": match.game, "here": request.path, "players": names}


class AtTable(Conversation):
    """The talk among the players of a match, as the player of `seat` has it."""

    def __init__(self, request: Request, seat: Seat) -> None:
        super().__init__(request)
        self.seat: Seat = seat
        self.table = table_mark(seat.match.seats.all())
        people = [one for one in seat.match.seats.all() if one.taken and not one.is_bot]
        self.others = [one for one in people if one.pk != seat.pk]

    def say(self, text: str, phrase: str) -> Message:
        post = self.request.POST
        to = post.getlist("to")
        if to and post.get("table", self.table) != self.table:
            raise Refused("The players have changed. Please choose again who is to read this.")
        return messages.say(self.seat, current_guest(self.request), text, phrase, to=to)

    def take_back(self, sent_at: datetime) -> Message | None:
        return undo.at_table(self.seat, sent_at)

    def is_own(self, message: Message) -> bool:
        return message.seat_id == self.seat.pk

    @cached_property
    def thread(self) -> str:
        """The key of the thread that the page shows, or "" if all messages are in one."""
        known = threads_of(self.seat, self.others)
        if not known:
            return ""
        asked = self.request.POST.getlist("to") or self.request.GET.getlist("to")
        if len(asked) == 1 and asked[0] in (messages.ALL, *(one.key for one in known)):
            return asked[0]
        if self.request.method == "POST":
            return messages.ALL
        return first_thread(self.request.hold, self.seat, known)

    @property
    def there(self) -> str:
        return f"{self.request.path}?to={self.thread}" if self.thread else self.request.path

    def read(self, before: datetime | None) -> dict[str, Any]:
        """The messages, with those revealed with turns and, in a rematch, those of earlier matches."""
        page = read_page(messages.at_table(self.seat, before, self.thread))
        here = one_talk.at_table(self.seat, before, self.thread)
        fits = self.seat.match.rematch_of_id and not here.older
        hold, room = self.request.hold, messages.SHOWN - len(here.said)
        earlier = one_talk.earlier(hold, self.seat, room, self.thread) if fits else []
        return page | {"said": here.said, "number": here.number, "earlier": earlier}

    def note_heard(self, said: list[Any]) -> None:
        messages.note_heard(self.request.hold, said)

    def around(self) -> dict[str, Any]:
        match, others = self.seat.match, self.others
        to = next((one for one in match.seats.all() if one.letter == self.thread), None)
        threads = threads_of(self.seat, others) if self.thread else []
        unread = messages.unread(self.request.hold, self.seat) if threads else 0
        hint = _("No one else is here to read this.")
        if to:
            hint = read_by([to])
        elif match.status == Match.Status.OPEN:
            hint = _("Anyone who joins can read this.")
        elif others:
            hint = read_by(others)
        return about_match(self.request, match) | {
            "here": self.there,
            "title": _("Chat"),
            "hint": hint,
            "table": self.table,
            "thread": self.thread,
            "threads": threads,
            "unread_to_all": max(0, unread - sum(one.unread for one in threads)),
            "to": to,
            "why_only_phrases": why_only_phrases(match),
            "report": path_of("report", match.key),
        }


class AmongWatchers(Conversation):
    """The talk among the watchers of a match; the author of a message has to give a name."""

    def __init__(self, request: Request, match: Match, guest: Guest | None) -> None:
        super().__init__(request)
        self.match, self.guest = match, guest

    def say(self, text: str, phrase: str) -> Message:
        counted_as = [("talk/watchers", limits.address(self.request))]
        if self.guest:
            counted_as.append(("talk", f"guest {self.guest.pk}"))
        return messages.say_among_watchers(self.match, self._author, counted_as, text=text, phrase=phrase)

    def take_back(self, sent_at: datetime) -> Message | None:
        return undo.among_watchers(self.match, self.guest, sent_at) if self.guest else None

    def is_own(self, message: Message) -> bool:
        return self.guest is not None and message.guest_id == self.guest.pk

    def read(self, before: datetime | None) -> dict[str, Any]:
        return read_page(messages.among_watchers(self.match, before))

    def note_heard(self, said: list[Any]) -> None:
        """Does nothing: the site does not store which messages watchers have read."""

    def around(self) -> dict[str, Any]:
        return about_match(self.request, self.match) | {
            "title": _("Spectator chat"),
            "hint": _("The players can read this once the match is over."),
            "name": self._name,
            "report": path_of("report", self.match.key),
        }

    @property
    def _name(self) -> str:
        return self.request.POST.get("name", self.guest.name if self.guest else "")

    def _author(self) -> Guest:
        name = clean_name(self._name, self._names(), guest=self.guest, table=self.match.pk)
        return welcome(self.request, name)

    def _names(self) -> list[str]:
        """The names that this watcher must not use: of other players, and of other recent authors."""
        seats = self.match.seats.filter(taken_at__isnull=False)
        spoke = messages.among_watchers(self.match).messages
        own = self.guest.pk if self.guest else None
        return [seat.name for seat in seats if not seat.holds.filter(guest=own).exists()] + list(
            {one.name for one in spoke if one.guest_id != own}
        )


def read_by(others: list[Any]) -> str:
    """The sentence that names the other readers: seats or places."""
    return _("Only {names} can see this.").format(
        names=listed([_("you"), *(one.shown_name for one in others)])
    )


class Thread(NamedTuple):
    """A player's thread: `key` is ALL or the other player's letter, `unread` a number of messages."""

    key: str
    name: str
    unread: int = 0


def threads_of(seat: Seat, others: list[Seat]) -> list[Thread]:
    """Returns the player's private threads, or [] if there is at most one other player."""
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
    """The key of the thread that opens: one with unread messages (ALL first), else that last written to."""
    private = sum(one.unread for one in threads)
    unread = messages.unread(hold, seat)
    if unread:
        return messages.ALL if unread > private else next(one.key for one in threads if one.unread)
    last = Message.objects.filter(match=seat.match_id, seat=seat, sent_at__gte=seat.taken_at)
    newest = last.order_by("-sent_at", "-pk").prefetch_related("recipients__seat").first()
    to = [one.seat.letter for one in newest.recipients.all() if one.seat_id != seat.pk] if newest else []
    return to[0] if len(to) == 1 else messages.ALL

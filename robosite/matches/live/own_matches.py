"""An open page's subscription to its guest's matches: new turns, messages to the guest's seats, new seats."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from channels.db import database_sync_to_async
from django.db.models import Q
from django.utils import timezone

from robosite.matches.live import push
from robosite.matches.live.push import Message, hub
from robosite.matches.models import GOING_ON, Hold, Seat, held_by

MOST_MATCHES = 60
"""The most seats to whose matches a page listens: those whose matches changed last."""
OVER_FOR = timedelta(days=2)
"""The time after a match's end for which pages still listen to it, for talk and a rematch."""
JUST_NOW = timedelta(seconds=15)
"""The greatest age of earlier changes that are reported to a page when it begins to listen."""


class OwnMatches:
    """An open page's subscription to a guest's matches, except one (key `besides`); calls `tell` at news."""

    def __init__(self, guest: int, tell: Callable[[], None], *, besides: str = "") -> None:
        self.guest, self.tell, self.besides = guest, tell, besides
        self.own = push.of_guest(guest)
        self.versions: dict[str, int] = {}
        self.letters: dict[str, frozenset[str]] = {}
        self.seats: set[int] = set()
        self.ended = False

    async def begin(self) -> None:
        await hub().add(self.own, self.hear)
        if not self.ended and await self.look() > timezone.now() - JUST_NOW:
            self.tell()

    async def look(self) -> datetime:
        """Reads and subscribes to the guest's matches; returns the latest change's time, or OVER_FOR ago."""
        rows = await database_sync_to_async(seats_of)(self.guest)
        letters: dict[str, set[str]] = {}
        last = timezone.now() - OVER_FOR
        self.seats = {seat for seat, *_of_match in rows}
        for _seat, key, version, letter, changed_at in rows:
            if key != self.besides:
                last = max(last, changed_at)
                letters.setdefault(key, set()).add(letter)
                self.versions[key] = max(self.versions.get(key, 0), version)
        new, gone = letters.keys() - self.letters.keys(), self.letters.keys() - letters.keys()
        self.letters = {key: frozenset(some) for key, some in letters.items()}
        for key in gone:
            hub().remove(key, self.hear)
            self.versions.pop(key, None)
        for key in new:
            if self.ended:
                break
            await hub().add(key, self.hear)
        return last

    def end(self) -> None:
        """Ends all subscriptions of the page. Call it when the page is closed."""
        self.ended = True
        for key in (self.own, *self.letters):
            hub().remove(key, self.hear)

    def hear(self, message: Message) -> None:
        key = message.get("match", "")
        if message["type"] == "changed":
            if message["version"] <= self.versions.get(key, 0):
                return
            self.versions[key] = message["version"]
        elif message["type"] == "said":
            if not self.letters.get(key, frozenset()) & set(message["seats"]):
                return
        elif message["type"] == "seated":
            if message["seat"] in self.seats:
                return
        elif message["type"] != "looked" or self.besides:  # a match's page says nothing of what is read
            return
        self.tell()


def seats_of(guest: int) -> list[tuple[int, str, int, str, datetime]]:
    """The guest's seats in running or recent matches, at most MOST_MATCHES, the latest change first."""
    lately = Q(match__status__in=GOING_ON) | Q(match__changed_at__gt=timezone.now() - OVER_FOR)
    seats = Seat.objects.filter(held_by(guest), lately).order_by("-match__changed_at", "-match", "letter")
    columns = "pk", "match__key", "match__version", "letter", "match__changed_at"
    return list(seats.values_list(*columns)[:MOST_MATCHES])


@push.register_poll
def seated_since(keys: list[str], since: datetime) -> Iterable[Message]:
    """Messages for these guests' seats taken since the time `since`, in case the channel layer lost them."""
    guests = [number for key in keys if (number := push.guest_in(key)) is not None]
    if not guests:
        return []
    rows = Hold.objects.filter(guest__in=guests, seat__taken_at__gte=since)
    return [push.seated_message(guest, seat) for guest, seat in rows.values_list("guest", "seat")]

"""Messages to open pages: they say that something has changed, and the pages then fetch what is new.

A process subscribes to the channel layer once and distributes messages to its own open sockets, since a layer
is slow if every socket is a member. No write fails because a push fails. A layer may lose messages, so each
process also polls the database about every ASKS_EVERY seconds.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from random import SystemRandom
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import transaction
from django.utils import timezone

from robosite.engine.handler import loop_of_thread
from robosite.matches.models import Match, Seat
from robosite.web.logs import Outage
from robosite.web.metrics import PUSHES

log = logging.getLogger("robosite")
_outage = Outage(log, "the channel layer does not answer: pages ask by themselves", "it answers pages again")

GROUP = "matches"

Message = dict[str, Any]
Listener = Callable[[Message], None]
PollFunction = Callable[[list[str], datetime], Iterable[Message]]

ASKS_EVERY = 20.0
"""Seconds between two polls of a process for changes of its open pages' matches."""
HOLDS: Message = {"type": "holds"}
"""The message that all listeners get at each regular poll, as a sign that the connection works."""
LOOKS_BACK = 3 * ASKS_EVERY
"""The greatest age, in seconds, of messages that a poll finds. A version is found at any age."""
AT_ONCE = 500
MOST_NUMBERS = 10_000
"""The most received messages that a process remembers, so that a poll does not repeat them."""

LONGEST = 10.0
"""Seconds after which a message is dropped if the layer has not accepted it."""

_chance = SystemRandom()
_polls: list[PollFunction] = []
_orders: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def register_poll(poll: PollFunction) -> PollFunction:
    """Decorator for a function that finds messages in the database that the channel layer may have lost."""
    _polls.append(poll)
    return poll


def changed(match: Match) -> None:
    """Notifies open pages, after the commit, that the match has a new version."""
    _after_commit({"type": "changed", "match": match.key, "version": match.version})


def draft_changed(seat: Seat, tab: str) -> None:
    """Notifies the seat's pages, after the commit, that the seat's draft has changed."""
    _after_commit({"type": "draft", "match": seat.match.key, "seat": seat.letter, "tab": tab[:40]})


def seat_changed(seat: Seat) -> None:
    """Makes the seat's WebSockets check, after the commit, whether they may still act for the seat."""
    _after_commit({"type": "draft", "match": seat.match.key, "seat": seat.letter, "tab": ""})


def said(match: Match, number: int, seats: Iterable[str], *, watchers: bool = False) -> None:
    """Notifies the pages of these seats, after the commit, that there is a new message for them to read."""
    _after_commit(said_message(match.key, number, seats, watchers=watchers))


def said_message(key: str, number: int, seats: Iterable[str], *, watchers: bool) -> Message:
    seats = sorted(set(seats))
    return {"type": "said", "match": key, "number": number, "seats": seats, "watchers": watchers}


def invited(program: int) -> None:
    """Makes a program's event stream read its invitations again, after the commit."""
    _after_commit({"type": "invited", "match": of_program(program)})


def of_program(program: int) -> str:
    return f"program {program}"


def seated(guest: int, seat: int) -> None:
    """Makes a guest's open pages read again, after the commit, which seats the guest has."""
    _after_commit(seated_message(guest, seat))


def seated_message(guest: int, seat: int) -> Message:
    return {"type": "seated", "match": of_guest(guest), "seat": seat, "number": f"{guest} in {seat}"}


def guest_caught_up(guest: int) -> None:
    """Notifies a guest's open pages, after the commit, that the guest has seen turns or read messages."""
    _after_commit({"type": "looked", "match": of_guest(guest)})


def league_changed(guests: Iterable[int]) -> None:
    """Notifies these guests' open pages, after the commit, that something is new in a league of theirs."""
    for guest in set(guests):
        guest_caught_up(guest)


def shown(guest: int, *, shown: bool) -> None:
    """Tells a guest's open pages, after the commit, whether they are visible to other players (presence)."""
    _after_commit({"type": "shown", "match": of_guest(guest), "shown": shown})


def of_guest(guest: int) -> str:
    return f"guest {guest}"


def guest_in(key: str) -> int | None:
    word, _, number = key.partition(" ")
    return int(number) if word == "guest" and number.isdigit() else None


def all_changed() -> None:
    """Makes each process poll the database at once, after the commit, since many matches have changed."""
    _after_commit({"type": "look"})


def _after_commit(message: Message) -> None:
    transaction.on_commit(lambda: _send(message), robust=True)


def _send(message: Message) -> None:
    """Sends a message; waits for it only in a thread without a running event loop."""
    loop = loop_of_thread()
    if loop is None or not loop.is_running():
        asyncio.run(deliver(message))
    else:
        asyncio.run_coroutine_threadsafe(deliver(message), loop)


async def deliver(message: Message) -> None:
    """Sends a message to the layer, after all earlier ones of the same event loop; only logs an error."""
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async with asyncio.timeout(LONGEST), _orders.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            await layer.group_send(GROUP, message)
    except Exception as fault:
        PUSHES.labels("failed").inc()
        _outage.begin(fault)
    else:
        PUSHES.labels("sent").inc()
        _outage.end()


class Hub:
    """This process's listeners by key (a match's, `of_guest`, `of_program`), subscribed to the layer once."""

    def __init__(self) -> None:
        self.listeners: defaultdict[str, set[Listener]] = defaultdict(set)
        self.task: asyncio.Task[None] | None = None
        self.asks: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()
        self.told: dict[str, int] = {}
        self.numbers: dict[int | str, None] = {}

    async def add(self, key: str, listener: Listener) -> None:
        self.listeners[key].add(listener)
        if self.task is None or self.task.done():
            self.ready.clear()
            self.task = asyncio.get_running_loop().create_task(self._listen())
        if self.asks is None or self.asks.done():
            self.asks = asyncio.get_running_loop().create_task(self._ask())
        await self.ready.wait()

    def remove(self, key: str, listener: Listener) -> None:
        self.listeners[key].discard(listener)
        if not self.listeners[key]:
            del self.listeners[key]
            self.told.pop(key, None)

    def end(self) -> None:
        """Sends the message `end` to all listeners, so that event streams end before the process does."""
        for listeners in tuple(self.listeners.values()):
            for listener in tuple(listeners):
                listener({"type": "end"})

    async def _listen(self) -> None:
        """Passes all messages of the layer on, while there are listeners; at `look`, polls the database."""
        channel = ""
        while self.listeners:
            try:
                layer = get_channel_layer()
                assert layer is not None
                channel = channel or await layer.new_channel("hub")  # one alone, or the others fill up unread
                await layer.group_add(GROUP, channel)
                self.ready.set()
                _outage.end()
                while True:
                    message = await layer.receive(channel)
                    if message["type"] == "look":
                        await self._look()
                    else:
                        self._hand_on(message)
            except asyncio.CancelledError:
                raise
            except Exception as fault:
                _outage.begin(fault)
                self.ready.set()
                await asyncio.sleep(1)

    async def _ask(self) -> None:
        """Polls the database each ASKS_EVERY seconds; sends HOLDS, so that pages notice a lost connection."""
        while self.listeners:
            await asyncio.sleep(ASKS_EVERY * (1 - _chance.random() / 5))
            for listeners in tuple(self.listeners.values()):
                for listener in tuple(listeners):
                    listener(HOLDS)
            try:
                await self._look()
            except Exception:
                log.warning("what open pages may have missed could not be looked for", exc_info=True)

    async def _look(self) -> None:
        for message in await database_sync_to_async(_untold)(sorted(self.listeners)):
            if message["type"] == "changed":
                known = self.told.get(message["match"], 0) >= int(message["version"])
            else:
                known = message["number"] in self.numbers
            if not known:
                self._hand_on(message)

    def _note(self, message: Message) -> None:
        if message["type"] == "changed" and message["match"] in self.listeners:
            self.told[message["match"]] = max(self.told.get(message["match"], 0), message["version"])
        elif "number" in message:
            self.numbers[message["number"]] = None
            if len(self.numbers) > MOST_NUMBERS:
                del self.numbers[next(iter(self.numbers))]

    def _hand_on(self, message: Message) -> None:
        self._note(message)
        for listener in tuple(self.listeners.get(message["match"], ())):
            listener(message)


def _untold(keys: list[str]) -> list[Message]:
    """The messages for these keys that the layer may have lost: versions, and those of `register_poll`."""
    found: list[Message] = []
    since = timezone.now() - timedelta(seconds=LOOKS_BACK)
    for start in range(0, len(keys), AT_ONCE):
        some = keys[start : start + AT_ONCE]
        versions = Match.objects.filter(key__in=some).values_list("key", "version")
        found += [{"type": "changed", "match": key, "version": version} for key, version in versions]
        for poll in _polls:
            found += poll(some, since)
    return found


_hubs: dict[int, Hub] = {}


def listening() -> int:
    return sum(len(listeners) for hub in _hubs.values() for listeners in tuple(hub.listeners.values()))


def hub() -> Hub:
    """The Hub of the running event loop: one for each server process."""
    loop = id(asyncio.get_running_loop())
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]

"""The WebSockets of open pages: they report that a match changed, and accept no commands."""

import asyncio
import json
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer

from robosite.matches.live import push
from robosite.matches.live.own_matches import OwnMatches
from robosite.matches.live.presence import presence
from robosite.matches.live.push import Message, hub
from robosite.matches.models import Hold, Match
from robosite.people.current_guest import guest_of, owner_at
from robosite.people.models import Guest, GuestFlag
from robosite.web.addresses import address_behind
from robosite.web.admission import HeldSlot, Owner
from robosite.web.limits import OpenCount, open_slots

MAX_CLIENT_MESSAGES = 10
"""The most messages that a client may send over one socket; pages send none."""
AGAINST_THE_RULES = 1008


class ReceivesNothing(AsyncWebsocketConsumer):
    """A WebSocket that ignores messages, and closes (code 1008) after more than MAX_CLIENT_MESSAGES."""

    came = 0

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        self.came += 1
        if self.came > MAX_CLIENT_MESSAGES:
            await self.close(AGAINST_THE_RULES)
            await self.disconnect(AGAINST_THE_RULES)
            raise StopConsumer  # the rest of the queue is not looked at


class UnknownUrl(ReceivesNothing):
    """A WebSocket at a URL that does not exist; it is closed at once (code 4404)."""

    async def connect(self) -> None:
        await self.close(4404)


slots, of_seat = open_slots("sockets", "sockets of all"), OpenCount("sockets of a seat")
NO_SLOT = 4429
GATHERS = 0.2
"""Seconds for which news of a guest's matches is collected before it is reported once."""


class Listening(ReceivesNothing):
    """A WebSocket that tells its page to fetch something anew, as long as it is admitted.

    The number of sockets is limited for each address, and for each guest on a seat (`web/admission.py`). A
    page without one polls instead.
    """

    guest: int | None
    unseen = False
    """True if the guest hides from other players that the page is open (`GuestFlag.UNSEEN`)."""
    link = ""
    """The key under which `of_seat` counts this socket; "" if only its address and guest are counted."""
    slot: HeldSlot | None = None
    owns: OwnMatches | None = None

    def prepare(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self.order = asyncio.Lock()
        self.gathers = False

    async def owner(self) -> Owner:
        """Identifies this browser's guest; returns the Owner against whose limits the socket counts."""
        guest = await database_sync_to_async(self._guest)()
        self.guest = guest and guest.pk
        self.unseen = bool(guest and guest.may_have(GuestFlag.UNSEEN))
        return owner_at(self._address(), guest)

    async def enter(self, owner: Owner) -> bool:
        """Accepts the socket and returns True, if its limits allow it; else closes it (code NO_SLOT)."""
        if (self.link and not of_seat.may(self.link)) or not self._take(owner):
            await self.close(NO_SLOT)
            return False
        await self.accept()
        self.scope.pop("session", None)  # who is there has been read from it
        self.scope.pop("cookies", None)
        return True

    async def listen_to_own(self, *, besides: str = "") -> None:
        """Starts to report news in the guest's matches, except in the match with the key `besides`."""
        if self.guest and self.slot:
            self.owns = OwnMatches(self.guest, self.hear_of_own, besides=besides)
            await self.owns.begin()

    async def disconnect(self, code: int) -> None:
        self.stop()
        if self.slot:
            slots.leave(self.slot)
            self.slot = None
            if self.link:
                of_seat.ended(self.link)

    def stop(self) -> None:
        if self.owns:
            self.owns.end()

    def _take(self, owner: Owner) -> bool:
        """Counts the socket as open and returns True, unless a limit is reached; `_put_out` ends it later."""
        loop = asyncio.get_running_loop()
        self.slot = slots.take(owner, put_out=lambda: loop.call_soon_threadsafe(self._put_out))
        if self.slot and self.link:
            of_seat.opened(self.link)
        return self.slot is not None

    def _put_out(self) -> None:
        self.stop()
        self._task(self.close(NO_SLOT))

    def _address(self) -> str:
        forwarded = [value for name, value in self.scope["headers"] if name == b"x-forwarded-for"]
        peer = (self.scope.get("client") or [""])[0]
        return address_behind(peer, b", ".join(forwarded).decode("latin-1"))

    def _guest(self) -> Guest | None:
        return guest_of(self.scope["session"]) if "session" in self.scope else None

    def hear_of_own(self) -> None:
        """Sends the page, after GATHERS seconds, the message that there is news in the guest's matches."""
        if not self.gathers:
            self.gathers = True
            self._task(self._say_of_own())

    async def _say_of_own(self) -> None:
        await asyncio.sleep(GATHERS)
        self.gathers = False
        if self.owns and self.owns.ended:
            return
        with suppress(Exception):  # the reader is gone: nothing to tell any more
            if self.owns:
                await self.owns.look()
            await self.send(json.dumps({"games": True}))

    def _task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class OwnGames(Listening):
    """A WebSocket that sends `{"games": true}` at news in the guest's matches, and `{}` as a sign of life.

    The page then fetches “My games” anew, or the count. Without a guest, it is closed (code 4404).
    """

    async def connect(self) -> None:
        self.prepare()
        owner = await self.owner()
        if self.guest is None:
            await self.close(4404)
            return
        self.key = push.of_guest(self.guest)
        self.link = self.key
        if not await self.enter(owner):
            return
        await self.listen_to_own()
        await hub().add(self.key, self.hear)
        with suppress(Exception):
            await self.send("{}")

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "key"):
            hub().remove(self.key, self.hear)

    def hear(self, message: Message) -> None:
        if message["type"] == "holds":
            self._task(self._hold())

    async def _hold(self) -> None:
        try:
            await self.send("{}")
        except Exception:  # the reader is gone
            self.stop()


class Changes(Listening):
    """A WebSocket that sends `{"version": n}` at once and at every change of a match.

    `{}` is a sign of life, at least every twenty seconds. Pages of a seat also get `{"draft": tab}` when the
    seat's draft changes, and `{"here": "BC"}`, the other seats with an open page. Pages that may read a new
    message get `{"said": true}`, a guest's pages the news of OwnGames.
    """

    key: str
    seat: str
    here: str | None = None
    """The seats that the page was last sent as `here`; None while the page takes no part in presence."""

    async def connect(self) -> None:
        where = self.scope["url_route"]["kwargs"]
        self.key, self.seat = where["key"], where.get("letter", "")
        self.prepare()
        owner = await self.owner()
        if not slots.may(owner):
            await self.close(NO_SLOT)
            return
        version = await self._version()
        if version is None:
            await self.close(4403)
            return
        self.link = f"{self.key}/{self.seat}/{self.guest}" if self.seat else ""
        if not await self.enter(owner):
            return
        await hub().add(self.key, self.hear)
        await self._say({"version": (await self._version()) or version})
        await self.listen_to_own(besides=self.key)
        if self.seat and self.guest and self.slot:
            await hub().add(push.of_guest(self.guest), self.hear_of_guest)
            await presence().enter(self.key, (self.seat, self.guest), shown=not self.unseen)
            self.here = ""
            self._say_who_is_here()

    def stop(self) -> None:
        super().stop()
        if hasattr(self, "key"):
            hub().remove(self.key, self.hear)
        if self.here is not None and self.guest:
            self.here = None
            hub().remove(push.of_guest(self.guest), self.hear_of_guest)
            presence().leave(self.key, (self.seat, self.guest), shown=not self.unseen)

    def hear(self, message: Message) -> None:
        if message["type"] == "changed":
            news: dict[str, Any] = {"version": message["version"]}
        elif message["type"] == "said":
            if not (self.seat in message["seats"] if self.seat else message["watchers"]):
                return
            news = {"said": True}
        elif message["type"] == "holds":
            news = {}
        elif message["type"] == "draft" and self.seat == message["seat"]:
            news = {"draft": message["tab"]}
        elif message["type"] == "present":
            return self._say_who_is_here()
        else:
            return
        self._task(self._say(news))

    def hear_of_guest(self, message: Message) -> None:
        if message["type"] == "shown" and self.guest and message["shown"] == self.unseen:
            self.unseen = not message["shown"]
            presence().show(self.key, (self.seat, self.guest), shown=not self.unseen)

    def _say_who_is_here(self) -> None:
        others = {letter for letter, guest in presence().at(self.key) if guest != self.guest}
        here = "".join(sorted(others - {self.seat}))
        if self.here is not None and here != self.here:
            self.here = here
            self._task(self._say({"here": here}))

    async def _say(self, news: dict[str, Any]) -> None:
        try:
            async with self.order:
                if self.seat and news and await self._version() is None:  # this browser's seat no more
                    await self.close(4403)
                    return
                if "said" in news and not await database_sync_to_async(self._may_hear)():
                    return
                await self.send(json.dumps(news))
        except Exception:  # the reader is gone: nothing to tell any more
            self.stop()

    async def _version(self) -> int | None:
        return await database_sync_to_async(self._look)()

    def _may_hear(self) -> bool:
        """Returns True if this browser may know that a new message was written in the match.

        On a seat's page, the guest must hold it; on the public page, players are told only after the match.
        """
        holds = Hold.objects.filter(seat__match__key=self.key, guest=self.guest)
        if self.seat:
            return holds.filter(seat__letter=self.seat).exists()
        over = Match.objects.filter(key=self.key, status__in=(Match.Status.OVER, Match.Status.ABORTED))
        return over.exists() or not (self.guest and holds.exists())

    def _look(self) -> int | None:
        match = Match.objects.filter(key=self.key).values_list("version", "watched").first()
        if match is None or (match[1] and not self.seat):
            return match and match[0]
        holds = Hold.objects.filter(seat__match__key=self.key, guest=self.guest)
        if self.seat:
            holds = holds.filter(seat__letter=self.seat)
        return match[0] if self.guest and holds.exists() else None

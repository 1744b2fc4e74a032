"""Sockets and event streams: they say that a match changed, and take no commands."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from robosite.matches.models import Hold, Match
from robosite.matches.push import Message, hub
from robosite.people.here import KEY


class Changes(AsyncWebsocketConsumer):
    """Says `{"version": n}` at once and at every change of a match.

    A seat's own pages hear also that its draft changed (`{"draft": tab}`). Whatever comes in is dropped.
    """

    key: str
    seat: str
    guest: int | None

    async def connect(self) -> None:
        where = self.scope["url_route"]["kwargs"]
        self.key, self.seat = where["key"], where.get("letter", "")
        self.tasks: set[asyncio.Task[None]] = set()
        self.latest = 0
        self.guest = await database_sync_to_async(self._guest)()
        version = await self._version()
        if version is None:
            await self.close(4403)
            return
        await self.accept()
        await hub().add(self.key, self.hear)
        await self._say({"version": (await self._version()) or version})

    async def disconnect(self, code: int) -> None:
        if hasattr(self, "key"):
            hub().remove(self.key, self.hear)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing that comes in is a command."""

    def hear(self, message: Message) -> None:
        """A message of the layer: handed on in a task, so that a slow reader stops nobody."""
        if message["type"] == "changed":
            told: dict[str, Any] = {"version": message["version"]}
        elif self.seat and message["seat"] == self.seat:
            told = {"draft": message["tab"]}
        else:
            return
        task = asyncio.get_running_loop().create_task(self._say(told))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _say(self, told: dict[str, Any]) -> None:
        try:
            if "draft" in told and await self._version() is None:  # the seat is not this browser's any more
                await self.close(4403)
                return
            await self.send(json.dumps(told))
        except Exception:  # the reader is gone: nothing to tell any more
            hub().remove(self.key, self.hear)

    async def _version(self) -> int | None:
        return await database_sync_to_async(self._look)()

    def _guest(self) -> int | None:
        """Who is at this browser; read in the database's own thread."""
        guest = self.scope["session"].get(KEY) if "session" in self.scope else None
        return int(guest) if guest else None

    def _look(self) -> int | None:
        """The match's version, or None if there is no such match or it is not for this browser."""
        match = Match.objects.filter(key=self.key).values_list("version", "watched").first()
        if match is None or (match[1] and not self.seat):
            return match and match[0]
        holds = Hold.objects.filter(seat__match__key=self.key, guest=self.guest)
        if self.seat:
            holds = holds.filter(seat__letter=self.seat)
        return match[0] if self.guest and holds.exists() else None

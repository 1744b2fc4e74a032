"""Telling open pages that something changed: a version number, nothing else. Pages ask again by themselves.

A process listens to the channel layer once and keeps its own set of open sockets, since a layer is slow where
every socket is a member. A push may fail; no write ever fails because of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

from robosite.matches.models import Match, Seat

log = logging.getLogger("robosite")

GROUP = "matches"
Message = dict[str, Any]
Listener = Callable[[Message], None]


def changed(match: Match) -> None:
    """After the commit: the match has a new version."""
    _after_commit({"type": "changed", "match": match.key, "version": match.version})


def draft_changed(seat: Seat, tab: str) -> None:
    """After the commit: other pages of the same seat have an old draft. `tab` is the page that wrote it."""
    _after_commit({"type": "draft", "match": seat.match.key, "seat": seat.letter, "tab": tab[:40]})


def seat_changed(seat: Seat) -> None:
    """After the commit: who may act for a seat has changed; its sockets must show again that they may."""
    _after_commit({"type": "draft", "match": seat.match.key, "seat": seat.letter, "tab": ""})


def _after_commit(message: Message) -> None:
    transaction.on_commit(lambda: _send(message), robust=True)


def _send(message: Message) -> None:
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(GROUP, message)


class Hub:
    """The open sockets and event streams of this process, by match."""

    def __init__(self) -> None:
        self.listeners: defaultdict[str, set[Listener]] = defaultdict(set)
        self.task: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()

    async def add(self, key: str, listener: Listener) -> None:
        self.listeners[key].add(listener)
        if self.task is None or self.task.done():
            self.ready.clear()
            self.task = asyncio.get_running_loop().create_task(self._listen())
        await self.ready.wait()

    def remove(self, key: str, listener: Listener) -> None:
        self.listeners[key].discard(listener)
        if not self.listeners[key]:
            del self.listeners[key]

    async def _listen(self) -> None:
        """Hands every message of the layer on; begins again, after a pause, when the layer fails."""
        while self.listeners:
            try:
                layer = get_channel_layer()
                assert layer is not None
                channel = await layer.new_channel("hub")
                await layer.group_add(GROUP, channel)
                self.ready.set()
                while True:
                    self._hand_on(await layer.receive(channel))
            except asyncio.CancelledError:
                raise
            except Exception:
                log.warning("the channel layer does not answer; pages ask by themselves", exc_info=True)
                self.ready.set()
                await asyncio.sleep(1)

    def _hand_on(self, message: Message) -> None:
        for listener in tuple(self.listeners.get(message["match"], ())):
            listener(message)


_hubs: dict[int, Hub] = {}


def hub() -> Hub:
    """The hub of the running loop: one a server process, one a test."""
    loop = id(asyncio.get_running_loop())
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]

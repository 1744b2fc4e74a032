"""Event streams: a match says that it changed, and the reader asks again. They end by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from random import SystemRandom

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse

from robosite.limits import Open
from robosite.matches.live.push import Message, hub
from robosite.matches.models import Match

SECONDS = 24.0
"""How long a stream stays open: less than the server's HTTP timeout of 30 s."""
BEAT = 10.0
"""After so many seconds without news an empty line goes out, so that nothing between us hangs up."""

streams = Open("streams")

_chance = SystemRandom()


def stream(key: str, address: str) -> StreamingHttpResponse:
    return event_stream(_changes(key, address))


def event_stream(events: AsyncIterable[str]) -> StreamingHttpResponse:
    """The answer that is a stream of these events."""
    response = StreamingHttpResponse(events, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _changes(key: str, address: str) -> AsyncIterator[str]:
    """`changed` with the version, at once and at every change; the newest one only, if they come fast."""
    latest, told = 0, 0
    news = asyncio.Event()
    ends = asyncio.get_running_loop().time() + SECONDS

    def hear(message: Message) -> None:
        nonlocal latest, ends
        if message["type"] == "changed":
            latest = max(latest, message["version"])
        elif message["type"] == "end":
            ends = 0.0
        news.set()

    streams.opened(address)
    try:
        await hub().add(key, hear)
        latest = max(latest, await database_sync_to_async(_version)(key))
        yield retry_line()
        while True:
            if latest > told:
                told = latest
                yield f'event: changed\ndata: {{"version": {told}}}\n\n'
            news.clear()
            left = ends - asyncio.get_running_loop().time()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(news.wait(), min(left, BEAT))
            except TimeoutError:
                yield ":\n\n"
    finally:
        hub().remove(key, hear)
        streams.ended(address)


def retry_line() -> str:
    """When to come back, with jitter."""
    return f"retry: {_chance.randint(500, 3000)}\n\n"


def _version(key: str) -> int:
    return Match.objects.filter(key=key).values_list("version", flat=True).first() or 0

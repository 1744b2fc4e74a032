"""Event streams: a match says that it changed, and the reader asks again. They end by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from random import SystemRandom

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse

from robosite.admission import Owner
from robosite.limits import open_places
from robosite.matches.live.push import Message, hub
from robosite.matches.models import Match

SECONDS = 24.0
"""How long a stream stays open: less than the server's HTTP timeout of 30 s."""
BEAT = 10.0
"""After so many seconds without news an empty line goes out, so that nothing between us hangs up."""

streams = open_places("streams", "streams of all")
PUT_OUT = ": this stream made room for an address that had none\nretry: 10000\n\n"

_chance = SystemRandom()


def stream(key: str, owner: Owner) -> StreamingHttpResponse:
    return event_stream(_changes(key, owner))


def event_stream(events: AsyncIterable[str]) -> StreamingHttpResponse:
    """The answer that is a stream of these events."""
    response = StreamingHttpResponse(events, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _changes(key: str, owner: Owner) -> AsyncIterator[str]:
    """`changed` with the version, at once and at every change; the newest one only, if they come fast.

    It ends early when its place is taken away, and says so in a comment.
    """
    loop = asyncio.get_running_loop()
    latest, told, ends = 0, 0, loop.time() + SECONDS
    news = asyncio.Event()
    ended = asyncio.Event()

    def put_out() -> None:
        ended.set()
        news.set()

    def hear(message: Message) -> None:
        nonlocal latest, ends
        if message["type"] == "changed":
            latest = max(latest, message["version"])
        elif message["type"] == "end":
            ends = 0.0
        news.set()

    place = streams.take(owner, put_out=lambda: loop.call_soon_threadsafe(put_out))
    if place is None:
        yield PUT_OUT
        return
    try:
        await hub().add(key, hear)
        latest = max(latest, await database_sync_to_async(_version)(key))
        yield retry_line()
        while True:
            if ended.is_set():
                yield PUT_OUT
                return
            if latest > told:
                told = latest
                yield f'event: changed\ndata: {{"version": {told}}}\n\n'
            news.clear()
            left = ends - loop.time()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(news.wait(), min(left, BEAT))
            except TimeoutError:
                yield ":\n\n"
    finally:
        hub().remove(key, hear)
        streams.leave(place)


def retry_line() -> str:
    """When to come back, with jitter."""
    return f"retry: {_chance.randint(500, 3000)}\n\n"


def _version(key: str) -> int:
    return Match.objects.filter(key=key).values_list("version", flat=True).first() or 0

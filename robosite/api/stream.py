"""The event stream of a match, which says that the match has changed; ends after SECONDS at the latest."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from random import SystemRandom

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse

from robosite.matches.live.push import Message, hub
from robosite.matches.models import Match
from robosite.web.admission import Owner
from robosite.web.limits import open_slots

SECONDS = 24.0
"""The maximum number of seconds that a stream stays open: fewer than the server's HTTP timeout."""
BEAT = 10.0
"""Seconds without an event after which a comment is sent, so that no proxy closes the connection."""

streams = open_slots("streams", "streams of all")
PUT_OUT = ": this stream made room for an address that had none\nretry: 10000\n\n"

_chance = SystemRandom()


def stream(key: str, owner: Owner) -> StreamingHttpResponse:
    return event_stream(_changes(key, owner))


def event_stream(events: AsyncIterable[str]) -> StreamingHttpResponse:
    """Returns the streaming response that sends these events, which are texts in the event-stream format."""
    response = StreamingHttpResponse(events, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


class _News:
    def __init__(self) -> None:
        self.version = 0
        self.ended = False
        self.last = ""
        self._came = asyncio.Event()

    def hear(self, message: Message) -> None:
        if message["type"] == "changed":
            self.note(message["version"])
        elif message["type"] == "end":
            self.end()

    def note(self, version: int) -> None:
        if version > self.version:
            self.version = version
            self._came.set()

    def end(self, last: str = "") -> None:
        """Makes the event stream end after it has sent the text `last`."""
        self.ended, self.last = True, self.last or last
        self._came.set()

    async def wait(self) -> bool:
        """Waits for news at most BEAT seconds; returns True if some came, False if none did."""
        self._came.clear()
        try:
            await asyncio.wait_for(self._came.wait(), BEAT)
        except TimeoutError:
            return False
        return True


async def _changes(key: str, owner: Owner) -> AsyncIterator[str]:
    """Yields the match's version at once and after each change, for SECONDS or until the slot is lost."""
    loop, news, version = asyncio.get_running_loop(), _News(), 0
    slot = streams.take(owner, put_out=lambda: loop.call_soon_threadsafe(news.end, PUT_OUT))
    if slot is None:
        yield PUT_OUT
        return
    end = loop.call_later(SECONDS, news.end)
    try:
        await hub().add(key, news.hear)
        news.note(await database_sync_to_async(_version)(key))
        yield retry_line()
        while not news.ended:
            if news.version > version:
                version = news.version
                yield f'event: changed\ndata: {{"version": {version}}}\n\n'
            elif not await news.wait():
                yield ":\n\n"
        if news.last:
            yield news.last
    finally:
        end.cancel()
        hub().remove(key, news.hear)
        streams.leave(slot)


def retry_line() -> str:
    """Returns the line that tells a client to reconnect after a random time of 0.5 to 3 seconds."""
    return f"retry: {_chance.randint(500, 3000)}\n\n"


def _version(key: str) -> int:
    return Match.objects.filter(key=key).values_list("version", flat=True).first() or 0

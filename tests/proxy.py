"""A line that is not a laboratory's: between browsers and a server process, and bad as lines are."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple, Self

import h11

ROUND = 3
"""The number of requests for the same thing in a row of which the last gets through in time."""


class Fault(StrEnum):
    """A way in which a request fails."""

    LOST = "the line is lost before the request is there"
    UNANSWERED = "the line is lost before the answer is there"
    CUT = "the line is lost in the middle of the answer"
    HANGS = "nothing goes through, and nobody hangs up; the server gets the request later"
    HANGS_UNANSWERED = "the server has the request, and its answer does not come"
    STALLS = "the answer stops in its middle, and nobody hangs up"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    TIMEOUT = "504"
    PORTAL = "a network answers in the site's place: with its own page"
    ELSEWHERE = "a network answers in the site's place: it leads to its own page"


HANGING = (Fault.HANGS, Fault.HANGS_UNANSWERED, Fault.STALLS)


SIGN_IN = "/sign-in"
PORTAL_PAGE = (
    b"<!doctype html><title>Please sign in</title><h1>Please sign in</h1><p>Not the site: a network.</p>"
)


class Asked(NamedTuple):
    """A request that came, and how it was broken."""

    method: str
    path: str
    fault: Fault | None


class Rule(NamedTuple):
    """Breaks some of each `of` requests with that method for a path that matches.

    Either those of pages that are open already, or those by which a browser goes to another page.
    """

    faults: tuple[Fault, ...]
    method: str
    path: re.Pattern[str]
    broken: int
    of: int
    goes: bool


class Pipe:
    """An open socket of a page: both ends, and whether anything passes."""

    def __init__(self, *ends: asyncio.StreamWriter) -> None:
        self.ends = ends
        self.silent = False

    def drop(self) -> None:
        for end in self.ends:
            end.transport.abort()


class Proxy:
    """Listens on a free port of this machine and hands on to a server's; tests change it while it runs.

    `delay` and `jitter` are seconds each way. `addresses` are those of the browser, one after the other for
    five requests each: what a trusted proxy writes into X-Forwarded-For. `always` is the fault of all
    requests.
    """

    delay = 0.0
    jitter = 0.0
    addresses: tuple[str, ...] = ("203.0.113.1",)
    always: Fault | None = None
    refuses_sockets = False
    hangs_sockets = False

    def __init__(self, port: int, seed: str = "") -> None:
        self.to = port
        self.seed = seed
        self.rng = Random(seed)
        self.rules: list[Rule] = []
        self.asked: list[Asked] = []
        self.counts: Counter[str] = Counter()
        self.pipes: set[Pipe] = set()
        self.held: list[Callable[[], Awaitable[Any]]] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        self.server = self.call(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        self.call(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def call(self, what: Any) -> Any:
        """The result of a coroutine in the proxy's own loop."""
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(30)

    # What a test does with it

    def breaks(
        self,
        *faults: Fault,
        method: str = "POST",
        path: str = "",
        broken: int = 1,
        of: int = ROUND,
        goes: bool = False,
    ) -> None:
        """From now on: in some of these ways, `broken` of each `of` requests for the same path."""
        self.rules.append(Rule(faults, method, re.compile(path), broken, of, goes))

    def becomes(self, fault: Fault | None, *, delay: float = 0.0) -> None:
        """From now on all requests and sockets fail in this way, or none; what is under way is cut."""
        self.always, self.delay = fault, delay
        self.call(self._cut())

    def heals(self) -> None:
        """All is well from now on; the server gets what hung on the way to it."""
        self.rules, self.refuses_sockets, self.hangs_sockets = [], False, False
        self.call(self._release())

    def drop_sockets(self) -> None:
        """Both ends of all open sockets of pages find that the line is gone."""
        self.call(self._drop())

    def silence_sockets(self) -> None:
        """Nothing passes the open sockets any more, and neither end is told."""
        for pipe in self.pipes:
            pipe.silent = True

    def broken(self, path: str = "") -> list[Asked]:
        return [one for one in self.asked if one.fault and re.search(path, one.path)]

    # A connection of a browser

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        try:
            await self._answer_all(reader, writer)
        except (OSError, EOFError, h11.ProtocolError, asyncio.CancelledError):
            pass  # a line was lost, as lines are
        finally:
            self.tasks.discard(task)
            writer.transport.abort()

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        here = h11.Connection(h11.SERVER)
        while True:
            request, body = await _message(here, reader)
            if not isinstance(request, h11.Request):
                return
            await self._wait()
            if any(name == b"upgrade" for name, _ in request.headers):
                return await self._socket(request, reader, writer)
            if not await self._answer(request, body, here, writer):
                return
            if here.our_state is h11.MUST_CLOSE:
                return await _flush(writer)
            here.start_next_cycle()

    async def _answer(
        self, request: h11.Request, body: bytes, here: h11.Connection, writer: asyncio.StreamWriter
    ) -> bool:
        """Answers a request; returns whether the line holds."""
        fault = self._choose(request)
        if fault is Fault.HANGS:
            self.held.append(lambda: self._ask(request, body))
            await asyncio.Event().wait()
        if fault is Fault.LOST:
            return False
        if fault and (answered := self._instead(request, fault)):
            return await self._send(*answered, here, writer)
        response, answer = await self._ask(request, body)
        await self._wait()
        if fault is Fault.HANGS_UNANSWERED:
            await asyncio.Event().wait()
        if fault is Fault.UNANSWERED:
            return False
        if fault in (Fault.CUT, Fault.STALLS):
            writer.write(here.send(response))
            writer.write(here.send(h11.Data(answer[: len(answer) // 2])) or b"")
            await writer.drain()
            if fault is Fault.STALLS:
                await asyncio.Event().wait()
            await asyncio.sleep(0.05)  # so that the half is there before the end
            return False
        return await self._send(response, answer, here, writer)

    def _instead(self, request: h11.Request, fault: Fault) -> tuple[h11.Response, bytes] | None:
        """The answer of somebody on the way in the site's place, if that is the fault."""
        if fault.isdigit():
            return _page(int(fault), b"The gateway has no answer.")
        if fault is Fault.PORTAL or (fault is Fault.ELSEWHERE and request.target == SIGN_IN.encode()):
            return _page(200, PORTAL_PAGE, content_type="text/html; charset=utf-8")
        if fault is Fault.ELSEWHERE:  # another site, as browsers see it
            return _page(302, b"", location=f"http://localhost:{self.port}{SIGN_IN}")
        return None

    def _choose(self, request: h11.Request) -> Fault | None:
        """The fault of this request: it hangs on the seed, and on how often the same was asked for before."""
        method, path = request.method.decode(), request.target.decode().partition("?")[0]
        of = f"{method} {path}"
        n, self.counts[of] = self.counts[of], self.counts[of] + 1
        going, fault = (b"sec-fetch-mode", b"navigate") in request.headers, self.always
        for faults, how, where, broken, each, goes in self.rules:
            if how == method and goes == going and where.search(path) and not fault:
                rng = Random(f"{self.seed} {of} {n // each}")
                fault = rng.choice(faults) if n % each in rng.sample(range(each), broken) else None
        self.asked.append(Asked(method, path, fault))
        return fault

    async def _ask(self, request: h11.Request, body: bytes) -> tuple[h11.Response, bytes]:
        """The server's own answer, on a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.to)
        there = h11.Connection(h11.CLIENT)
        ours = [one for one in request.headers if one[0] not in (b"connection", b"keep-alive")]
        headers = [*ours, (b"connection", b"close"), (b"x-forwarded-for", self._address())]
        asked = h11.Request(method=request.method, target=request.target, headers=headers)
        try:
            writer.write(
                b"".join(there.send(one) or b"" for one in (asked, h11.Data(body), h11.EndOfMessage()))
            )
            response, answer = await _message(there, reader)
        finally:
            writer.transport.abort()
        assert isinstance(response, h11.Response)
        drop = (b"connection", b"transfer-encoding", b"keep-alive", b"content-length")
        kept = [(name, value) for name, value in response.headers if name not in drop]
        if response.status_code != 304:
            kept.append((b"content-length", str(len(answer)).encode()))
        return h11.Response(status_code=response.status_code, headers=kept, reason=response.reason), answer

    def _address(self) -> bytes:
        return self.addresses[len(self.asked) // 5 % len(self.addresses)].encode()

    async def _send(
        self, response: h11.Response, body: bytes, here: h11.Connection, writer: asyncio.StreamWriter
    ) -> bool:
        parts = (response, *([h11.Data(body)] if body else []), h11.EndOfMessage())
        writer.write(b"".join(here.send(part) or b"" for part in parts))
        await writer.drain()
        return True

    # Sockets of pages

    async def _socket(
        self, request: h11.Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self.hangs_sockets or self.always in HANGING:
            await asyncio.Event().wait()
        if self.refuses_sockets or self.always:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return await _flush(writer)
        there, out = await asyncio.open_connection("127.0.0.1", self.to)
        lines = [b"%b %b HTTP/1.1" % (request.method, request.target)]
        lines += [b"%b: %b" % one for one in request.headers.raw_items()]
        lines += [b"X-Forwarded-For: " + self._address(), b"", b""]
        out.write(b"\r\n".join(lines))
        pipe = Pipe(writer, out)
        self.pipes.add(pipe)
        try:
            await asyncio.gather(self._pass_on(reader, out, pipe), self._pass_on(there, writer, pipe))
        finally:
            self.pipes.discard(pipe)
            pipe.drop()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pipe: Pipe) -> None:
        while data := await reader.read(65536):
            await self._wait()
            if not pipe.silent:
                writer.write(data)
                await writer.drain()
        if pipe.silent:
            await asyncio.Event().wait()  # that one end has hung up is not told to the other
        raise EOFError

    async def _wait(self) -> None:
        if self.delay or self.jitter:
            await asyncio.sleep(self.delay + self.rng.random() * self.jitter)

    async def _drop(self) -> None:
        for pipe in tuple(self.pipes):
            pipe.drop()

    async def _cut(self) -> None:
        self.held.clear()
        for task in tuple(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _release(self) -> None:
        held, self.held = self.held, []
        for ask in held:
            with suppress(OSError):
                await ask()

    async def _end(self) -> None:
        self.server.close()
        await asyncio.sleep(0.1)  # until what was just accepted is served, too
        await self._cut()
        await asyncio.sleep(0.1)  # until all lines are closed


async def _message(line: h11.Connection, reader: asyncio.StreamReader) -> tuple[Any, bytes]:
    """The next request or response with its whole body; (None, b"") if the other end has hung up."""
    head, body = None, b""
    while True:
        event = line.next_event()
        if event is h11.NEED_DATA:
            line.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request | h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return head, body
        elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
            return None, b""


async def _flush(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        await writer.drain()
        writer.close()
        await writer.wait_closed()


def _page(status: int, body: bytes, **headers: str) -> tuple[h11.Response, bytes]:
    given = {"content_type": "text/plain", **headers, "content_length": str(len(body))}
    named = [(name.replace("_", "-"), value) for name, value in given.items()]
    return h11.Response(status_code=status, headers=named), body

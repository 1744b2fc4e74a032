"""A small HTTP client for loads: a few keep-alive connections of one process, requests written beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from time import clock_gettime, perf_counter
from types import TracebackType
from typing import Self

from tests.bench.figures import Run
from tests.servers import Server

PROCESS_CLOCK = 2
"""The constant with which Linux names the clock of a process, beside its number (clock_getcpuclockid)."""
PATIENCE = 30
"""Seconds that one answer may take."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is as it came over the wire, perhaps compressed."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


def request(
    port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    head = {"Host": f"127.0.0.1:{port}", **(headers or {})}
    if body or method not in ("GET", "HEAD"):
        head["Content-Length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1", *(f"{key}: {value}" for key, value in head.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Connection:
    """One keep-alive connection: one request after another."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Self:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.close()

    async def ask(self, raw: bytes) -> Answer:
        async with asyncio.timeout(PATIENCE):
            self.writer.write(raw)
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head[:-4].split("\r\n")
            headers = [(key.lower(), value.strip()) for key, _, value in (x.partition(":") for x in lines)]
            answer = Answer(int(first.split(" ")[1]), headers, b"")
            length = answer.header("content-length")
            if not length and answer.status not in (204, 304):
                raise ValueError(f"An answer without a length, which this client cannot read: {head}")
            return Answer(answer.status, headers, await self.reader.readexactly(int(length or 0)))

    async def answered(self, raw: bytes) -> Answer:
        """The answer to a request that is to succeed; raises ValueError if it is neither 200 nor 304."""
        answer = await self.ask(raw)
        if answer.status not in (200, 304):
            raise ValueError(f"{raw[:80]!r} was answered {answer.status}: {answer.body[:300]!r}")
        return answer


async def timed(server: Server, lists: Sequence[Iterator[bytes]], seconds: float) -> Run:
    """One run: a connection for each list, which asks it until it is empty or `seconds` are over.

    Every answer must be 200, or 304 where the request has a tag. The next run may go on with the same lists.
    """
    each: list[float] = []

    async def work(requests: Iterator[bytes]) -> None:
        async with Connection(server.port) as connection:
            while (start := perf_counter()) < end and (raw := next(requests, None)):
                await connection.answered(raw)
                each.append(perf_counter() - start)

    used = cpu(server.process.pid)
    begin = perf_counter()
    end = begin + seconds
    await asyncio.gather(*(work(requests) for requests in lists))
    return Run(each, perf_counter() - begin, cpu(server.process.pid) - used)


def cpu(pid: int) -> float:
    """Seconds of processor that a process has used, to the nanosecond; nan where nobody tells."""
    try:
        return clock_gettime(~pid << 3 | PROCESS_CLOCK)
    except OSError:
        return nan

"""Servers to measure, and a small HTTP client for loads: requests written beforehand, kept connections."""

from __future__ import annotations

import asyncio
import gzip
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle, repeat
from math import nan
from pathlib import Path
from time import clock_gettime, perf_counter
from typing import Self

from tests.bench.figures import Run
from tests.servers import Server

PROCESS_CLOCK = 2
"""The constant with which Linux names the clock of a process, beside its number (clock_getcpuclockid)."""
PATIENCE = 30
"""Seconds that one answer may take."""
Raws = list[list[bytes]]
"""For each connection the requests that it sends again and again."""
Asked = Iterator[tuple[int, bytes]]
"""Requests of one connection, each with the number of the server that it goes to."""


def server(
    data: Path, urls: str = "robosite.urls", *, middleware: bool = True, kind: type[Server] = Server
) -> Server:
    """`manage.py serve` with the site's settings but no limits, and perhaps with other addresses."""
    data.mkdir(parents=True)
    env = {
        **dict.fromkeys(("REDIS_URL", "PUBLIC_URL", "ALLOWED_HOSTS", "SECRET_KEY", "SEAL_KEYS"), ""),
        **dict.fromkeys(("DEBUG", "PRODUCTION"), "0"),
        "LIMITS": "on",  # the settings of the benchmarks lift them; from outside that takes DEBUG
        "DATABASE_URL": f"sqlite:///{data / 'robosite.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "BENCH_URLCONF": urls,
        "BENCH_MIDDLEWARE": "1" if middleware else "",
    }
    return kind(data, prepare=True, **env)


@contextmanager
def served() -> Iterator[Server]:
    """A fresh site, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data, server(Path(data, "site")) as site:
        yield site


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is as it came over the wire, perhaps compressed."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def unpacked(self) -> bytes:
        return gzip.decompress(self.body) if self.body.startswith(b"\x1f\x8b") else self.body


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

    async def __aexit__(self, *fault: object) -> None:
        self.writer.close()

    async def ask(self, raw: bytes) -> Answer:
        async with asyncio.timeout(PATIENCE):
            self.writer.write(raw)
            first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in lines)
            headers = {key.lower(): value.strip() for key, _, value in pairs}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
            return Answer(int(first.split(" ")[1]), headers, body)

    async def answered(self, raw: bytes) -> Answer:
        """The answer to a request that is to succeed; raises ValueError if it is neither 200 nor 304."""
        answer = await self.ask(raw)
        if answer.status not in (200, 304):
            raise ValueError(f"{raw[:80]!r} was answered {answer.status}: {answer.body[:300]!r}")
        return answer


def again(raws: Raws) -> list[Asked]:
    """The same requests to the first server again and again."""
    return [zip(repeat(0), cycle(each), strict=False) for each in raws]


async def timed(servers: Sequence[Server], lists: Sequence[Asked], seconds: float) -> Run:
    """One run of all lists beside one another, until they are empty or `seconds` are over."""
    each: list[float] = []

    async def work(asked: Asked) -> None:
        async with AsyncExitStack() as stack:
            lines = [await stack.enter_async_context(Connection(one.port)) for one in servers]
            while (start := perf_counter()) < end and (one := next(asked, None)):
                await lines[one[0]].answered(one[1])
                each.append(perf_counter() - start)

    used, begun = cpu(*servers), perf_counter()
    end = begun + seconds
    await asyncio.gather(*map(work, lists))
    return Run(each, perf_counter() - begun, cpu(*servers) - used)


async def last_seals(site: Server, seals: Iterator[bytes], turns: int) -> float:
    """Seconds of processor for a seal that plays its turn; the seals before it do not count."""
    used = 0.0
    async with Connection(site.port) as line:
        for _ in range(turns):
            await line.answered(next(seals))
            before = cpu(site)
            await line.answered(next(seals))
            used += cpu(site) - before
    return used / turns


def cpu(*servers: Server) -> float:
    """Seconds of processor that these processes have used, to the nanosecond; nan where nobody tells."""
    try:
        return sum(clock_gettime(~one.process.pid << 3 | PROCESS_CLOCK) for one in servers)
    except OSError:
        return nan

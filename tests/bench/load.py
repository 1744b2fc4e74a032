"""Servers to measure, and a small HTTP client for loads: requests written beforehand, kept connections."""

from __future__ import annotations

import asyncio
import gzip
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
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


def server(data: Path, urls: str = "robosite.urls", kind: type[Server] = Server) -> Server:
    """`manage.py serve` with the site's settings but no limits, and perhaps with other addresses."""
    data.mkdir(parents=True)
    env = {
        **dict.fromkeys(("REDIS_URL", "PUBLIC_URL", "ALLOWED_HOSTS", "SECRET_KEY", "SEAL_KEYS"), ""),
        **dict.fromkeys(("DEBUG", "PRODUCTION"), "0"),
        "LIMITS": "on",  # the settings of the benchmarks lift them; from outside that takes DEBUG
        "DATABASE_URL": f"sqlite:///{data / 'robosite.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "BENCH_URLCONF": urls,
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


async def timed(site: Server, raws: Raws, seconds: float) -> Run:
    """One run in which all connections send their requests again and again until `seconds` are over."""
    each: list[float] = []

    async def work(asked: list[bytes]) -> None:
        async with Connection(site.port) as line:
            for raw in cycle(asked):
                start = perf_counter()
                if start >= end:
                    return
                await line.answered(raw)
                each.append(perf_counter() - start)

    used, begun = cpu(site), perf_counter()
    end = begun + seconds
    await asyncio.gather(*map(work, raws))
    return Run(each, perf_counter() - begun, cpu(site) - used)


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


def cpu(site: Server) -> float:
    """Seconds of processor that its process has used, to the nanosecond."""
    return clock_gettime(~site.process.pid << 3 | PROCESS_CLOCK)

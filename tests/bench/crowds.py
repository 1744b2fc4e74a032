"""Many people: what matches cost in memory, how soon watchers are told, what one more process brings.

`python -m tests.bench.crowds memory 5000`: so many matches, made, joined and played by new browsers.
`… sockets 1000`: so many watchers of one match, beside a bare broadcast of `websockets`.
`… processes 5000`: 1, 2 and 4 web processes on PostgreSQL and Redis, two clocks and two that run bots, and so
many sockets over the last four (TEST_POSTGRES_URL and TEST_REDIS_URL). Two players are at different ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path
from random import Random
from statistics import linear_regression, median
from types import SimpleNamespace
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.bench.figures import Run, begin, cpu_each, percentile, row, row_of_runs, title
from tests.bench.load import Asked, Connection, cpu, request, served, timed
from tests.bench.players import PLAYED, Table, guest, tables
from tests.servers import ROOT, Server, free_port, new_database

NOW, MOST = "VmRSS", "VmHWM"
"""Linux's names for the memory that a process has, and for the most that it has had."""
AT_ONCE = 40
"""The number of sockets that connect, or of watchers that fetch the page, at a time."""
JITTER = 0.5
"""Seconds over which open pages spread what they fetch, about (static/js/live.js)."""
ROUNDS = 5
BARE = """
import asyncio, sys
from websockets.asyncio.server import broadcast, serve

async def main():
    everybody = set()
    async def hold(socket):
        everybody.add(socket)
        async for _ in socket:  # whoever says a thing has it told to all
            broadcast(everybody, '{"version": 1}')
    async with serve(hold, "127.0.0.1", int(sys.argv[1]), ping_interval=None):
        print("ready", flush=True)
        await asyncio.Future()

asyncio.run(main())
"""


def memory_of(pid: int, which: str = NOW) -> int:
    """kB of memory that a process has, or has had at MOST."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which))


async def memory(many: int) -> None:
    """The pages of each match are looked at, too; its people never come again."""
    title(f"Memory of a process, MB: {many:,} matches, each with some twenty requests")
    with served() as at:
        looks = [(0, memory_of(at.process.pid))]

        async def people(numbers: Sequence[int]) -> None:
            for number in numbers:
                (made,) = await tables(at.port, 1, 2, 0)
                async with Connection(at.port) as line:
                    for one in made.players.values():
                        for raw in (
                            one.get(),
                            one.plan(2, choose="F"),
                            one.get("/mine/"),
                            one.get(htmx=True),
                        ):
                            await line.answered(raw)
                        await line.answered(one.get(f"{one.page}?at=1.1"))
                        await line.answered(guest(at.port).get(one.match))
                if number % max(1, many // 20) == 0:
                    looks.append((number, memory_of(at.process.pid)))

        await asyncio.gather(*(people(range(1 + n, many + 1, 3)) for n in range(3)))
        for number, size in looks:
            row(f"after {number:,} matches", rate=f"{size / 1024:.1f}")
        row("at most", rate=f"{memory_of(at.process.pid, MOST) / 1024:.1f}")
        slope = linear_regression(*zip(*looks[len(looks) // 2 :], strict=True)).slope
        row("kB for a match more, in the second half", rate=f"{slope:.1f}")


class Watchers:
    """Sockets at some addresses, and what it takes until each of them is told something."""

    def __init__(self, servers: Sequence[Any], tell: Callable[[], Awaitable[object]]) -> None:
        self.servers, self.tell = servers, tell
        self.sockets: list[ClientConnection] = []
        self.times: list[float] = []
        self.used: list[float] = []

    async def open(self, stack: AsyncExitStack, addresses: Sequence[str], many: int) -> None:
        """Opens that many; the client's own pings are off."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> ClientConnection:
            address = addresses[number % len(addresses)]
            origin = Origin(f"http://{address.split('/')[2]}")
            async with gate:
                way = connect(address, origin=origin, proxy=None, ping_interval=None, open_timeout=60)
                return await stack.enter_async_context(way)

        self.before = memory_of(self.servers[0].process.pid)
        self.sockets = await asyncio.gather(*map(one, range(many)))

    async def round(self) -> None:
        start, worked = time.perf_counter(), cpu(*self.servers)
        hearing = asyncio.gather(*(heard(socket, start) for socket in self.sockets))
        await self.tell()
        self.times += await hearing
        await asyncio.sleep(0.5)  # what the servers have still to do for it
        self.used.append(cpu(*self.servers) - worked)

    def print(self, what: str) -> None:
        remark = f"the last after {max(self.times) * 1000:.0f} ms; CPU ms of a round, with its seal"
        row(f"{what}: until each is told", self.times, cpu=median(self.used), remark=remark)


async def heard(socket: ClientConnection, start: float) -> float:
    async with asyncio.timeout(60):
        assert "version" in json.loads(await socket.recv())
    return time.perf_counter() - start


async def ask(port: int, seals: Any) -> None:
    """One seal more, which everybody at the match hears of."""
    async with Connection(port) as line:
        await line.answered(next(seals))


async def sockets(many: int) -> None:
    title(f"{many} sockets at one match, {ROUNDS} rounds in turn")
    with served() as site, ExitStack() as stack:
        port = free_port()
        bare = subprocess.Popen([sys.executable, "-c", BARE, str(port)], stdout=subprocess.PIPE, cwd=ROOT)
        stack.callback(bare.wait)
        stack.callback(bare.terminate)
        assert bare.stdout and bare.stdout.readline() == b"ready\n"
        (made,) = await tables(site.port, 1, PLAYED, ROUNDS)
        seals, ada = made.seals(ROUNDS), next(iter(made.players.values()))
        ours = Watchers([site], partial(ask, site.port, seals))
        others = Watchers([SimpleNamespace(process=bare)], lambda: others.sockets[0].send("tell"))
        async with AsyncExitStack() as opened:
            for one, at in (
                (others, f"ws://127.0.0.1:{port}/"),
                (ours, f"ws://127.0.0.1:{site.port}/ws{ada.match}"),
            ):
                await one.open(opened, [at], many)
            await asyncio.gather(*(socket.recv() for socket in ours.sockets))  # the version now
            for _ in range(ROUNDS):
                await others.round()
                await ours.round()
            for what, one in (("a bare broadcast of websockets", others), ("ours", ours)):
                one.print(what)
                more = memory_of(one.servers[0].process.pid) - one.before
                row(f"{what}: kB of memory for a socket", rate=f"{more / many:.1f}")
            row(
                "p99 of ours ÷ bare",
                rate=f"{percentile(ours.times, 99) / percentile(others.times, 99):.1f} ×",
            )
            worked = cpu(site)
            times = await fetched(ours, request(site.port, "GET", ada.match, {"HX-Request": "true"}))
            row("… and has fetched its live part, with jitter", times, cpu=(cpu(site) - worked) / many)


async def fetched(watchers: Watchers, raw: bytes) -> list[float]:
    """Seconds from a seal until each watcher, told of it, has the live part."""
    chance, start, gate = Random(1), time.perf_counter(), asyncio.Semaphore(AT_ONCE)

    async def watch(socket: ClientConnection) -> float:
        await heard(socket, start)
        await asyncio.sleep(chance.random() * JITTER)
        async with gate, Connection(watchers.servers[0].port) as line:
            await line.answered(raw)
        return time.perf_counter() - start

    watching = asyncio.gather(*map(watch, watchers.sockets))
    await watchers.tell()
    return await watching


class Web(Server):
    """A process that answers requests and does nothing else."""

    flags = ("--no-clock", "--no-bots")


async def processes(many: int) -> None:
    postgres, redis = os.environ["TEST_POSTGRES_URL"], os.environ["TEST_REDIS_URL"]
    for count in (1, 2, 4):
        with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data, ExitStack() as stack:
            env: Any = {
                "DATABASE_URL": stack.enter_context(new_database(postgres)),
                "REDIS_URL": redis,
                "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
                "BENCH_MIDDLEWARE": "1",
            }
            first = stack.enter_context(Web(Path(data), **env))
            web = [
                first,
                *(stack.enter_context(Web(Path(data), prepare=False, **env)) for _ in range(count - 1)),
            ]
            for command in ("clock", "bots") * 2:
                stack.enter_context(first.also(command))
            await _requests(web)
            if count == 4:
                await _told_by(web, many)


async def _requests(web: Sequence[Server]) -> None:
    """A seal that was lost would have the next one refused, and that ends the program."""
    title(f"{len(web)} web processes, two clocks, two that run bots: 8 connections")
    made = await tables(web[0].port, 8, PLAYED, 200)
    pages = [[one.players[seat].get() for seat in sorted(one.players)] for one in made]

    def reading(number: int) -> Asked:
        at = number
        while True:
            yield (at := at + 1) % len(web), pages[number][at % 2]

    def sealing(number: int, table: Table) -> Asked:
        for n, raw in enumerate(table.seals(200)):
            yield (number + n) % len(web), raw

    for what, lists in (
        ("seat page", [reading(number) for number in range(len(made))]),
        ("seal by the page, every second one reveals", [sealing(*one) for one in enumerate(made)]),
    ):
        runs: list[Run] = [await timed(web, lists, 2.0) for _ in range(3)]
        row_of_runs(what, runs, f"CPU ms of all processes: {cpu_each(runs) * 1000:.2f}")


async def _told_by(web: Sequence[Server], many: int) -> None:
    title(f"{many} sockets at one match, over {len(web)} processes")
    (made,) = await tables(web[0].port, 1, PLAYED, 3)
    match = next(iter(made.players.values())).match
    watchers = Watchers(web, partial(ask, web[0].port, made.seals(3)))
    async with AsyncExitStack() as opened:
        await watchers.open(opened, [f"ws://127.0.0.1:{one.port}/ws{match}" for one in web], many)
        await asyncio.gather(*(socket.recv() for socket in watchers.sockets))  # the version now
        for _ in range(3):
            await watchers.round()
    watchers.print("a seal")


PARTS = {"memory": (memory, 5_000), "sockets": (sockets, 1_000), "processes": (processes, 5_000)}

if __name__ == "__main__":
    part, usual = PARTS[sys.argv[1]]
    number = int(sys.argv[2]) if sys.argv[2:] else usual
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * number + 1_000), hard))
    begin()
    asyncio.run(part(number))

"""Very many watchers of one match: how soon all are told, and what it costs, beside a bare broadcast.

`python -m tests.bench.sockets 1000`: so many sockets to our server and to one of `websockets` alone.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from statistics import median
from subprocess import PIPE, Popen

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.bench import site
from tests.bench.figures import Row, Section, milliseconds, percentile, row_of_times, tell
from tests.bench.load import Connection, cpu, request
from tests.bench.players import Player, tables
from tests.servers import ROOT, Server, free_port

MANY, ROUNDS = 1_000, 5
NOW, MOST = "VmRSS", "VmHWM"
"""Linux's names for the memory that a process has, and for the most that it has had."""
AT_ONCE = 50
"""The number of sockets that connect at a time."""
FETCHING = 40
"""The number of connections that fetch the watchers' pages after a seal."""
JITTER = 0.5
"""Seconds over which open pages spread what they fetch, about (static/js/live.js)."""
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


def main() -> None:
    many = int(sys.argv[1]) if sys.argv[1:] else MANY
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 2 * many + 200 > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * many + 200), hard))
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data, ExitStack() as stack:
        served = stack.enter_context(site.server(Path(data, "site")))
        port = free_port()
        bare = Popen([sys.executable, "-c", BARE, str(port)], stdout=PIPE, text=True, cwd=ROOT)
        stack.callback(bare.wait)
        stack.callback(bare.terminate)
        assert bare.stdout and bare.stdout.readline().strip() == "ready"
        section = asyncio.run(measure(served, bare.pid, port, many))
    tell(section)


async def measure(served: Server, bare: int, bare_port: int, many: int) -> Section:
    section = Section(f"{many} sockets at one match, {ROUNDS} rounds in turn: seconds until each is told")
    made = (await tables(served.port, 1, site.PLAYED, ROUNDS + 2))[0]
    seals = made.form_seals(ROUNDS + 2)
    ada = next(iter(made.players.values()))
    ours, theirs = f"ws://127.0.0.1:{served.port}/ws{ada.match}", f"ws://127.0.0.1:{bare_port}/"
    pid = served.process.pid
    before = memory(pid), memory(bare)
    async with opened(ours, served.url, many) as watchers, opened(theirs, "", many) as others:
        await asyncio.gather(*(watcher.recv() for watcher in watchers))  # the version now
        after = memory(pid), memory(bare)
        times: dict[str, list[float]] = {"ours": [], "bare": []}
        last: dict[str, list[float]] = {"ours": [], "bare": []}
        used: dict[str, list[float]] = {"ours": [], "bare": []}
        for _ in range(ROUNDS):
            for name, process, sockets in (("bare", bare, others), ("ours", pid, watchers)):
                start, worked = time.perf_counter(), cpu(process)
                hearing = asyncio.gather(*(heard(socket, start) for socket in sockets))
                if name == "ours":
                    await give_seal(ada.port, next(seals))
                else:
                    await sockets[0].send("tell")
                took = await hearing
                await asyncio.sleep(0.3)  # what the server has still to do for it
                used[name].append(cpu(process) - worked)
                times[name] += took
                last[name].append(max(took))
        worked = cpu(pid)
        fetched = [await _fetched(ada, next(seals), watchers) for _ in range(2)]
        fetching = (cpu(pid) - worked) / len(fetched) / many
    section.rows += [
        row_of_times("a bare broadcast of websockets", times["bare"]),
        row_of_times("ours, with the seal in it", times["ours"]),
        Row("p99 of ours ÷ bare", f"{percentile(times['ours'], 99) / percentile(times['bare'], 99):.1f} ×"),
        Row("processor time for a round, bare", cpu=milliseconds(median(used["bare"]))),
        Row(
            "processor time for a round, ours",
            cpu=milliseconds(median(used["ours"])),
            remark=f"{sum(used['ours']) / max(0.01, sum(used['bare'])):.1f} × the bare one, the seal in it",
        ),
        Row("kB of the server's memory for a socket, bare", f"{(after[1] - before[1]) / many:.1f}"),
        Row("kB of the server's memory for a socket, ours", f"{(after[0] - before[0]) / many:.1f}"),
        row_of_times(f"the last of {many} watchers has fetched its live part", fetched),
        Row("processor time for one watcher's fetch", cpu=milliseconds(fetching)),
    ]
    return section


@asynccontextmanager
async def opened(address: str, origin: str, many: int) -> AsyncIterator[list[ClientConnection]]:
    """Opens that many sockets; the client's own pings are off."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one() -> ClientConnection:
        async with gate:
            return await connect(
                address,
                origin=Origin(origin) if origin else None,
                proxy=None,
                ping_interval=None,
                open_timeout=60,
            )

    sockets = await asyncio.gather(*(one() for _ in range(many)))
    try:
        yield sockets
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))


async def heard(socket: ClientConnection, start: float) -> float:
    async with asyncio.timeout(60):
        told = await socket.recv()
    assert "version" in json.loads(told)
    return time.perf_counter() - start


async def give_seal(port: int, raw: bytes) -> None:
    """One seal more, which everybody at the match hears of."""
    async with Connection(port) as line:
        await line.answered(raw)


async def _fetched(ada: Player, seal: bytes, watchers: list[ClientConnection]) -> float:
    """Seconds from a seal until the last watcher, told of it, has the live part; jitter is in it."""
    chance, start = Random(1), time.perf_counter()
    lines = asyncio.Queue[Connection]()
    for _ in range(FETCHING):
        line = Connection(ada.port)
        lines.put_nowait(await line.__aenter__())
    raw = request(ada.port, "GET", ada.match, {"HX-Request": "true", "Accept-Encoding": "gzip"})

    async def watch(socket: ClientConnection) -> None:
        await heard(socket, start)
        await asyncio.sleep(chance.random() * JITTER)
        line = await lines.get()
        try:
            await line.answered(raw)
        finally:
            lines.put_nowait(line)

    await asyncio.gather(give_seal(ada.port, seal), *map(watch, watchers))
    took = time.perf_counter() - start
    while not lines.empty():
        lines.get_nowait().writer.close()
    return took


def memory(pid: int, which: str = NOW) -> int:
    """kB of memory that a process has, or has had at MOST."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which))


if __name__ == "__main__":
    main()

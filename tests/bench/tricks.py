"""Measures each trick of `robosite/engine/`: the same requests to servers without one of them, in turn.

`python -m tests.bench.tricks prepared frames all`: a server for each name as it stands in `ENGINE_OFF` (some
joined by a comma are off together) beside one with all of them on; all begin with copies of the same data.
Each round asks every server in an order of its own, so that the machine's moods hit all alike. It prints
medians of the ratios within a round. `--rounds 15`; `--pages "a tap,home"` for some pages alone.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from random import Random
from statistics import median, quantiles

from tests.bench.figures import cpu_each, machine
from tests.bench.load import Connection, cpu, timed
from tests.bench.players import MANY, Player, guest_with, tables
from tests.bench.site import LONG, PLAYED, players, server
from tests.servers import Server

ROUNDS = 15
SECONDS = 0.15
SEALS = 6
"""Turns that are revealed for one figure."""
CONNECTIONS = 2
AT_ONCE = 4
"""Servers that start at a time."""
SEAL = "seal by page"
CHOICES = ("F", "back")
Raws = list[list[bytes]]
"""A list of requests for each connection, asked again and again."""


async def prepared(site: Server, turns: int) -> tuple[dict[str, Raws], list[bytes]]:
    """The requests of each page, and the seals of so many turns, two of each."""
    somebody = Player(site.port)
    async with Connection(site.port) as line:
        await somebody.ask(line, somebody.get("/"))
    seats = players(await tables(site.port, 1, PLAYED, 1))[:CONNECTIONS]
    long = players(await tables(site.port, 1, LONG, 1, api=True))
    busy = await guest_with(site.port, MANY)
    (sealing,) = await tables(site.port, 1, PLAYED, turns)
    everybody = {
        "spectator": somebody.get(long[0].match),
        "home": somebody.get("/"),
        "rules": somebody.get("/rules/pigs/"),
        "making page": somebody.get("/new/pigs/"),
        "version": seats[0].get(f"{seats[0].match}version/"),
        "My games": busy.get("/mine/"),
        "API's match": seats[0].api("GET", seats[0].api_match),
    }
    pages: dict[str, Raws] = {
        "seat page": [[player.get()] for player in seats],
        "live part": [[player.get(htmx=True)] for player in seats],
        "a tap": [[player.tap(PLAYED, choice) for choice in CHOICES] for player in seats],
        **{what: [[raw]] * CONNECTIONS for what, raw in everybody.items()},
    }
    return pages, list(sealing.form_seals(turns))


async def run(server: Server, page: Raws, seconds: float) -> float:
    """Seconds of the server's processor for one request; a machine so busy that none came is asked again."""
    while True:
        taken = await timed(server, [cycle(raws) for raws in page], seconds)
        if taken.each:
            return cpu_each([taken])


async def seal(server: Server, seals: Iterator[bytes]) -> float:
    """The same for the last seal of a turn; the seals before it do not count."""
    used = 0.0
    async with Connection(server.port) as line:
        for _ in range(SEALS):
            await line.answered(next(seals))
            before = cpu(server.process.pid)
            await line.answered(next(seals))
            used += cpu(server.process.pid) - before
    return used / SEALS


async def measured(
    servers: dict[str, Server], pages: dict[str, Raws], seals: list[bytes], rounds: int
) -> dict[str, dict[str, list[float]]]:
    """By page and server, the seconds of one request in each round."""
    chance = Random(1)
    left = {name: iter(seals) for name in servers}
    found: dict[str, dict[str, list[float]]] = {
        page: {name: [] for name in servers} for page in (*pages, SEAL)
    }
    for name, one in list(servers.items()):
        try:
            for page in pages.values():
                await run(one, page, 0.4)
            await seal(one, left[name])
        except ValueError as fault:
            print(f"without {name}: {fault}\n{one.logged()[-2000:]}", flush=True)
            del servers[name]
            for by_name in found.values():
                del by_name[name]
    for _ in range(rounds):
        for what in found:
            for name in chance.sample(list(servers), len(servers)):
                one = servers[name]
                took = await (seal(one, left[name]) if what == SEAL else run(one, pages[what], SECONDS))
                found[what][name].append(took)
    return found


def table(found: dict[str, dict[str, list[float]]]) -> str:
    """Milliseconds with everything on, and the ratios without each: of the least times, and within rounds the
    median and the middle half."""
    lines = []
    for what, by_name in found.items():
        base, *others = by_name.values()
        lines.append(f"{what:<16}{min(base) * 1000:8.2f} ms, {median(base) * 1000:.2f}")
        for name, each in zip(list(by_name)[1:], others, strict=True):
            ratios = [one / there for one, there in zip(each, base, strict=True)]
            low, _, high = quantiles(ratios, n=4)
            least = min(each) / min(base)
            lines.append(f"    {name:<36}{least:6.2f}{median(ratios):8.2f}  ({low:.2f} to {high:.2f})")
    return "\n".join(lines)


def main() -> None:
    reading = argparse.ArgumentParser()
    reading.add_argument("off", nargs="+")
    reading.add_argument("--rounds", type=int, default=ROUNDS)
    reading.add_argument("--pages", default="")
    asked = reading.parse_args()
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        first = server(Path(folder, "first"))
        with first:
            pages, seals = asyncio.run(prepared(first, (asked.rounds + 1) * SEALS))
        if asked.pages:
            pages = {what: page for what, page in pages.items() if what in asked.pages.split(",")}
        servers = {}
        for n, name in enumerate(["", *asked.off]):
            data = Path(folder, str(n))
            shutil.copytree(first.data, data, symlinks=True)
            env = first.given | {"DATABASE_URL": f"sqlite:///{data / 'robosite.sqlite3'}", "ENGINE_OFF": name}
            servers[name] = Server(data, prepare=False, **env)
        with ThreadPoolExecutor(AT_ONCE) as starting:
            list(starting.map(stack.enter_context, servers.values()))
        found = asyncio.run(measured(servers, pages, seals, asked.rounds))
    print("\n".join(machine()), end="\n\n")
    print(table(found))


if __name__ == "__main__":
    main()

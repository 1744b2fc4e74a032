"""Measures the processor time of requests as a multiple of that of an empty view.

A part of `make bench`; `python -m tests.bench.prices` prints it alone (`--short`: one run of each).
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.bench.figures import Row, Section, cpu_each, row_of_runs, tell
from tests.bench.load import Connection, cpu, request, timed
from tests.bench.players import MANY, Player, guest_with, tables
from tests.bench.site import LONG, PLAYED, players, reading, server, taps
from tests.servers import Server

RUNS = 3
SECONDS = 0.4
SEALS = 8
"""Turns that are revealed for one figure."""
CONNECTIONS = 2
OTHERS = ("roboxing", "robosoccer", "robble")
Requests = dict[str, list[Iterator[bytes]]]


class Stock(Server):
    """The empty view with Django's own handler and Daphne's own server."""

    program = ("-m", "tests.bench.stock")


class Yardsticks(NamedTuple):
    """Servers of an empty view."""

    bare: Server
    """With the site's middleware."""
    naked: Server
    """Without any."""
    stock: Server
    """With the site's middleware, but without the site's handler and server."""


async def measure(site: Server, yardsticks: Yardsticks, runs: int = RUNS) -> Section:
    """Every request in turn with the empty view, so that the machine's moods hit both alike."""
    bare, naked, stock = yardsticks
    section = Section(
        f"Requests, and what they cost in empty views with the same middleware (medians of {runs} pairs "
        f"of runs of {SECONDS:g} s): {CONNECTIONS} connections"
    )
    somebody = Player(site.port)
    async with Connection(site.port) as line:
        await somebody.ask(line, somebody.get("/"))
    empty = reading([request(bare.port, "GET", "/empty/", somebody.headers())] * CONNECTIONS)
    asked = await _requests(site, somebody)
    await _warm(bare, empty)
    for what, lists in asked.items():
        await _warm(site, lists)
        section.rows.append(await _row(what, site, lists, bare, empty, runs))
    for api in (False, True):
        section.rows.append(await _seals(site, bare, empty, runs, api=api))
    without, own = (
        reading([request(plain.port, "GET", "/empty/", somebody.headers())] * CONNECTIONS)
        for plain in (naked, stock)
    )
    await _warm(naked, without)
    await _warm(stock, own)
    section.rows += [
        await _row("an empty view, in views without middleware", bare, empty, naked, without, runs),
        await _row("one with Django's own handler and Daphne's own server", stock, own, bare, empty, runs),
    ]
    return section


async def _row(
    what: str,
    site: Server,
    lists: list[Iterator[bytes]],
    bare: Server,
    empty: list[Iterator[bytes]],
    runs: int,
) -> Row:
    ratios, slow_runs = [], []
    for _ in range(runs):
        quick = await timed(bare, empty, SECONDS)
        slow = await timed(site, lists, SECONDS)
        ratios.append(cpu_each([slow]) / cpu_each([quick]))
        slow_runs.append(slow)
    remark = f"{median(ratios):.1f} × an empty view ({min(ratios):.1f} to {max(ratios):.1f})"
    return row_of_runs(what, slow_runs, remark)


async def _seals(site: Server, bare: Server, empty: list[Iterator[bytes]], runs: int, *, api: bool) -> Row:
    """The last seal of a turn, which plays it, with its answer; the seals before it do not count."""
    (table,) = await tables(site.port, 1, PLAYED, runs * SEALS, api=api)
    seals = table.api_seals(runs * SEALS) if api else table.form_seals(runs * SEALS)
    ratios, each = [], []
    async with Connection(site.port) as line:
        for _ in range(runs):
            quick = await timed(bare, empty, SECONDS)
            used = 0.0
            for _turn in range(SEALS):
                await line.answered(next(seals))
                before = cpu(site.process.pid)
                await line.answered(next(seals))
                used += cpu(site.process.pid) - before
            each.append(used / SEALS)
            ratios.append(each[-1] / cpu_each([quick]))
    return _priced(f"a seal that reveals, by {'the API' if api else 'the page'}", ratios, each)


def _priced(what: str, ratios: list[float], each: list[float]) -> Row:
    return Row(
        what,
        f"{median(ratios):.1f} ×",
        cpu=f"{median(each) * 1000:.2f}",
        remark=f"{min(ratios):.1f} to {max(ratios):.1f}",
    )


async def _warm(server: Server, lists: list[Iterator[bytes]]) -> None:
    await timed(server, lists, 0.3)


async def _requests(site: Server, somebody: Player) -> Requests:
    made = await tables(site.port, 1, PLAYED, 1)
    long = await tables(site.port, 1, LONG, 1, api=True)
    seats = players(made)[:CONNECTIONS]
    busy = await guest_with(site.port, MANY)

    def everybody(path: str) -> list[Iterator[bytes]]:
        return reading([somebody.get(path)] * CONNECTIONS)

    asked = {
        "seat page, turn 9": reading([player.get() for player in seats]),
        "its live part": reading([player.get(htmx=True) for player in seats]),
        "a tap of the planner": [taps(player) for player in seats],
        f"a spectator's page, {LONG} turns": everybody(players(long)[0].match),
        "home": everybody("/"),
        "rules": everybody("/rules/pigs/"),
        "first lesson": everybody("/learn/pigs/"),
        "making page": everybody("/new/pigs/"),
        "version": reading([player.get(f"{player.match}version/") for player in seats]),
        f"My games, 30 of {MANY}": reading([busy.get("/mine/")] * CONNECTIONS),
        "the API's match, turn 9": reading([p.api("GET", p.api_match) for p in seats]),
        f"the API's match, turn {LONG + 1}": reading([p.api("GET", p.api_match) for p in players(long)]),
    }
    asked["the spectator's page again, unchanged"] = reading(
        [await _again(somebody, players(long)[0])] * CONNECTIONS
    )
    for game in OTHERS:
        other = players(await tables(site.port, 1, PLAYED, 1, game=game))[:CONNECTIONS]
        asked[f"seat page of {game}"] = reading([player.get() for player in other])
    return asked


async def _again(somebody: Player, seen: Player) -> bytes:
    """The request for a match's page by somebody who has it already."""
    async with Connection(somebody.port) as line:
        page = await somebody.ask(line, somebody.get(seen.match))
        headers = {**somebody.headers(), "If-None-Match": page.header("etag")}
        raw = request(somebody.port, "GET", seen.match, headers)
        await somebody.ask(line, raw, 304)
    return raw


def empty_servers(stack: ExitStack, folder: Path) -> Yardsticks:
    bare = stack.enter_context(server(folder / "bare", "tests.bench.stock"))
    naked = stack.enter_context(server(folder / "naked", "tests.bench.stock", middleware=False))
    stock = stack.enter_context(server(folder / "stock", "tests.bench.stock", kind=Stock))
    return Yardsticks(bare, naked, stock)


def main() -> None:
    runs = 1 if "--short" in sys.argv else RUNS
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder, ExitStack() as stack:
        site = stack.enter_context(server(Path(folder, "site")))
        section = asyncio.run(measure(site, empty_servers(stack, Path(folder)), runs))
    tell(section)


if __name__ == "__main__":
    main()

"""The processor time of requests as a multiple of that of an empty view, and the bytes of answers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.bench.figures import cpu_each, row, row_of_runs, title
from tests.bench.load import Connection, Raws, last_seals, request, server, timed
from tests.bench.players import LONG, MANY, PLAYED, Player, guest, tables
from tests.servers import Server

RUNS, SECONDS = 3, 0.4
SEALS = 8
"""Turns that are revealed for one figure."""
CONNECTIONS = 2
OTHERS = ("roboxing", "robosoccer", "robble")


class Stock(Server):
    """The empty view with Django's own handler and Daphne's own server."""

    program = ("-m", "tests.bench.stock")


async def pages(site: Server) -> dict[str, Raws]:
    """The requests of each page that is measured, by its name."""
    somebody, busy = guest(site.port), guest(site.port, MANY)
    (made,), (long,) = [await tables(site.port, 1, n, 1, api=n == LONG) for n in (PLAYED, LONG)]
    seats, watched = list(made.players.values()), next(iter(long.players.values()))
    asked: dict[str, Raws] = {
        "seat page": [[player.get()] for player in seats],
        "live part": [[player.get(htmx=True)] for player in seats],
        "a tap": [[player.plan(PLAYED, choose=one) for one in ("F", "back")] for player in seats],
        "version": [[player.get(f"{player.match}version/")] for player in seats],
        "API's match": [[player.api("GET", player.api_match)] for player in seats],
    }
    everybody = {
        f"API's match, turn {LONG + 1}": watched.api("GET", watched.api_match),
        "spectator": somebody.get(watched.match),
        "spectator, unchanged": await _unchanged(somebody, watched),
        "home": somebody.get("/"),
        "rules": somebody.get("/rules/pigs/"),
        "first lesson": somebody.get("/learn/pigs/"),
        "making page": somebody.get("/new/pigs/"),
        "My games": busy.get("/mine/"),
    }
    for game in OTHERS:
        (other,) = await tables(site.port, 1, PLAYED, 1, game=game)
        asked[f"seat page of {game}"] = [[player.get()] for player in other.players.values()]
    return asked | {what: [[raw]] * CONNECTIONS for what, raw in everybody.items()}


async def _unchanged(somebody: Player, seen: Player) -> bytes:
    """The request for a match's page by somebody who has it already."""
    async with Connection(somebody.port) as line:
        page = await line.answered(somebody.get(seen.match))
        headers = {**somebody.headers(), "If-None-Match": page.headers["etag"]}
        raw = request(somebody.port, "GET", seen.match, headers)
        assert (await line.ask(raw)).status == 304
    return raw


async def measure(site: Server, stack: ExitStack, folder: Path) -> None:
    """Every request in turn with the empty view, so that the machine's moods hit both alike."""
    stock = stack.enter_context(server(folder / "stock", "tests.bench.stock", Stock))
    title(
        f"Requests (turn {PLAYED + 1}; of My games {MANY}; a spectator of {LONG} turns), and their cost in "
        f"empty views of Django's own (medians of {RUNS} pairs of runs of {SECONDS:g} s)"
    )
    empty: Raws = [[request(stock.port, "GET", "/empty/", guest(site.port).headers())]] * CONNECTIONS
    for what, raws in (await pages(site)).items():
        ratios, runs = [], []
        for seconds in (0.3, *[SECONDS] * RUNS):
            quick = await timed(stock, empty, seconds)
            runs.append(await timed(site, raws, seconds))
            ratios.append(cpu_each(runs[-1:]) / cpu_each([quick]))
        row_of_runs(what, runs[1:], _remark(ratios[1:]))  # the first warms both up
    for api in (False, True):
        (table,) = await tables(site.port, 1, PLAYED, RUNS * SEALS, api=api)
        seals, ratios, costs = table.seals(RUNS * SEALS, api=api), [], []
        for _ in range(RUNS):
            quick = await timed(stock, empty, SECONDS)
            costs.append(await last_seals(site, seals, SEALS))
            ratios.append(costs[-1] / cpu_each([quick]))
        by = "API" if api else "page"
        row(f"a seal that reveals, by the {by}", cpu=median(costs), remark=_remark(ratios))


def _remark(ratios: list[float]) -> str:
    return f"{median(ratios):.1f} × an empty view ({min(ratios):.1f} to {max(ratios):.1f})"


async def measure_bytes(site: Server) -> None:
    """Medians of five, since Django adds up to 100 random bytes to what it compresses."""
    title(f"Bytes of an answer's body, raw and by gzip (turn {PLAYED + 1})")
    (table,) = await tables(site.port, 1, PLAYED, 1)
    player = next(iter(table.players.values()))
    asked = {
        "seat page": player.get(),
        "update: the live part": player.get(htmx=True),
        "update: a tap of the planner": player.plan(PLAYED, choose="slot 1"),
    }
    async with Connection(site.port) as line:
        for what, raw in asked.items():
            answers = [await line.answered(raw) for _ in range(5)]
            packed = median(len(answer.body) for answer in answers)
            row(what, remark=f"{len(answers[-1].unpacked):,} raw, {packed:,.0f} by gzip")

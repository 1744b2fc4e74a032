"""The site as a real process on SQLite: seat page, seals and match answers, beside an empty Django view."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import cycle, repeat
from math import isnan
from pathlib import Path
from statistics import median

from tests.bench.figures import Row, Run, Section, cpu_each, row_of_runs
from tests.bench.load import Connection, request, timed
from tests.bench.players import Player, Table, tables
from tests.servers import Server

RUNS = 5
CONNECTIONS = 4
PLAYED = 8
"""How many turns have been played in a match whose page is measured."""
SECONDS = 1.0
"""How long a run of reading takes."""
TURNS = 150
"""How many turns all runs of seals may play at a table."""
LONG = 40
"""How many turns a long match has."""
WAITING = 10
"""How many matches the guest of the last row has."""


def server(data: Path, urls: str = "robosite.urls", *, middleware: bool = True) -> Server:
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
    return Server(data, prepare=True, **env)


async def has_api(table: Table) -> bool:
    """Whether the JSON API shows a match to its seat."""
    player = players([table])[0]
    async with Connection(player.port) as line:
        answer = await line.ask(player.api("GET", player.api_match))
    return answer.status == 200 and b'"position"' in unpacked(answer.body)


def unpacked(body: bytes) -> bytes:
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def reading(raws: list[bytes]) -> list[Iterator[bytes]]:
    """The same request again and again, a list of its own for each connection."""
    return [repeat(raw) for raw in raws]


def players(made: list[Table]) -> list[Player]:
    """Who sits at these tables: as many who made a match as who joined one."""
    return [player for table in made for player in table.players.values()]


def taps(player: Player) -> Iterator[bytes]:
    """A command chosen and taken out again, in the first turn that is not played."""
    return cycle([player.tap(PLAYED, choice) for choice in ("F", "back")])


async def measure_pages(site: Server, bare: Server, made: list[Table]) -> Section:
    """The seat page and the empty view in turn, so that the machine's moods hit both alike."""
    section = Section(
        f"The seat page (turn {PLAYED + 1}, to be planned) and an empty view, in turn: "
        f"{CONNECTIONS} connections, {SECONDS:g} s a run"
    )
    seats = players(made)
    pages = [player.get() for player in seats]
    live = [player.get(htmx=True) for player in seats]
    empty = [request(bare.port, "GET", "/empty/", player.headers()) for player in seats]
    await timed(site, reading(pages), 0.5)
    await timed(bare, reading(empty), 0.5)
    page_runs, live_runs, empty_runs = [], [], []
    for _ in range(RUNS):
        empty_runs.append(await timed(bare, reading(empty), SECONDS))
        page_runs.append(await timed(site, reading(pages), SECONDS))
        live_runs.append(await timed(site, reading(live), SECONDS))
    section.rows += [
        row_of_runs("empty view", empty_runs),
        row_of_runs("seat page", page_runs),
        row_of_runs("seat page, its live part", live_runs),
        _ratio("empty views in the time of a seat page", empty_runs, page_runs),
        _ratio("empty views in the time of a live part", empty_runs, live_runs),
    ]
    section.notes += [
        "The empty view is in a second `manage.py serve`: same settings, middleware and cookies, other URLs.",
        "Its empty answer is never compressed and opens no session; the seat page does both.",
    ]
    return section


def _ratio(what: str, quick: list[Run], slow: list[Run]) -> Row:
    """How many quick ones cost what a slow one costs: by the runs' rates (median) and by processor."""
    ratios = [a.rate / b.rate for a, b in zip(quick, slow, strict=True)]
    by_cpu = cpu_each(slow) / cpu_each(quick)
    cpu = "" if isnan(by_cpu) else f"{by_cpu:.1f} ×"
    return Row(what, f"{median(ratios):.1f} ×", cpu=cpu, remark=f"{min(ratios):.1f} to {max(ratios):.1f}")


async def measure_seals(site: Server, *, api: bool) -> Section:
    """Seals of whole matches: every second one reveals a turn."""
    section = Section(
        f"Seals, every second one reveals: {CONNECTIONS} connections, each at a match of its own, "
        f"{SECONDS:g} s a run"
    )
    by_form = await tables(site.port, CONNECTIONS, 0, TURNS)
    by_api = await tables(site.port, CONNECTIONS, 0, TURNS) if api else []
    form_seals = [table.form_seals(TURNS) for table in by_form]
    api_seals = [table.api_seals(TURNS) for table in by_api]
    form_runs, api_runs = [], []
    for _ in range(RUNS):
        form_runs.append(await timed(site, form_seals, SECONDS))
        if api:
            api_runs.append(await timed(site, api_seals, SECONDS))
    remark = "answered by the page's live part"
    section.rows.append(row_of_runs("seal by the page's form (POST)", form_runs, remark))
    if api:
        section.rows.append(row_of_runs("seal by the API (PUT order)", api_runs))
    else:
        section.notes.append("The JSON API is not there yet: no seals by PUT.")
    return section


async def measure_answers(site: Server, made: list[Table], *, api: bool) -> Section:
    """What programs and watchers read, and what a tap of the planner costs."""
    section = Section(f"Other requests: {CONNECTIONS} connections, {SECONDS / 2:g} s a run")
    seats = players(made)
    asked = {
        "home": reading([player.get("/") for player in seats]),
        "version (GET)": reading([player.get(f"{player.match}version/") for player in seats]),
        "a tap of the planner (POST)": [taps(player) for player in seats],
    }
    if api:
        long = await tables(site.port, CONNECTIONS // 2, LONG, 1, api=True)
        for turns, there in ((PLAYED, made), (LONG, long)):
            calls = [player.api("GET", player.api_match) for player in players(there)]
            asked[f"the API's match answer, {turns} turns"] = reading(calls)
    else:
        section.notes.append("The JSON API is not there yet: no match answer.")
    busy = await _with_many(site)
    asked[f"seat page of a guest with {WAITING} matches"] = reading([busy.get()] * CONNECTIONS)
    for what, lists in asked.items():
        await timed(site, lists, 0.3)
        runs = [await timed(site, lists, SECONDS / 2) for _ in range(RUNS)]
        section.rows.append(row_of_runs(what, runs))
    return section


async def _with_many(site: Server) -> Player:
    """A guest with WAITING matches, of which all wait for him."""
    player = players(await tables(site.port, 1, PLAYED, 1))[0]
    async with Connection(site.port) as line:
        for _ in range(WAITING - 1):
            form = {"name": "Ada", "game": "pigs", "seats": "2", "with": "here", "here": "Ben"}
            await player.ask(line, player.post("/matches/", form), 302)
    return player


async def measure_bytes(site: Server, made: list[Table]) -> Section:
    """How long the answers are, as they come over the wire."""
    section = Section(f"Bytes of an answer's body, raw and by gzip (turn {PLAYED + 1})")
    player = players(made)[0]
    asked = {
        "seat page": player.get(),
        "update: the live part": player.get(htmx=True),
        "update: a tap of the planner": player.tap(PLAYED, "slot 1"),
    }
    async with Connection(site.port) as line:
        for what, raw in asked.items():
            bodies = [(await player.ask(line, raw)).body for _ in range(5)]
            packed = median(map(len, bodies))
            section.rows.append(Row(what, remark=f"{len(unpacked(bodies[-1])):,} raw, {packed:,.0f} by gzip"))
    section.notes.append(
        "Django adds up to 100 random bytes to what it compresses, so these are medians of 5."
    )
    return section

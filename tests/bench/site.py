"""The site as a real process on SQLite: how long seals take, and how many bytes its answers have."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import cycle, repeat
from pathlib import Path
from statistics import median

from tests.bench.figures import Row, Section, row_of_runs
from tests.bench.load import Connection, timed
from tests.bench.players import Player, Table, tables
from tests.servers import Server

RUNS = 5
CONNECTIONS = 4
PLAYED = 8
"""The number of turns played in a match whose page is measured."""
SECONDS = 1.0
"""The time that a run of reading takes."""
TURNS = 150
"""The number of turns that all runs of seals may play at a table."""
LONG = 40
"""The number of turns of a long match."""


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


def unpacked(body: bytes) -> bytes:
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def reading(raws: list[bytes]) -> list[Iterator[bytes]]:
    """The same request again and again, a list of its own for each connection."""
    return [repeat(raw) for raw in raws]


def players(made: list[Table]) -> list[Player]:
    """The players at these tables: as many who made a match as who joined one."""
    return [player for table in made for player in table.players.values()]


def taps(player: Player) -> Iterator[bytes]:
    """A command chosen and taken out again, in the first turn that is not played."""
    return cycle([player.tap(PLAYED, choice) for choice in ("F", "back")])


async def measure_seals(site: Server) -> Section:
    """Seals of whole matches: every second one reveals a turn."""
    section = Section(
        f"Seals, every second one reveals: {CONNECTIONS} connections, each at a match of its own, "
        f"{SECONDS:g} s a run"
    )
    by_form = await tables(site.port, CONNECTIONS, 0, TURNS)
    by_api = await tables(site.port, CONNECTIONS, 0, TURNS)
    form_seals = [table.form_seals(TURNS) for table in by_form]
    api_seals = [table.api_seals(TURNS) for table in by_api]
    form_runs, api_runs = [], []
    for _ in range(RUNS):
        form_runs.append(await timed(site, form_seals, SECONDS))
        api_runs.append(await timed(site, api_seals, SECONDS))
    remark = "answered by the page's live part"
    section.rows.append(row_of_runs("seal by the page's form (POST)", form_runs, remark))
    section.rows.append(row_of_runs("seal by the API (PUT order)", api_runs))
    return section


async def measure_bytes(site: Server) -> Section:
    """Prints the length of the answers, as they come over the wire."""
    section = Section(f"Bytes of an answer's body, raw and by gzip (turn {PLAYED + 1})")
    player = players(await tables(site.port, 1, PLAYED, 1))[0]
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

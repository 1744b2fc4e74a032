"""The site as a real process on SQLite, and how many bytes its answers have."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, repeat
from pathlib import Path
from statistics import median

from tests.bench.figures import Row, Section
from tests.bench.load import Connection
from tests.bench.players import Player, Table, tables
from tests.servers import Server

PLAYED = 8
"""The number of turns played in a match whose page is measured."""
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


@contextmanager
def served() -> Iterator[Server]:
    """A fresh site, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data, server(Path(data, "site")) as site:
        yield site


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


async def measure_bytes(site: Server) -> Section:
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

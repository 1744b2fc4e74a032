"""Measures the memory of a process while many people play, and whether it ever stops growing.

`python -m tests.bench.memory`: 5,000 matches, made, joined and played by browsers, 21 requests each, 105,000
in all. `python -m tests.bench.memory 500` is a short one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from statistics import linear_regression

from games.core import Seat
from tests.bench import site
from tests.bench.figures import Row, Section, tell
from tests.bench.load import Connection
from tests.bench.players import Player, Table, tables
from tests.bench.sockets import MOST, memory
from tests.servers import Server

MATCHES = 5_000
AT_ONCE = 3
"""The number of people who make, join and play matches beside one another."""
PLAYED = 2
LOOKS = 20
"""The number of times that the memory is measured."""
REQUESTS = 21
"""Requests of each match: six to make and to join it, one for its draw, four seals, and `_looked`."""


def main() -> None:
    many = int(sys.argv[1]) if sys.argv[1:] else MATCHES
    with site.served() as at:
        section = asyncio.run(measure(at, many))
    tell(section)


async def measure(at: Server, many: int) -> Section:
    """Plays that many matches, each by a pair of browsers that the process has never seen before."""
    section = Section(f"Memory of a process: {many:,} matches, {many * REQUESTS:,} requests")
    left, looks = iter(range(many)), [(0, memory(at.process.pid))]

    async def people() -> None:
        for number in left:
            await _match(at)
            if (number + 1) % max(1, many // LOOKS) == 0:
                looks.append((number + 1, memory(at.process.pid)))

    await asyncio.gather(*(people() for _ in range(AT_ONCE)))
    looks.sort()
    late = looks[len(looks) // 2 :]
    slope = linear_regression([at for at, _ in late], [size for _, size in late]).slope
    for number, size in looks:
        section.rows.append(Row(f"MB after {number * REQUESTS:,} requests", f"{size / 1024:.1f}"))
    section.rows.append(Row("MB at most", f"{memory(at.process.pid, MOST) / 1024:.1f}"))
    section.rows.append(
        Row("kB for 1,000 requests more, in the second half", f"{slope * 1000 / REQUESTS:.1f}")
    )
    return section


async def _match(at: Server) -> None:
    """A match made, joined, played for some turns and looked at; its people close their browsers then."""
    (made,) = await tables(at.port, 1, PLAYED, 0)
    async with Connection(at.port) as line:
        for raw in _looked(made):
            await line.answered(raw)


def _looked(made: Table) -> Iterator[bytes]:
    """The pages that the two ask for afterwards."""
    ada, ben = made.players[Seat("A")], made.players[Seat("B")]
    for player in (ada, ben):
        yield player.get()
        yield player.tap(PLAYED, "F")
        yield player.get("/mine/")
    yield ada.get(htmx=True)
    yield ben.get(f"{ben.match}version/")
    yield ada.get(f"{ada.page}?at=1.1")
    yield Player(ada.port).get(ada.match)


if __name__ == "__main__":
    main()

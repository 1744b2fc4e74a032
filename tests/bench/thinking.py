"""Compares the cost of a page while all bots think with its cost on an idle site.

`python -m tests.bench.thinking`: matches of eight pigs, in each of which seven thorough bots have to answer.
"""

from __future__ import annotations

import asyncio
import json

from tests.bench import site
from tests.bench.figures import Row, Section, percentile, row_of_runs, tell
from tests.bench.load import Connection, request, timed
from tests.bench.players import Player, tables
from tests.servers import Server

MATCHES, SEATS = 8, "ABCDEFGH"
RUNS, SECONDS = 3, 1.5
ORDER = "F F F F F"


def main() -> None:
    with site.served() as at:
        section = asyncio.run(measure(at))
    tell(section)


async def measure(at: Server) -> Section:
    section = Section("Seat page, one connection: idle, and while 56 thorough bots have to answer")
    reader = site.players(await tables(at.port, 1, site.PLAYED, 1))[0]
    made = [await _with_bots(at) for _ in range(MATCHES)]
    page = site.reading([reader.get()])
    await timed(at, page, 0.5)
    idle = [await timed(at, page, SECONDS) for _ in range(RUNS)]
    async with Connection(at.port) as line:
        for match, player in made:
            sealed = {"turn": 0, "order": ORDER}
            await line.answered(player.api("PUT", f"/api/v1/matches/{match}/order", sealed))
    busy = [await timed(at, page, SECONDS) for _ in range(RUNS)]
    thinks = sum([await _turn(at, match) == 0 for match, _ in made])
    section.rows += [row_of_runs("idle", idle), row_of_runs("while bots think", busy)]
    times = [[second for run in runs for second in run.each] for runs in (idle, busy)]
    for part in (50, 99):
        quiet, loud = (percentile(each, part) for each in times)
        section.rows.append(Row(f"p{part} while they think ÷ on an idle site", f"{loud / quiet:.2f} ×"))
    section.notes.append(f"{thinks} of {MATCHES} matches were still waiting for bots at the end")
    return section


async def _with_bots(at: Server) -> tuple[str, Player]:
    """A match of eight pigs, all but one of them bots."""
    asked = {
        "game": "pigs",
        "preset": "bash",
        "seats": len(SEATS),
        "name": "Ada",
        "bots": dict.fromkeys(SEATS[1:], "thorough"),
    }
    async with Connection(at.port) as line:
        headers = {"Content-Type": "application/json"}
        raw = request(at.port, "POST", "/api/v1/matches", headers, json.dumps(asked).encode())
        answer = await line.ask(raw)
    made = json.loads(answer.body)
    return made["match"], Player(at.port, token=made["token"])


async def _turn(at: Server, match: str) -> int:
    async with Connection(at.port) as line:
        answer = await line.answered(request(at.port, "GET", f"/api/v1/matches/{match}"))
    return int(json.loads(answer.body)["turn"])


if __name__ == "__main__":
    main()

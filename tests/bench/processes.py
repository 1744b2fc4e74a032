"""Several processes on PostgreSQL and Redis: what one more brings, whether anything is lost, who hears of it.

`python -m tests.bench.processes`, with TEST_POSTGRES_URL and TEST_REDIS_URL: 1, 2 and 4 web processes, beside
them two clocks and two that run bots. The two players of a match are always at different processes.
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
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

from games.core import Seat
from tests.bench.figures import Row, Run, Section, cpu_each, percentile, row_of_runs, row_of_times, tell
from tests.bench.load import Connection, cpu, request
from tests.bench.players import Player, Table, tables
from tests.bench.site import PLAYED
from tests.bench.sockets import give_seal, heard, opened
from tests.servers import ROOT, Server, new_database

PROCESSES = (1, 2, 4)
TABLES, RUNS, SECONDS = 8, 3, 2.0
TURNS = 200
"""The number of turns that all runs of seals may play at a table."""
SOCKETS, ROUNDS = 5_000, 3


class Web(Server):
    """A process that answers requests and does nothing else."""

    flags = ("--no-clock", "--no-bots")


def main() -> None:
    postgres, redis = os.environ.get("TEST_POSTGRES_URL"), os.environ.get("TEST_REDIS_URL")
    if not postgres or not redis:
        sys.exit("Set TEST_POSTGRES_URL and TEST_REDIS_URL to databases that may be filled.")
    many = int(sys.argv[1]) if sys.argv[1:] else SOCKETS
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * many + 1_000), hard))
    sections = []
    for count in PROCESSES:
        with (
            tempfile.TemporaryDirectory(prefix="robosite-bench-") as data,
            _site(Path(data), postgres, redis, count) as web,
        ):
            sections.append(asyncio.run(_requests(web)))
            if count == PROCESSES[-1]:
                sections.append(asyncio.run(_sockets(web, many)))
    tell(*sections)


@contextmanager
def _site(data: Path, postgres: str, redis: str, count: int) -> Iterator[list[Server]]:
    """Starts that many web processes on a database of their own, with two clocks and two bot runners."""
    with ExitStack() as stack:
        env = {
            "DATABASE_URL": stack.enter_context(new_database(postgres)),
            "REDIS_URL": redis,
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "BENCH_MIDDLEWARE": "1",
        }
        first = stack.enter_context(Web(data, prepare=True, **env))
        web = [first, *(stack.enter_context(first.beside()) for _ in range(count - 1))]
        for command in ("clock", "bots") * 2:
            other = subprocess.Popen(
                [sys.executable, "manage.py", command], cwd=ROOT, env=first.env, stderr=subprocess.DEVNULL
            )
            stack.callback(other.wait)
            stack.callback(other.terminate)
        yield web


async def _requests(web: list[Server]) -> Section:
    section = Section(f"{len(web)} web processes, two clocks, two that run bots: {TABLES} connections")
    made = await tables(web[0].port, TABLES, PLAYED, TURNS)
    for number, one in enumerate(made):
        _spread(one, web, number)
    pages = [one.players[Seat("A")] for one in made]
    reading = [await _timed(web, [_again(player) for player in pages]) for _ in range(RUNS)]
    section.rows.append(row_of_runs("seat page", reading))
    sealing = [await _timed(web, [_seals(one) for one in made]) for _ in range(RUNS)]
    section.rows.append(row_of_runs("seal by the page, every second one reveals", sealing))
    lost = [one for one in made if await _turn(one, web[-1]) != one.played]
    section.rows.append(Row("matches that lost a seal", remark=f"{len(lost)} of {len(made)}"))
    section.notes.append(f"processor time of all web processes for a page: {cpu_each(reading) * 1000:.2f} ms")
    return section


def _spread(made: Table, web: Sequence[Server], number: int) -> None:
    """The players of a match at processes that follow one another."""
    made.players = {
        seat: replace(player, port=web[(number + at) % len(web)].port)
        for at, (seat, player) in enumerate(made.players.items())
    }


def _again(player: Player) -> Iterator[tuple[int, bytes]]:
    while True:
        yield player.port, player.get()


def _seals(made: Table) -> Iterator[tuple[int, bytes]]:
    """Whole turns, one seal after another, each at the process of its player."""
    while made.played < len(made.turns):
        turn, orders = made.next_turn()
        for seat, order in orders.items():
            player = made.players[seat]
            yield player.port, player.seal(turn, order)


async def _timed(web: Sequence[Server], lists: Sequence[Iterator[tuple[int, bytes]]]) -> Run:
    """One run of all lists beside one another, each with a connection to every process; all answers are 200.

    A list that has begun a turn seals it for all before it stops.
    """
    each: list[float] = []

    async def work(requests: Iterator[tuple[int, bytes]]) -> None:
        async with AsyncExitStack() as stack:
            lines = {one.port: await stack.enter_async_context(Connection(one.port)) for one in web}
            asked = 0
            while (start := time.perf_counter()) < end or asked % 2:
                port, raw = next(requests)
                await lines[port].answered(raw)
                asked += 1
                each.append(time.perf_counter() - start)

    used = sum(cpu(one.process.pid) for one in web)
    begin = time.perf_counter()
    end = begin + SECONDS
    await asyncio.gather(*(work(requests) for requests in lists))
    seconds = time.perf_counter() - begin
    return Run(each, seconds, sum(cpu(one.process.pid) for one in web) - used)


async def _turn(made: Table, at: Server) -> int:
    """The number of turns played in a match, as this process says."""
    player = made.players[Seat("A")]
    async with Connection(at.port) as line:
        answer = await line.answered(request(at.port, "GET", player.api_match))
    return int(json.loads(answer.body)["turn"])


async def _sockets(web: Sequence[Server], many: int) -> Section:
    section = Section(f"{many} sockets at one match, over {len(web)} processes: seconds until each is told")
    made = (await tables(web[0].port, 1, PLAYED, ROUNDS + 1))[0]
    seals = made.form_seals(ROUNDS + 1)
    match = made.players[Seat("A")].match
    async with AsyncExitStack() as stack:
        sockets = []
        for one in web:
            there = opened(f"ws://127.0.0.1:{one.port}/ws{match}", one.url, many // len(web))
            sockets += await stack.enter_async_context(there)
        await asyncio.gather(*(socket.recv() for socket in sockets))  # the version now
        told: list[float] = []
        used = []
        for _ in range(ROUNDS):
            worked = sum(cpu(one.process.pid) for one in web)
            start = time.perf_counter()
            hearing = asyncio.gather(*(heard(socket, start) for socket in sockets))
            await give_seal(web[0].port, next(seals))
            told += await hearing
            await asyncio.sleep(0.5)  # what the servers have still to do for it
            used.append(sum(cpu(one.process.pid) for one in web) - worked)
    section.rows.append(row_of_times("told of a seal", told))
    section.rows.append(Row("the last of all", p99=f"{percentile(told, 100) * 1000:.0f}"))
    section.rows.append(Row("processor time of all processes for a seal", cpu=f"{median(used) * 1000:.0f}"))
    return section


if __name__ == "__main__":
    main()

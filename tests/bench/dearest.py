"""The dearest requests that anybody made to each address, in processor time; and who waits because of them.

Run as a program, it measures every address within one process and prints JSON, a line a row.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.figures import Row, Section, milliseconds
from tests.bench.load import Connection, request
from tests.bench.players import Player, tables
from tests.servers import ROOT, Server, manage

TIMES, LEAST = 5, 0.050
"""The dearest request may cost so many ordinary ones, or so many seconds."""
ATTACK = 60.0
"""Seconds after which an attack ends, whatever has come of it."""
AFTER = 10.0
"""The time for which it goes on once it was refused."""


def measure() -> Section:
    """A row for each address."""
    with tempfile.TemporaryDirectory(prefix="robosite-bench-") as folder:
        env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "BENCH_MIDDLEWARE": "1",
            "DATABASE_URL": "sqlite://:memory:",
            "DATA_DIR": folder,
        }
        manage("collectstatic", "--no-input", "--verbosity", "0", env=env)
        command = [sys.executable, "-m", "tests.bench.dearest"]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    section = Section(
        "The dearest request to each address: processor ms of the ordinary one, and of that one"
    )
    over = 0
    for line in filter(lambda line: line.startswith("{"), done.stdout.splitlines()):
        told = json.loads(line)
        usual, most = told["usual"], told["most"]
        beyond = most > max(TIMES * usual, LEAST)
        over += beyond
        times = f"{most / usual:.1f} ×" if usual else ""
        remark = f"more than {TIMES} × and 50 ms: {told['asked']}" if beyond else ""
        section.rows.append(
            Row(told["row"], times, milliseconds(usual), milliseconds(most), milliseconds(most), remark)
        )
    section.notes.append("p50: the ordinary request; p99 and CPU: the dearest one; a second: the ratio.")
    section.notes.append(f"{over} of {len(section.rows)} addresses cost more than {TIMES} × and 50 ms.")
    return section


async def measure_beside(data: Path) -> Section:
    """Another visitor's page while one client sends nothing but dear requests, with LIMITS=on."""
    section = Section("A visitor's seat page while another address asks for what is dear, LIMITS=on: ms")
    data.mkdir(parents=True)
    with Server(data, TRUSTED_PROXIES="127.0.0.1", LIMITS="on", DEBUG="0") as site:
        made = (await tables(site.port, 1, 8, 1))[0]
        visitor = next(iter(made.players.values()))
        alone = await _visits(visitor, asyncio.create_task(asyncio.sleep(5)))
        usual = median(took for _at, took in alone)
        section.rows.append(Row("alone", p50=milliseconds(usual), remark=f"{len(alone)} pages"))
        for n, (what, paths) in enumerate(_attacks(visitor)):
            began = time.monotonic()
            attack = asyncio.create_task(_attack(site.port, f"192.0.2.{n}", paths))
            seen = await _visits(visitor, attack)
            refused = await attack
            parts = {"until it is refused": lambda at, end=refused: at < end}
            if refused < began + ATTACK:
                parts["then"] = lambda at, end=refused: at >= end
            for when, is_then in parts.items():
                each = [took for at, took in seen if is_then(at)]
                if each:
                    row = f"{what}, {when}"
                    times = f"{median(each) / usual:.1f} ×"
                    section.rows.append(
                        Row(row, times, milliseconds(median(each)), remark=f"{len(each)} pages")
                    )
    return section


def _attacks(visitor: Player) -> Sequence[tuple[str, list[str]]]:
    key = visitor.match.split("/")[2]
    themes = ("paper", "blueprint")
    return (
        ("pages of the match", [visitor.match, f"{visitor.match}?at=1.1"]),
        ("a lesson with a long program", ["/learn/pigs/1/?played&order=" + "F+" * 999]),
        ("pictures", [f"/m/{key}/{turn}.svg?theme={theme}" for turn in range(1, 9) for theme in themes]),
    )  # fmt: skip


async def _visits(visitor: Player, until: asyncio.Task[Any]) -> list[tuple[float, float]]:
    """The times of requests for a page, five a second until that ends, and the seconds that each took."""
    seen = []
    async with Connection(visitor.port) as line:
        while not until.done():
            began = time.monotonic()
            await visitor.ask(line, visitor.get())
            seen.append((began, time.monotonic() - began))
            await asyncio.sleep(0.2)
    return seen


async def _attack(port: int, address: str, paths: list[str]) -> float:
    """Asks for these one after the other; says when it was refused for the first time."""
    end = refused = time.monotonic() + ATTACK
    n = 0
    while time.monotonic() < end:
        path = paths[n % len(paths)]
        n += 1
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(port, "GET", path, {"X-Forwarded-For": address, "Connection": "close"}))
        answer = await reader.read()
        writer.close()
        if b" 429 " in answer[:20] and refused == end:
            refused = time.monotonic()
            end = refused = min(refused, end)
            end += AFTER
    return refused


def main() -> None:
    import django

    django.setup()
    from django.test.utils import setup_databases, setup_test_environment

    setup_test_environment()
    setup_databases(0, interactive=False)
    from tests.site.dearest import LARGEST, USUAL, dearest, of_size, ordinary, who_asks
    from tests.site.routes import Ask
    from tests.site.world import World, world

    def took(row: str, there: World, ask: Ask) -> float:
        began = time.thread_time()
        there.ask(who_asks(row), ask)
        return time.thread_time() - began

    there = world()
    usual, given = {}, ordinary(there)
    for row, asked in of_size(there, USUAL).items():
        given[row] += asked
    for row, asked in given.items():
        for world_, ask in asked:
            took(row, world_, ask)
        usual[row] = max(min(took(row, world_, ask) for _ in range(3)) for world_, ask in asked)
    given = dearest(there)
    for row, asked in of_size(there, LARGEST).items():
        given[row] += asked
    for row, asked in given.items():
        most, said = max((min(took(row, w, a) for _ in range(2)), a.said[:80]) for w, a in asked)
        print(json.dumps({"row": row, "usual": usual[row], "most": most, "asked": said}), flush=True)


if __name__ == "__main__":
    main()

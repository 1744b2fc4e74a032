"""kill -9 at random moments, of processes that serve pages or run the clock and send notices, under load."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from threading import Event

from tests.faults.drills.load import Load
from tests.faults.drills.site import Beside, Site, running
from tests.servers import Server

AFTER = (0.05, 0.9)
"""The seconds between a process's return and the killing of the next one."""


PLAYERS = 4


def drill(kills: int, *, servers: bool) -> list[str]:
    """On one process with SQLite, or on two web processes and a clock with PostgreSQL and Redis."""
    tables = PLAYERS * needed(kills)
    with running(servers=servers, webs=1 + servers, clocks=int(servers), mail=True, tables=tables) as site:
        return on(site, site.processes, kills)


def needed(kills: int) -> int:
    """The number of tables that each player may come to play meanwhile."""
    return 1 + kills // 3


def on(site: Site, victims: Sequence[Server | Beside], kills: int) -> list[str]:
    """Kills the victims in turn, and starts each again at once."""
    load = Load(site, PLAYERS, needed(kills))
    chance = random.Random(load.seed)
    began = time.monotonic()
    with load:
        load.goes_on()
        for number in range(kills):
            Event().wait(chance.uniform(*AFTER))
            one = victims[number % len(victims)]
            one.kill()
            one.start()
        load.goes_on()
    took = time.monotonic() - began
    found = load.nothing_is_lost()
    where = "PostgreSQL and Redis, two web processes and a clock" if site.postgres else "SQLite, one process"
    return [f"{kills} kills in {took:.0f} s on {where} (seed {load.seed})", *load.tally.lines(), *found]

"""PostgreSQL is restarted under load: fast, as an upgrade does it, or immediately, as a crash."""

from __future__ import annotations

import random
from threading import Event

from tests.faults.drills import work
from tests.faults.drills.load import Load
from tests.faults.drills.site import Site

DOWN = (0.2, 3.0)
"""For so many seconds it is away."""


PLAYERS = 4


def needed(times: int) -> int:
    """The number of tables that each player may come to play meanwhile."""
    return 2 + 2 * times


def drill(site: Site, times: int, *, talks: bool = True) -> list[str]:
    """Restarts each service so many times; web processes, clock and bots must go on by themselves."""
    assert site.postgres
    postgres, took, away = site.postgres, [], 0.0
    load = Load(site, PLAYERS, needed(times), talks=talks)
    chance = random.Random(load.seed)
    with load:
        load.goes_on()
        for _ in range(times):
            for how in (postgres.fast, postgres.immediate):
                postgres.end(how)
                down = chance.uniform(*DOWN)
                away += down
                Event().wait(down)
                postgres.start()
                took.append(load.goes_on())
    clock, bots = work.clock_works(site), work.bots_work(site)
    found = load.nothing_is_lost()
    return [
        f"{times} fast and {times} immediate restarts, {away:.0f} s away in all (seed {load.seed})",
        *load.tally.lines(),
        f"ten requests were acknowledged {max(took):.1f} s after it was back, at the latest",
        f"the clock had applied a deadline after {clock:.1f} s, a bot had sealed after {bots:.1f} s",
        *found,
    ]

"""The drills at length, each on a site of its own: what `make faults` does."""

from __future__ import annotations

from tests.faults.drills import clocks, full, hangs, redis_gone, restarts, senders
from tests.faults.drills import kills as killing
from tests.faults.drills import locked as locking
from tests.faults.drills.site import running


def kills(count: int, *, servers: bool) -> list[str]:
    return killing.drill(count, servers=servers)


def locked() -> list[str]:
    with running(servers=False, mail=True, tables=locking.PLAYERS * locking.TABLES) as site:
        return locking.drill(site)


def disk() -> list[str]:
    """On a small tmpfs where one may be mounted, and by a limit of the system too."""
    with full.small_disk() as found:
        ways = [True, False] if found else [False]
    return [line for way in ways for line in full.drill(3, disk=way)]


def postgres() -> list[str]:
    times = 4
    tables = restarts.PLAYERS * restarts.needed(times)
    with running(servers=True, webs=2, clocks=1, bots=1, mail=True, tables=tables) as site:
        return restarts.drill(site, times)


def hanging() -> list[str]:
    times = 4
    tables = hangs.PLAYERS * hangs.needed(times) + 2
    with running(servers=True, webs=2, clocks=2, bots=2, mail=True, tables=tables) as site:
        found = [*senders.drill(site), *hangs.clock_and_bots(site), *hangs.lock_of_a_match(site)]
        return found + hangs.web(site, times)


def redis() -> list[str]:
    with running(servers=False, webs=2, redis=True) as site:
        return redis_gone.drill(site, 5)


def wrong_clocks() -> list[str]:
    with running(servers=False, clocks=2, shifts=True) as site:
        return clocks.drill(site, 3)

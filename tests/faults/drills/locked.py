"""Another process writes to the SQLite file and does not stop for long."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults import programs
from tests.faults.drills.load import Load
from tests.faults.drills.site import Site

SECONDS = 24.0
PLAYERS = 3
TABLES = 4


@contextmanager
def locked(data: Path) -> Iterator[sqlite3.Connection]:
    """All other writers must wait."""
    other = sqlite3.connect(data / "robosite.sqlite3", isolation_level=None, timeout=60)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        if other.in_transaction:
            other.execute("ROLLBACK")
        other.close()


def drill(site: Site, seconds: float = SECONDS) -> list[str]:
    """Under load; who only looks is answered all the while, and play goes on right after."""
    load = Load(site, PLAYERS, TABLES)
    looked = []
    with load, programs.Site(site.urls[0]) as client:
        load.goes_on()
        with locked(site.data):
            began = time.monotonic()
            while time.monotonic() - began < seconds:
                at = time.monotonic()
                client.see(load.tables[0].match)
                looked.append(time.monotonic() - at)
                time.sleep(0.2)
        after = load.goes_on(more=1)
        load.goes_on()
    assert load.tally.busy
    return [
        f"locked for {seconds:.0f} s (seed {load.seed})",
        f"the next request was acknowledged {after:.1f} s after its end",
        *load.tally.lines(),
        f"{len(looked)} looks at a match meanwhile, all answered, the slowest after {max(looked):.1f} s",
        *load.nothing_is_lost(),
    ]

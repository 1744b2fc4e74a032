"""Faults brought about on purpose, at length, with figures: `make faults`, or `python -m tests.faults`.

`--only kills` does one of them, `--kills 20` fewer kills. Ends with 1 if something was lost.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

os.environ.setdefault("PATIENCE", "300")  # the machine may be busy with other things

from tests.bench.figures import machine
from tests.faults.drills import faults
from tests.faults.drills.services import versions
from tests.faults.drills.site import Site, running

Drill = Callable[[int], list[str]]


def on(does: Callable[[Site, int], list[str]], **site: Any) -> Drill:
    """The drill on a site of its own."""

    def drill(kills: int) -> list[str]:
        with running(**{"servers": False, **site}) as there:
            return does(there, kills)

    return drill


def hangs(site: Site, _: int) -> list[str]:
    found = [*faults.sender(site), *faults.clock_and_bots(site), *faults.lock_of_a_match(site)]
    return found + faults.web_hangs(site, 4)


def kills(site: Site, count: int) -> list[str]:
    return faults.kills(site, site.processes, count)


DRILLS: dict[str, Drill] = {
    "locked": on(lambda site, _: faults.locked_for_long(site)),
    "disk": lambda _: [*faults.full_disk(3), *faults.full_disk(3, disk=False)],
    "postgres": on(lambda site, _: faults.restarts(site, 4), servers=True, webs=2, clocks=1, bots=1),
    "redis": on(lambda site, _: faults.redis_gone(site, 5), webs=2, redis=True),
    "clocks": on(lambda site, _: faults.wrong_clocks(site, 3), clocks=2, shifts=True),
    "hangs": on(hangs, servers=True, webs=2, clocks=2, bots=2),
    "kills": on(kills),
    "kills-servers": on(kills, servers=True, webs=2, clocks=1),
}


def one(name: str, kills: int) -> bool:
    began = time.monotonic()
    try:
        found, failed = DRILLS[name](kills), False
    except Exception:
        found, failed = traceback.format_exc().splitlines(), True
    print(f"\n{name}: {'FAILED' if failed else 'nothing lost'}, {time.monotonic() - began:.0f} s")
    print("\n".join(f"  {line}" for line in found), flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", choices=DRILLS)
    parser.add_argument("--kills", type=int, default=100, help="how many on SQLite, and on servers")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # every process that was started is ended
    os.nice(max(0, 15 - os.nice(0)))
    with tempfile.TemporaryDirectory(prefix="robosite-faults-") as folder:
        os.environ["TEST_READY"] = f"{folder}/ready"
        print("\n".join([time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), *machine(), versions()]))
        return sum(one(name, given.kills) for name in ([given.only] if given.only else DRILLS))


if __name__ == "__main__":
    sys.exit(main())

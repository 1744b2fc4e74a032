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
from types import FrameType

from tests import servers


def main() -> int:
    given = _arguments()
    signal.signal(signal.SIGTERM, _stop)
    os.nice(max(0, 15 - os.nice(0)))
    with tempfile.TemporaryDirectory(prefix="robosite-faults-") as folder:
        servers.PATIENCE = 300  # the machine may be busy with other things
        os.environ["TEST_READY"] = f"{folder}/ready"
        from tests.bench.figures import machine
        from tests.faults.drills.services import versions

        print("\n".join([time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), *machine(), versions()]))
        drills = _drills(given.kills)
        return sum(_one(name, drills[name]) for name in ([given.only] if given.only else drills))


def _drills(kills: int) -> dict[str, Callable[[], list[str]]]:
    from tests.faults.drills import at_length

    return {
        "locked": at_length.locked,
        "disk": at_length.disk,
        "postgres": at_length.postgres,
        "redis": at_length.redis,
        "clocks": at_length.wrong_clocks,
        "hangs": at_length.hanging,
        "kills": lambda: at_length.kills(kills, servers=False),
        "kills-servers": lambda: at_length.kills(kills, servers=True),
    }


NAMES = tuple(_drills(0))


def _one(name: str, does: Callable[[], list[str]]) -> bool:
    began = time.monotonic()
    try:
        found, failed = does(), False
    except Exception:
        found, failed = traceback.format_exc().splitlines(), True
    print(f"\n{name}: {'FAILED' if failed else 'nothing lost'}, {time.monotonic() - began:.0f} s")
    print("\n".join(f"  {line}" for line in found), flush=True)
    return failed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description="Faults, and figures of them."
    )
    parser.add_argument("--only", choices=NAMES)
    parser.add_argument("--kills", type=int, default=100, help="how many on SQLite, and on servers")
    return parser.parse_args()


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Turns a signal into an exit, so that every process that was started is ended."""
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())

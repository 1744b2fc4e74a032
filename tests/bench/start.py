"""Measures `make run` until the first page: on a fresh data folder, and once more on the same one.

`python -m tests.bench.start`. Packages are installed already; seconds of this clock, and of the processor.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from tests.bench.figures import Row, Section, tell
from tests.bench.load import cpu
from tests.servers import Server

RUNS = 3


def main() -> None:
    section = Section(
        f"From `make run` to the first page, packages installed: {RUNS} fresh starts, then warm ones"
    )
    found: dict[str, list[tuple[float, float]]] = {"fresh": [], "warm": []}
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data:
            for times in found.values():
                times.append(started(Path(data)))
    for what, times in found.items():
        wall, used = (median(values) for values in zip(*times, strict=True))
        section.rows.append(Row(what, cpu=f"{used * 1000:.0f}", remark=f"{wall:.1f} s of this clock"))
    tell(section)


def started(data: Path) -> tuple[float, float]:
    """Seconds from the command to the first page, and seconds of the server's processor."""
    server = Server(data, prepare=False)
    server.flags = ("--prepare",)
    began = time.perf_counter()
    with server:
        with urlopen(f"{server.url}/", timeout=60) as answer:
            answer.read()
        return time.perf_counter() - began, cpu(server.process.pid)


if __name__ == "__main__":
    main()

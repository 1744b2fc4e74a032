"""How long `make run` takes until the first page is there: on a fresh data folder, and once more on it.

`python -m tests.bench.start`. Packages are installed already; seconds of this clock, and of the processor.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from tests.bench.figures import Row, Section, table
from tests.bench.load import cpu
from tests.bench.machine import machine
from tests.servers import Server, manage

RUNS = 3
STEPS = {
    "migrate": ("migrate", "--verbosity", "0"),
    "collectstatic": ("collectstatic", "--no-input", "--verbosity", "0"),
}


def main() -> None:
    section = Section(
        f"From `make run` to the first page, packages installed: {RUNS} fresh starts, then warm ones"
    )
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory(prefix="robosite-bench-") as data:
            for kind in ("fresh", "warm"):
                for step, took in started(Path(data)).items():
                    found.setdefault(f"{kind}: {step}", []).append(took)
    for what, times in found.items():
        wall, used = (median(values) for values in zip(*times, strict=True))
        section.rows.append(Row(what, cpu=f"{used * 1000:.0f}", remark=f"{wall:.1f} s of this clock"))
    print("\n".join(machine()), end="\n\n")
    print(table([section]))


def started(data: Path) -> dict[str, tuple[float, float]]:
    """Seconds, and seconds of processor, of each step."""
    server = Server(data, prepare=False)
    took = {}
    for name, words in STEPS.items():
        began, used = time.perf_counter(), children()
        manage(*words, env=server.env)
        took[name] = time.perf_counter() - began, children() - used
    began = time.perf_counter()
    with server:
        with urlopen(f"{server.url}/", timeout=60) as answer:
            answer.read()
        took["serve, to the first page"] = time.perf_counter() - began, cpu(server.process.pid)
    walls, useds = zip(*took.values(), strict=True)
    return {**took, "all of it": (sum(walls), sum(useds))}


def children() -> float:
    """Seconds of processor of all processes that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()

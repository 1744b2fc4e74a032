"""Figures: their medians and percentiles, and the table that is printed while they are measured."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import ceil, isnan, nan
from pathlib import Path
from statistics import median

LIBRARIES = ("django", "channels", "daphne", "twisted", "asgiref", "pydantic", "cryptography", "websockets")


@dataclass(frozen=True, slots=True)
class Run:
    """The seconds of each request of a run, of all, and of the server's processor."""

    each: list[float]
    seconds: float
    cpu: float


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of all values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def number(value: float) -> str:
    """With about three digits that count: 12,300, 123, 12.3, 1.23."""
    if abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def milliseconds(seconds: float) -> str:
    return "" if isnan(seconds) else f"{seconds * 1000:.2f}"


def cpu_each(runs: Sequence[Run]) -> float:
    return sum(run.cpu for run in runs) / sum(len(run.each) for run in runs)


def begin() -> None:
    """Prints the machine and the names of the columns."""
    print("\n".join(machine()), end="\n\n")
    _line("", "a second", "p50 ms", "p99 ms", "CPU ms", "range of the rates, and remarks")


def title(text: str) -> None:
    print(f"\n{text}", flush=True)


def row(what: str, each: Sequence[float] = (), rate: str = "", cpu: float = nan, remark: str = "") -> None:
    """Prints a line; `each` are the seconds of which p50 and p99 are shown."""
    p50, p99 = (milliseconds(percentile(each, part)) if each else "" for part in (50, 99))
    _line(f"  {what}", rate, p50, p99, milliseconds(cpu), remark)


def row_of_runs(what: str, runs: Sequence[Run], remark: str) -> None:
    """Prints the median and range of the runs' rates, and the times of all requests together."""
    rates = [len(run.each) / run.seconds for run in runs]
    each = [seconds for run in runs for seconds in run.each]
    spread = f"{number(min(rates))} to {number(max(rates))}, {len(each)} requests; {remark}"
    row(what, each, number(median(rates)), cpu_each(runs), spread)


def _line(what: str, rate: str, p50: str, p99: str, cpu: str, remark: str) -> None:
    print(f"{what:<58}{rate:>10}{p50:>10}{p99:>10}{cpu:>10}   {remark}".rstrip(), flush=True)


def machine() -> list[str]:
    """Processor, cores, system, versions, and how busy the machine is already."""
    names = [
        line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "name" in line
    ]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return [
        f"{names[0]}, {len(os.sched_getaffinity(0))} cores for us, {platform.system()} {platform.release()}",
        f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        + ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        f"load of the machine before the start (1, 5, 15 minutes): {load}",
    ]

"""Figures: their medians and percentiles, and the table that shows them."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import ceil, isnan, nan
from pathlib import Path
from statistics import median


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


@dataclass(frozen=True, slots=True)
class Run:
    """One short run: how many seconds each request took, all of them together, and the server's processor.

    `cpu` is in seconds; nan where the system does not tell.
    """

    each: list[float]
    seconds: float
    cpu: float = nan

    @property
    def rate(self) -> float:
        return len(self.each) / self.seconds


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. Cells are text already; "" where a column says nothing."""

    what: str
    rate: str = ""
    p50: str = ""
    p99: str = ""
    cpu: str = ""
    remark: str = ""


@dataclass(slots=True)
class Section:
    """A part of the table under its own heading, with sentences that belong to it."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def number(value: float) -> str:
    """With about three digits that count: 12,300, 123, 12.3, 1.23."""
    if abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


def row_of_runs(what: str, runs: Sequence[Run], remark: str = "") -> Row:
    """The median and range of the runs' rates; p50, p99 and processor time of all requests together."""
    rates = [run.rate for run in runs]
    each = [seconds for run in runs for seconds in run.each]
    spread = f"{number(min(rates))} to {number(max(rates))}, {len(each)} requests"
    cpu = cpu_each(runs)
    return Row(
        what,
        number(median(rates)),
        milliseconds(percentile(each, 50)),
        milliseconds(percentile(each, 99)),
        "" if isnan(cpu) else milliseconds(cpu),
        f"{spread}; {remark}" if remark else spread,
    )


def cpu_each(runs: Sequence[Run]) -> float:
    return sum(run.cpu for run in runs) / sum(len(run.each) for run in runs)


def row_of_times(what: str, seconds: Sequence[float], remark: str = "") -> Row:
    return Row(
        what,
        "",
        milliseconds(percentile(seconds, 50)),
        milliseconds(percentile(seconds, 99)),
        remark=f"{len(seconds)} times{f'; {remark}' if remark else ''}",
    )


def tell(*sections: Section) -> None:
    print("\n".join(machine()), end="\n\n")
    print(table(sections))


def table(sections: Sequence[Section]) -> str:
    """All sections under one line of column names."""
    wide = max(len(row.what) for section in sections for row in section.rows) + 2

    def line(what: str, rate: str, p50: str, p99: str, cpu: str, remark: str) -> str:
        return f"{what:<{wide}}{rate:>10}{p50:>10}{p99:>10}{cpu:>10}   {remark}".rstrip()

    lines = [line("", "a second", "p50 ms", "p99 ms", "CPU ms", "range of the rates, and remarks")]
    for section in sections:
        lines += ["", section.title]
        lines += [
            line(f"  {row.what}", row.rate, row.p50, row.p99, row.cpu, row.remark) for row in section.rows
        ]
        lines += [f"  ({note})" for note in section.notes]
    return "\n".join(lines)


LIBRARIES = (
    "django",
    "channels",
    "daphne",
    "twisted",
    "asgiref",
    "whitenoise",
    "django-csp",
    "django-htmx",
    "pydantic",
    "cryptography",
    "segno",
    "websockets",
    "playwright",
)


def machine() -> list[str]:
    """Processor, cores, system, versions, and how busy the machine is already."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return [
        f"{_processor()}, {_cores()} cores for us, {platform.system()} {platform.release()}",
        f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        + ", ".join(f"{name} {found}" for name in LIBRARIES if (found := _version(name))),
        f"load of the machine before the start (1, 5, 15 minutes): {load}",
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

"""On what the figures were measured."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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

"""Odd requests: their number, the examples, and what no log may hold (test_fuzz.py, test_fuzz_sockets.py)."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from hypothesis import HealthCheck, Phase, seed, settings

from robosite.web.logs import NoSecrets
from tests.games.sizes import size

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", size("30", "200")))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
LONG = REQUESTS > 1000


class Faults(logging.Handler):
    """Keeps what a log must not hold: tracebacks, and errors."""

    def __init__(self) -> None:
        super().__init__()
        self.addFilter(NoSecrets())
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or (
            record.levelno >= logging.ERROR and getattr(record, "status_code", 500) >= 500
        ):
            self.found.append(f"{record.name}: {record.getMessage()}")


@contextmanager
def no_faults() -> Iterator[Faults]:
    """Listens to all that is logged."""
    handler = Faults()
    if LONG:  # a hundred thousand lines on what was refused help nobody
        for console in logging.getLogger("django").handlers:
            console.setLevel(logging.ERROR)
    loggers = [logging.getLogger(name) for name in ("", "django", "robosite")]
    for one in loggers:
        one.addHandler(handler)
    try:
        yield handler
    finally:
        for one in loggers:
            one.removeHandler(handler)


def some(examples: int, number: int) -> Callable[[Any], Any]:
    """Runs that many examples; the same seed gives the same ones."""
    chosen = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(SEED * 1000 + number)(chosen(test))


def tell(part: str, counted: Counter[Any]) -> None:
    note(f"{part}: {counted.total()} requests on {connection.vendor}: {dict(sorted(counted.items()))}")


def note(line: str) -> None:
    """A figure: printed, and kept in the file that FUZZ_TOLD names."""
    print(f"\n{line}")
    if "FUZZ_TOLD" in os.environ:
        with Path(os.environ["FUZZ_TOLD"]).open("a") as told:
            told.write(line + "\n")

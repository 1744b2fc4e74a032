"""How much a test does that has two forms: the short one in `make test`, the long one with LONG=1."""

from __future__ import annotations

import os
from typing import TypeVar

LONG = bool(os.environ.get("LONG"))
T = TypeVar("T")


def size(short: T, long: T) -> T:
    """What this run does. Tests that ask are marked `fuzz`: `make test-more` runs their long form."""
    return long if LONG else short

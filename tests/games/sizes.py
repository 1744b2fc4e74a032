"""Sizes of tests with two forms: the short one in `make test`, the long one with LONG=1."""

from __future__ import annotations

import os
from typing import TypeVar

LONG = bool(os.environ.get("LONG"))
T = TypeVar("T")


def size(short: T, long: T) -> T:
    """Returns `long` if LONG is set, else `short`. Tests that ask are marked `fuzz` and run in both forms."""
    return long if LONG else short

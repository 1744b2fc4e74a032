"""Room for the frames of deep calls, so that CPython asks the system for it once and not at each of them.

CPython 3.11 and 3.12 keep the frames of a thread in pieces of 16 kB. Each call from near the end of a piece
has a new one mapped and unmapped: 10 µs instead of 0.1 (python/cpython, issue 142183, mended in later
versions). A page is drawn some hundred frames deep, so it cost up to three times as much at one
depth as at another. A frame larger than a piece gets a larger one, in which all deeper frames lie too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

SLOTS = 15_500
"""Slots of eight bytes that the frame seems to need. CPython maps the next power of two above them and 1,000
more, 256 kB, so 128 kB are left for deeper frames; what nobody touches is never in memory."""

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def with_room(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The same function, with room behind its frame for those of all that it calls."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    code = called.__code__.replace(co_stacksize=SLOTS)
    return wraps(function)(FunctionType(code, globals(), closure=called.__closure__))

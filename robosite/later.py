"""Requests that wait for something long, while the one thread answers others; then they are answered anew.

A view, or what it calls, raises Later when something is missing that takes long: it is made in steps, each
one turn of the thread, or by another process. Meanwhile other requests come. Then the same request is
answered from its beginning, and finds it made. So Later belongs before anything that must happen once. Where
nobody would wait (commands, tests), `possible` is false and the work is done at once.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from asgiref.sync import sync_to_async

T = TypeVar("T")

TIMES = 4
"""How often a call may wait for something; then it has it made at once."""

_possible: ContextVar[bool] = ContextVar("later", default=False)


class Later(BaseException):
    """Something must be waited for. No Exception, since nothing in between may take it for a fault."""

    def __init__(self, work: Callable[[], Awaitable[float]]) -> None:
        self.work = work
        """Does it, outside the thread or in steps on it; gives the seconds of the thread that it took."""
        super().__init__()


def possible() -> bool:
    """Whether the caller would wait."""
    return _possible.get()


def do_in_steps(steps: Iterator[Any]) -> None:
    """Does all these steps: at once if nobody would wait, else other requests come between them (Later)."""
    if possible():
        raise Later(lambda: _one_by_one(steps))
    for _ in steps:
        pass


def waiting_for(call: Callable[[], T]) -> T:
    """What `call` gives; it may raise Later."""
    before = _possible.set(True)
    try:
        return call()
    finally:
        _possible.reset(before)


async def on_thread(call: Callable[[], T]) -> T:
    """What `call` gives on the thread, once all that it needs, and that takes long, is made."""
    for _ in range(TIMES):
        try:
            return await sync_to_async(waiting_for)(call)
        except Later as later:
            await later.work()
    return await sync_to_async(call)()


_END = object()


async def _one_by_one(steps: Iterator[Any]) -> float:
    took = 0.0
    while True:
        seconds, more = await sync_to_async(_step)(steps)
        took += seconds
        if not more:
            return took


def _step(steps: Iterator[Any]) -> tuple[float, bool]:
    began = time.thread_time()
    more = next(steps, _END) is not _END
    return time.thread_time() - began, more

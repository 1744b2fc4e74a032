"""Requests that wait for something long, while the one thread answers others; then they are answered anew.

A view, or what it calls, raises Later when something is missing that takes long: it is made in steps, each
one turn of the thread, or by another process. Meanwhile other requests come. Then the same request is
answered from its beginning, and finds it made. Nothing may happen twice: so it is not possible any more once
the request has written to the database, nor where nobody would wait (commands, tests): then the work is done
at once. Its limits count it once, however often it is answered (`once_a_request`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection

T = TypeVar("T")

TIMES = 4
"""The most times that a call may wait for something; then it has it made at once."""

WRITES = ("INSERT", "UPDATE", "DELETE")

_possible: ContextVar[bool] = ContextVar("later", default=False)
_taken: ContextVar[_Taken | None] = ContextVar("taken", default=None)


class _Taken:
    """The limits that a request has used, in the answers that were given up and in the present one."""

    def __init__(self) -> None:
        self.before: Counter[Hashable] = Counter()
        self.now: Counter[Hashable] = Counter()

    def answer_anew(self) -> None:
        self.before |= self.now
        self.now.clear()

    def take(self, what: Hashable, take: Callable[[], int]) -> int:
        self.now[what] += 1
        if self.now[what] <= self.before[what]:
            return 0
        if seconds := take():
            self.now[what] -= 1
        return seconds


class Later(BaseException):
    """Something must be waited for. No Exception, since nothing in between may take it for a fault."""

    def __init__(self, work: Callable[[], Awaitable[float]]) -> None:
        self.work = work
        """Does it, outside the thread or in steps on it; gives the seconds of the thread that it took."""
        super().__init__()


def possible() -> bool:
    """Tell whether the caller would wait."""
    return _possible.get()


def do_in_steps(steps: Iterator[Any]) -> None:
    """Does all these steps: at once if nobody would wait, else other requests come between them (Later)."""
    if possible():
        raise Later(lambda: _one_by_one(steps))
    for _ in steps:
        pass


def begin_request() -> None:
    """Has the answers to one request, made in copies of this context, take their limits once."""
    _taken.set(_Taken())


def once_a_request(what: Hashable, take: Callable[[], int]) -> int:
    """Takes one by `take`, which gives 0 or the seconds to wait; 0 if this request has taken it already."""
    taken = _taken.get()
    return taken.take(what, take) if taken else take()


def _noting_writes(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Has nothing wait any more once something was written (a wrapper of Django's around each query)."""
    if sql.lstrip()[:6].upper() in WRITES:
        _possible.set(False)
    return execute(sql, params, many, context)


def waiting_for(call: Callable[[], T]) -> T:
    """The result of `call`, which may raise Later."""
    before = _possible.set(True)
    try:
        with connection.execute_wrapper(_noting_writes):
            return call()
    except Later:
        if taken := _taken.get():
            taken.answer_anew()
        raise
    finally:
        _possible.reset(before)


async def on_thread(call: Callable[[], T]) -> T:
    """The result of `call` on the thread, once all that it needs, and that takes long, is made."""
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

"""Lets requests wait for slow work without blocking the thread, and then handles them again from the start.

A view, or code that it calls, raises Later when it needs a result that takes long to compute. The work is
done in another process, or in steps on the thread, with other requests in between. Then the request is
handled again and finds the result. Since a request is handled again from the start, a request that has
written to the database cannot wait any more. In such a request, and in commands and tests, the work is done
at once. Limits count a request once, however often it is handled (`once_a_request`).
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
"""The maximum number of times that one request may wait; after that, its work is done at once."""

WRITES = ("INSERT", "UPDATE", "DELETE")

_can_wait: ContextVar[bool] = ContextVar("later", default=False)
_taken: ContextVar[_Taken | None] = ContextVar("taken", default=None)


class _Taken:
    """Counts how often a request has used each rate limit, although the request may be handled several times.

    A request that has to wait for slow work is abandoned, and handled again from the start. `now` has the
    counts of the present attempt. `before` has, for each limit, the highest count in any abandoned attempt.
    """

    def __init__(self) -> None:
        self.before: Counter[Hashable] = Counter()
        self.now: Counter[Hashable] = Counter()

    def start_attempt(self) -> None:
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
    """Raised by a request that must wait for slow work; after the work, the request is handled again.

    Later is a BaseException, so that no code on the way handles it as an error.
    """

    def __init__(self, work: Callable[[], Awaitable[float]]) -> None:
        self.work = work
        """The coroutine function that does the work and returns the seconds of thread time that it took."""
        super().__init__()


def can_wait() -> bool:
    """Returns True if the current request may still raise Later to wait for work."""
    return _can_wait.get()


def do_in_steps(steps: Iterator[Any]) -> None:
    """Runs all steps of the iterator `steps`, each of which is done when the iterator is advanced.

    If the request cannot wait (`can_wait`), runs the steps at once and returns. Otherwise raises Later; the
    steps are then run on the thread, with other requests in between, before the request is handled again.
    """
    if can_wait():
        raise Later(lambda: _one_by_one(steps))
    for _ in steps:
        pass


def begin_request() -> None:
    """Starts to count a request's uses of limits, so that several attempts at the request count only once."""
    _taken.set(_Taken())


def once_a_request(what: Hashable, take: Callable[[], int]) -> int:
    """Counts one use of the limit `what` by calling `take`, and returns the result of `take`.

    `take` returns 0, or the seconds to wait if the use is not allowed. If an earlier attempt at this request
    has counted the use already, returns 0 without calling `take`. Outside a request, `take` is always called.
    """
    taken = _taken.get()
    return taken.take(what, take) if taken else take()


def _noting_writes(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Database wrapper (`execute_wrapper`): after a query that writes, the request can no longer raise Later.

    A request that raises Later is handled again from the start, which would repeat the write.
    """
    if sql.lstrip()[:6].upper() in WRITES:
        _can_wait.set(False)
    return execute(sql, params, many, context)


def waiting_for(call: Callable[[], T]) -> T:
    """Calls `call`, which may raise Later until it has written to the database, and returns its result.

    Later is passed on. Code that catches it must do the work (`Later.work`), and then call this function
    again.
    """
    before = _can_wait.set(True)
    try:
        with connection.execute_wrapper(_noting_writes):
            return call()
    except Later:
        if taken := _taken.get():
            taken.start_attempt()
        raise
    finally:
        _can_wait.reset(before)


async def on_thread(call: Callable[[], T]) -> T:
    """Runs `call` on asgiref's thread for sync code and returns its result.

    If `call` raises Later, the work is awaited and `call` is repeated, at most TIMES times. In the last of
    these TIMES repetitions, `call` cannot raise Later.
    """
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

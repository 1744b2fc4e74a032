"""Lets requests wait for slow work without blocking the thread, and then handles them again from the start.

A view raises Later when it needs a result that takes long; the work is done in steps or elsewhere, and the
request, handled again, finds it. A request that has written cannot wait any more: then, and in commands and
tests, the work is done at once. Limits count a request once (`once_a_request`).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from asgiref.sync import sync_to_async
from django.contrib.auth import hashers
from django.db import OperationalError, connection, transaction

from robosite.web import transactions

T = TypeVar("T")

TIMES = 4
"""The maximum number of times that one request may wait; after that, its work is done at once."""

WRITES = ("INSERT", "UPDATE", "DELETE")

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0)
"""Seconds after which a request that has met a lock is handled again; each attempt waits briefly for the lock
(`transactions.BRIEFLY`), since it keeps the thread from answering others."""

_can_wait: ContextVar[bool] = ContextVar("later", default=False)
_can_repeat: ContextVar[bool] = ContextVar("repeat", default=False)
"""A flag: True while the request has committed nothing, so that it may be handled again from the start."""
_taken: ContextVar[_Taken | None] = ContextVar("taken", default=None)


class _Taken:
    """A request's uses of limits (`before`: the most in abandoned attempts), next pauses, kept results."""

    def __init__(self) -> None:
        self.before: Counter[Hashable] = Counter()
        self.now: Counter[Hashable] = Counter()
        self.pauses = iter(PAUSES)
        self.results: dict[Hashable, Any] = {}

    def take(self, what: Hashable, take: Callable[[], int]) -> int:
        self.now[what] += 1
        if self.now[what] <= self.before[what]:
            return 0
        if seconds := take():
            self.now[what] -= 1
        return seconds


class Later(BaseException):
    """Raised by a request that waits for slow work; a BaseException, so that nobody takes it for an error."""

    def __init__(self, work: Callable[[], Awaitable[float]]) -> None:
        self.work = work
        """The coroutine function that does the work and returns the seconds of thread time that it took."""
        super().__init__()


class Locked(Later):
    """Raised by a request that has met a lock: after a pause, the request is handled again."""

    def __init__(self, pause: float) -> None:
        async def work() -> float:
            await asyncio.sleep(pause)
            return transactions.BRIEFLY / 1000  # the time for which the thread waited

        super().__init__(work)


def can_wait() -> bool:
    """Returns True if the current request may still raise Later to wait for work."""
    return _can_wait.get()


def do_in_steps(steps: Iterator[Any]) -> None:
    """Raises Later, to do `steps` between other requests; does all at once if the request cannot wait."""
    if can_wait():
        raise Later(lambda: _one_by_one(steps))
    for _ in steps:
        pass


def beside(key: Hashable, call: Callable[[], T]) -> T:
    """Returns `call()`, which uses no database; if the request can wait, raises Later to use a thread."""
    taken = _taken.get()
    if taken and key in taken.results:
        found: T = taken.results[key]
        return found
    if not (taken and can_wait()):
        return call()

    def timed() -> float:
        began = time.thread_time()
        taken.results[key] = call()
        return time.thread_time() - began

    raise Later(lambda: asyncio.to_thread(timed))


def kept(key: Hashable, call: Callable[[], T]) -> T:
    """Returns `call()`; a request that is handled again gets the result of its first attempt."""
    taken = _taken.get()
    if taken is None:
        return call()
    if key not in taken.results:
        taken.results[key] = call()
    found: T = taken.results[key]
    return found


def begin_request() -> None:
    """Starts to count a request's uses of limits, so that several attempts at the request count only once."""
    _taken.set(_Taken())


def once_a_request(what: Hashable, take: Callable[[], int]) -> int:
    """Counts a use of the limit `what` by `take`; returns its result, 0 if an earlier attempt counted it."""
    taken = _taken.get()
    return taken.take(what, take) if taken else take()


class _Watch:
    """Database wrapper: after a write, the request can wait no more; if it meets a lock, it raises Locked."""

    watched: Any = None
    """The `run_on_commit` of the transaction whose commit this wrapper has asked to note; None at first."""

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        could_repeat = _can_repeat.get()
        if sql.lstrip()[:6].upper() in WRITES:
            _can_wait.set(False)
            self._note_write()
        try:
            return execute(sql, params, many, context)
        except OperationalError as fault:
            taken = _taken.get()
            pause = next(taken.pauses, None) if taken else PAUSES[1]
            if could_repeat and pause and transactions.is_lock_timeout(fault):
                raise Locked(pause) from fault
            raise

    def _note_write(self) -> None:
        if not connection.in_atomic_block:
            _can_repeat.set(False)
        elif self.watched is not connection.run_on_commit:
            transaction.on_commit(lambda: _can_repeat.set(False))
            self.watched = connection.run_on_commit


def waiting_for(call: Callable[[], T]) -> T:
    """Calls `call`, which may raise Later until it writes; the caller does that work and calls this again."""
    before, repeated = _can_wait.set(True), _can_repeat.set(True)
    try:
        with connection.execute_wrapper(_Watch()):
            return call()
    except Later:
        if taken := _taken.get():
            taken.before |= taken.now
            taken.now.clear()
        raise
    finally:
        _can_wait.reset(before)
        _can_repeat.reset(repeated)


async def on_thread(call: Callable[[], T]) -> T:
    """Runs `call` on asgiref's thread; repeats it after the work of a Later, at most TIMES times."""
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


if TYPE_CHECKING:
    Base = hashers.BasePasswordHasher
else:
    Base = object


class _Beside(Base):
    def salt(self) -> str:
        return kept((type(self), "salt"), super().salt)

    def encode(self, password: str, salt: Any, *more: Any, **terms: Any) -> str:
        """Computes the hash on a thread of its own (`beside`)."""
        key = (type(self), password, salt, more, *terms.items())
        return beside(key, lambda: super(_Beside, self).encode(password, salt, *more, **terms))


class PBKDF2(_Beside, hashers.PBKDF2PasswordHasher):
    """Hashes the passwords of staff."""


class Scrypt(_Beside, hashers.ScryptPasswordHasher):  # type: ignore[name-defined]
    """Hashes recovery phrases."""

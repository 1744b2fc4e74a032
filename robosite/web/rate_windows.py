"""Counts uses within time windows, by the library `limits`: in Redis if there is one, else in this process.

Each count is atomic (a script in Redis, a lock in memory), so that simultaneous requests cannot exceed a
limit. The strategy is the sliding window counter: two numbers for each address and kind of call, whatever the
limit. A window begins with its first use. When it ends, its uses are given back gradually, over as long
again. So no more than the limit may be used at once, and in the long run no more than one limit a window.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import Any, TypeVar

from cachetools import LRUCache
from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage, Storage
from limits.storage.base import SlidingWindowCounterSupport
from limits.strategies import SlidingWindowCounterRateLimiter

from robosite.web.logs import Outage

log = logging.getLogger("robosite")

MOST_WINDOWS = 20_000
"""The maximum number of windows that a process without Redis keeps. Beyond that, the least recently used ones
are dropped."""
CONNECT, ANSWER = 0.25, 0.5
"""Timeouts for Redis in seconds: for the connection, and for an answer."""
QUIET = 5.0
"""Seconds for which Redis is not asked again after it did not answer, so that not every request waits for
it."""
NO_END = 2**53

now = time.monotonic

Window = tuple[int, float, int, float]
"""The uses in the previous window, the seconds for which they still count, the uses in the current window,
and the seconds for which those will count (one whole window after its end)."""
T = TypeVar("T")


class Limit(RateLimitItemPerSecond):
    """A limit: an amount within a number of seconds, as the library `limits` counts it."""


class Memory(Storage, SlidingWindowCounterSupport):
    """Storage of the windows in this process: one lock, and at most MOST_WINDOWS windows.

    The library's own MemoryStorage has no maximum, drops locks that others wait for, and starts a thread
    after each use that goes through all windows.
    """

    STORAGE_SCHEME = None

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._windows: LRUCache[str, tuple[float, int, int]] = LRUCache(MOST_WINDOWS)
        """By key: the time at which the window began, the uses in it, and the uses in the previous one."""

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        with self._lock:
            began, used, before = self._present(key, expiry)
            weighs = int(before * (began + expiry - now()) / expiry)
            if weighs + used + amount > limit:
                return False
            self._windows[key] = began, used + amount, before
            return True

    def get_sliding_window(self, key: str, expiry: int) -> Window:
        with self._lock:
            began, used, before = self._present(key, expiry)
            ends = began + expiry - now()
            return before, ends, used, ends + expiry

    def _present(self, key: str, expiry: int) -> tuple[float, int, int]:
        at = now()
        began, used, before = self._windows.get(key) or (at, 0, 0)
        if at >= began + 2 * expiry:
            return at, 0, 0
        return (began + expiry, 0, used) if at >= began + expiry else (began, used, before)

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        self.clear(key)

    def clear(self, key: str) -> None:
        with self._lock:
            self._windows.pop(key, None)

    def reset(self) -> int:
        with self._lock:
            count = len(self._windows)
            self._windows.clear()
            return count

    def check(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    # The library's interface for fixed windows, which this storage does not support.

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        raise TypeError("fixed windows are not kept here")

    def get(self, key: str) -> int:
        raise TypeError("fixed windows are not kept here")

    def get_expiry(self, key: str) -> float:
        raise TypeError("fixed windows are not kept here")


class Counter(SlidingWindowCounterRateLimiter):
    """The library's sliding window counter, which also computes waiting times, and may be overdrawn."""

    storage: Any

    def until_free(self, limit: Limit, *who: str, cost: int = 1) -> float:
        """Seconds until `cost` units are free, if nobody else takes any before."""
        length = limit.get_expiry()
        before, before_ends, used, used_ends = self.storage.get_sliding_window(limit.key_for(*who), length)
        left = limit.amount - cost - used
        if left >= 0:
            return max(0.0, before_ends - (left + 1) * length / before) if before else 0.0
        share = (limit.amount - cost + 1) / used  # the share of the present uses that may still count then
        return float(max(0.0, used_ends - length) + length * max(0.0, 1 - share))

    def left(self, limit: Limit, *who: str) -> tuple[int, int]:
        """The amount that is free now, and the seconds until the current window ends."""
        length = limit.get_expiry()
        before, before_ends, used, used_ends = self.storage.get_sliding_window(limit.key_for(*who), length)
        weighs = int(before * before_ends / length)
        return max(0, limit.amount - used - weighs), ceil(max(0.0, used_ends - length))

    def charge(self, limit: Limit, *who: str, cost: int) -> None:
        """Counts uses that have already happened, even beyond the limit."""
        key, length = limit.key_for(*who), limit.get_expiry()
        self.storage.acquire_sliding_window_entry(key, NO_END, length, cost)


def take(limit: Limit, *who: str) -> int:
    """Counts one use; returns 0, or the seconds to wait. If the storage does not answer, nobody is
    limited."""

    def asks(counter: Counter) -> int:
        return 0 if counter.hit(limit, *who) else _whole(counter.until_free(limit, *who))

    return _ask_counter(asks, 0)


def left(limit: Limit, *who: str) -> tuple[int, int]:
    """The amount that is free now, and the seconds until the current window ends."""
    return _ask_counter(lambda counter: counter.left(limit, *who), (limit.amount, 0))


def charge(limit: Limit, *who: str, cost: int, room: int) -> int:
    """Counts uses that have already happened; returns 0, or the seconds until there is `room` for more."""

    def asks(counter: Counter) -> int:
        counter.charge(limit, *who, cost=cost)
        seconds = counter.until_free(limit, *who, cost=room)
        return _whole(seconds) if seconds else 0

    return _ask_counter(asks, 0)


def answers() -> bool:
    """Tell whether the storage of the counts is available."""
    return _ask_counter(lambda counter: counter.storage.check(), False)


def reset() -> None:
    """Clears all counts (for tests)."""
    _silent.until = 0.0
    _ask_counter(lambda counter: counter.storage.reset(), None)
    _silent.until, _outage.under_way = 0.0, False


def _whole(seconds: float) -> int:
    """The wait in whole seconds, rounded up to past the end of a window, at which nothing is free yet."""
    return max(1, ceil(seconds + 0.001))


class Silent:
    """The time until which Redis is not asked, because it did not answer."""

    until = 0.0


_silent = Silent()
_outage = Outage(log, "Redis does not answer: no limits are kept", "Redis answers again: limits are kept")


def _ask_counter(asks: Callable[[Counter], T], otherwise: T) -> T:
    """Returns the result of `asks`, or `otherwise` if the storage does not answer."""
    if settings.REDIS_URL and now() < _silent.until:
        return otherwise
    try:
        answer = asks(counter())
    except Exception as fault:
        _silent.until = now() + QUIET
        _outage.begin(fault)
        return otherwise
    _outage.end()
    return answer


_here = Counter(Memory())


def counter() -> Counter:
    """The counter to use: in Redis if REDIS_URL is set, else in this process."""
    return _in_redis(settings.REDIS_URL, settings.REDIS_PREFIX) if settings.REDIS_URL else _here


@lru_cache
def _in_redis(redis_url: str, prefix: str) -> Counter:
    from redis import ConnectionPool
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    pool = ConnectionPool.from_url(
        redis_url,
        socket_connect_timeout=CONNECT,
        socket_timeout=ANSWER,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )
    return Counter(RedisStorage("redis://", connection_pool=pool, key_prefix=f"{prefix}-limits"))

"""Counts uses within time windows, with the library `limits`: in Redis if there is one, else in this process.

Each count is atomic. The sliding window counter keeps the uses of the current window, which begins with its
first use, and of the previous one, which are given back over a window's length: never more than the limit at
once, nor in the long run.
"""

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
"""The maximum number of windows without Redis; beyond, the least recently used ones are dropped."""
CONNECT, ANSWER = 0.25, 0.5
"""Timeouts for Redis in seconds: for the connection, and for an answer."""
QUIET = 5.0
"""Seconds without queries to Redis after one has failed, so that not every request waits for one."""
NO_END = 2**53

now = time.monotonic

Window = tuple[int, float, int, float]
"""(uses in the previous window, seconds for which they still count, the same of the current window)"""
T = TypeVar("T")


class Limit(RateLimitItemPerSecond):
    """A rate limit for the library `limits`: an amount within a number of seconds."""


class Memory(Storage, SlidingWindowCounterSupport):
    """Windows in this process; the library's storage has no maximum, and starts a thread each time."""

    STORAGE_SCHEME = None

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._windows: LRUCache[str, tuple[float, int, int]] = LRUCache(MOST_WINDOWS)
        """By key: the time at which the current window began, its uses, and those in the previous window."""

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
    """The library's sliding window counter, which also tells how long to wait and counts beyond the limit."""

    storage: Any

    def until_free(self, limit: Limit, *who: str, cost: int = 1) -> float:
        """Seconds until `who` (the parts of a key) may use `cost` units, if nothing is used before."""
        length = limit.get_expiry()
        before, before_ends, used, used_ends = self.storage.get_sliding_window(limit.key_for(*who), length)
        left = limit.amount - cost - used
        if left >= 0:
            return max(0.0, before_ends - (left + 1) * length / before) if before > 0 else 0.0
        # the share of the present uses that may still count then
        share = (limit.amount - cost + 1) / max(used, 1)
        return float(max(0.0, used_ends - length) + length * max(0.0, 1 - share))

    def left(self, limit: Limit, *who: str) -> tuple[int, int]:
        """The number of units that `who` may use now, and the seconds until the current window ends."""
        length = limit.get_expiry()
        before, before_ends, used, used_ends = self.storage.get_sliding_window(limit.key_for(*who), length)
        weighs = int(before * before_ends / length)
        return max(0, limit.amount - used - weighs), ceil(max(0.0, used_ends - length))

    def charge(self, limit: Limit, *who: str, cost: int) -> None:
        """Counts `cost` units that `who` has used, even beyond the limit; if negative, takes units back."""
        key, length = limit.key_for(*who), limit.get_expiry()
        self.storage.acquire_sliding_window_entry(key, NO_END, length, cost)


def take(limit: Limit, *who: str, cost: int = 1) -> int:
    """Counts `cost` uses by `who`; returns 0, or the seconds to wait. Without an answer of the storage, 0."""

    def asks(counter: Counter) -> int:
        if counter.hit(limit, *who, cost=cost):
            return 0
        return _whole(counter.until_free(limit, *who, cost=cost))

    return _ask_counter(asks, 0)


def give_back(limit: Limit, *who: str, cost: int = 1) -> int:
    """Deducts `cost` uses by `who`; always returns 0."""
    _ask_counter(lambda counter: counter.charge(limit, *who, cost=-cost), None)
    return 0


def until_free(limit: Limit, *who: str, cost: int = 1) -> int:
    """Returns 0 if the limit allows `cost` uses by `who` now, else the seconds to wait; counts nothing."""

    def asks(counter: Counter) -> int:
        seconds = counter.until_free(limit, *who, cost=cost)
        return _whole(seconds) if seconds else 0

    return _ask_counter(asks, 0)


def left(limit: Limit, *who: str) -> tuple[int, int]:
    """The number of units that `who` may use now, and the seconds until the current window ends."""
    return _ask_counter(lambda counter: counter.left(limit, *who), (limit.amount, 0))


def charge(limit: Limit, *who: str, cost: int, room: int) -> int:
    """Counts `cost` used units, even beyond the limit; returns the seconds until `room` are free."""

    def asks(counter: Counter) -> int:
        counter.charge(limit, *who, cost=cost)
        seconds = counter.until_free(limit, *who, cost=room)
        return _whole(seconds) if seconds else 0

    return _ask_counter(asks, 0)


def answers() -> bool:
    """Returns True if the storage of the counts answers."""
    return _ask_counter(lambda counter: counter.storage.check(), False)


def reset() -> None:
    _query_pause.until = 0.0
    _ask_counter(lambda counter: counter.storage.reset(), None)
    _query_pause.until, _outage.under_way = 0.0, False


def _whole(seconds: float) -> int:
    """Rounds up, with a small margin: 4.2 becomes 5, and 5 becomes 6."""
    return max(1, ceil(seconds + 0.001))


class QueryPause:
    """A pause in the queries to Redis until a time of `now()`, after it has not answered."""

    until = 0.0


_query_pause = QueryPause()
_outage = Outage(log, "Redis does not answer: no limits are kept", "Redis answers again: limits are kept")


def _ask_counter(asks: Callable[[Counter], T], otherwise: T) -> T:
    """The result of `asks`, or `otherwise` if the counter fails, and for QUIET seconds after that."""
    if settings.REDIS_URL and now() < _query_pause.until:
        return otherwise
    try:
        answer = asks(counter())
    except Exception as fault:
        _query_pause.until = now() + QUIET
        _outage.begin(fault)
        return otherwise
    _outage.end()
    return answer


_here = Counter(Memory())


def counter() -> Counter:
    """The counter to use: one that counts in Redis if REDIS_URL is set, else in this process."""
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

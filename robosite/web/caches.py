"""A cache within one process, bounded by the number or the total size of its entries; safe for threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from threading import RLock
from typing import Any, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(LRUCache[K, V]):
    """The LRUCache of cachetools, with a lock so that all threads may use it.

    A value that is larger than the whole cache is not stored, and any older value under its key is removed.
    """

    def __init__(self, maxsize: int, getsizeof: Callable[[V], float] | None = None) -> None:
        self._lock = RLock()
        super().__init__(maxsize, getsizeof)

    def __getitem__(self, key: K) -> V:
        with self._lock:
            return super().__getitem__(key)

    def __setitem__(self, key: K, value: V) -> None:
        with self._lock:
            if self.getsizeof(value) > self.maxsize:
                self.pop(key, None)
            else:
                super().__setitem__(key, value)

    def __delitem__(self, key: K) -> None:
        with self._lock:
            super().__delitem__(key)

    def __iter__(self) -> Iterator[K]:
        with self._lock:
            return iter(list(super().__iter__()))

    def get(self, key: K, default: Any = None) -> Any:
        with self._lock:
            try:
                return super().__getitem__(key)
            except KeyError:
                return default

    def pop(self, key: K, *default: Any) -> Any:
        with self._lock:
            return super().pop(key, *default)

    def clear(self) -> None:
        with self._lock:
            super().clear()

"""The cache of one process: whatever is made once and used again, bounded by its total size."""

from collections.abc import Callable, Hashable, Iterator
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_MADE = 96_000_000


class BoundedCache(LRUCache[K, V]):
    """The LRUCache of cachetools, with a lock; a value larger than the whole cache is not stored."""

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


class Made(NamedTuple):
    value: Any
    size: float


made_once: BoundedCache[tuple[Any, ...], Made] = BoundedCache(MOST_MADE, lambda made: made.size)


def once_made(key: tuple[Any, ...], make: Callable[[], V], size: Callable[[V], float] = len) -> V:  # type: ignore[assignment]
    """Returns `make()`, cached by `key`, on which alone it may depend; `size` measures it for the cache."""
    made = made_once.get(key)
    if made is None:
        value = make()
        made_once[key] = made = Made(value, size(value))
    value = made.value
    return value

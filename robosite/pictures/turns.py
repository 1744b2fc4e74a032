"""A line for something that is done one at a time: addresses take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """A line in which nobody waits for all that another one has asked for.

    At most `most` wait, of one address at most `most_of_one`, about one table at most `most_about_one`.
    """

    def __init__(self, most: int, most_of_one: int, most_about_one: int) -> None:
        self.most, self.most_of_one, self.most_about_one = most, most_of_one, most_about_one
        self.waiting: Counter[tuple[str, str]] = Counter()
        """How many are there, by address and table; with the one whose turn it is."""
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._busy = False

    def may(self, address: str, table: str) -> bool:
        """Whether one more may wait."""
        there = [(of, about, n) for (of, about), n in list(self.waiting.items())]
        return (
            sum(n for _of, _about, n in there) < self.most
            and sum(n for of, _about, n in there if of == address) < self.most_of_one
            and sum(n for _of, about, n in there if about == table) < self.most_about_one
        )

    @asynccontextmanager
    async def turn(self, address: str, table: str) -> AsyncIterator[None]:
        """Waits until it is this one's turn, which lasts as long as the block."""
        self.waiting[address, table] += 1
        try:
            await self._come(address)
            try:
                yield
            finally:
                self._go_on()
        finally:
            self.waiting[address, table] -= 1
            self.waiting += Counter()  # without those that are 0

    async def _come(self, address: str) -> None:
        if not self._busy:
            self._busy = True
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(address, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # called, and gone in the same moment
                self._go_on()
            raise

    def _go_on(self) -> None:
        """Calls the next one, of the address that was called longest ago."""
        while self._lines:
            address, line = next(iter(self._lines.items()))
            called = line.popleft()
            self._lines.move_to_end(address)
            if not line:
                del self._lines[address]
            if not called.done():
                called.set_result(None)
                return
        self._busy = False

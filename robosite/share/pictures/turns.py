"""A fair queue for jobs that run one at a time: the addresses from which jobs come take turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from robosite.web.admission import Admission, Owner
from robosite.web.fair_queue import FairQueue


class PutOut(Exception):
    """Raised if a job is refused by the queue, or removed from it in favour of a client with fewer jobs."""


class JobQueue:
    """A queue for jobs that run one at a time: the limits are in all, of one address, and about one match."""

    def __init__(self, most: int, most_of_one: int, most_about_one: int) -> None:
        self.admission = Admission(lambda: most, lambda: most_of_one, lambda: most_about_one)
        self._line: FairQueue[asyncio.Future[None]] = FairQueue()
        self._busy = False

    @asynccontextmanager
    async def turn(self, owner: Owner, table: str) -> AsyncIterator[None]:
        """Context manager that waits until the owner's job may run; the job runs while the block does.

        Raises PutOut if there is no room, or if it has to make room. `table` is what it is about: a match's
        key, or another text.
        """
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        slot = self.admission.take(owner, table, put_out=lambda: _put_out(called))
        if slot is None:
            raise PutOut
        try:
            await self._come(owner.address, table, called)
            try:
                yield
            finally:
                self._go_on()
        finally:
            self.admission.leave(slot)

    async def _come(self, address: str, table: str, called: asyncio.Future[None]) -> None:
        if not self._busy:
            self._busy = True
            called.set_result(None)
            return
        self._line.put(address, table, called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled() and not called.exception():
                self._go_on()  # called and cancelled at the same moment
            raise

    def _go_on(self) -> None:
        while (called := self._line.take()) is not None:
            if not called.done():
                called.set_result(None)
                return
        self._busy = False


def _put_out(called: asyncio.Future[None]) -> None:
    """Raises PutOut in the job that waits for the future `called`, unless its turn has begun."""
    if not called.done():
        called.set_exception(PutOut())

"""Sends what is due, as long as it runs, and looks after notices that a dead listener has left out.

The database is asked in the process's one thread, a parcel at a time; whatever waits for other machines has
threads of its own. Two senders beside each other do no harm: each parcel is claimed by one of them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from robosite.notices import facts, letters, outbox
from robosite.notices.letters import Send
from robosite.notices.outbox import Claimed, Outcome

log = logging.getLogger("robosite")

AT_ONCE = 4
"""So many are on their way at the same time."""
SWEEP_EVERY = 30.0
LATELY = timedelta(minutes=10)
TIDY_EVERY = 24 * 3600.0


class Sender:
    """`looked` has the version of each match up to which all has been noted."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(AT_ONCE, "notices")
        self.sending: set[asyncio.Task[None]] = set()
        self.looked: dict[int, int] = {}
        self.swept = self.tidied = float("-inf")

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            while True:
                try:
                    await sync_to_async(close_old_connections)()  # as before a request: it may have gone
                    await self.look()
                except Exception:
                    log.exception("the sender missed a look")
                await asyncio.sleep(settings.SENDER_SECONDS)
        finally:
            self.threads.shutdown(wait=False, cancel_futures=True)

    async def look(self) -> None:
        """Sends what is due; from time to time sweeps and tidies too."""
        now = time.monotonic()
        if now - self.swept > SWEEP_EVERY:
            await self.sweep(first=self.swept < 0)
            self.swept = now
        if now - self.tidied > TIDY_EVERY:
            await sync_to_async(outbox.tidy)()
            self.tidied = now
        while len(self.sending) < AT_ONCE and (claimed := await sync_to_async(outbox.claim)()):
            task = asyncio.get_running_loop().create_task(self.send(claimed))
            self.sending.add(task)
            task.add_done_callback(self.sending.discard)

    async def sweep(self, *, first: bool) -> None:
        """Looks at what changed lately, and at near deadlines; at first at all that goes on."""
        now = timezone.now()
        found = await sync_to_async(facts.changed_since)(None if first else now - LATELY)
        near = await sync_to_async(facts.near_deadline)(now, None if first else LATELY)
        changed = [pk for pk, version in found if self.looked.get(pk) != version]
        if first:
            found_ever = await sync_to_async(facts.changed_since)(now - timedelta(days=1))
            changed += [pk for pk, _ in found_ever if pk not in changed]
        said = await sync_to_async(facts.said_since)(now - LATELY)
        for pk in dict.fromkeys([*changed, *near, *said]):
            try:
                await sync_to_async(facts.sweep)(pk)
            except Exception:  # one match that fails must not stop the others
                log.exception("the sender cannot look at a match")
        self.looked.update(found)

    async def send(self, claimed: Claimed) -> None:
        """Sends a parcel and notes what came of it."""
        outcome = await self._try(claimed)
        try:
            await sync_to_async(outbox.note)(claimed, outcome)
        except Exception:  # the lease ends, and it is tried once more
            log.exception("what came of a notice could not be noted")

    async def _try(self, claimed: Claimed) -> Outcome:
        try:
            send: Send = await sync_to_async(letters.ready)(claimed)
            return await asyncio.get_running_loop().run_in_executor(self.threads, send)
        except Exception:
            log.exception("a notice could not be made ready")
            return Outcome("refused")


async def run() -> None:
    """Sends until it is cancelled."""
    await Sender().run()


def send_all() -> int:
    """Sends everything that is due, in this thread; says how many parcels that were."""
    sent = 0
    while claimed := outbox.claim():
        outbox.note(claimed, letters.ready(claimed)())
        sent += 1
    return sent

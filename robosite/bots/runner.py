"""Answers for bots, as long as it runs: looks at what changed, has it thought over, and seals.

Everything is read from the facts, so nothing is lost when a process dies, and two runners beside each other
do no harm: the second answer for a seat and turn changes nothing (`flow.answer`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from datetime import timedelta
from typing import Any

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import close_old_connections
from django.utils import timezone

from games.core import IllegalOrder
from robosite.bots import queue
from robosite.bots.pool import Failed, Pool
from robosite.bots.queue import Owed
from robosite.matches import push
from robosite.matches.flow import Refused

log = logging.getLogger("robosite")

POLL = 1.0
"""Seconds between two looks, when nothing was heard of a change."""
LATELY = timedelta(minutes=2)
ALL_EVERY = 60
"""Every so many looks all matches are looked at, not only those that changed lately."""
TRIES = 2


class Runner:
    """`looked` has the version of each match up to which nothing is owed that is not being thought over."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.looked: dict[int, int] = {}
        self.asked: dict[tuple[int, int, str], asyncio.Task[None]] = {}
        self.heard = asyncio.Event()

    async def run(self) -> None:
        """Until it is cancelled."""
        listener = asyncio.get_running_loop().create_task(self._listen())
        looks = 0
        try:
            while True:
                try:
                    await sync_to_async(close_old_connections)()  # as before a request: it may have gone
                    await self.look(everything=looks % ALL_EVERY == 0)
                    looks += 1
                except Exception:
                    log.exception("the bots missed a look")
                    await asyncio.sleep(POLL)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.heard.wait(), POLL)
                self.heard.clear()
        finally:
            for task in (listener, *self.asked.values()):
                task.cancel()
            self.pool.close()

    async def look(self, *, everything: bool) -> None:
        """Takes up what is owed in matches that have changed since they were last looked at."""
        since = None if everything else timezone.now() - LATELY
        found = await sync_to_async(queue.changed_since)(since)
        if everything:
            keep = dict(found)
            self.looked = {pk: version for pk, version in self.looked.items() if pk in keep}
        for pk, version in found:
            if self.looked.get(pk) == version:
                continue
            self.looked[pk] = version
            try:
                tasks = await sync_to_async(queue.owed)(pk)
            except Exception:  # one match that fails must not stop the others
                log.exception("the bots cannot look at a match")
                self.looked.pop(pk, None)
                continue
            for task in tasks:
                self._take_up(task)

    def _take_up(self, task: Owed) -> None:
        key = (task.seat.pk, task.turn, task.question.what)
        if key not in self.asked:
            self.asked[key] = asyncio.get_running_loop().create_task(self._answer(task))
            self.asked[key].add_done_callback(lambda _: self.asked.pop(key, None))

    async def _answer(self, task: Owed) -> None:
        """Has a task thought over, again if that fails, and gives the answer, or at last some legal order."""
        wanted = False
        try:
            for _ in range(TRIES):
                try:
                    answer = await self.pool.ask(task.question)
                    wanted = await sync_to_async(queue.give)(task, answer)
                except (Failed, IllegalOrder) as fault:
                    where = task.key, task.seat.letter, task.turn
                    log.warning("the bot of match %s, seat %s, failed in turn %s: %s", *where, fault)
                else:
                    return
            wanted = await sync_to_async(queue.give_any)(task)
        except Refused:
            pass  # the match went on without it
        except Exception:
            log.exception("a bot's answer could not be kept; it is tried again")
        finally:
            if not wanted:  # the next look finds out what is
                self.looked.pop(task.seat.match_id, None)

    async def _listen(self) -> None:
        """Looks at once when something changed, in whatever process."""
        channel = ""
        while True:
            try:
                layer: Any = get_channel_layer()
                channel = channel or await layer.new_channel("bots")
                await layer.group_add(push.GROUP, channel)
                while True:
                    message = await layer.receive(channel)
                    if message["type"] == "changed":
                        self.heard.set()
            except Exception:
                log.warning("the channel layer does not answer; the bots look by themselves", exc_info=True)
                await asyncio.sleep(POLL)


async def run(processes: int) -> None:
    """Answers for bots with so many processes to think in, until it is cancelled."""
    pool = Pool(processes)
    with contextlib.suppress(OSError):
        await pool.warm_up()
    await Runner(pool).run()

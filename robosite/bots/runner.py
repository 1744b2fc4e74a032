"""The loop that plays for bots: it finds the orders that they owe, asks the bots, and seals.

All is derived from the database, so nothing is lost when a process dies, and two runners may run.
"""

import asyncio
import contextlib
import logging
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import OperationalError, close_old_connections
from django.utils import timezone

from games.core import IllegalOrder
from robosite.bots import owed_orders
from robosite.bots.owed_orders import Owed
from robosite.bots.pool import Failed, Pool
from robosite.matches import key_check
from robosite.matches.flow import Refused, SeatLost
from robosite.matches.live import push
from robosite.matches.seals import KeyMissing
from robosite.matches.site_models import ProcessHeartbeat
from robosite.web.admission import FairQueue
from robosite.web.later import on_thread
from robosite.web.logs import Outage

log = logging.getLogger("robosite")
_keyless = Outage(log, "a key of SEAL_KEYS is missing: the bots rest", "the bots have all keys again")
_outage = Outage(log, "the channel layer does not answer: bots look by themselves", "it answers bots again")

POLL = 1.0
"""Seconds between two checks for changed matches, if no change is announced earlier."""
RECENT = timedelta(minutes=2)
"""Most checks read only matches changed within this time; one in ALL_EVERY reads all matches."""
ALL_EVERY = 60
TRIES = 2
"""The number of times that a bot is asked before a random order is sealed for it."""

Key = tuple[int, int, str]
"""The key of a queue item: a question's seat, turn and kind; (match, -1, "") for a match to be checked."""


class QueueItem(NamedTuple):
    """An item in the queue: a question to a bot or, without `task`, a match to be checked for questions."""

    lane: int
    pk: int
    task: Owed | None = None

    @property
    def key(self) -> Key:
        return (
            (self.task.seat.pk, self.task.turn, self.task.question.what) if self.task else (self.pk, -1, "")
        )


class Runner:
    """Works off the queue, at most `at_once` items at a time; lanes (`Match.lane`) and matches take turns.

    `looked` has the version at which a match was last queued, `known` the keys in the queue, `asked` the
    tasks under way.
    """

    def __init__(self, pool: Pool, at_once: int = 4) -> None:
        self.pool, self.at_once = pool, at_once
        self.looked: dict[int, int] = {}
        self.waiting: FairQueue[QueueItem] = FairQueue()
        self.known: set[Key] = set()
        self.asked: dict[Key, asyncio.Task[None]] = {}
        self.heard = asyncio.Event()

    async def run(self) -> None:
        """Looks for changed matches every POLL seconds, or as soon as one is announced, until cancelled."""
        listener = asyncio.get_running_loop().create_task(self._listen())
        looks = 0
        try:
            while True:
                try:
                    await sync_to_async(close_old_connections)()  # as before a request: it may have gone
                    await sync_to_async(key_check.require)()
                    await self.look(everything=looks % ALL_EVERY == 0)
                    await sync_to_async(ProcessHeartbeat.beat)("bots")
                    looks += 1
                    _keyless.end()
                except KeyMissing as missing:
                    _keyless.begin(missing)
                    await asyncio.sleep(POLL)
                except OperationalError as fault:  # locked or away: the next look does it
                    log.warning("the bots missed a look: %s", fault)
                    await asyncio.sleep(POLL)
                except Exception:
                    log.exception("the bots missed a look")
                    await asyncio.sleep(POLL)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.heard.wait(), POLL)
                self.heard.clear()
        finally:
            for task in (listener, *tuple(self.asked.values())):
                task.cancel()
            self.pool.close()

    async def look(self, *, everything: bool) -> None:
        """Queues changed matches with bots: all, or without `everything` those that changed within RECENT."""
        since = None if everything else timezone.now() - RECENT
        found = await sync_to_async(owed_orders.changed_since)(since)
        if everything:
            keep = {pk for pk, _version, _lane in found}
            self.looked = {pk: version for pk, version in self.looked.items() if pk in keep}
        for pk, version, lane in found:
            if self.looked.get(pk) != version:
                self.looked[pk] = version
                self._wait(QueueItem(lane, pk))
        self._go_on()

    def _wait(self, one: QueueItem) -> None:
        if one.key not in self.known and one.key not in self.asked:
            self.known.add(one.key)
            self.waiting.put(one.lane, one.pk, one)

    def _go_on(self) -> None:
        while len(self.asked) < self.at_once and (one := self.waiting.take()):
            self.known.discard(one.key)
            self.asked[one.key] = asyncio.get_running_loop().create_task(self._do(one))

    async def _do(self, one: QueueItem) -> None:
        try:
            if one.task:
                await self._answer(one.task)
            else:
                await self._queue_questions(one)
        finally:
            del self.asked[one.key]
            self._go_on()

    async def _queue_questions(self, one: QueueItem) -> None:
        try:
            for task in await on_thread(partial(owed_orders.owed, one.pk)):
                self._wait(one._replace(task=task))
        except KeyMissing as missing:  # until the match changes, or this process starts with other keys
            log.error("the bots leave a match alone: none of SEAL_KEYS opens %s", missing)
        except Exception:  # one match that fails must not stop the others
            log.exception("the bots cannot look at a match")
            self.looked.pop(one.pk, None)

    async def _answer(self, task: Owed) -> None:
        """Asks the bot and applies its answer; after TRIES failures, seals a random order instead."""
        wanted = False
        try:
            for _ in range(TRIES):
                try:
                    answer = await self.pool.ask(task.question)
                    wanted = await on_thread(partial(owed_orders.give, task, answer))
                except (Failed, IllegalOrder) as fault:
                    where = task.key, task.seat.letter, task.turn
                    log.warning("the bot of match %s, seat %s, failed in turn %s: %s", *where, fault)
                else:
                    return
            wanted = await on_thread(partial(owed_orders.give_any, task))
        except KeyMissing as missing:
            log.error("the bots leave a match alone: none of SEAL_KEYS opens %s", missing)
            wanted = True
        except (Refused, SeatLost):
            pass  # the match went on without it
        except Exception:
            log.exception("a bot's answer could not be kept; it is tried again")
        finally:
            if not wanted:  # the next look finds out what is
                self.looked.pop(task.seat.match_id, None)

    async def _listen(self) -> None:
        """Wakes the loop of `run` as soon as any process announces a change."""
        channel = ""
        while True:
            try:
                layer: Any = get_channel_layer()
                channel = channel or await layer.new_channel("bots")
                await layer.group_add(push.GROUP, channel)
                _outage.end()
                while True:
                    message = await layer.receive(channel)
                    if message["type"] == "changed":
                        self.heard.set()
            except Exception as fault:
                _outage.begin(fault)
                await asyncio.sleep(POLL)


async def run(processes: int) -> None:
    """Plays for the site's bots, with at most `processes` worker processes, until the task is cancelled."""
    pool = Pool(processes)
    with contextlib.suppress(OSError):
        await pool.warm_up()
    await Runner(pool, processes).run()

"""The sender: sends letters and parcels that are due, and stores notices that a signal receiver has missed.

The database is queried on asgiref's single thread, one parcel at a time. Parcels are sent on other threads,
in groups (`SEND_GROUPS`), letters first, since somebody waits for each. In a group, only one parcel of a
guest, and only a few to a host, are sent at once, and guests take turns: so a machine that never answers
delays nobody else. Several senders may run, since only one of them can claim a parcel.
"""

import asyncio
import contextlib
import itertools
import logging
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from asgiref.sync import sync_to_async
from cachetools import LRUCache
from django.conf import settings
from django.db import OperationalError, close_old_connections
from django.db.models import Q
from django.utils import timezone

from robosite.matches import key_check
from robosite.matches.seals import KeyMissing
from robosite.matches.site_models import ProcessHeartbeat
from robosite.notices import facts, group_channels, outbox, parcels, transports
from robosite.notices.models import Channel, GroupChannel
from robosite.notices.parcels import Claimed, SendOutcome
from robosite.notices.transports import Send
from robosite.people.models import Letter
from robosite.web.later import on_thread
from robosite.web.logs import Outage

log = logging.getLogger("robosite")
_keyless = Outage(log, "a key of SEAL_KEYS is missing: no notices are sent", "notices are sent again")


Post = Claimed | Letter | GroupChannel


class SendGroup(NamedTuple):
    """Messages with threads of their own (`of`: which parcels): `at_once` together, `a_host` to one host."""

    name: str
    at_once: int
    a_host: int
    of: Q | None


_mails = Q(channel__kind=Channel.Kind.MAIL)
_answers = Q(channel__succeeded_at__isnull=False, channel__failures=0)
LETTERS = SendGroup("letters", 2, 2, None)
LIVING = SendGroup("living messages", 2, 1, None)
SEND_GROUPS = (
    LETTERS,
    SendGroup("mails", 2, 2, _mails),
    SendGroup("those that answer", 4, 3, ~_mails & _answers),
    SendGroup("others", 3, 1, ~_mails & ~_answers),
)
"""The groups of parcels that are sent separately; each parcel belongs to exactly one group."""

SWEEP_EVERY = 30.0
"""Seconds between two sweeps for missing notices."""
LATELY = timedelta(minutes=10)
"""The greatest age of changes, messages and warnings for which a sweep looks for missing notices."""
TIDY_EVERY = 24 * 3600.0
"""Seconds between two deletions of old parcels and notices."""
MOST_REMEMBERED = 10_000
"""The most guests in the cache `served`, and channels in the cache `hosts`."""


class OnItsWay(NamedTuple):
    """A message on its way: its group, its guest (primary key, or 0) and its host (or "")."""

    group: SendGroup
    guest: int
    host: str


class Sender:
    """Sends letters and parcels, and adds missing notices.

    `looked` maps a match to the version up to which its notices are stored. `served` maps a guest to a number
    that rises each time they are served; the lowest come next. `served_lanes` is the same for lanes
    (`people/shares.py: lane_of`).
    """

    def __init__(self) -> None:
        self.threads = {
            group.name: ThreadPoolExecutor(group.at_once, f"notices {group.name}")
            for group in (*SEND_GROUPS, LIVING)
        }
        self.sending: dict[asyncio.Task[None], OnItsWay] = {}
        self.served: LRUCache[int, int] = LRUCache(MOST_REMEMBERED)
        self.served_lanes: dict[int | None, int] = {}
        self.hosts: LRUCache[int, str] = LRUCache(MOST_REMEMBERED)
        self.number = itertools.count(1)
        self.done = asyncio.Event()
        self.looked: dict[int, int] = {}
        self.swept = self.tidied = float("-inf")

    async def run(self) -> None:
        try:
            while True:
                self.done.clear()
                try:
                    await sync_to_async(close_old_connections)()  # as before a request: one may be dead
                    await sync_to_async(key_check.require)()  # or all channels would count as failing
                    await self.look()
                    await sync_to_async(ProcessHeartbeat.beat)("sender")
                    _keyless.end()
                except KeyMissing as missing:
                    _keyless.begin(missing)
                except OperationalError as fault:  # locked or away: the next look does it
                    log.warning("the sender missed a look: %s", fault)
                except Exception:
                    log.exception("the sender missed a look")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.done.wait(), settings.SENDER_SECONDS)
        finally:
            for threads in self.threads.values():
                threads.shutdown(wait=False, cancel_futures=True)

    async def look(self) -> None:
        """Begins to send what is due; also sweeps every SWEEP_EVERY, and tidies every TIDY_EVERY seconds."""
        await self._begin_due(LETTERS)
        now = time.monotonic()
        if now - self.swept > SWEEP_EVERY:
            await self.sweep(first=self.swept < 0)
            self.swept = now
        if now - self.tidied > TIDY_EVERY:
            await sync_to_async(outbox.tidy)()
            self.tidied = now
        for group in (*SEND_GROUPS, LIVING):
            await self._begin_due(group)

    async def _begin_due(self, group: SendGroup) -> None:
        while len(self._under_way(group)) < group.at_once and (
            claimed := await on_thread(partial(self._claim, group))
        ):
            self._begin(group, claimed)

    def _under_way(self, group: SendGroup) -> list[OnItsWay]:
        return [one for one in self.sending.values() if one.group == group]

    def _claim(self, group: SendGroup) -> Post | None:
        """Claims a group's next message whose guest gets no other now, at a host below its limit; or None."""
        if group == LETTERS:
            return parcels.claim_letter()
        if group.of is None:
            return group_channels.claim([one.host for one in self._under_way(group)])
        under_way = self._under_way(group)
        hosts = Counter(one.host for one in under_way if one.host)

        def may(guest: int, channel: int) -> bool:
            full = hosts[self._host(channel)] >= group.a_host
            if full:
                self._had_his_turn(guest)
            return not full

        idle = group.of & ~Q(channel__guest__in=[one.guest for one in under_way])
        return parcels.claim_parcel(
            idle,
            after=lambda guest: self.served.get(guest, 0),
            after_lane=lambda lane: self.served_lanes.get(lane, 0),
            may=may,
        )

    def _host(self, channel: int) -> str:
        if channel not in self.hosts:
            found = Channel.objects.filter(pk=channel).first()
            self.hosts[channel] = transports.host_of(found) if found else ""
        return self.hosts[channel]

    def _had_his_turn(self, guest: int) -> None:
        self.served[guest] = next(self.number)

    def _begin(self, group: SendGroup, claimed: Post) -> None:
        task = asyncio.get_running_loop().create_task(self.send(claimed, group))
        self.sending[task] = OnItsWay(group, 0, "")
        if isinstance(claimed, Claimed):
            channel, match = claimed.channel, claimed.parcel.match
            self.hosts[channel.pk] = transports.host_of(channel)
            self._had_his_turn(channel.guest_id)
            self.served_lanes[match.lane if match else None] = next(self.number)
            self.sending[task] = OnItsWay(group, channel.guest_id, self.hosts[channel.pk])
        elif isinstance(claimed, GroupChannel):
            self.sending[task] = OnItsWay(group, 0, claimed.host)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self.sending[task]
        self.done.set()

    async def sweep(self, *, first: bool) -> None:
        """Stores missing notices: of recent changes (`first`: all), of near deadlines; moves channels on."""
        now = timezone.now()
        await sync_to_async(group_channels.note_changed)()
        await sync_to_async(group_channels.move_on)()
        found = await sync_to_async(facts.changed_since)(None if first else now - LATELY)
        near = await sync_to_async(facts.near_deadline)(now, None if first else LATELY)
        changed = [pk for pk, version in found if self.looked.get(pk) != version]
        if first:
            found_ever = await sync_to_async(facts.changed_since)(now - timedelta(days=1))
            changed += [pk for pk, _ in found_ever if pk not in changed]
        talked = await sync_to_async(facts.said_since)(now - LATELY)
        for pk in dict.fromkeys([*changed, *near, *talked]):
            try:
                await on_thread(partial(facts.sweep, pk))
            except Exception:  # one match that fails must not stop the others
                log.exception("the sender cannot look at a match")
        self.looked.update(found)

    async def send(self, claimed: Post, group: SendGroup) -> None:
        outcome = await self._try(claimed, group)
        try:
            await sync_to_async(note_outcome)(claimed, outcome)
        except Exception:  # the lease ends, and it is tried once more
            log.exception("what came of a message could not be noted")

    async def _try(self, claimed: Post, group: SendGroup) -> SendOutcome:
        try:
            send = await sync_to_async(ready)(claimed)
            return await asyncio.get_running_loop().run_in_executor(self.threads[group.name], send)
        except Exception:
            log.exception("a message could not be made ready")
            return SendOutcome("refused")


def ready(claimed: Post) -> Send:
    if isinstance(claimed, GroupChannel):
        return group_channels.ready(claimed)
    return transports.ready(claimed)


def note_outcome(claimed: Post, outcome: SendOutcome) -> None:
    if isinstance(claimed, GroupChannel):
        group_channels.note_outcome(claimed, outcome)
    else:
        parcels.note_outcome(claimed, outcome)


async def run() -> None:
    await Sender().run()

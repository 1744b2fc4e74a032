"""The clock: moves overdue matches on, even if nobody looks at them. Two clocks move each match on only once.

At each look it first notes that the site is up; if the site was down, players get that time back
(`heartbeat.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from time import monotonic

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from robosite.matches import figures, flow, key_check, missing_keys
from robosite.matches.flow import recounts
from robosite.matches.models import Match
from robosite.matches.seals import KeyMissing
from robosite.matches.time import process_heartbeats
from robosite.people.current_guest import forget_some
from robosite.web.later import on_thread
from robosite.web.logs import Outage

STEPS, BREATH = 20, 0.2
"""The steps of a long job between two looks at the time, and the seconds between steps, in which this process
can answer requests."""
MOST_AT_ONCE = 100
"""The number of matches that a look at the time lists. They are moved on one by one."""
SHARE = 2
"""The length of the clock's rest after each match, as a multiple of the time that the match took: meanwhile
the process answers requests."""

log = logging.getLogger("robosite")
_keyless = Outage(log, "a key of SEAL_KEYS is missing: the clock rests", "the clock has all keys again")
_told: set[int] = set()
"""The matches of which the log says already that a key is missing."""

Step = Callable[[], bool]
"""Does one step of some long work; False if there is none to do."""
_more_steps: list[Step] = []


def register(step: Step) -> None:
    """Registers steps that the clock takes besides its own; called from an app's `ready`."""
    if step not in _more_steps:
        _more_steps.append(step)


def due_matches(most: int, without: Collection[int] = ()) -> list[Match]:
    """Notes that the site is up, then lists up to `most` matches whose time is up, longest overdue first.

    Raises KeyMissing where the site cannot be played on for want of a key: that time is given back.
    """
    key_check.require()
    now = timezone.now()
    flow.give_time_back(now, alive=True)
    found: dict[int, Match] = {}
    for column in ("due", "handover_at"):  # asked one by one, each by its index: of both, SQLite reads all
        late = Match.objects.filter(**{f"{column}__lte": now}).exclude(pk__in=without)
        found |= {match.pk: match for match in late.order_by(column, "pk")[:most]}
    return sorted(found.values(), key=_overdue_since)[:most]


def _overdue_since(match: Match) -> tuple[datetime, int]:
    return min(at for at in (match.due, match.handover_at) if at), match.pk


def move_on(match: Match) -> bool:
    """Applies to a match what follows from time alone. False if it fails, which must not stop the others."""
    try:
        flow.apply_due(match)
    except KeyMissing as missing:
        if match.pk not in _told:
            _told.add(match.pk)
            log.error("the clock leaves match %s as it is: none of SEAL_KEYS opens %s", match.key, missing)
        return False
    except Exception:
        log.exception("the clock cannot move match %s on", match.key)
        return False
    return True


async def move_all_on() -> None:
    """Moves on all matches whose time is up, one by one, with pauses in which requests are answered."""
    failed: set[int] = set()
    while matches := await sync_to_async(due_matches)(MOST_AT_ONCE, failed):
        for match in matches:
            began = monotonic()
            if not await on_thread(partial(move_on, match)):
                failed.add(match.pk)
            await asyncio.sleep(SHARE * (monotonic() - began))


def step() -> bool:
    """Does one step of a long-running job; False if there is none."""
    return any(one() for one in (recounts.set_some, forget_some, figures.step, *_more_steps))


async def run() -> None:
    """Looks at the time every CLOCK_SECONDS until it is cancelled; first it says whether keys are missing."""
    try:
        await sync_to_async(missing_keys.warn)()
    except Exception:
        log.exception("it could not be seen whether keys are missing")
    while True:
        try:
            await sync_to_async(close_old_connections)()  # as before a request: the database may have gone
            await move_all_on()
            for _ in range(STEPS):
                if not await sync_to_async(step)():
                    break
                await asyncio.sleep(BREATH)
            await sync_to_async(process_heartbeats.beat)("clock")
            _keyless.end()
        except KeyMissing as missing:
            _keyless.begin(missing)
        except Exception:
            log.exception("the clock missed a look at the time")
        await asyncio.sleep(settings.CLOCK_SECONDS)

"""The clock: looks at overdue matches that nobody looks at. Two clocks at once move each match once.

First it says that the site is up; where it was down before, time is given back (`heartbeat.py`).
"""

from __future__ import annotations

import asyncio
import logging

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from django.db.models import Q
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow import recounts
from robosite.matches.models import Match
from robosite.matches.pages import missing_keys
from robosite.people.current_guest import forget_some

STEPS, BREATH = 20, 0.2
"""How many steps of a long deed are taken between two looks at the time, and how far apart, in seconds: the
requests of this process come in between.
"""

log = logging.getLogger("robosite")


def tick() -> int:
    """Applies every deadline that has passed; says how many."""
    now = timezone.now()
    flow.give_time_back(now, alive=True)
    matches = list(Match.objects.filter(Q(due__lte=now) | Q(handover_at__lte=now)).order_by("due", "pk"))
    for match in matches:
        try:
            flow.apply_due(match)
        except Exception:  # one match that fails must not stop the others' time
            log.exception("the clock cannot move match %s on", match.key)
    return len(matches)


def step() -> bool:
    """One step of what takes long; False if nothing is under way."""
    return recounts.set_some() or forget_some()


async def run() -> None:
    """Ticks until it is cancelled; first it says whether keys are missing."""
    try:
        await sync_to_async(missing_keys.warn)()
    except Exception:
        log.exception("it could not be seen whether keys are missing")
    while True:
        try:
            await sync_to_async(close_old_connections)()  # as before a request: the database may have gone
            await sync_to_async(tick)()
            for _ in range(STEPS):
                if not await sync_to_async(step)():
                    break
                await asyncio.sleep(BREATH)
        except Exception:
            log.exception("the clock missed a tick")
        await asyncio.sleep(settings.CLOCK_SECONDS)

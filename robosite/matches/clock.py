"""The clock: looks at overdue matches that nobody looks at. Two clocks at once move each match once."""

from __future__ import annotations

import asyncio
import logging

from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Match

log = logging.getLogger("robosite")


def tick() -> int:
    """Applies every deadline that has passed; says how many."""
    late = Match.objects.filter(status=Match.Status.PLAYING, deadline__lte=timezone.now(), overdue=False)
    matches = list(late.order_by("deadline"))
    for match in matches:
        try:
            flow.look(match)
        except Exception:  # one match that fails must not stop the others' time
            log.exception("the clock cannot move match %s on", match.key)
    return len(matches)


async def run() -> None:
    """Ticks until it is cancelled."""
    while True:
        try:
            await sync_to_async(tick)()
        except Exception:
            log.exception("the clock missed a tick")
        await asyncio.sleep(settings.CLOCK_SECONDS)

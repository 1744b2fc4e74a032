"""Heartbeats of the background parts: the clock, the bots and the sender of notices.

Each part stores the time of its last round in a table row, so that any process can see whether the part is
alive. If several clocks run, they share one table row, since one living clock is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from time import monotonic

from django.utils import timezone

from robosite.matches.models import ProcessHeartbeat

PARTS = ("clock", "bots", "sender")
EVERY = 10.0
"""The minimum number of seconds between two stored heartbeats of a part."""
LATE = timedelta(minutes=2)
"""The time without a heartbeat after which a part counts as dead."""

_last: dict[str, float] = {}


def beat(part: str) -> None:
    """Stores a heartbeat of the part, unless this process stored one less than ten seconds (EVERY) ago."""
    now = monotonic()
    if now - _last.get(part, -EVERY) < EVERY:
        return
    ProcessHeartbeat.objects.update_or_create(part=part, defaults={"at": timezone.now()})
    _last[part] = now


def ages() -> Mapping[str, float]:
    """The seconds since each part's last stored heartbeat. Parts that have never run are left out."""
    now = timezone.now()
    return {
        row.part: max((now - row.at).total_seconds(), 0.0)
        for row in ProcessHeartbeat.objects.order_by("part")
    }


def is_alive(part: str) -> bool:
    """Returns True if the part has stored a heartbeat in the last two minutes (LATE)."""
    return ages().get(part, float("inf")) <= LATE.total_seconds()


def fault() -> str:
    """A sentence that names the parts whose heartbeat is late; "" if none is.

    Parts that have never run do not count as late.
    """
    silent = {part: age for part, age in ages().items() if age > LATE.total_seconds()}
    return "; ".join(f"nothing heard of the {part} for {age:.0f} s" for part, age in silent.items())

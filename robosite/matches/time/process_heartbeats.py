"""Heartbeats of the parts that work beside the requests: the clock, the bots and the sender of notices.

Each writes a row now and then while it makes its rounds, so that any process can see whether it is alive.
Of several clocks one is enough: they share a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from time import monotonic

from django.utils import timezone

from robosite.matches.models import ProcessHeartbeat

PARTS = ("clock", "bots", "sender")
EVERY = 10.0
"""Seconds between two beats of a part."""
LATE = timedelta(minutes=2)
"""Time without a beat after which a part is taken for dead."""

_last: dict[str, float] = {}


def beat(part: str) -> None:
    """Notes that the part has made its round, unless it did so a moment ago."""
    now = monotonic()
    if now - _last.get(part, -EVERY) < EVERY:
        return
    ProcessHeartbeat.objects.update_or_create(part=part, defaults={"at": timezone.now()})
    _last[part] = now


def ages() -> Mapping[str, float]:
    """Seconds since the last round of each part that has ever made one."""
    now = timezone.now()
    return {
        row.part: max((now - row.at).total_seconds(), 0.0)
        for row in ProcessHeartbeat.objects.order_by("part")
    }


def is_alive(part: str) -> bool:
    """Tell whether the part has made a round lately."""
    return ages().get(part, float("inf")) <= LATE.total_seconds()


def fault() -> str:
    """A sentence on the parts whose heartbeat is late; "" if none. Parts that never ran here are left out."""
    silent = {part: age for part, age in ages().items() if age > LATE.total_seconds()}
    return "; ".join(f"nothing heard of the {part} for {age:.0f} s" for part, age in silent.items())

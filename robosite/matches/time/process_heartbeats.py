"""Heartbeats of the background parts (clock, bots, sender); several clocks share one row."""

from collections.abc import Mapping
from datetime import timedelta
from time import monotonic

from django.utils import timezone

from robosite.matches.site_models import ProcessHeartbeat

PARTS = ("clock", "bots", "sender")
EVERY = 10.0
"""The least seconds between two stored heartbeats of a part."""
LATE = timedelta(minutes=2)
"""The time without a heartbeat after which a part counts as dead."""

_last: dict[str, float] = {}


def beat(part: str) -> None:
    """Stores that a background part is alive, unless this process did so in the last EVERY seconds."""
    now = monotonic()
    if now - _last.get(part, -EVERY) < EVERY:
        return
    ProcessHeartbeat.objects.update_or_create(part=part, defaults={"at": timezone.now()})
    _last[part] = now


def ages() -> Mapping[str, float]:
    """The seconds since each background part that has ever run was last known to be alive."""
    now = timezone.now()
    return {
        row.part: max((now - row.at).total_seconds(), 0.0)
        for row in ProcessHeartbeat.objects.order_by("part")
    }


def fault() -> str:
    """A sentence that names background parts whose heartbeat is late; "" if none is."""
    silent = {part: age for part, age in ages().items() if age > LATE.total_seconds()}
    return "; ".join(f"nothing heard of the {part} for {age:.0f} s" for part, age in silent.items())

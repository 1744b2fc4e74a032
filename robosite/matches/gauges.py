"""The metrics of matches, keys and background parts, as gauges of `robosite/web/metrics.py`."""

import time
from collections.abc import Mapping

from django.conf import settings
from django.db.models import Count

from robosite import __version__
from robosite.matches import key_check
from robosite.matches.live import push
from robosite.matches.models import Match
from robosite.matches.site_models import ProcessHeartbeat
from robosite.web import rate_windows, trusted_time
from robosite.web.metrics import gauge

QUICK_COUNT_SECONDS, PAUSE_FACTOR = 0.25, 100
"""The longest quick count of matches, and the pause after a slow one, as a multiple of it.

With a million matches a count is slow, and requests wait for it.
"""


class MatchCounts:
    """The number of matches by status; after a slow count, the same numbers for a while."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}
        self.again = 0.0

    def __call__(self) -> Mapping[str, float]:
        began = time.monotonic()
        if began >= self.again:
            found = dict(Match.objects.order_by().values_list("status").annotate(Count("pk")))
            self.found = {status: found.get(status, 0) for status in Match.Status.values}
            took = time.monotonic() - began
            self.again = began + (PAUSE_FACTOR * took if took > QUICK_COUNT_SECONDS else 0)
        return self.found


def register() -> None:
    gauge("robosite_matches", "Matches by how they stand.", MatchCounts(), "status")
    gauge(
        "robosite_part_age_seconds",
        "Seconds since the clock, the bots and the sender of notices last made a round.",
        ProcessHeartbeat.ages,
        "part",
    )
    gauge(
        "robosite_clock_leap_seconds",
        "By how much this machine's clock has leapt, while that is not believed.",
        lambda: {"": trusted_time.present_leap().total_seconds()},
    )
    gauge("robosite_keys_fit", "1 if SEAL_KEYS open what the database keeps.", lambda: {"": key_check.fits()})
    gauge(
        "robosite_seal_key",
        "The fingerprint of the newest of SEAL_KEYS.",
        lambda: {key_check.fingerprint(): 1},
        "fingerprint",
    )
    if settings.REDIS_URL:
        gauge("robosite_redis_up", "1 if Redis answers this process.", lambda: {"": rate_windows.answers()})
    gauge("robosite_version", "The version that runs.", lambda: {__version__: 1}, "version")
    gauge(
        "robosite_open_pages",
        "Sockets and event streams open in this process.",
        lambda: {"": push.listening()},
    )

"""The present time, in which a sudden leap of the machine's clock is not believed at once.

`timezone.now` goes by it, so a clock that is wrong for a while decides and deletes nothing. The wall clock is
held against the monotonic one; after a leap beyond TOLERANCE, time goes on as before until it has lasted for
`patience` (`matches/time/heartbeat.py` tells other processes).
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from django.utils import timezone

from robosite import __version__

log = logging.getLogger("robosite")

TOLERANCE = timedelta(minutes=5)
"""The longest leap that is believed at once."""
LEAST_PATIENCE, MOST_PATIENCE = timedelta(minutes=1), timedelta(days=1)
EARLIEST = datetime.strptime(__version__[:10], "%Y.%m.%d").replace(tzinfo=UTC) - timedelta(days=2)
"""A clock that shows an earlier time, such as one that starts in 1970, is wrong: this release is newer."""


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


BOOT = _boot_id()


def patience(leap: timedelta) -> timedelta:
    """Returns how long a leap must last before it is believed: the farther, the longer."""
    return min(max(abs(leap) / 300, LEAST_PATIENCE), MOST_PATIENCE)


class Leap(NamedTuple):
    """A leap of the wall clock: by how much, and since which time of the monotonic clock it has lasted."""

    by: timedelta
    since: float


class TrustedClock:
    """A clock called as `timezone.now`; `booted_at` is the believed time of the monotonic clock's zero."""

    def __init__(self, wall: Callable[[], datetime]) -> None:
        self.wall = wall
        self.leap: Leap | None = None
        self.booted_at = self._booted_at_by_wall()

    def _booted_at_by_wall(self) -> datetime:
        return self.wall() - timedelta(seconds=monotonic())

    def now(self) -> datetime:
        by_wall, leap = self._booted_at_by_wall(), self.leap
        by = by_wall - self.booted_at
        if abs(by) <= TOLERANCE:
            if leap:
                log.warning("the machine's clock agrees again with the time by which the site goes")
            self.booted_at, self.leap = by_wall, None
        elif leap is None or abs(by - leap.by) > TOLERANCE:
            log.warning("the machine's clock has leapt by %s: this is not believed at once", by)
            self.leap = Leap(by, monotonic())
        return self.booted_at + timedelta(seconds=monotonic())

    def set(self, booted_at: datetime) -> timedelta:
        """Makes the clock go by another `booted_at`; returns by how much its time has changed."""
        by, self.booted_at = booted_at - self.booted_at, booted_at
        self.now()
        return by

    def believe(self) -> timedelta:
        """Makes the clock go by the wall clock; returns by how much its time has changed."""
        return self.set(self._booted_at_by_wall())

    def agrees_with(self, at: datetime) -> bool:
        """Returns True if the wall clock shows the time `at`, give or take TOLERANCE."""
        return abs(self.wall() - at) <= TOLERANCE

    @property
    def has_lasted(self) -> bool:
        """Returns True if there is a leap that has lasted long enough to be believed (`patience`)."""
        leap = self.leap
        if leap is None or self.wall() < EARLIEST:
            return False
        return timedelta(seconds=monotonic() - leap.since) >= patience(leap.by)


trusted = TrustedClock(timezone.now)


def install() -> None:
    """Makes `timezone.now` go by the trusted clock, for the site and for Django."""
    timezone.now = trusted.now


def present_leap() -> timedelta:
    trusted.now()
    return trusted.leap.by if trusted.leap else timedelta()


def fault() -> str:
    """Returns a sentence about a leap of the machine's clock; "" if there is none."""
    by = present_leap()
    if not by:
        return ""
    return (
        f"this machine's clock has leapt by {by}: the site goes on as before, and believes it after "
        f"{patience(by)}, or by manage.py clock --believe"
    )

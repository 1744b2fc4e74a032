"""The hour of the day at which turns are played, and the moments at which it comes.

On each day it comes at the first moment at which clocks in the zone have reached that day and time: after the
gap if the change to summer time skips it, at the first of two if it comes twice. Results are in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from robosite.matches.time.calendar import DAY, Span

WEEK = tuple(range(7))
"""Monday is 0."""
A_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class RevealHour:
    """An hour of the day, with minutes, at which turns are played, in a zone, on some days of the week."""

    time: time
    zone: ZoneInfo
    days: tuple[int, ...] = WEEK

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> RevealHour:
        """Reads stored data such as `{"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1]}`."""
        return cls(time.fromisoformat(data["time"]), ZoneInfo(data["zone"]), tuple(data["days"]))

    def of_day(self, day: date) -> datetime:
        """The moment of this hour on a given day in the zone, even on a day not in `self.days`."""
        wanted = datetime.combine(day, self.time)
        moments = sorted(wanted.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        early, late = moments
        if self._shown(early) == wanted:
            return early
        while late - early > SECOND:  # the clock passes this time over: find where it jumps
            between = early + (late - early) // SECOND // 2 * SECOND
            if self._shown(between) < wanted:
                early = between
            else:
                late = between
        return late

    def _shown(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def from_(self, start: datetime) -> datetime:
        """The first moment of this hour at or after `start`, on one of the hour's days."""
        day = start.astimezone(self.zone).date() - DAY
        while day.weekday() not in self.days or self.of_day(day) < start:
            day += DAY
        return self.of_day(day)

    def after(self, start: datetime, breaks: Iterable[Span] = ()) -> datetime:
        """The first moment of this hour after `start`, on one of the hour's days and in none of `breaks`."""
        found = self.from_(start + SECOND / 1_000_000)
        spans = sorted(breaks)
        while ends := [end for begin, end in spans if begin <= found < end]:
            found = self.from_(max(ends))
        return found

    def before(self, end: datetime) -> datetime:
        """The last moment of this hour at or before `end`, on one of the hour's days."""
        day = end.astimezone(self.zone).date() + DAY
        while day.weekday() not in self.days or self.of_day(day) > end:
            day -= DAY
        return self.of_day(day)

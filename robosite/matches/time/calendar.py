"""Time that counts: how much of it lies between two moments, and when so much of it will have passed.

Time counts as it passes, an hour being 3,600 seconds whatever a country does with its clocks; only weekends
off (Saturday and Sunday by a zone's calendar) and breaks do not count. Nothing here knows a match, or asks
what time it is. Moments are aware datetimes; results are in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from zoneinfo import ZoneInfo

SATURDAY = 5
DAY = timedelta(days=1)

Span = tuple[datetime, datetime]
"""A time from one moment to a later one."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The time that counts: all of it, except for weekends off in a zone, and breaks in any order."""

    zone: ZoneInfo
    weekends_off: bool = False
    breaks: tuple[Span, ...] = ()

    def counted(self, start: datetime, end: datetime) -> timedelta:
        """The time that counts from start to end; none if it ends before it starts."""
        at, end, total = start.astimezone(UTC), end.astimezone(UTC), timedelta()
        for off, on in self._off(at):
            if off >= end:
                break
            total += max(off - at, timedelta())
            at = max(at, on)
        return total + max(end - at, timedelta())

    def later(self, start: datetime, left: timedelta) -> datetime:
        """The first moment at which so much time that counts has passed since the start."""
        at = start.astimezone(UTC)
        for off, on in self._off(at):
            if left <= max(off - at, timedelta()):
                break
            left -= max(off - at, timedelta())
            at = max(at, on)
        return at + left

    def _off(self, since: datetime) -> Iterator[Span]:
        """The spans that do not count, in order of their beginning: endless where weekends are off."""
        breaks = sorted((a.astimezone(UTC), b.astimezone(UTC)) for a, b in self.breaks if b > since)
        return merge(breaks, weekends(since, self.zone)) if self.weekends_off else iter(breaks)


def weekends(since: datetime, zone: ZoneInfo) -> Iterator[Span]:
    """The weekends of a zone's calendar, starting with the last one that had begun."""
    today = since.astimezone(zone).date()
    saturday = today - DAY * ((today.weekday() - SATURDAY) % 7)
    while True:
        yield midnight(saturday, zone), midnight(saturday + 2 * DAY, zone)
        saturday += 7 * DAY


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The moment at which a day begins there; where clocks skip its midnight, the moment at which they do."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def limited(spans: Iterable[Span], most: timedelta) -> tuple[Span, ...]:
    """The spans joined where they touch, in order, and of each year (in UTC) no more than `most`."""
    given: dict[int, timedelta] = {}
    found: list[Span] = []
    for start, end in _by_year(_joined(spans)):
        spent = given.get(start.year, timedelta())
        length = min(end - start, most - spent)
        if length > timedelta():
            given[start.year] = spent + length
            found.append((start, start + length))
    return tuple(_joined(found))


def first_of(spans: Iterable[Span], since: datetime, most: timedelta) -> tuple[Span, ...]:
    """The spans from a moment on, joined and in order: the first of them, no more than `most` together."""
    found: list[Span] = []
    for start, end in _joined((max(start, since), end) for start, end in spans if end > since):
        length = min(end - start, most)
        if length > timedelta():
            found.append((start, start + length))
        most -= length
    return tuple(found)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for start, end in sorted((a.astimezone(UTC), b.astimezone(UTC)) for a, b in spans):
        if last and start <= last[1]:
            last = last[0], max(last[1], end)
            continue
        if last:
            yield last
        last = start, end
    if last:
        yield last


def _by_year(spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        while end.year > start.year and (turn := datetime(start.year + 1, 1, 1, tzinfo=UTC)) < end:
            yield start, turn
            start = turn  # noqa: PLW2901 - the rest of the same span
        yield start, end

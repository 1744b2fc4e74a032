"""Time that counts: how much of it lies between two moments, and when a given amount of it has passed.

All time counts except weekends off (Saturday and Sunday by a zone's calendar) and breaks. An hour is always
3,600 seconds, whatever a country does with its clocks. Nothing here depends on matches or on the present
time. Moments are aware datetimes; results are in UTC.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from zoneinfo import ZoneInfo

SATURDAY = 5
DAY = timedelta(days=1)

Span = tuple[datetime, datetime]
"""Beginning and end."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The time that counts for deadlines: all except `breaks`, in any order, and weekends off."""

    zone: ZoneInfo
    weekends_off: bool = False
    breaks: tuple[Span, ...] = ()

    def counted(self, start: datetime, end: datetime) -> timedelta:
        """The time that counts from start to end; zero if end is before start."""
        at, end, total = start.astimezone(UTC), end.astimezone(UTC), timedelta()
        for off, on in self._off(at):
            if off >= end:
                break
            total += max(off - at, timedelta())
            at = max(at, on)
        return total + max(end - at, timedelta())

    def later(self, start: datetime, left: timedelta) -> datetime:
        """The first moment after `start` at which `left` has passed of the time that counts."""
        at = start.astimezone(UTC)
        for off, on in self._off(at):
            if left <= max(off - at, timedelta()):
                break
            left -= max(off - at, timedelta())
            at = max(at, on)
        return at + left

    def _off(self, since: datetime) -> Iterator[Span]:
        """Yields the spans of time that do not count from `since` on, by beginning."""
        breaks = sorted((a.astimezone(UTC), b.astimezone(UTC)) for a, b in self.breaks if b > since)
        return merge(breaks, weekends(since, self.zone)) if self.weekends_off else iter(breaks)


def weekends(since: datetime, zone: ZoneInfo) -> Iterator[Span]:
    """Yields the weekends of a zone's calendar without end, from the last one that had begun by `since`."""
    today = since.astimezone(zone).date()
    saturday = today - DAY * ((today.weekday() - SATURDAY) % 7)
    while True:
        yield midnight(saturday, zone), midnight(saturday + 2 * DAY, zone)
        saturday += 7 * DAY


def midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def written(spans: Iterable[Span]) -> list[list[str]]:
    """Spans as JSON data, which `read_spans` reads."""
    return [[start.isoformat(), end.isoformat()] for start, end in spans]


def read_spans(given: Iterable[Sequence[str]] | None) -> list[Span]:
    return [(datetime.fromisoformat(start), datetime.fromisoformat(end)) for start, end in given or ()]


def limited(spans: Iterable[Span], most: timedelta) -> tuple[Span, ...]:
    """The spans, joined and sorted, cut off where their total in a calendar year (UTC) reaches `most`."""
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
    """The parts of these spans after `since`, joined and sorted, cut off where their total reaches `most`."""
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

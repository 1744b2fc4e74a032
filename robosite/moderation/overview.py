"""Daily figures for the admin's front page: matches, orders, reports, failed requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.core.cache import cache
from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from robosite.matches.models import Match, Program
from robosite.moderation.models import Report
from robosite.trail import entries
from robosite.trail.models import Tally

DAYS = 14
FRESH = 60

WIDTH, HEIGHT, GAP = 10, 40, 2
"""The width of a day in a chart, the chart's height, and the gap between days, in units of its viewBox."""


@dataclass(frozen=True)
class DayBar:
    day: date
    count: int
    x: int
    y: int
    height: int


@dataclass(frozen=True)
class DailyFigures:
    """A count for each of the last days, oldest first, and the bars of its chart."""

    name: str
    counts: tuple[int, ...]
    bars: tuple[DayBar, ...]

    @property
    def today(self) -> int:
        return self.counts[-1]

    @property
    def yesterday(self) -> int:
        return self.counts[-2]

    @property
    def most(self) -> int:
        return max(self.counts)

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class Overview:
    """The figures of the last DAYS days; sizes are in units of a chart's viewBox."""

    at: datetime
    days: tuple[date, ...]
    rows: tuple[DailyFigures, ...]
    width: int = DAYS * WIDTH
    height: int = HEIGHT
    bar: int = WIDTH - GAP

    @property
    def by_day(self) -> list[tuple[date, list[int]]]:
        """Pairs of a day and its figures, the newest day first; the figures are in the order of `rows`."""
        counts = zip(*(row.counts for row in self.rows), strict=True)
        return [(day, list(some)) for day, some in zip(self.days, counts, strict=True)][::-1]


def overview() -> Overview:
    """The daily figures for the admin's front page, for the last DAYS days; cached for FRESH seconds."""
    cached: Overview | None = cache.get("overview")
    if cached is None:
        cached = count()
        cache.set("overview", cached, FRESH)
    return cached


def count() -> Overview:
    """Counts the figures of the last DAYS days in the database."""
    last = entries.today()
    days = tuple(last - timedelta(days=back) for back in reversed(range(DAYS)))
    since = datetime.combine(days[0], time(), timezone.get_default_timezone())
    over = Match.objects.filter(status=Match.Status.OVER)
    # a seal changes its match, whose index finds these rows
    sealed = Program.objects.filter(seat__match__changed_at__gte=since).exclude(seal="")
    errors = Tally.objects.filter(day__gte=days[0], what=entries.ERRORS)
    rows = [
        ("Matches created", _counted(Match.objects.all(), "created_at", since)),
        ("Matches finished", _counted(over, "changed_at", since)),
        ("Orders sealed", _counted(sealed, "sealed_at", since)),
        ("Reports", _counted(Report.objects.all(), "made_at", since)),
        ("Requests that failed", dict(errors.values_list("day", "count"))),
    ]
    return Overview(timezone.now(), days, tuple(_row(name, days, counted) for name, counted in rows))


def _counted(things: QuerySet[Any], when: str, since: datetime) -> dict[date, int]:
    by_day = TruncDate(when, tzinfo=timezone.get_default_timezone())
    counted = things.filter(**{f"{when}__gte": since}).order_by().values(day=by_day)
    return dict(counted.annotate(n=Count("pk")).values_list("day", "n"))


def _row(name: str, days: tuple[date, ...], counted: Mapping[date, int]) -> DailyFigures:
    counts = tuple(counted.get(day, 0) for day in days)
    most = max(counts) or 1
    bars = []
    for at, (day, n) in enumerate(zip(days, counts, strict=True)):
        height = -(-n * HEIGHT // most)  # rounded up, so that even a single one is visible
        bars.append(DayBar(day, count=n, x=at * WIDTH, y=HEIGHT - height, height=height))
    return DailyFigures(name, counts, tuple(bars))

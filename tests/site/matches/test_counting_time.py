"""Time that counts: weekends off in the table's zone, breaks, and clocks that are put back and forward."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robosite.matches.time.calendar import Calendar, limited, midnight, weekends
from tests.games.sizes import size

BERLIN, NEW_YORK, BEIRUT = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Beirut")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(zone: ZoneInfo, text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-11-19 10:00", 24, "2026-11-20 10:00"),  # Thursday to Friday
        ("2026-11-20 10:00", 14, "2026-11-21 00:00"),  # Friday's last moment, and no moment later
        ("2026-11-20 10:00", 15, "2026-11-23 01:00"),
        ("2026-11-21 10:00", 1, "2026-11-23 01:00"),  # from a Saturday
        ("2026-11-22 23:59", 24, "2026-11-24 00:00"),
        ("2026-11-20 10:00", 336, "2026-12-10 10:00"),  # ten days of two weeks, and three weekends
        ("2026-03-27 10:00", 24, "2026-03-30 10:00"),  # clocks are put forward on that Sunday
        ("2026-10-23 10:00", 24, "2026-10-26 10:00"),  # and back on this one
    ],
)
def test_weekends_do_not_count(start: str, hours: int, end: str) -> None:
    week = Calendar(BERLIN, weekends_off=True)
    assert week.later(at(BERLIN, start), hours * HOUR) == at(BERLIN, end)
    assert week.counted(at(BERLIN, start), at(BERLIN, end)) == hours * HOUR


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (
            "2026-03-28 12:00",
            "2026-03-29 13:00",
        ),  # an hour is skipped: 24 hours end later by the wall's clock
        ("2026-10-24 12:00", "2026-10-25 11:00"),
        ("2026-11-21 12:00", "2026-11-22 12:00"),
    ],
)
def test_a_day_has_24_hours_whatever_clocks_are_put_to(start: str, end: str) -> None:
    assert Calendar(BERLIN).later(at(BERLIN, start), 24 * HOUR) == at(BERLIN, end)


def test_an_hour_that_comes_twice_counts_twice() -> None:
    first, second = at(BERLIN, "2026-10-25 02:30"), at(BERLIN, "2026-10-25 02:30", fold=1)
    assert Calendar(BERLIN).counted(first, second) == HOUR


def test_weekends_are_those_of_the_tables_zone() -> None:
    friday = datetime(2026, 11, 20, 20, tzinfo=UTC)
    assert Calendar(ZoneInfo("Asia/Tokyo"), weekends_off=True).later(friday, HOUR) == datetime(
        2026, 11, 22, 16, tzinfo=UTC
    )  # there it is Saturday already
    assert Calendar(NEW_YORK, weekends_off=True).later(friday, HOUR) == friday + HOUR


def test_a_midnight_that_is_passed_over_is_when_the_day_begins() -> None:
    """In Beirut clocks go from midnight to one."""
    assert midnight(date(2026, 3, 29), BEIRUT) == datetime(2026, 3, 28, 22, tzinfo=UTC)


def test_breaks_do_not_count_and_may_touch_or_lie_in_weekends() -> None:
    monday = datetime(2026, 11, 23, tzinfo=UTC)
    breaks = ((monday + 2 * DAY, monday + 3 * DAY), (monday - DAY, monday + DAY), (monday, monday + 2 * DAY))
    week = Calendar(ZoneInfo("UTC"), weekends_off=True, breaks=breaks)
    assert week.later(monday - 3 * DAY, 25 * HOUR) == monday + 3 * DAY + HOUR
    assert week.counted(monday - 3 * DAY, monday + 3 * DAY) == DAY


def test_of_each_year_so_much_and_no_more() -> None:
    new_year = datetime(2027, 1, 1, tzinfo=UTC)
    spans = [(new_year - 3 * DAY, new_year + 3 * DAY), (new_year + 4 * DAY, new_year + 5 * DAY)]
    assert limited(spans, 2 * DAY) == ((new_year - 3 * DAY, new_year - DAY), (new_year, new_year + 2 * DAY))
    assert limited(spans, 9 * DAY) == tuple(spans)
    assert limited([(spans[0][0], new_year), (new_year - DAY, new_year + DAY)], 9 * DAY) == (
        (new_year - 3 * DAY, new_year + DAY),
    )


ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "America/Havana"]
MINUTE = timedelta(minutes=1)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)).map(
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)
"""Near enough to each other that changes of the clock come up often."""


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Calendar, datetime, timedelta]:
    start = draw(moments)
    breaks = []
    for _ in range(draw(st.integers(0, 3))):
        begins = start + MINUTE * draw(st.integers(-3_000, 9_000))
        breaks.append((begins, begins + MINUTE * draw(st.integers(1, 6_000))))
    zone = ZoneInfo(draw(st.sampled_from(ZONES)))
    calendar = Calendar(zone, draw(st.booleans()), tuple(breaks))
    return calendar, start, MINUTE * draw(st.integers(0, 4_000))


def counts(calendar: Calendar, minute: datetime) -> bool:
    """Tell whether the minute that begins then counts, by a second implementation of the calendar."""
    weekend = calendar.weekends_off and minute.astimezone(calendar.zone).weekday() >= 5
    return not weekend and not any(begins <= minute < ends for begins, ends in calendar.breaks)


@settings(max_examples=size(50, 1_000), deadline=None)
@given(schedules())
def test_a_thousand_schedules_against_a_count_of_minutes(
    schedule: tuple[Calendar, datetime, timedelta],
) -> None:
    calendar, start, left = schedule
    end, minutes = calendar.later(start, left), 0
    minute = start
    while minute < end:
        minutes += counts(calendar, minute)
        minute += MINUTE
    assert minutes * MINUTE == left  # not early
    assert left == timedelta() or counts(calendar, end - MINUTE)  # and not late
    assert calendar.counted(start, end) == left
    middle = start + (end - start) // 2
    assert calendar.counted(start, middle) + calendar.counted(middle, end) == left
    assert calendar.later(middle, calendar.counted(middle, end)) == end


@settings(max_examples=size(20, 200), deadline=None)
@given(moments, st.sampled_from(ZONES))
def test_weekends_are_two_days_by_the_calendar_on_the_wall(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    for begins, ends in islice(weekends(moment, zone), 60):
        assert begins.astimezone(zone).weekday() == 5 and ends.astimezone(zone).weekday() == 0
        assert (begins - MINUTE).astimezone(zone).weekday() == 4
        assert (ends - MINUTE).astimezone(zone).weekday() == 6
        assert 46 * HOUR <= ends - begins <= 50 * HOUR

"""The hour of the evening reveal, against a clock on the wall that is read minute by minute."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robosite.matches.time.reveal_hours import WEEK, RevealHour
from tests.games.sizes import size

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
ZONES = [
    *("UTC", "Europe/Madrid", "Europe/London", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Beirut", "Pacific/Apia"),
    *("America/St_Johns", "Africa/Cairo", "Pacific/Chatham", "Antarctica/Troll", "Asia/Gaza"),
]


def naive(hour: RevealHour, start: datetime) -> datetime:
    """The first minute after `start` at which some day's hour has come, by looking at each minute's clock."""

    def wall(at: datetime) -> datetime:
        return at.astimezone(hour.zone).replace(tzinfo=None)

    at = start.replace(second=0, microsecond=0) - 2 * DAY
    seen = wall(at)
    while True:
        at += MINUTE
        now = wall(at)
        coming = datetime.combine(seen.date(), hour.time)
        while coming <= now:  # a clock that jumps forward may pass over an hour, and one over a whole day
            if coming > seen and coming.weekday() in hour.days and at > start:
                return at
            coming += DAY
        seen = max(seen, now)  # a clock that is put back shows nothing new for a while


def moments() -> st.SearchStrategy[datetime]:
    """Moments near a change of some zone's clock, and others."""
    somewhere = st.datetimes(datetime(2011, 1, 1), datetime(2037, 12, 1)).map(
        lambda at: at.replace(tzinfo=UTC, microsecond=0)
    )
    changes = st.sampled_from(
        [
            *(datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC)),
            *(datetime(2026, 4, 3, tzinfo=UTC), datetime(2026, 10, 3, tzinfo=UTC)),
            *(datetime(2026, 3, 7, tzinfo=UTC), datetime(2026, 10, 31, tzinfo=UTC)),
            *(datetime(2026, 9, 5, tzinfo=UTC), datetime(2011, 12, 29, tzinfo=UTC)),
        ]
    )
    near = st.builds(lambda at, minutes: at + minutes * MINUTE, changes, st.integers(0, 4 * 24 * 60))
    return somewhere | near


hours = st.builds(
    RevealHour,
    st.builds(time, st.integers(0, 23), st.sampled_from([0, 1, 15, 30, 59])),
    st.sampled_from([ZoneInfo(name) for name in ZONES]),
    st.sets(st.sampled_from(WEEK), min_size=4).map(lambda days: tuple(sorted(days))),
)


@pytest.mark.fuzz
@settings(max_examples=size(20, 400), deadline=None)
@given(hour=hours, start=moments())
def test_next_hour_is_the_one_that_a_clock_on_the_wall_shows(hour: RevealHour, start: datetime) -> None:
    found = hour.after(start)
    assert found == naive(hour, start)
    assert hour.before(found) == found
    assert hour.before(found - MINUTE) <= start
    assert hour.from_(found) == found


def at(zone: str, text: str) -> RevealHour:
    return RevealHour(time.fromisoformat(text), ZoneInfo(zone))


def test_hour_follows_summer_time() -> None:
    hour = at("Europe/Madrid", "20:00")
    assert hour.of_day(date(2026, 3, 28)) == datetime(2026, 3, 28, 19, tzinfo=UTC)
    assert hour.of_day(date(2026, 3, 29)) == datetime(2026, 3, 29, 18, tzinfo=UTC)


def test_time_that_is_left_out_is_played_when_the_clock_jumps() -> None:
    assert at("Europe/Madrid", "02:30").of_day(date(2026, 3, 29)) == datetime(2026, 3, 29, 1, tzinfo=UTC)


def test_time_that_comes_twice_is_played_the_first_time_alone() -> None:
    hour = at("Europe/Madrid", "02:30")
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert hour.of_day(date(2026, 10, 25)) == first
    assert hour.after(first) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_hour_within_a_break_moves_to_the_next_one() -> None:
    hour = at("UTC", "20:00")
    start = datetime(2026, 11, 23, 12, tzinfo=UTC)
    week = (start, start + 3 * DAY)
    assert hour.after(start, [week]) == datetime(2026, 11, 26, 20, tzinfo=UTC)
    until = (start, datetime(2026, 11, 25, 20, tzinfo=UTC))
    assert hour.after(start, [until]) == until[1], "a break that ends at the hour does not hold it"

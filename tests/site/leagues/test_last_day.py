"""The last day of a league counts to its end in the league's zone, or to the films of its last evening."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from robosite.leagues.models import League
from robosite.matches.models import Match
from tests.site.browsers import Browser
from tests.site.conftest import Time
from tests.site.leagues.test_league_pages import begun, page
from tests.site.leagues.test_leagues import Api, Group, settle
from tests.site.notices.test_feed_readers import calendar_at

pytestmark = pytest.mark.django_db
WEEK = [0, 1, 2, 3, 4, 5, 6]


@pytest.fixture
def api(db: Any) -> Api:
    return Api()


@pytest.mark.parametrize(
    ("zone", "started", "ends"),
    [
        ("UTC", "2026-11-28T15:17", "2026-12-29T00:00"),
        ("Europe/Madrid", "2026-11-28T15:17", "2026-12-28T23:00"),
        ("Europe/Madrid", "2026-11-28T23:30", "2026-12-29T23:00"),  # half past midnight there
        ("Pacific/Auckland", "2026-11-28T15:17", "2026-12-29T11:00"),
        ("Europe/Madrid", "2026-03-01T15:17", "2026-03-31T22:00"),  # summer time in between
    ],
)
def test_the_last_day_counts_to_its_end(api: Api, time: Time, zone: str, started: str, ends: str) -> None:
    time.present = datetime.fromisoformat(started).replace(tzinfo=UTC)
    group = Group(api, 3, game="roboxing", ends_days=30)
    League.objects.update(zone=zone)
    group.start()
    end = datetime.fromisoformat(ends).replace(tzinfo=UTC)
    assert group.get()["ends"] == f"{ends}:00.000Z"
    time.pass_(seconds=(end - time.now()).total_seconds() - 1)
    Match.objects.update(due=end + timedelta(days=1), deadline=end + timedelta(days=1))
    settle()
    assert group.get()["status"] == "playing"
    time.pass_(seconds=1)
    settle()
    assert group.get()["status"] == "over"


def test_the_last_evening_is_played(api: Api, time: Time) -> None:
    time.present = datetime(2026, 11, 28, 14, tzinfo=UTC)
    group = Group(api, 3, reveal_at={"time": "20:00", "zone": "Europe/Madrid", "days": WEEK}, ends_days=60)
    group.start()
    assert group.get()["ends"] == "2027-01-27T23:00:00.000Z"
    time.present = datetime(2027, 1, 27, 19, tzinfo=UTC)
    Match.objects.update(due=time.present, deadline=time.present, open_since=time.present - timedelta(days=1))
    time.pass_(seconds=1)
    settle()
    assert group.get()["status"] == "playing"
    assert set(Match.objects.values_list("turn", flat=True)) == {1}
    time.pass_(hours=4)
    settle()
    assert group.get()["status"] == "over"


@pytest.mark.parametrize(
    ("hour", "days", "ends"),
    [
        ("20:00", [0], "2027-01-25T23:00:00.000Z"),  # the last Monday
        ("23:30", WEEK, "2027-01-27T23:30:00.000Z"),  # time for its films
        ("00:15", WEEK, "2027-01-27T23:00:00.000Z"),
    ],
)
def test_a_league_of_evenings_ends_with_its_last_evening(
    api: Api, time: Time, hour: str, days: list[int], ends: str
) -> None:
    time.present = datetime(2026, 11, 28, 14, tzinfo=UTC)
    group = Group(
        api,
        3,
        game="roboxing",
        reveal_at={"time": hour, "zone": "Europe/Madrid", "days": days},
        ends_days=365,
    )
    League.objects.update(ends_days=60)
    group.start()
    assert group.get()["ends"] == ends


def test_the_hour_is_said_where_the_day_is_not_over_at_midnight(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    League.objects.update(ends=datetime(2026, 12, 5, 23, tzinfo=UTC), zone="Europe/Madrid")
    bob.cookies["zone"] = "Europe/Madrid"
    charlie.cookies["zone"] = "America/New_York"
    assert "The last day is 5 Dec 2026." in page(bob, league)
    assert "The last day is Sat 5 Dec, 18:00 EST." in page(charlie, league)
    League.objects.update(ends=datetime(2026, 12, 6, 9, tzinfo=UTC))  # after a downtime of ten hours
    assert "The last day is Sun 6 Dec, 10:00 CET." in page(bob, league)
    (event,) = calendar_at(bob, f"/l/{league.key}/calendar/")["events"]
    assert datetime.fromisoformat(event["ends"]) == datetime(2026, 12, 6, 9, tzinfo=UTC)

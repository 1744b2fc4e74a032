"""Holidays in a league: seven days of each player in a season stop the clock, and its last day stays."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.matches.flow import holidays
from robosite.matches.models import Match
from robosite.people.models import Guest
from tests.clock import tick
from tests.site.browsers import Browser
from tests.site.leagues.test_league_pages import join, make, page

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def noon(time: Any) -> None:
    time.present = NOON
    tick()


def away(name: str, *, since: int, until: int, time: Any) -> None:
    """A holiday from the beginning of a day to the end of another one, counted from the first of June."""
    days = ((NOON + n * DAY).date() for n in (since, until))
    guest = Guest.objects.get(name=name)
    holidays.begin(guest, first=next(days), last=next(days), zone=ZoneInfo("UTC"), now=time.now())


def deadlines(name: str) -> set[datetime | None]:
    """The deadlines of this player's matches."""
    return set(Match.objects.filter(seats__name=name).values_list("deadline", flat=True))


def test_seven_days_of_a_longer_holiday_count(time: Any, league: League) -> None:
    ends = league.ends
    away("Bob", since=0, until=12, time=time)
    assert deadlines("Bob") == {NOON + 8 * DAY}
    assert deadlines("Alice") == {NOON + 8 * DAY, NOON + DAY}
    league.refresh_from_db()
    assert league.ends == ends


@pytest.fixture
def of_four(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """A league with a matchday a week, that has not started."""
    league, invite = make(alice, rounds="7", ends="120")
    for browser in (bob, charlie, Browser("Dora")):
        join(browser, invite)
    return league


def test_a_holiday_from_before_the_start_counts_from_the_start(
    alice: Browser, time: Any, of_four: League
) -> None:
    away("Bob", since=0, until=14, time=time)
    time.pass_(days=3)
    tick()
    alice.post(f"/l/{of_four.key}/start/")
    assert deadlines("Bob") == {NOON + 11 * DAY}


def test_two_holidays_share_the_seven_days(time: Any, league: League) -> None:
    Match.objects.update(deadline_hours=20 * 24)
    time.pass_(hours=12)  # midnight
    tick()
    away("Bob", since=1, until=4, time=time)
    away("Bob", since=7, until=12, time=time)
    for match in Match.objects.filter(seats__name="Bob"):
        spans = [[datetime.fromisoformat(at) for at in one] for one in match.breaks]
        assert sum((end - start for start, end in spans), timedelta()) == 7 * DAY
        assert spans[-1][1] == datetime(2026, 6, 11, tzinfo=UTC)


def test_a_later_round_knows_what_the_season_has_cost(alice: Browser, time: Any, of_four: League) -> None:
    away("Bob", since=0, until=14, time=time)
    alice.post(f"/l/{of_four.key}/start/")
    time.pass_(days=8)
    tick()
    alice.get(f"/l/{of_four.key}/")
    later = Match.objects.filter(fixture__round__gt=1, seats__name="Bob")
    assert later and {match.deadline for match in later} == {time.now() + DAY}


def test_the_seven_days_are_the_places_whoever_holds_it(
    alice: Browser, bob: Browser, time: Any, of_four: League
) -> None:
    """A browser that takes the place over has no days of its own, in running matches and in later rounds."""
    league = of_four
    alice.post(f"/l/{league.key}/start/")
    away("Bob", since=0, until=6, time=time)
    time.pass_(days=7)
    found = re.search(r"/s/place/[^/]+/", page(bob, league))
    second = Browser("Bob again")
    assert second.post(f"{found[0]}take/").status_code == 302
    guest = league.places.get(name="Bob").holders.latest("pk").guest
    leagues.new_link(league.places.get(name="Bob"), guest)
    Guest.objects.filter(pk=guest.pk).update(name=second.name)
    away(second.name, since=7, until=27, time=time)
    time.pass_(hours=1)
    tick()
    alice.get(f"/l/{league.key}/")
    matches = Match.objects.filter(seats__name="Bob", status=Match.Status.PLAYING)
    assert matches.filter(fixture__round__gt=1).exists()
    until = [datetime.fromisoformat(end) for match in matches for _start, end in match.breaks]
    assert max(until) <= NOON + 8 * DAY  # half a day was left

"""The last day of a league, holidays in it, and what follows its matches."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place
from robosite.matches import flow
from robosite.matches.flow import pauses
from robosite.matches.models import Match, Seat
from robosite.people.models import Guest
from tests.at_once import tick
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, Browser, text
from tests.site.conftest import Time
from tests.site.leagues.conftest import Group, begun, join, make, page, resign_all, seats_of, settle
from tests.site.notices.test_notices_feeds import calendar_at

WEEK = [0, 1, 2, 3, 4, 5, 6]


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
    bob: Browser, charlie: Browser, league: League
) -> None:
    League.objects.update(ends=datetime(2026, 12, 5, 23, tzinfo=UTC), zone="Europe/Madrid")
    bob.cookies["zone"] = "Europe/Madrid"
    charlie.cookies["zone"] = "America/New_York"
    assert "The last day is 5 Dec 2026." in page(bob, league)
    assert "The last day is Sat 5 Dec, 18:00 EST." in page(charlie, league)
    League.objects.update(ends=datetime(2026, 12, 6, 9, tzinfo=UTC))  # after a downtime of ten hours
    assert "The last day is Sun 6 Dec, 10:00 CET." in page(bob, league)
    (event,) = calendar_at(bob, f"/l/{league.key}/calendar/")["events"]
    assert datetime.fromisoformat(event["ends"]) == datetime(2026, 12, 6, 9, tzinfo=UTC)


def match_page(browser: Browser, seat: Seat) -> str:
    return " ".join(text(browser.get(seat.get_absolute_url())).split())


def test_the_end_of_a_match_tells_what_is_left_of_the_league(
    alice: Browser, bob: Browser, charlie: Browser, league: League
) -> None:
    first, second = seats_of("Alice")
    flow.resign(first)
    assert "You have one more match in the league." in match_page(alice, first)
    flow.resign(second)
    shown = match_page(alice, second)
    assert "Your 2 matches are over. One of the others’ matches is still to come." in shown
    (last,) = (seat for seat in seats_of("Bob") if seat.match.status == Match.Status.PLAYING)
    assert "matches are over" not in match_page(Browser("Zoe"), last)
    assert "of yours" not in match_page(bob, last)
    flow.resign(last)
    shown = match_page(alice, second)
    assert "Charlie has won." in shown and "The league is over." in shown
    assert f'href="{league.get_absolute_url()}"' in shown or "/l/of/" in shown
    charlies = match_page(charlie, seats_of("Charlie")[0])
    assert "You’ve won the league!" in charlies


def test_the_table_says_who_has_played_all_and_what_can_be_reached(bob: Browser, league: League) -> None:
    shown = page(bob, league)
    assert "all played" not in shown
    assert "Possible rank" not in shown, "1–3 for everybody says nothing"
    resign_all("Alice")
    shown = page(bob, league)
    assert re.search(r'Alice <small class="full">all played</small>', shown)
    assert shown.count("all played") == 1
    assert "Possible rank" in shown and "1–2" in shown and "1–3" not in shown
    resign_all("Bob")
    assert "all played" not in page(bob, league), "where all have, nobody is named"


def test_the_next_match_is_one_of_the_same_league_first(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    for one in [begun(alice, bob, charlie) for _ in range(2)]:
        keys = set(one.fixtures.values_list("match__key", flat=True))
        key = next(seat.match.key for seat in seats_of("Alice") if seat.match.key in keys)
        to = alice.get(f"/next/?from={key}")["Location"].split("/")[2]
        assert to in keys and to != key


def test_a_match_on_which_one_waits_keeps_a_place_for_the_way_on(alice: Browser, league: League) -> None:
    seats = seats_of("Alice")
    assert "next-match" not in match_page(alice, seats[0]), "it is one's own turn"
    for seat in seats:
        assert alice.seal(seat, FIRST).status_code == 302
    shown = match_page(alice, seats[0])
    assert re.search(r'<a class="primary" href="/next/\?from=\w+" hidden>', shown)
    assert "Today’s puzzle" in shown


def test_the_talk_of_a_match_hints_at_that_of_its_league(
    alice: Browser, bob: Browser, league: League
) -> None:
    seat = seats_of("Alice")[0]
    talk = f"{seat.get_absolute_url()}talk/"
    assert 'class="dot"' not in match_page(alice, seat) and "League chat" in text(alice.get(talk))
    assert bob.post(f"/l/{league.key}/talk/", {"text": "Who brings the cake?"}).status_code == 302
    shown = match_page(alice, seat)
    assert 'class="dot"' in shown
    assert "one new message" in " ".join(text(alice.get(talk)).split())
    alice.get(f"/l/{league.key}/talk/")
    assert 'class="dot"' not in match_page(alice, seat)
    place = Place.objects.get(league=league, name="Alice")
    bob.post(f"/l/{league.key}/talk/", {"text": "And the tea?"})
    leagues.remove(place)
    assert 'class="dot"' not in match_page(alice, seat), "who was removed reads no more"


NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
at_noon = pytest.mark.usefixtures("noon")


@pytest.fixture
def noon(time: Any) -> None:
    time.present = NOON
    tick()


def away(name: str, *, since: int, until: int, time: Any) -> None:
    """A holiday from the beginning of a day to the end of another one, counted from the first of June."""
    days = ((NOON + n * DAY).date() for n in (since, until))
    guest = Guest.objects.get(name=name)
    pauses.begin(guest, first=next(days), last=next(days), zone=ZoneInfo("UTC"), now=time.now())


def deadlines(name: str) -> set[datetime | None]:
    """The deadlines of this player's matches."""
    return set(Match.objects.filter(seats__name=name).values_list("deadline", flat=True))


@at_noon
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


@at_noon
def test_a_holiday_from_before_the_start_counts_from_the_start(
    alice: Browser, time: Any, of_four: League
) -> None:
    away("Bob", since=0, until=14, time=time)
    time.pass_(days=3)
    tick()
    alice.post(f"/l/{of_four.key}/start/")
    assert deadlines("Bob") == {NOON + 11 * DAY}


@at_noon
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


@at_noon
def test_a_later_round_knows_what_the_season_has_cost(alice: Browser, time: Any, of_four: League) -> None:
    away("Bob", since=0, until=14, time=time)
    alice.post(f"/l/{of_four.key}/start/")
    time.pass_(days=8)
    tick()
    alice.get(f"/l/{of_four.key}/")
    later = Match.objects.filter(fixture__round__gt=1, seats__name="Bob")
    assert later and {match.deadline for match in later} == {time.now() + DAY}


@at_noon
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

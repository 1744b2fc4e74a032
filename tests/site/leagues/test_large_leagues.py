"""The largest leagues: each request and each step of the clock does a bounded part of what is to be done."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from robosite.leagues import flow as leagues
from robosite.leagues.flow.beginning import STEP
from robosite.leagues.flow.endings import AT_ONCE
from robosite.leagues.models import Fixture, League, Place
from robosite.matches.models import Match
from robosite.share.pictures import drawn_files
from robosite.web import rate_windows
from tests.site import large_leagues
from tests.site.large_leagues import steps
from tests.site.leagues.test_leagues import Api, api

__all__ = ["api"]
pytestmark = pytest.mark.django_db
MOST_QUERIES = 60
LARGEST = 522
"""The number of matches of 64 places in seven divisions, who play each other twice."""


def make(places: int, **terms: Any) -> tuple[League, str]:
    """A league with so many places, all taken, and its organiser's token."""
    made = large_leagues.make(places, **terms)
    return made.league, made.organiser_token


def start(api: Api, league: League, token: str) -> Any:
    return api("POST", f"leagues/{league.key}/start", token=token)


def test_the_largest_league_is_set_up_by_the_clock_in_bounded_steps(api: Api) -> None:
    league, token = make(64)
    with CaptureQueriesContext(connection) as queries:
        told = start(api, league, token)
    assert len(queries) < MOST_QUERIES
    assert Match.objects.count() == STEP and told["matches"] == LARGEST and told["status"] == "playing"
    page: Any = Client().get(league.get_absolute_url())
    assert b'data-due="start"' in page.content
    assert start(api, league, token)["matches"] == LARGEST and Match.objects.count() == STEP
    before = STEP
    for count in steps():
        assert before < count <= before + STEP
        before = count
    assert before == LARGEST == len({(one.a_id, one.b_id) for one in Fixture.objects.all()})
    page = Client().get(league.get_absolute_url())
    assert b"data-due" not in page.content


def test_a_look_at_the_last_day_of_a_large_league_decides_nothing_and_the_clock_some(
    api: Api, time: Any
) -> None:
    league, token = make(10)
    start(api, league, token)
    list(steps())
    time.pass_(days=61)
    for path in (league.get_absolute_url(), f"/api/v1/leagues/{league.key}/table"):
        page: Any = Client().get(path)
        assert page.status_code == 200 and not Fixture.objects.exclude(decided="").exists()
    assert b'data-due="end"' in Client().get(league.get_absolute_url()).content
    before = 0
    while leagues.settle_some():
        decided = Fixture.objects.exclude(decided="").count()
        assert before < decided <= before + AT_ONCE
        before = decided
    league.refresh_from_db()
    assert before == 90 and league.status == League.Status.OVER


def test_whoever_leaves_has_some_matches_ended_at_once_and_the_clock_ends_the_others(api: Api) -> None:
    league, token = make(10)
    start(api, league, token)
    list(steps())
    place = league.places.get(number=3)
    leagues.leave(place)
    assert Fixture.objects.exclude(decided="").count() == AT_ONCE
    list(steps())
    assert Fixture.objects.exclude(decided="").count() == 18
    league.refresh_from_db()
    assert not league.unsettled and league.status == League.Status.PLAYING
    for place in league.places.exclude(number__in=(1, 3)):
        leagues.leave(place)
        list(steps())
    league.refresh_from_db()
    assert not league.unsettled and league.status == League.Status.OVER


def test_a_closed_large_league_is_over_at_once_and_its_matches_are_called_off_by_the_clock(api: Api) -> None:
    league, token = make(8)
    start(api, league, token)
    list(steps())
    leagues.close(league)
    assert league.status == League.Status.OVER
    assert Match.objects.filter(status=Match.Status.ABORTED).count() == AT_ONCE
    list(steps())
    assert Match.objects.filter(status=Match.Status.ABORTED).count() == 56 == Fixture.objects.count()
    assert {one.decided for one in Fixture.objects.all()} == {Fixture.VOID}


@pytest.mark.parametrize("moment", range(0, 100, 5))
def test_a_start_that_breaks_off_anywhere_makes_each_match_once(
    api: Api, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    from robosite.matches.flow import arbiter

    monkeypatch.setattr("robosite.leagues.flow.beginning.STEP", 7)
    league, _token = make(7)
    makes, left = arbiter.begin_together, [moment]

    def fails(*given: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            raise KeyboardInterrupt
        return makes(*given, **more)

    monkeypatch.setattr(arbiter, "begin_together", fails)
    for _ in range(2):
        try:
            leagues.start(league)
            list(steps())
        except KeyboardInterrupt:
            pass
    pairs = [(one.a_id, one.b_id) for one in Fixture.objects.exclude(match=None)]
    assert Match.objects.count() == 42 == len(set(pairs)) == len(pairs)


def test_the_record_is_made_once(api: Api, time: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    league, token = make(4)
    start(api, league, token)
    time.pass_(days=61)
    list(steps())
    drawn_files.clear()
    made = api("GET", f"leagues/{league.key}/record")

    def again(*_given: Any) -> None:
        raise AssertionError("it was made again")

    with monkeypatch.context() as patched:
        patched.setattr("robosite.leagues.record.record.record_of", again)
        assert api("GET", f"leagues/{league.key}/record") == made
        page: Any = Client().get(f"{league.get_absolute_url()}record/")
        assert page.json() == made
    Place.objects.filter(league=league, number=2).update(name="Emil")
    changed = api("GET", f"leagues/{league.key}/record")
    assert [place["name"] for place in changed["places"]][1] == "Emil"


def test_the_places_that_an_address_starts_are_limited(api: Api, settings: Any) -> None:
    settings.LIMITS = "on"
    rate_windows.reset()
    made = [make(64, every_days=7, ends_days=300) for _ in range(5)]
    for league, token in made[:4]:
        start(api, league, token)
    (league, token) = made[4]
    api("POST", f"leagues/{league.key}/start", token=token, status=429)
    league.refresh_from_db()
    assert league.status == League.Status.OPEN
    start(api, *made[0])  # it has started, so nothing is counted

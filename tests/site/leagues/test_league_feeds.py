"""The feed and the calendar of a league, as a feed reader's and a calendar's own parsers read them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_pages import begun, join, make, page
from tests.site.notices.test_feed_readers import calendar_at, feed_at

pytestmark = pytest.mark.django_db


def titles(reader: Browser, league: League) -> list[str]:
    return [entry.title for entry in feed_at(reader, f"/l/{league.key}/feed/").entries]


def test_a_feed_tells_start_results_and_end(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, invite = make(alice, title="Ours; <b>&")
    join(bob, invite)
    join(charlie, invite)
    assert titles(bob, league) == []
    alice.post(f"/l/{league.key}/start/")
    assert titles(bob, league) == ["The league has begun"]
    for seat in Seat.objects.filter(name="Bob"):
        flow.resign(seat)
    assert sorted(titles(bob, league)[:2]) == ["Alice beat Bob", "Charlie beat Bob"]
    for seat in Seat.objects.filter(name="Charlie", match__status="playing"):
        flow.offer_ending(seat, flow.Ending.DRAW, True)
        flow.offer_ending(seat.match.seats.exclude(pk=seat.pk).get(), flow.Ending.DRAW, True)
    told = feed_at(Browser("Dora"), f"/l/{league.key}/feed/")
    assert told.feed.title == "Ours; <b>&" and told.entries[0].title == "The league is over."
    assert told.entries[0].link.endswith(league.get_absolute_url())
    assert any("draw" in entry.title for entry in told.entries)
    assert len({entry.id for entry in told.entries}) == 5


def test_a_feed_does_not_tell_who_has_sealed(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    before = [text(bob.get(f"/l/{league.key}/{what}/")) for what in ("feed", "calendar")]
    bob.seal(Seat.objects.filter(name="Bob")[0], "F ^ TR v H")
    assert before == [text(bob.get(f"/l/{league.key}/{what}/")) for what in ("feed", "calendar")]


def test_a_feed_that_has_not_changed_is_not_sent_again(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    path = f"/l/{league.key}/feed/"
    tag = bob.get(path)["ETag"]
    assert bob.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert f">http://testserver{path}<" in page(bob, league)


def test_a_calendar_has_rounds_to_come_and_the_last_day(
    alice: Browser, bob: Browser, charlie: Browser, time: Any
) -> None:
    league, invite = make(alice, rounds="3")
    join(bob, invite)
    join(charlie, invite)
    path = f"/l/{league.key}/calendar/"
    assert calendar_at(bob, path)["events"] == []
    alice.post(f"/l/{league.key}/start/")
    start = time.now().replace(microsecond=0)
    events = calendar_at(bob, path)["events"]
    assert [event["summary"] for event in events] == [
        "Our spring: matchday 2 begins",
        "Our spring: matchday 3 begins",
        "Our spring: last day",
    ]
    rounds = [datetime.fromisoformat(event["ends"]) - start for event in events[:2]]
    assert rounds == [timedelta(days=3), timedelta(days=6)]
    last = (start + timedelta(days=60)).date()
    whole_day = f"DTSTART;VALUE=DATE:{last:%Y%m%d}", f"DTEND;VALUE=DATE:{last + timedelta(days=1):%Y%m%d}"
    assert all(line in text(bob.get(path)) for line in whole_day)
    time.pass_(days=61)
    assert calendar_at(bob, path)["events"] == [] and not Match.objects.filter(status="playing").exists()

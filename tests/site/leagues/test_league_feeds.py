"""Feeds of leagues, and the pages of what is over, of tonight, of moments."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.leagues.pages.own_leagues import LATEST, PER_PAGE
from robosite.leagues.pages.tonight import LEAD, evening_of
from robosite.leagues.pages.views import moment_of
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.play.highlights import best
from tests.at_once import tick
from tests.site.browsers import FIRST, OTHER, Browser, text
from tests.site.leagues.conftest import begin, begun, joined, make, page, resign_all, seats_of
from tests.site.notices.test_notices_feeds import calendar_at, feed_at


def titles(reader: Browser, league: League) -> list[str]:
    return [entry.title for entry in feed_at(reader, f"/l/{league.key}/feed/").entries]


def test_a_feed_tells_start_results_and_end(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, _invite = joined(alice, bob, charlie, title="Ours; <b>&")
    assert titles(bob, league) == []
    begin(alice, league)
    assert titles(bob, league) == ["The league has begun"]
    resign_all("Bob")
    assert sorted(titles(bob, league)[:2]) == ["Alice beat Bob", "Charlie beat Bob"]
    (last,) = Match.objects.filter(status=Match.Status.PLAYING)
    for seat in last.seats.all():
        flow.offer_ending(seat, flow.Ending.DRAW, True)
    told = feed_at(Browser("Dora"), f"/l/{league.key}/feed/")
    assert told.feed.title == "Ours; <b>&" and told.entries[0].title == "The league is over."
    assert told.entries[0].link.endswith(league.get_absolute_url())
    assert any("draw" in entry.title for entry in told.entries)
    assert len({entry.id for entry in told.entries}) == 5


def test_a_feed_does_not_tell_who_has_sealed_and_is_not_sent_again(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    before = [text(bob.get(f"/l/{league.key}/{what}/")) for what in ("feed", "calendar")]
    path = f"/l/{league.key}/feed/"
    tag = bob.get(path)["ETag"]
    bob.seal(seats_of("Bob")[0], FIRST)
    assert before == [text(bob.get(f"/l/{league.key}/{what}/")) for what in ("feed", "calendar")]
    assert bob.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert f">http://testserver{path}<" in page(bob, league)


def test_a_calendar_has_rounds_to_come_and_the_last_day(
    alice: Browser, bob: Browser, charlie: Browser, time: Any
) -> None:
    league, _invite = joined(alice, bob, charlie, rounds="3")
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
    assert "The league is over." in page(bob, league), "a look brings it up"
    assert calendar_at(bob, path)["events"] == [] and not Match.objects.filter(status="playing").exists()


def end(league: League, name: str = "") -> None:
    """All of its matches end, whoever plays at seat B resigning; it is named anew."""
    League.objects.filter(pk=league.pk).update(name=name or league.name)
    for seat in Seat.objects.filter(letter="B", match__status=Match.Status.PLAYING):
        flow.resign(seat)
    leagues.settle(league.pk)
    league.refresh_from_db()
    assert league.status == League.Status.OVER


def over_again(league: League, times: int) -> None:
    """As many more leagues with the same players, of which each is over a day before the last."""
    places = [(place, list(place.holders.all())) for place in league.places.all()]
    over_at = league.over_at
    assert over_at
    for number in range(1, times + 1):
        league.pk = league.previous_id = None
        league.key, league.name = f"{'b' * 8}{number:04}".replace("0", "c").replace("1", "d"), f"Old {number}"
        league.invite_hash = league.organiser_hash = ""
        league.over_at = over_at - timedelta(days=number)
        league.save(force_insert=True)
        for place, holders in places:
            place.pk, place.league_id, place.link_hash = None, league.pk, ""
            place.save(force_insert=True)
            for hold in holders:
                hold.pk, hold.place_id = None, place.pk
                hold.save(force_insert=True)


def test_leagues_that_are_over_are_found_in_my_games_the_last_ones_by_one_query(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    with CaptureQueriesContext(connection) as running:
        assert "<h2>Finished" not in text(bob.get("/mine/"))
    end(league, "Newest")
    before, after = text(bob.get("/mine/")).split("<h2>Finished")
    assert league.get_absolute_url() in after and "Robo Battle Pigs" in after
    assert league.get_absolute_url() not in before and "All finished leagues" not in after
    assert not re.search(r'href="/m/\w+/[AB]/"', before + after), "its matches are not listed one by one"
    over_again(league, PER_PAGE)
    with CaptureQueriesContext(connection) as asked:
        shown = text(bob.get("/mine/"))
    here = [query["sql"] for query in asked if '"over_at" DESC' in query["sql"]]
    assert len(here) == 1 and len(asked) <= len(running), [query["sql"][:120] for query in asked]
    names = ["Newest", *(f"Old {number}" for number in range(1, PER_PAGE + 1))]
    assert [name for name in names if f">{name}</strong>" in shown] == names[:LATEST]
    assert "All finished leagues and cups" in shown
    first, second = (text(bob.get(f"/l/over/?page={number}")) for number in (1, 2))
    assert [name for name in names if f">{name}</a>" in first] == names[:PER_PAGE]
    assert [name for name in names if f">{name}</a>" in second] == names[PER_PAGE:]
    zoe = Browser("Zoe")
    assert "<h2>Finished" not in text(zoe.get("/mine/")) and "None yet." in text(zoe.get("/l/over/"))


NOON = datetime(2026, 11, 23, 11, tzinfo=UTC)
TONIGHT = datetime(2026, 11, 23, 19, tzinfo=UTC)


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser, time: Any) -> League:
    """Three play Robo Battle Pigs at 20:00 in Madrid; it is noon."""
    time.present = NOON
    tick()
    hour = {"hour": "20:00", "days": "0123456", "zone": "Europe/Madrid"}
    league = begun(alice, bob, charlie, pace="hour", **hour)
    assert league.reveal_at == {"time": "20:00", "zone": "Europe/Madrid", "days": list(range(7))}
    return league


def seal_all() -> None:
    for match in Match.objects.order_by("pk"):
        for seat in match.seats.select_related("match").order_by("letter"):
            flow.seal(seat, match.turn, OTHER if seat.letter == "A" else FIRST)


def test_before_the_first_hour_the_page_counts_what_is_sealed(league: League, alice: Browser) -> None:
    path = f"/l/{league.key}/tonight/"
    assert path in text(alice.get(f"/l/{league.key}/"))
    match = Match.objects.order_by("pk").first()
    flow.seal(match.seats.select_related("match").get(letter="A"), 0, OTHER)
    shown = text(alice.get(path))
    assert "Sealed so far: 1 of 6." in shown and "No turn has been played yet" in shown
    assert OTHER not in shown


def test_everybody_sees_the_same_film_at_the_same_time(
    league: League, alice: Browser, bob: Browser, time: Any
) -> None:
    seal_all()
    time.pass_(seconds=(TONIGHT - time.present).total_seconds())
    path = f"/l/{league.key}/tonight/"

    def film(browser: Browser, **more: Any) -> str:
        return re.findall(r'data-number="(\d+)"', text(browser.get(path, **more)))[0]

    assert film(alice) == "1", "whoever looks first has the turns played"
    evening = evening_of(league)
    assert evening and evening.at == TONIGHT and len(evening.matches) == 3
    time.pass_(seconds=(LEAD + 1.5 * evening.slot).total_seconds())
    assert film(alice) == film(bob) == "2"
    assert f'data-begins="{(TONIGHT + LEAD).timestamp()}"' in text(alice.get(path))
    assert film(alice, data={"film": "3"}) == "3"
    assert alice.get(path, {"film": "4"}).status_code == 404
    part = alice.get(path, {"film": "1"}, headers={"HX-Request": "true"})
    assert b"<html" not in part.content and b'data-number="1"' in part.content
    time.pass_(hours=3)
    tick()
    evening = evening_of(league)
    assert evening and evening.at == TONIGHT, "they stay until the next one"
    shown = text(alice.get(f"{path}?film=2&at=1"))
    assert 'data-step="1"' in shown or 'data-sentence-step="1" class="current"' in shown


def test_league_without_an_hour_has_no_evening(alice: Browser) -> None:
    league = make(alice)[0]
    assert alice.get(f"/l/{league.key}/tonight/").status_code == 404


@pytest.fixture
def ours(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """A league of Roboxing, whose matches are short."""
    return begun(alice, bob, charlie, plays="roboxing/standard")


def play(match: Match, turns: int) -> None:
    """Plays so many turns of a match by chance, or to its end."""
    for _turn in range(turns):
        match.refresh_from_db()
        if match.status != Match.Status.PLAYING:
            return
        for letter in flow.owing(match):
            seat = match.seats.get(letter=letter)
            order = state_of(match).view(seat.at).sample(seat.at, Random(f"{turns} {match.turn} {letter}"))
            flow.seal(seat, match.turn, order)


def test_the_moment_is_the_best_step_of_the_matches_of_the_week(
    ours: League, alice: Browser, time: Any
) -> None:
    path = f"/l/{ours.key}/moment/"
    first, second, third = Match.objects.order_by("pk")
    play(third, turns=2)
    assert moment_of(ours) is None and alice.get(path).status_code == 404
    assert path not in page(alice, ours), "what goes through is shown nowhere else"
    for match, turns in ((first, 99), (second, 100)):
        play(match, turns)
        match.refresh_from_db()
        if match.status == Match.Status.PLAYING:
            flow.resign(match.seats.get(letter="A"))
    page(alice, ours)
    found = moment_of(ours)
    assert found and best(found.match).score == max(best(match).score for match in (first, second))
    assert path in page(alice, ours)
    shown = text(alice.get(path))
    picture = f"/m/{found.match.key}/{found.step.turn + 1}.{found.step.step}.svg"
    assert picture in shown and "<html" in shown
    part = text(alice.get(path, headers={"HX-Request": "true"}))
    assert "Moment of the week" in part and "<html" not in part
    assert alice.get(picture).status_code == 200
    time.pass_(days=8)
    assert moment_of(ours) is None and path not in page(alice, ours)


def test_the_table_is_a_picture(alice: Browser, bob: Browser, charlie: Browser) -> None:
    ours = begun(alice, bob, charlie)
    path = f"/l/{ours.key}/table-1.svg"
    answer = Browser("Dora").get(path)
    assert answer["Content-Type"] == "image/svg+xml"
    drawn = text(answer)
    assert "Our spring" in drawn and "Alice" in drawn and "after 0 of 3 matches" in drawn
    assert alice.post(f"/l/{ours.key}/leave/").status_code == 302
    assert text(alice.get(path)) != drawn and "after 2 of 3 matches" in text(alice.get(path))
    for missing in (path.replace("svg", "gif"), path.replace("-1", "-2")):
        assert alice.get(missing).status_code == 404
    shown = page(alice, ours)
    card = re.search(r'property="og:image" content="([^"]+)"', shown)
    assert card and card[1].endswith(path.replace("svg", "png"))
    assert re.search(r'table-1.png"[^>]*>Share</a>', shown)


def test_all_rows_of_a_table_lie_in_its_picture() -> None:
    ours = begun(*map(Browser, ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal")))
    drawn = text(Browser("Ida").get(f"/l/{ours.key}/table-1.svg"))
    rows = [float(y) for y in re.findall(r'x="130" y="([\d.]+)"', drawn)]
    assert len(rows) == 8 and min(rows) > 200 and max(rows) < 620


def test_names_in_a_picture_are_text(alice: Browser, bob: Browser, charlie: Browser) -> None:
    made, invite = make(alice, title="<b>&amp; Ours")
    for browser, name in ((bob, "Bob <i>"), (charlie, "Юлия")):
        assert browser.post(f"{invite}join/", {"name": name}).status_code == 302
    alice.post(f"/l/{made.key}/start/")
    drawn = alice.get(f"/l/{made.key}/table-1.svg").content.decode()
    assert "&lt;b&gt;&amp;amp; Ours" in drawn
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert "Bob &lt;i&gt;" in drawn
    assert "Player 3" in drawn


def test_a_start_that_was_set_stands_in_feed_and_calendar(alice: Browser, bob: Browser, time: Any) -> None:
    league, _invite = make(alice)
    start = (time.now() + timedelta(days=2)).replace(minute=0, second=0, microsecond=0)
    League.objects.filter(pk=league.pk).update(starts_at=start, zone="UTC")
    (told,) = titles(bob, league)
    assert told.startswith("Our spring. It starts ") and f"{start:%H:%M}" in told
    (event,) = calendar_at(bob, f"/l/{league.key}/calendar/")["events"]
    assert event["summary"] == "Our spring: start" and datetime.fromisoformat(event["ends"]) == start

"""The evening of a league: the films of the turns that were played at its hour."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from robosite.leagues.models import League
from robosite.leagues.pages.tonight import LEAD, evening_of
from robosite.matches import flow
from robosite.matches.models import Match
from tests.clock import tick
from tests.site.browsers import FIRST, OTHER, Browser, text
from tests.site.leagues.test_league_pages import join, make

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 23, 11, tzinfo=UTC)
TONIGHT = datetime(2026, 11, 23, 19, tzinfo=UTC)


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser, time: Any) -> League:
    """Three play Robo Battle Pigs at 20:00 in Madrid; it is noon."""
    time.present = NOON
    tick()
    league, invite = make(alice, pace="hour", hour="20:00", days="0123456", zone="Europe/Madrid")
    for browser in (bob, charlie):
        join(browser, invite)
    alice.post(f"/l/{league.key}/start/")
    league.refresh_from_db()
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
    assert match
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


def test_films_of_an_evening_stay_until_the_next_one(league: League, alice: Browser, time: Any) -> None:
    seal_all()
    time.pass_(seconds=(TONIGHT + timedelta(hours=3) - time.present).total_seconds())
    tick()
    evening = evening_of(league)
    assert evening and evening.at == TONIGHT
    shown = text(alice.get(f"/l/{league.key}/tonight/?film=2&at=1"))
    assert 'data-step="1"' in shown or 'data-sentence-step="1" class="current"' in shown


def test_league_without_an_hour_has_no_evening(alice: Browser) -> None:
    league, _invite = make(alice)
    assert alice.get(f"/l/{league.key}/tonight/").status_code == 404

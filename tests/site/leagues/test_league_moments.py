"""The moment of a league's week, and the picture of its table."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from robosite.leagues.models import League
from robosite.leagues.pages.moments import moment_of
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.play.highlights import best
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_pages import begun, join, make, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    """A league of Roboxing, whose matches are short."""
    league, invite = make(alice, plays="roboxing/standard")
    for browser in (bob, charlie):
        join(browser, invite)
    alice.post(f"/l/{league.key}/start/")
    league.refresh_from_db()
    return league


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
    league: League, alice: Browser, time: Any
) -> None:
    path = f"/l/{league.key}/moment/"
    first, second, third = Match.objects.order_by("pk")
    play(third, turns=2)
    assert moment_of(league) is None and alice.get(path).status_code == 404
    assert path not in page(alice, league), "what goes through is shown nowhere else"
    for match, turns in ((first, 99), (second, 100)):
        play(match, turns)
        match.refresh_from_db()
        if match.status == Match.Status.PLAYING:
            flow.resign(match.seats.get(letter="A"))
    page(alice, league)
    found = moment_of(league)
    assert found and best(found.match).score == max(best(match).score for match in (first, second))
    assert path in page(alice, league)
    shown = text(alice.get(path))
    assert f"/m/{found.match.key}/{found.turn}.{found.step}.svg" in shown and "<html" in shown
    part = text(alice.get(path, headers={"HX-Request": "true"}))
    assert "Moment of the week" in part and "<html" not in part
    assert alice.get(f"/m/{found.match.key}/{found.turn}.{found.step}.svg").status_code == 200
    time.pass_(days=8)
    assert moment_of(league) is None and path not in page(alice, league)


def test_the_table_is_a_picture(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    path = f"/l/{league.key}/table-1.svg"
    answer = Browser("Dora").get(path)
    assert answer["Content-Type"] == "image/svg+xml"
    drawn = text(answer)
    assert "Our spring" in drawn and "Alice" in drawn and "after 0 of 3 matches" in drawn
    assert alice.post(f"/l/{league.key}/leave/").status_code == 302
    assert text(alice.get(path)) != drawn and "after 2 of 3 matches" in text(alice.get(path))
    assert (
        alice.get(path.replace("svg", "gif")).status_code == alice.get(path.replace("-1", "-2")).status_code
    )
    assert alice.get(path.replace("-1", "-2")).status_code == 404
    shown = page(alice, league)
    card = re.search(r'property="og:image" content="([^"]+)"', shown)
    assert card and card[1].endswith(path.replace("svg", "png"))
    assert re.search(r'table-1.png"[^>]*>Share</a>', shown)


def test_names_in_a_picture_are_text(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, invite = make(alice, title="<b>&amp; Ours")
    for browser, name in ((bob, "Bob <i>"), (charlie, "Юлия")):
        assert browser.post(f"{invite}join/", {"name": name}).status_code == 302
    alice.post(f"/l/{league.key}/start/")
    drawn = alice.get(f"/l/{league.key}/table-1.svg").content.decode()
    assert (
        "&lt;b&gt;&amp;amp; Ours" in drawn
        and "<b>" not in drawn
        and "<i>" not in drawn
        and "Bob &lt;i&gt;" in drawn
    )
    assert "Player 3" in drawn

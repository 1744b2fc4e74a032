"""Pages speak rightly of the others at a table: requests, rematches, leagues, replies, lost time."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Match
from tests.site.browsers import FIRST, MORE_SHOTS, SHOTS, Browser, Table, sit_down, text
from tests.site.leagues.test_league_pages import begun
from tests.site.play.test_hot_seat import at, share

pytestmark = pytest.mark.django_db


def page(browser: Browser, place: Any) -> str:
    return " ".join(text(browser.get(place.get_absolute_url())).split())


def heading(shown: str) -> str:
    found = re.search(r'id="status"[^>]*>(.*?)</p>', shown, re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]*>", "", found[1]).split())


def test_ones_own_request_stands_at_the_top_until_it_is_declined(table: Table) -> None:
    table.alice.do(table.a, "call-off", offer="1")
    assert "You’ve asked to cancel the match." in heading(page(table.alice, table.a))
    assert "You’ve asked" not in heading(page(table.bob, table.b))
    table.bob.do(table.b, "call-off", offer="no")
    assert "You’ve asked" not in heading(page(table.alice, table.a))


def test_one_tap_in_the_dock_stops_waiting(table: Table) -> None:
    late = timezone.now() - timedelta(minutes=5)
    Match.objects.filter(key=table.key).update(deadline_hours=1, deadline=late, due=late)
    flow.seal(table.a, 0, FIRST)
    Match.objects.filter(key=table.key).update(deadline=late, due=late)
    shown = page(table.alice, table.a)
    assert "Bob can still play, until you stop waiting." in heading(shown)
    dock = shown[shown.index('class="dock way-on"') :]
    dock = dock[: dock.index("Stop waiting for Bob")]
    assert "has this match open now." in dock and 'data-here="B" hidden' in dock
    assert "If you stop waiting, you win at once." in dock and "<details" not in dock


def test_nobody_looks_back_at_a_match_without_a_turn(table: Table) -> None:
    flow.resign(table.a)
    shown = page(table.alice, table.a)
    assert "Rematch" in shown and f"/m/{table.key}/review/" not in shown
    assert "You resigned." in shown


def test_an_invitation_to_a_rematch_leaves_no_empty_box(table: Table) -> None:
    for browser, seat in ((table.alice, table.a), (table.bob, table.b)):
        browser.do(seat, "call-off", offer="1")
    assert "Play again?" in page(table.bob, table.b)
    table.alice.do(table.a, "rematch")
    shown = page(table.bob, table.b)
    assert "Accept rematch" in shown and "Play again?" not in shown


def test_my_games_counts_what_it_lists_as_waiting(table: Table) -> None:
    """An invitation waits, above a turn; nobody is invited to a seat that is kept."""
    table.play(SHOTS, MORE_SHOTS)
    table.alice.do(table.a, "rematch")
    sit_down(table.alice, table.bob, table.charlie)
    shown = text(table.bob.get("/mine/"))
    words = " ".join(shown.split())
    assert "Next · 2" in words
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 2}
    _head, invitation, turn = shown[shown.index("<h2>Your turn") :].split("<li")
    assert "Rematch: " in invitation and "your turn" not in invitation and "your turn" in turn
    assert f'formaction="{table.b.get_absolute_url()}rematch/"' in invitation
    mine = text(table.alice.get("/mine/"))
    assert "<strong>Rematch</strong>" in mine


def test_an_offer_of_a_draw_waits_for_an_answer_until_it_has_one(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie)
    flow.seal(table.b, 0, "H H H H H")
    assert bob.get("/mine/waiting/").json() == {"waiting": 0}
    alice.do(table.a, "draw", offer="1")
    assert bob.get("/mine/waiting/").json() == {"waiting": 1}
    shown = text(bob.get("/mine/"))
    assert "a draw?" in shown[shown.index("<h2>Your turn") :]
    assert alice.get("/mine/waiting/").json() == {"waiting": 1}, "her turn; her own offer is no question"
    bob.do(table.b, "draw", decline="1")
    assert bob.get("/mine/waiting/").json() == {"waiting": 0}


def test_those_who_share_a_device_go_on_from_the_page_where_it_ends(alice: Browser) -> None:
    match = share(alice)
    flow.resign(at(match, "A"))
    shown = page(alice, match)
    assert f'action="/m/{match.key}/A/rematch/"' in shown and "Rematch" in shown
    assert "Rematch" not in page(Browser("Bob"), match)


def test_a_match_of_a_league_names_it_and_its_link(alice: Browser, bob: Browser, charlie: Browser) -> None:
    begun(alice, bob, charlie)
    seat = next(seat for match in Match.objects.all() for seat in match.seats.all() if seat.name == "Alice")
    shown = text(alice.get(f"{seat.get_absolute_url()}more/"))
    assert "Our spring" in shown
    assert "Your spot link for the league or cup opens this match, too" in shown
    assert "created in another browser" not in shown


def test_replies_are_offered_after_ones_own_plan(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, "robble")
    assert "Plan a reply" not in page(alice, table.a) and "Plan a reply" in page(bob, table.b)
    alice.draft(table.a, "d4")
    assert "Plan a reply" in page(alice, table.a)


def test_the_page_of_replies_says_that_the_match_has_gone_on(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie, "robble")
    flow.seal(table.a, 0, "d4")
    at_replies = f"{table.a.get_absolute_url()}replies/?turn=1&taken_back=0"
    htmx = {"HX-Request": "true"}
    assert alice.get(at_replies, headers=htmx).status_code == 204
    flow.seal(table.b, 1, "c4")
    assert "The match has gone on" in text(alice.get(at_replies, headers=htmx))


def test_who_comes_back_is_told_first_how_much_was_played(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie, "robble")
    page(alice, table.a)
    flow.seal(table.a, 0, "d4")
    flow.seal(table.b, 1, "c4")
    assert "2 turns were played since your last visit." in heading(page(alice, table.a))

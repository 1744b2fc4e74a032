"""The pages of a league and of its matches as it goes on: they tell what is left, which match comes next, and
what is new in the talk.
"""

from __future__ import annotations

import re

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_pages import begun, page

pytestmark = pytest.mark.django_db


def seats_of(name: str) -> list[Seat]:
    return list(Seat.objects.filter(name=name, match__fixture__isnull=False).order_by("match"))


def match_page(browser: Browser, seat: Seat) -> str:
    return " ".join(text(browser.get(seat.get_absolute_url())).split())


def ended(seat: Seat) -> Seat:
    flow.resign(seat)
    return seat


def test_the_end_of_a_match_tells_what_is_left_of_the_league(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    first, second = seats_of("Alice")
    ended(first)
    assert "You have one more match in the league." in match_page(alice, first)
    ended(second)
    shown = match_page(alice, second)
    assert "All your 2 matches are played. One of the others’ matches is still to come." in shown
    (last,) = (seat for seat in seats_of("Bob") if seat.match.status == Match.Status.PLAYING)
    assert "All your" not in match_page(Browser("Zoe"), last) and "of yours" not in match_page(bob, last)
    ended(last)
    shown = match_page(alice, second)
    assert "Charlie has won." in shown and "The league is over." in shown
    assert f'href="{league.get_absolute_url()}"' in shown or "/l/of/" in shown
    charlies = match_page(charlie, seats_of("Charlie")[0])
    assert "You’ve won the league!" in charlies


def test_the_table_says_who_has_played_all(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    assert "all played" not in page(bob, league)
    for seat in seats_of("Alice"):
        ended(seat)
    shown = page(bob, league)
    assert re.search(r"Alice <small>all played</small>", shown) and shown.count("all played") == 1
    for seat in seats_of("Bob"):
        if seat.match.status == Match.Status.PLAYING:
            ended(seat)
    assert "all played" not in page(bob, league), "where all have, nobody is named"


def test_what_can_be_reached_is_told_once_it_says_something(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    assert "Possible rank" not in page(alice, league), "1–3 for everybody says nothing"
    for seat in seats_of("Alice"):
        ended(seat)
    shown = page(alice, league)
    assert "Possible rank" in shown and "1–2" in shown and "1–3" not in shown


def test_the_next_match_is_one_of_the_same_league_first(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    for _ in range(2):
        begun(alice, bob, charlie)
    older, newer = (
        set(League.objects.get(pk=pk).fixtures.values_list("match__key", flat=True)) for pk in pks()
    )
    for keys in (older, newer):
        key = next(seat.match.key for seat in seats_of("Alice") if seat.match.key in keys)
        to = alice.get(f"/next/?from={key}")["Location"].split("/")[2]
        assert to in keys and to != key


def pks() -> list[int]:
    return list(League.objects.order_by("pk").values_list("pk", flat=True))


def test_a_match_on_which_one_waits_keeps_a_place_for_the_way_on(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    begun(alice, bob, charlie)
    seats = seats_of("Alice")
    assert "next-match" not in match_page(alice, seats[0]), "it is one's own turn"
    for seat in seats:
        assert alice.seal(seat, "F ^ TR v H").status_code == 302
    shown = match_page(alice, seats[0])
    assert re.search(r'<a class="primary" href="/next/\?from=\w+" hidden>', shown)
    assert "Today’s puzzle" in shown


def test_the_talk_of_a_match_hints_at_that_of_its_league(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
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

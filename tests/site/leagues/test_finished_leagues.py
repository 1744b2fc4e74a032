"""Leagues and cups that are over stay in My games, and all of them on a page of their own."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.leagues.pages.own_leagues import LATEST, PER_PAGE
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_pages import begun

pytestmark = pytest.mark.django_db


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


def test_a_league_that_is_over_is_found_in_my_games(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    assert "<h2>Finished" not in text(bob.get("/mine/"))
    end(league)
    shown = text(bob.get("/mine/"))
    before, after = shown.split("<h2>Finished")
    assert league.get_absolute_url() in after and "Robo Battle Pigs" in after
    assert league.get_absolute_url() not in before
    assert "All finished leagues" not in shown
    assert not re.search(r'href="/m/\w+/[AB]/"', shown), "its matches are not listed one by one"
    assert "<h2>Finished" not in text(Browser("Zoe").get("/mine/"))


def test_my_games_shows_the_last_ones_by_one_query(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    with CaptureQueriesContext(connection) as running:
        bob.get("/mine/")
    end(league, "Newest")
    over_again(league, PER_PAGE)
    bob.get("/mine/")  # the entries of its matches are kept from now on
    with CaptureQueriesContext(connection) as asked:
        shown = text(bob.get("/mine/"))
    here = [query["sql"] for query in asked if "leagues_league" in query["sql"] and "over_at" in query["sql"]]
    assert len(here) == 1 and len(asked) <= len(running), [query["sql"][:120] for query in asked]
    names = ["Newest", *(f"Old {number}" for number in range(1, PER_PAGE + 1))]
    assert [name for name in names if f">{name}</strong>" in shown] == names[:LATEST]
    assert "All finished leagues and cups" in shown
    first, second = (text(bob.get(f"/l/over/?page={number}")) for number in (1, 2))
    assert [name for name in names if f">{name}</a>" in first] == names[:PER_PAGE]
    assert [name for name in names if f">{name}</a>" in second] == names[PER_PAGE:]
    assert "None yet." in text(Browser("Zoe").get("/l/over/"))

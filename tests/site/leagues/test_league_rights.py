"""The rights in a league: who may do what, and how often."""

from __future__ import annotations

import pytest
from django.test import Client

from robosite.leagues import flow as leagues
from robosite.leagues.models import Place, PlaceHold
from robosite.matches.models import Hold, Match, MatchFlag
from robosite.moderation import measures
from robosite.people.models import Guest
from robosite.talk.strangers import only_phrases
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_links import link_in, taken_by
from tests.site.leagues.test_league_pages import begun, join, make, page
from tests.site.leagues.test_leagues import Api, Group

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("number", ["9" * 5000, "99999999999", "²", "-1", "x"])
def test_numbers_of_places_that_are_none(alice: Browser, bob: Browser, number: str) -> None:
    league, invite = make(alice)
    assert alice.post(f"/l/{league.key}/leave/", {"place": number}).status_code == 404
    assert bob.post(f"{invite}join/", {"place": number, "name": "Bob"}).status_code == 302
    assert Place.objects.filter(gone=False).count() == 2


def test_a_ban_covers_starting_and_inviting(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, invite = make(alice)
    join(bob, invite)
    join(charlie, invite)
    measures.take("ban", None, guest=Guest.objects.get(name="Alice"), reason="spam")
    for what in ("start", "invite"):
        answer = alice.post(f"/l/{league.key}/{what}/")
        assert answer.status_code == 403 and "can’t create or join" in text(answer)
    assert not Match.objects.exists() and bob.get(invite).status_code == 200


def test_a_banned_address_starts_no_league_by_the_api(db: None) -> None:
    api = Api()
    group = Group(api, 3)
    measures.take("ban", None, network="127.0.0.1/32", reason="spam")
    group.start(status=403)
    assert not Match.objects.exists()


def test_a_page_of_before_the_start_removes_nobody_after_it(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    league = begun(alice, bob, charlie)
    path = f"/l/{league.key}/leave/"
    for browser, given in ((alice, {"place": "2", "status": "open"}), (bob, {"status": "open"})):
        answer = browser.post(path, given)
        assert answer.status_code == 409 and "nothing was changed" in text(answer)
    assert Match.objects.filter(status="playing").count() == 3
    assert not Place.objects.exclude(left_at=None).exists()
    assert "Remove Bob" in page(alice, league) and "Remove" not in page(bob, league)
    assert alice.post(path, {"place": "2", "status": "playing"}).status_code == 302
    assert "Remove Bob" not in page(alice, league)
    assert "removed by the organiser" in page(charlie, league)


def test_whoever_leaves_is_not_said_to_be_removed(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    alice.post(f"/l/{league.key}/leave/", {"place": "1", "status": "playing"})
    assert "withdrawn" in page(charlie, league) and "removed by" not in page(charlie, league)


def test_a_place_has_ten_browsers_at_most(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league = begun(alice, bob, charlie)
    link = link_in(page(bob, league))
    browsers = [taken_by("Bob", link) for _ in range(10)]
    assert PlaceHold.objects.filter(place__name="Bob").count() == leagues.MOST_HOLDERS == 10
    assert Hold.objects.filter(seat__name="Bob").count() == 20
    assert "Your turn" not in page(bob, league) and "Your turn" in page(browsers[0], league)
    assert bob.post(f"{link}take/").status_code == 302, "the link still opens the place"


@pytest.mark.parametrize("what", ["place", "organiser"])
def test_links_are_followed_at_a_measured_pace(
    alice: Browser, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    league, _invite = make(alice)
    counted: list[str] = []
    monkeypatch.setattr(
        "robosite.leagues.pages.views.shares.take", lambda request, name: counted.append(name)
    )
    assert Client().post(f"{link_in(page(alice, league), what)}take/").status_code == 302
    assert counted == ["seat"]


def test_strangers_begin_with_phrases() -> None:
    group = Group(Api(), 3, open=True)
    leagues.join(group.league, "Zoe")
    group.start()
    with_zoe = Match.objects.filter(seats__name="Zoe")
    assert with_zoe.count() == 3 and all(only_phrases(match) for match in with_zoe)
    others = Match.objects.exclude(pk__in=with_zoe.values("pk"))
    assert others.count() == 3 and not any(match.may_have(MatchFlag.STRANGERS) for match in others)

"""The organiser is a person: whoever holds the organiser's place, in every browser; the role passes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from robosite.leagues.models import League, Place
from robosite.people.models import Guest
from tests.site.api.test_api import Api, problem
from tests.site.browsers import Browser
from tests.site.leagues.test_league_links import link_in, taken_by
from tests.site.leagues.test_league_pages import join, make, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.LIMITS = "off"
    return Api(client)


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    made, invite = make(alice)
    join(bob, invite)
    join(charlie, invite)
    return made


def start(browser: Browser, league: League) -> int:
    status: int = browser.post(f"/l/{league.key}/start/").status_code
    return status


def test_the_organisers_own_link_brings_the_role_along(league: League, alice: Browser, bob: Browser) -> None:
    phone = taken_by("Ali", link_in(page(alice, league)))
    assert "Start with 3" in page(phone, league)
    assert start(taken_by("Bobby", link_in(page(bob, league))), league) == 404
    assert start(phone, league) == 302


def test_the_role_is_handed_on(league: League, alice: Browser, bob: Browser) -> None:
    link = link_in(page(alice, league), "organiser")
    assert bob.post(f"/l/{league.key}/organises/", {"place": "2"}).status_code == 404
    assert alice.post(f"/l/{league.key}/organises/", {"place": "9"}).status_code == 409
    assert alice.post(f"/l/{league.key}/organises/", {"place": "2"}).status_code == 302
    assert "Bob starts it" in page(alice, league) and "Hand over role" in page(bob, league)
    assert start(alice, league) == 404 and Client().get(link).status_code == 404
    assert start(bob, league) == 302


def test_who_takes_the_organisers_place_over_organises(league: League, alice: Browser) -> None:
    alice.post(f"/l/{league.key}/handover/")
    cleo = Browser("Cleo")
    cleo.post(f"{link_in(page(alice, league), 'offer')}take/", {"name": "Cleo"})
    assert Place.objects.get(name="Cleo").number == 1
    league.refresh_from_db()
    assert league.organiser == Guest.objects.get(name="Cleo") and "Start with 3" in page(cleo, league)


def silent(league: League, days: int) -> None:
    since = timezone.now() - timedelta(days=days)
    League.objects.update(created_at=since, changed_at=None)
    Guest.objects.filter(name="Alice").update(seen_at=since, created_at=since)


def choose(browser: Browser, league: League, place: int) -> int:
    status: int = browser.post(f"/l/{league.key}/choose/", {"place": str(place)}).status_code
    return status


def test_the_players_choose_another_if_the_organiser_is_silent(
    league: League, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    silent(league, 6)
    assert "Who shall organise?" not in page(bob, league) and choose(bob, league, 2) == 409
    silent(league, 8)
    assert "Who shall organise?" in page(bob, league)
    assert Browser("Dora").post(f"/l/{league.key}/choose/", {"place": "2"}).status_code == 404
    assert choose(bob, league, 2) == 302 and start(bob, league) == 404
    assert choose(charlie, league, 2) == 302
    league.refresh_from_db()
    assert league.organiser_place == 2 and not Place.objects.exclude(chooses=None).exists()
    assert start(alice, league) == 404 and start(bob, league) == 302


def test_nobody_is_replaced_who_is_there_or_for_whom_nothing_waits(league: League, bob: Browser) -> None:
    silent(league, 8)
    Guest.objects.filter(name="Alice").update(seen_at=timezone.now())
    assert choose(bob, league, 2) == 409
    silent(league, 8)
    Place.objects.filter(number=3).update(gone=True)
    assert choose(bob, league, 2) == 409


def test_programs_see_the_organisers_place_and_hand_the_role_on(api: Api) -> None:
    made = api.ask("POST", "leagues", {"name": "Spring", "game": "pigs", "organiser": "Ada"}).json()
    at = f"leagues/{made['league']}"
    ben = api.ask("POST", f"{at}/places", {"name": "Ben", "invite": made["invite"]}).json()["token"]
    api.ask("POST", f"{at}/places", {"name": "Cyd", "invite": made["invite"]})
    assert api.get(at).json()["organiser_place"] == 1
    problem(api.ask("POST", f"{at}/organiser", {"place": 2}, ben), 403)
    problem(api.ask("POST", f"{at}/organiser", {"place": 7}, made["token"]), 422, "/place")
    told = api.ask("POST", f"{at}/organiser", {"place": 2}, made["organiser_token"])
    assert told.status_code == 200 and told.json()["organiser_place"] == 2
    problem(api.ask("POST", f"{at}/start", token=made["organiser_token"]), 401)
    problem(api.ask("POST", f"{at}/start", token=made["token"]), 403)
    assert api.ask("POST", f"{at}/start", token=ben).status_code == 200

"""A place in a league is handed over with its running matches, by its page and by programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from robosite.leagues.models import League, PlaceHold
from robosite.matches.models import Match, Seat
from tests.site.api.test_api import Api, problem
from tests.site.browsers import Browser, text
from tests.site.leagues.test_league_links import link_in, seat_of
from tests.site.leagues.test_league_pages import begun, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def league(alice: Browser, bob: Browser, charlie: Browser) -> League:
    return begun(alice, bob, charlie)


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.LIMITS = "off"
    return Api(client)


def test_a_place_passes_with_its_running_matches(league: League, alice: Browser, bob: Browser) -> None:
    seat, old = seat_of("Bob"), link_in(page(bob, league))
    assert bob.post(f"/l/{league.key}/handover/").status_code == 302
    link = link_in(page(bob, league), "offer")
    cleo = Browser("Cleo")
    assert "Bob is giving up a spot" in text(cleo.get(link))
    assert cleo.post(f"{link}take/", {"name": ""}).status_code == 422
    assert cleo.post(f"{link}take/", {"name": "Alice"}).status_code == 422
    assert cleo.post(f"{link}take/", {"name": "Cleo"}).status_code == 302
    assert cleo.get(seat.get_absolute_url()).status_code == 200
    assert bob.get(seat.get_absolute_url()).status_code == 403
    assert bob.get(old).status_code == 404 and bob.get(link).status_code == 404
    assert PlaceHold.objects.get(place__name="Cleo").guest.name == "Cleo"
    assert Seat.objects.filter(name="Cleo").count() == 2 and not Seat.objects.filter(name="Bob").exists()
    assert "Hand over my spot" not in page(bob, league) and "Cleo" in page(alice, league)


def test_a_finished_match_stays_with_who_played_it(league: League, bob: Browser) -> None:
    seat = seat_of("Bob")
    bob.do(seat, "resign")
    assert Match.objects.get(pk=seat.match_id).status == Match.Status.OVER
    bob.post(f"/l/{league.key}/handover/")
    assert (
        Browser("Cleo").post(f"{link_in(page(bob, league), 'offer')}take/", {"name": "Cleo"}).status_code
        == 302
    )
    assert bob.get(seat.get_absolute_url()).status_code == 200
    assert Seat.objects.filter(name="Bob").count() == 1 == Seat.objects.filter(name="Cleo").count()


def test_a_place_is_kept(league: League, bob: Browser, charlie: Browser) -> None:
    bob.post(f"/l/{league.key}/handover/")
    link = link_in(page(bob, league), "offer")
    assert charlie.post(f"{link}take/", {"name": "Cleo"}).status_code == 409
    bob.post(f"/l/{league.key}/handover/", {"keep": "1"})
    assert Browser("Cleo").get(link).status_code == 404


def test_programs_hand_places_over(api: Api) -> None:
    made = api.ask("POST", "leagues", {"name": "Spring", "game": "pigs", "organiser": "Ada"}).json()
    at = f"leagues/{made['league']}"
    joined = [
        api.ask("POST", f"{at}/places", {"name": name, "invite": made["invite"]}).json()
        for name in ("Ben", "Cyd")
    ]
    api.ask("POST", f"{at}/start", token=made["organiser_token"])
    ben = joined[0]["token"]
    link = api.ask("POST", f"{at}/handover", token=ben).json()["url"]
    told = api.ask("POST", "handover", {"link": link, "name": "Cleo"}).json()
    assert (told["league"], told["place"], told["match"]) == (made["league"], 2, None)
    key = api.get(f"{at}/matches").json()["matches"][0]["match"]
    seats = [one["seats"] for one in api.get(f"{at}/matches").json()["matches"] if 2 in one["seats"].values()]
    assert len(seats) == 2 and key
    problem(api.ask("POST", f"{at}/handover", token=ben), 401)
    problem(api.get("me/leagues", ben), 401)
    assert api.get("me/leagues", told["token"]).json()["leagues"][0]["place"] == 2
    assert [one["name"] for one in api.get(at).json()["places"]] == ["Ada", "Cleo", "Cyd"]


def test_an_organiser_may_forbid_it(api: Api) -> None:
    new = {"name": "Spring", "game": "pigs", "organiser": "Ada", "handover": False}
    made = api.ask("POST", "leagues", new).json()
    problem(api.ask("POST", f"leagues/{made['league']}/handover", token=made["token"]), 409)
    assert api.ask("DELETE", f"leagues/{made['league']}/handover", token=made["token"]).status_code == 204

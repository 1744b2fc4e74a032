"""Links of places and of organisers, and places handed over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.link_secrets import hash_secret
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.site_models import Asking
from robosite.moderation import measures
from robosite.people.models import Guest
from tests.site.browsers import Browser, text
from tests.site.leagues.conftest import Api, Group, begin, joined, link_in, page, seats_of

pytestmark = pytest.mark.django_db


def taken_by(name: str, link: str) -> Browser:
    browser = Browser(name)
    assert browser.post(f"{link}take/").status_code == 302
    return browser


def seat_of(name: str) -> Seat:
    return seats_of(name)[0]


def lets_in(link: str, match: Match) -> bool:
    """Tell whether a place's link admits, as a token, to a seat of the match."""
    return leagues.seat_of_place(hash_secret(link.split("/")[3]), match) is not None


def test_a_new_link_to_a_place_shuts_out_all_others(league: League, bob: Browser) -> None:
    old, seat = link_in(page(bob, league)), seat_of("Bob")
    thief = taken_by("Dora", old)
    found = leagues.seat_of_place(hash_secret(old.split("/")[3]), seat.match)
    assert found and thief.get(seat.get_absolute_url()).status_code == 200
    answer = bob.post(f"/l/{league.key}/link/")
    assert answer["Location"] == f"/l/{league.key}/?more=own-link#own-link"
    assert '<details id="own-link" open>' in text(bob.get(answer["Location"].partition("#")[0]))
    new = link_in(page(bob, league))
    assert new != old and bob.get(old).status_code == 404 and bob.post(f"{old}take/").status_code == 404
    assert thief.get(seat.get_absolute_url()).status_code == 403 and not lets_in(old, seat.match)
    assert bob.get(seat.get_absolute_url()).status_code == 200 and lets_in(new, seat.match)
    with pytest.raises(flow.SeatLost):
        flow.resign(found)  # which was looked up before
    assert thief.post(f"/l/{league.key}/link/").status_code == 404
    assert PlaceHold.objects.filter(place__name="Bob").count() == 1
    assert Hold.objects.filter(seat__name="Bob").count() == 2


def test_the_link_of_a_seat_is_that_of_its_place(league: League, bob: Browser) -> None:
    old, seat = link_in(page(bob, league)), seat_of("Bob")
    thief = taken_by("Dora", old)
    answer = bob.post(f"{seat.get_absolute_url()}link/")
    assert answer["Location"] == f"/l/{league.key}/?more=own-link#own-link"
    other = Seat.objects.filter(name="Bob").exclude(pk=seat.pk).get()
    for own in (seat, other):
        assert thief.get(own.get_absolute_url()).status_code == 403
        assert bob.get(own.get_absolute_url()).status_code == 200
    assert not lets_in(old, seat.match) and lets_in(link_in(page(bob, league)), seat.match)
    with pytest.raises(flow.Refused, match="your spot link"):
        flow.new_link(seat_of("Bob"), Guest.objects.get(holds__seat=seat))


@pytest.mark.parametrize("held", [True, False], ids=["of a browser", "of a program alone"])
def test_a_revoked_seat_closes_its_place(league: League, bob: Browser, held: bool) -> None:
    old, seat = link_in(page(bob, league)), seat_of("Bob")
    if not held:
        PlaceHold.objects.filter(place__name="Bob").delete()
        Hold.objects.filter(seat__name="Bob").delete()
    measures.take("revoke", None, seat=seat, reason="spam")
    assert Browser("Dora").get(old).status_code == 404 and not lets_in(old, seat.match)
    assert not PlaceHold.objects.filter(place__name="Bob").exists()
    assert not Hold.objects.filter(seat__name="Bob").exists()


def test_a_revoked_place_is_handed_on_by_the_organiser(league: League, alice: Browser, bob: Browser) -> None:
    seat = seat_of("Bob")
    path = f"/l/{league.key}/offer/"
    assert alice.post(path, {"place": "2"}).status_code == 409, "somebody plays there"
    bob.seal(seat, "F ^ TR v H")
    measures.take("revoke", None, seat=seat, reason="spam")
    assert "no one plays here" in page(bob, league) and bob.post(path, {"place": "2"}).status_code == 404
    assert "Spot link: Bob" in page(alice, league)
    assert alice.post(path, {"place": "2"})["Location"] == f"/l/{league.key}/#vacant"
    link = link_in(page(alice, league), "offer")
    assert "/s/offer/" not in page(bob, league) and not lets_in(link, seat.match)
    answer = alice.post(f"{link}take/")
    assert answer.status_code == 409 and "have a spot here" in text(answer)
    dora = Browser("Dora")
    assert "Play on for Bob" in text(dora.get(link))
    assert dora.post(f"{link}take/").status_code == 302
    assert alice.get(link).status_code == 404 and Browser("Eve").post(f"{link}take/").status_code == 404
    assert not lets_in(link, seat.match) and lets_in(link_in(page(dora, league)), seat.match)
    assert "since " in page(alice, league)
    assert dora.get(seat.get_absolute_url()).status_code == 200
    assert seat.letter in flow.owing(Match.objects.get(pk=seat.match_id)), "what was sealed does not pass"


def test_a_later_round_admits_by_the_new_link_alone(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, _invite = joined(alice, bob, charlie, Browser("Dora"), rounds="3")  # with four nobody has a bye
    taken_by("Dora", link_in(page(bob, league)))
    bob.post(f"/l/{league.key}/link/")
    begin(alice, league)
    assert Hold.objects.filter(seat__name="Bob").count() == 1, "that of his own browser"


def test_a_new_organisers_link_ends_the_old_one(
    ours: League, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    old = link_in(page(alice, ours), "organiser")
    assert bob.get(old).status_code == 200 and "/s/organiser/" not in page(bob, ours)
    bob.post(f"{old}take/")
    assert "Get invite link" in page(bob, ours)
    assert charlie.post(f"/l/{ours.key}/organiser/").status_code == 404
    assert alice.post(f"/l/{ours.key}/organiser/").status_code == 302
    assert link_in(page(alice, ours), "organiser") != old and bob.get(old).status_code == 404
    assert "Get invite link" not in page(bob, ours)


def test_no_opponent_gives_a_seat_of_a_league_away(league: League, alice: Browser) -> None:
    seat = Seat.objects.filter(name="Bob", match__seats__name="Alice").get()
    other = Browser("Dora")
    assert "have lost my seat" not in text(other.get(seat.get_absolute_url()))
    asking = text(other.get(f"{seat.get_absolute_url()}ask/"))
    assert "can give a seat away" in asking and "ask for my seat" not in asking
    answer = other.post(f"{seat.get_absolute_url()}ask/")
    assert answer.status_code == 409 and "no one in the match can give a seat away" in text(answer)
    assert not Asking.objects.exists()
    guest = Guest.objects.create(name="Dora")
    asked = Asking.objects.create(seat=seat, guest=guest, asked_at=timezone.now())
    with pytest.raises(flow.Refused, match="can give a seat away"):
        seat_requests.answer_request(seat.match.seats.get(name="Alice"), asked.pk, yes=True)
    assert Place.objects.get(name="Bob").taken


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
    link = link_in(page(bob, league), "offer")
    assert Browser("Cleo").post(f"{link}take/", {"name": "Cleo"}).status_code == 302
    assert bob.get(seat.get_absolute_url()).status_code == 200
    assert Seat.objects.filter(name="Bob").count() == 1 == Seat.objects.filter(name="Cleo").count()


def test_a_place_is_kept(league: League, bob: Browser, charlie: Browser) -> None:
    bob.post(f"/l/{league.key}/handover/")
    link = link_in(page(bob, league), "offer")
    assert charlie.post(f"{link}take/", {"name": "Cleo"}).status_code == 409
    bob.post(f"/l/{league.key}/handover/", {"keep": "1"})
    assert Browser("Cleo").get(link).status_code == 404


def test_programs_hand_places_over_unless_the_organiser_forbids_it(api: Api) -> None:
    group = Group(api, 3)
    group.start()
    at, ben = f"leagues/{group.key}", group.tokens[2]
    link = api("POST", f"{at}/handover", token=ben, status=201)["url"]
    told = api("POST", "handover", {"link": link, "name": "Cleo"}, status=201)
    assert (told["league"], told["place"], told["match"]) == (group.key, 2, None)
    assert len(group.of_places(2)) == 2
    api("POST", f"{at}/handover", token=ben, status=401)
    api("GET", "me/leagues", token=ben, status=401)
    assert api("GET", "me/leagues", token=told["token"])["leagues"][0]["place"] == 2
    assert [one["name"] for one in group.get()["places"]] == ["Ada", "Cleo", "Clara"]
    other = Group(api, 1, handover=False)
    api("POST", f"leagues/{other.key}/handover", token=other.tokens[1], status=409)
    api("DELETE", f"leagues/{other.key}/handover", token=other.tokens[1], status=204)


def test_the_organisers_own_link_brings_the_role_along(ours: League, alice: Browser, bob: Browser) -> None:
    phone = taken_by("Ali", link_in(page(alice, ours)))
    assert "Start with 3" in page(phone, ours)
    assert start(taken_by("Bobby", link_in(page(bob, ours))), ours) == 404
    assert start(phone, ours) == 302


def test_the_role_is_handed_on(ours: League, alice: Browser, bob: Browser) -> None:
    link = link_in(page(alice, ours), "organiser")
    assert bob.post(f"/l/{ours.key}/organises/", {"place": "2"}).status_code == 404
    assert alice.post(f"/l/{ours.key}/organises/", {"place": "9"}).status_code == 409
    assert alice.post(f"/l/{ours.key}/organises/", {"place": "2"}).status_code == 302
    assert "Bob starts it" in page(alice, ours) and "Change organiser" in page(bob, ours)
    assert start(alice, ours) == 404 and Client().get(link).status_code == 404
    assert start(bob, ours) == 302


def test_who_takes_the_organisers_place_over_organises(ours: League, alice: Browser) -> None:
    alice.post(f"/l/{ours.key}/handover/")
    cleo = Browser("Cleo")
    cleo.post(f"{link_in(page(alice, ours), 'offer')}take/", {"name": "Cleo"})
    assert Place.objects.get(name="Cleo").number == 1
    ours.refresh_from_db()
    assert ours.organiser == Guest.objects.get(name="Cleo") and "Start with 3" in page(cleo, ours)


def start(browser: Browser, ours: League) -> int:
    return int(browser.post(f"/l/{ours.key}/start/").status_code)


def silent(ours: League, days: int) -> None:
    since = timezone.now() - timedelta(days=days)
    League.objects.update(created_at=since, changed_at=None)
    Guest.objects.filter(name="Alice").update(seen_at=since, created_at=since)


def choose(browser: Browser, ours: League, place: int) -> int:
    return int(browser.post(f"/l/{ours.key}/choose/", {"place": str(place)}).status_code)


def test_the_players_choose_another_if_the_organiser_is_silent(
    ours: League, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    silent(ours, 6)
    assert "Who should organise?" not in page(bob, ours) and choose(bob, ours, 2) == 409
    silent(ours, 8)
    assert "Who should organise?" in page(bob, ours)
    assert Browser("Dora").post(f"/l/{ours.key}/choose/", {"place": "2"}).status_code == 404
    assert choose(bob, ours, 2) == 302 and start(bob, ours) == 404
    assert choose(charlie, ours, 2) == 302
    ours.refresh_from_db()
    assert ours.organiser_place == 2 and not Place.objects.exclude(chooses=None).exists()
    assert start(alice, ours) == 404 and start(bob, ours) == 302


def test_nobody_is_replaced_who_is_there_or_for_whom_nothing_waits(ours: League, bob: Browser) -> None:
    silent(ours, 8)
    Guest.objects.filter(name="Alice").update(seen_at=timezone.now())
    assert choose(bob, ours, 2) == 409
    silent(ours, 8)
    Place.objects.filter(number=3).update(gone=True)
    assert choose(bob, ours, 2) == 409


def test_programs_see_the_organisers_place_and_hand_the_role_on(api: Api) -> None:
    group = Group(api, 3)
    at, ada, ben = f"leagues/{group.key}", group.tokens[1], group.tokens[2]
    assert group.get()["organiser_place"] == 1
    api("POST", f"{at}/organiser", {"place": 2}, ben, status=403)
    wrong = api("POST", f"{at}/organiser", {"place": 7}, ada, status=422)
    assert wrong["errors"][0]["pointer"] == "/place"
    told = api("POST", f"{at}/organiser", {"place": 2}, group.made["organiser_token"])
    assert told["organiser_place"] == 2
    group.start(status=401)
    api("POST", f"{at}/start", token=ada, status=403)
    api("POST", f"{at}/start", token=ben)

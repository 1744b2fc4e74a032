"""A league's names, rights, links, secrets and locks; places handed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues import next_season
from robosite.leagues.models import League, Place, PlaceHold
from robosite.leagues.pages.season_terms import TermsForm
from robosite.leagues.terms import clean_league_name
from robosite.matches import flow, locks
from robosite.matches.flow import arbiter, seat_requests
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.matches.site_models import Asking
from robosite.moderation import measures
from robosite.moderation.models import Report
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.play.film import rendered_turns
from robosite.talk.strangers import only_phrases
from robosite.web.link_secrets import hash_secret
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, OTHER, Browser, confirm, logged_in, text
from tests.site.leagues.conftest import (
    ORGANISER_ACTIONS,
    Group,
    begin,
    begun,
    joined,
    link_in,
    make,
    page,
    seats_of,
)
from tests.site.replaced import replace_in_flow
from tests.site.sameness import same_numbers


@pytest.mark.parametrize("number", ["9" * 5000, "99999999999", "²", "-1", "x"])
def test_numbers_of_places_that_are_none(alice: Browser, bob: Browser, number: str) -> None:
    league, invite = make(alice)
    assert alice.post(f"/l/{league.key}/leave/", {"place": number}).status_code == 404
    assert bob.post(f"{invite}join/", {"place": number, "name": "Bob"}).status_code == 302
    assert Place.objects.filter(gone=False).count() == 2


def test_a_ban_covers_starting_and_inviting(ours: League, alice: Browser) -> None:
    measures.take("ban", None, guest=Guest.objects.get(name="Alice"), reason="spam")
    for what in ("start", "invite"):
        answer = alice.post(f"/l/{ours.key}/{what}/")
        assert answer.status_code == 403 and "can’t create or join" in text(answer)
    assert not Match.objects.exists()


def test_a_banned_address_starts_no_league_by_the_api(api: Api) -> None:
    group = Group(api, 3)
    measures.take("ban", None, network="127.0.0.1/32", reason="spam")
    group.start(status=403)
    assert not Match.objects.exists()


def test_a_page_of_before_the_start_removes_nobody_after_it(
    alice: Browser, bob: Browser, charlie: Browser, league: League
) -> None:
    path = f"/l/{league.key}/leave/"
    for browser, given in ((alice, {"place": "2", "status": "open"}), (bob, {"status": "open"})):
        answer = browser.post(path, given)
        assert answer.status_code == 409 and "nothing was changed" in text(answer)
    assert Match.objects.filter(status="playing").count() == 3
    assert not Place.objects.exclude(left_at=None).exists()
    shown = page(alice, league)
    assert "Remove Bob" in shown and "so removing someone brings you no points" in shown
    assert "Remove" not in page(bob, league)
    assert alice.post(path, {"place": "2", "status": "playing"}).status_code == 302
    assert "Remove Bob" not in page(alice, league)
    assert "removed by the organiser" in page(charlie, league)
    of_bob = Match.objects.filter(seats__name="Bob")
    assert of_bob.get(seats__name="Alice").status == Match.Status.ABORTED
    assert of_bob.get(seats__name="Charlie").status == Match.Status.OVER


def test_whoever_opens_the_organisers_link_is_an_organiser_who_plays(
    alice: Browser, charlie: Browser, league: League
) -> None:
    assert charlie.post(f"{link_in(page(alice, league), 'organiser')}take/").status_code == 302
    assert charlie.post(f"/l/{league.key}/leave/", {"place": "2"}).status_code == 302
    assert set(Match.objects.filter(seats__name="Bob").values_list("status", flat=True)) == {"aborted"}
    alice.post(f"/l/{league.key}/leave/", {"place": "1", "status": "playing"})
    assert page(charlie, league).count("removed by") == 1 and "withdrawn" in page(charlie, league)


def test_a_place_has_ten_browsers_at_most(bob: Browser, league: League) -> None:
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


def test_strangers_begin_with_phrases(api: Api) -> None:
    group = Group(api, 3, open=True)
    leagues.join(group.league, "Zoe")
    group.start()
    with_zoe = Match.objects.filter(seats__name="Zoe")
    assert with_zoe.count() == 3 and all(only_phrases(match) for match in with_zoe)
    others = Match.objects.exclude(pk__in=with_zoe.values("pk"))
    assert others.count() == 3 and not any(match.may_have(MatchFlag.STRANGERS) for match in others)


@pytest.mark.parametrize(
    "name", ["Our spring", "Version 2.0", "Mr. T and friends", "Лига весны", "春のリーグ"]
)
def test_names_that_leagues_may_have(name: str) -> None:
    assert clean_league_name(f" {name} ") == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Robosite support", "mistaken"),
        ("M0derator's cup", "mistaken"),
        ("http://x", "address"),
        ("Win at example.org now", "address"),
        ("Лига spring", "different scripts"),
        ("Spr" + "i\u0301\u0302\u0303\u0304\u0306" + "ng", "marks"),
        ("Our\u202espring", "invisible"),
        ("x" * 61, "too long"),
        ("\ufdfa" * 10, "too long"),
        ("  ", "enter a name"),
    ],
)
def test_names_that_leagues_may_not_have(name: str, told: str) -> None:
    with pytest.raises(RefusedName, match=told):
        clean_league_name(name)


def test_a_name_that_a_moderator_took_away_stays_away(api: Api, alice: Browser) -> None:
    league, _invite = make(alice)
    leagues.rename(league, "A league")
    leagues.rename(league, "A league")
    form = {"name": "Alice", "plays": "pigs/standard", "pace": "24", "ends": "60"}
    answer = alice.post("/l/new/", {**form, "title": "0ur  Spring"})
    assert answer.status_code == 422 and "A moderator has blocked this name" in text(answer)
    given = {"name": "Our spring", "game": "pigs", "organiser": "Ada"}
    assert "blocked this name" in api("POST", "leagues", given, status=422)["detail"]
    assert alice.post("/l/new/", {**form, "title": "Our autumn"}).status_code == 302


LONGER = "F ^ F ^ F"
PAGES = ("", "talk/", "feed/", "calendar/", "moment/", "table-1.svg", "record/")
CALLS = ("", "/table", "/matches", "/record")


def addresses(league: League) -> list[str]:
    """All that can be read of a league and of its matches."""
    matches = Match.objects.filter(fixture__league=league).order_by("pk")
    own = [match.get_absolute_url() for match in matches]
    return [
        *(f"/l/{league.key}/{page}" for page in PAGES),
        *(f"/api/v1/leagues/{league.key}{call}" for call in CALLS),
        *(address for match in own for address in (match, f"{match}version/")),
        *(f"/api/v1/matches/{match.key}" for match in matches),
        "/mine/",
        "/next/",
    ]


def read(reader: Browser, address: str, same: Callable[[str], None]) -> tuple[Any, ...]:
    same(f"{reader.name} {address}")
    answer = reader.get(address)
    body = b"" if answer.streaming else answer.content
    cookies = sorted(morsel.OutputString() for morsel in answer.cookies.values())
    return address, answer.status_code, sorted(answer.items()), cookies, body


@pytest.mark.parametrize("orders", [(FIRST, OTHER), pytest.param((FIRST, LONGER), marks=pytest.mark.more)])
def test_what_one_has_sealed_is_the_same_for_everybody_else(
    alice: Browser, bob: Browser, charlie: Browser, same: Callable[[str], None], orders: tuple[str, str]
) -> None:
    same("a league")
    league = begun(alice, bob, charlie)
    seat = Seat.objects.filter(name="Bob", match__seats__name="Alice").get()
    against = Seat.objects.get(match=seat.match, name="Alice").get_absolute_url()
    readers = (alice, charlie, Browser("Dora"))
    jars = {reader: deepcopy(reader.cookies) for reader in (bob, *readers)}
    worlds, own = [], []
    for order in orders:
        for reader, jar in jars.items():
            reader.cookies = deepcopy(jar)
        with transaction.atomic():
            same("an order")
            same_numbers()
            bob.seal(seat, order)
            own.append(read(bob, seat.get_absolute_url(), same))
            rendered_turns.clear()
            worlds.append(
                [
                    read(reader, address, same)
                    for reader in readers
                    for address in (*addresses(league), against)
                ]
            )
            transaction.set_rollback(True)
    assert own[0] != own[1], "the worlds do not differ"
    assert {seen[1] for seen in worlds[0]} >= {200}
    assert not [first[:2] for first, second in zip(*worlds, strict=True) if first != second]


def before_the_lock(monkeypatch: pytest.MonkeyPatch, happens: Any) -> None:
    """Something happens just before a league is locked."""
    lock = leagues.locked_league

    @contextmanager
    def late(pk: int, *may: Any) -> Iterator[League]:
        happens()
        with lock(pk, *may) as league:
            yield league

    replace_in_flow(monkeypatch, "locked_league", late, flow=leagues.__name__)
    monkeypatch.setattr(next_season, "locked_league", late)


def test_a_place_that_somebody_else_holds_by_now_is_not_given_up(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = PlaceHold.objects.get(place__name="Bob")
    other = Guest.objects.create(name="Dora")
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.get_or_create(place=hold.place, guest=other))
    leagues.forget(hold)
    place = Place.objects.get(pk=hold.place_id)
    assert (place.name, place.left_at) == ("Bob", None) and place.link_hash
    assert [one.guest for one in place.holders.all()] == [other]
    assert Match.objects.filter(status="playing").count() == 3


def test_a_hold_that_is_another_guests_by_now_stays(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = PlaceHold.objects.select_related("place").get(place__name="Bob")
    other = Guest.objects.create(name="Dora")
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.filter(pk=hold.pk).update(guest=other))
    leagues.forget(hold)
    assert PlaceHold.objects.get(pk=hold.pk).guest == other
    assert Place.objects.get(pk=hold.place_id).left_at is None


def test_a_guest_who_is_being_forgotten_gets_no_place(alice: Browser) -> None:
    league, invite = make(alice)
    guest = Guest.objects.create(name="Dora", leaving_at=timezone.now())
    with pytest.raises(flow.GuestGone):
        leagues.join(league, "Dora", invite=invite.split("/")[3], guest=guest)
    with pytest.raises(flow.GuestGone):
        leagues.take(link_in(page(alice, league)).split("/")[3], guest)
    assert PlaceHold.objects.count() == 1 and Place.objects.count() == 1


@pytest.mark.parametrize("how", ["leave", "close", "last day", "forget"])
def test_all_matches_are_locked_before_the_first_is_ended(
    league: League, how: str, monkeypatch: pytest.MonkeyPatch, time: Any
) -> None:
    keys = set(Match.objects.values_list("pk", flat=True))
    seen: list[set[int]] = []
    for deed in ("resign_for", "draw", "call_off"):
        does = getattr(arbiter, deed)

        def noted(*given: Any, does: Any = does) -> bool:
            seen.append(set(locks._locked.get()))
            return does(*given)

        monkeypatch.setattr(arbiter, deed, noted)
    if how == "leave":
        leagues.leave(Place.objects.get(name="Bob"))
    elif how == "forget":
        leagues.forget(PlaceHold.objects.get(place__name="Bob"))
    elif how == "close":
        leagues.close(league)
    else:
        time.pass_(days=61)
        leagues.settle(league.pk)
    assert len(seen) >= 2 and all(locked >= keys for locked in seen)


@pytest.mark.parametrize("action", [one for one in ORGANISER_ACTIONS if one != "organiser"])
def test_an_organisers_link_that_was_replaced_meanwhile_decides_nothing(
    ours: League, alice: Browser, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The request was let in, and before it had the lock another one replaced the link."""
    league = ours
    helper = taken_by("Dora", link_in(page(alice, league), "organiser"))
    given = ORGANISER_ACTIONS[action]
    if action == "next":
        League.objects.update(status=League.Status.OVER)
    elif action == "terms":
        League.objects.update(season=2)
        form = TermsForm(League.objects.get())
        given = {field.name: "" if field.value() is None else str(field.value()) for field in form}
    before = list(Place.objects.order_by("pk").values()), list(League.objects.values())
    before_the_lock(monkeypatch, lambda: League.objects.update(organiser_hash="x" * 64))
    assert helper.post(f"/l/{league.key}/{action}/", given).status_code == 404
    League.objects.update(organiser_hash=before[1][0]["organiser_hash"])
    assert (list(Place.objects.order_by("pk").values()), list(League.objects.values())) == before


def test_a_place_that_was_taken_from_a_browser_meanwhile_is_not_left_by_it(
    bob: Browser, monkeypatch: pytest.MonkeyPatch, league: League
) -> None:
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.filter(place__name="Bob").delete())
    assert bob.post(f"/l/{league.key}/leave/").status_code == 404
    assert Place.objects.get(name="Bob").left_at is None


def taken_by(name: str, link: str) -> Browser:
    browser = Browser(name)
    assert browser.post(f"{link}take/").status_code == 302
    return browser


def seat_of(name: str) -> Seat:
    return seats_of(name)[0]


def lets_in(link: str, match: Match) -> bool:
    """Tell whether a place's link admits, as a token, to a seat of the match."""
    return leagues.seat_of_place(hash_secret(link.split("/")[3]), match) is not None


@pytest.mark.parametrize("by", ["the league", "a seat"])
def test_a_new_link_to_a_place_shuts_out_all_others(league: League, bob: Browser, by: str) -> None:
    old, (seat, other) = link_in(page(bob, league)), seats_of("Bob")
    thief = taken_by("Dora", old)
    found = leagues.seat_of_place(hash_secret(old.split("/")[3]), seat.match)
    assert found and thief.get(seat.get_absolute_url()).status_code == 200
    answer = bob.post(f"{seat.get_absolute_url() if by == 'a seat' else league.get_absolute_url()}link/")
    assert answer["Location"] == f"/l/{league.key}/?more=own-link#own-link"
    assert '<details id="own-link" open>' in text(bob.get(answer["Location"].partition("#")[0]))
    new = link_in(page(bob, league))
    assert new != old and bob.get(old).status_code == 404 and bob.post(f"{old}take/").status_code == 404
    assert lets_in(new, seat.match) and not lets_in(old, seat.match)
    for own in (seat, other):
        assert thief.get(own.get_absolute_url()).status_code == 403
        assert bob.get(own.get_absolute_url()).status_code == 200
    with pytest.raises(flow.SeatLost):
        flow.resign(found)  # which was looked up before
    with pytest.raises(flow.Refused, match="your spot link"):
        flow.new_link(seat_of("Bob"), Guest.objects.get(holds__seat=seat))
    assert thief.post(f"/l/{league.key}/link/").status_code == 404
    assert PlaceHold.objects.filter(place__name="Bob").count() == 1
    assert Hold.objects.filter(seat__name="Bob").count() == 2


@pytest.mark.parametrize("held", [True, False], ids=["of a browser", "of a program alone"])
def test_a_revoked_seat_closes_its_place(league: League, bob: Browser, held: bool) -> None:
    old, seat = link_in(page(bob, league)), seat_of("Bob")
    if not held:
        PlaceHold.objects.filter(place__name="Bob").delete()
        Hold.objects.filter(seat__name="Bob").delete()
    mod = logged_in(User.objects.create_superuser("mod"))
    Browser("Dora").post(f"/report/{seat.match.key}/", {"about": f"seat-{seat.letter}", "reason": "spam"})
    desk = reverse("admin:moderation_report_change", args=[Report.objects.get().pk])
    assert 'value="revoke"' in text(mod.get(desk))
    assert "are out at once" in text(mod.post(desk, {"do": "revoke", "reason": "spam"}))
    confirm(mod, desk, {"do": "revoke", "reason": "spam"})
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


def test_no_opponent_gives_a_seat_of_a_league_away(league: League) -> None:
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

"""A seat is handed over by a link for one use: who has it then, what stays, and what goes with its writer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games.players import USUAL
from robosite.bots.owed_orders import owed
from robosite.matches import flow
from robosite.matches.flow import SeatLost, seat_offers
from robosite.matches.models import FormerHold, Hold, Match, MatchFlag, Program, Seat
from robosite.people.models import Guest
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text
from tests.site.matches.test_who_may_act import as_read
from tests.site.sameness import same_numbers

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleo() -> Browser:
    return Browser("Cleo")


def link_of(browser: Browser, seat: Seat) -> str:
    """The path of the link by which this browser's seat is handed over."""
    at = f"{seat.get_absolute_url()}handover/"
    assert browser.post(at).status_code == 302
    return "/s/handover/" + text(browser.get(at)).partition("/s/handover/")[2].partition("/")[0] + "/"


def take(browser: Browser, link: str, name: str = "Cleo") -> Any:
    return browser.post(f"{link}take/", {"name": name})


def test_who_opens_the_link_and_gives_a_name_has_the_seat(table: Table, cleo: Browser) -> None:
    token = table.bob.own_links(table.b)["seat"]
    table.bob.seal(table.b, OTHER)
    seal = Program.objects.get(seat=table.b, turn=0).seal
    assert "Hand over seat" in text(table.bob.get(f"/m/{table.key}/B/more/"))
    link = link_of(table.bob, table.b)
    assert "Bob is handing you this seat" in text(cleo.get(link))
    assert take(cleo, link)["Location"] == f"/m/{table.key}/B/"
    assert cleo.get(link).status_code == take(Browser("Dora"), link, "Dora").status_code == 404, "one use"
    since = table.b.taken_at
    assert since and table.b.name == "Cleo"
    assert not FormerHold.objects.filter(sat_at=since).exists()
    assert cleo.get(f"/m/{table.key}/B/").status_code == 200
    assert Program.objects.get(seat=table.b, turn=0).seal == seal and flow.owing(table.match) == ["A"]
    gone = table.bob.get(f"/m/{table.key}/B/")
    said = text(gone).partition('<p class="notice" data-news>')[2].partition("</p>")[0]
    assert gone.status_code == 403 and "This seat was handed over to Cleo" in said
    assert table.bob.get(f"/m/{table.key}/").status_code == 200
    assert Client().get(f"/s/seat/{token}/").status_code == 404
    api = Client().get(f"/api/v1/matches/{table.key}", headers={"Authorization": f"Bearer {token}"})
    assert api.status_code == 401
    told = text(table.alice.get(f"/m/{table.key}/A/talk/"))
    assert "I’ve handed my seat to someone else." in told and "I’ve taken over this seat" in told
    assert "Took over this seat" in text(table.alice.get(f"/m/{table.key}/A/"))


@pytest.mark.parametrize("deed", ["keep", "new link", "another offer", "over"])
def test_an_offer_ends_and_who_gets_no_seat_is_nobody_still(table: Table, cleo: Browser, deed: str) -> None:
    link, guests = link_of(table.bob, table.b), Guest.objects.count()
    if deed == "keep":
        assert table.bob.post(f"/m/{table.key}/B/handover/", {"keep": "1"}).status_code == 302
    elif deed == "new link":
        table.bob.post(f"/m/{table.key}/B/link/")
    elif deed == "another offer":
        assert link_of(table.bob, table.b) != link and cleo.get(link).status_code == 404
    else:
        table.alice.do(table.a, "resign")
    key = table.alice.session.session_key
    refused = 409 if deed == "over" else 404
    assert take(cleo, link).status_code == take(table.alice, link, "Alicia").status_code == refused
    assert table.b.name == "Bob" and Hold.objects.get(seat=table.b).guest.name == "Bob"
    assert Guest.objects.count() == guests and "guest" not in cleo.session
    assert table.alice.session.session_key == key


def test_who_plays_at_the_table_takes_no_second_seat_and_a_table_may_hand_none_over(table: Table) -> None:
    link = link_of(table.bob, table.b)
    assert take(table.alice, link, "Alice").status_code == 422  # her own name is at the table
    assert take(table.alice, link, "Alicia").status_code == 409
    assert "Send this link to someone else" in text(table.bob.get(link))
    Match.objects.update(flags=MatchFlag.KEPT_SEATS)
    assert "Hand over seat" not in text(table.alice.get(f"{table.a.get_absolute_url()}more/"))
    assert table.alice.post(f"{table.a.get_absolute_url()}handover/").status_code == 409


def test_who_quits_is_asked_and_may_have_a_bot_play_on(table: Table) -> None:
    table.bob.seal(table.b, OTHER)
    seal = Program.objects.get(seat=table.b, turn=0).seal
    menu = text(table.bob.get(f"/m/{table.key}/B/more/"))
    assert "A bot plays on" in menu and "Hand over seat" in menu and "Yes, I resign" in menu
    assert table.bob.post(f"/m/{table.key}/B/handover/", {"bot": "1"})["Location"] == f"/m/{table.key}/"
    assert table.bob.get(f"/m/{table.key}/B/").status_code == 403
    assert table.b.is_bot and table.b.player == USUAL and table.b.name != "Bob"
    assert Program.objects.get(seat=table.b, turn=0).seal == seal
    flow.seal(as_read(table, "A"), 0, FIRST)
    assert [one.seat.letter for one in owed(table.match.pk)] == ["B"]
    assert "A bot plays on" not in text(table.alice.get(f"/m/{table.key}/A/more/"))
    assert table.alice.post(f"/m/{table.key}/A/handover/", {"bot": "1"}).status_code == 409


@pytest.mark.parametrize("handed", [True, False])
def test_of_old_and_new_holder_at_once_one_acts(table: Table, handed: bool) -> None:
    """Bob's request was let in before the seat passed; his deed comes after it, or before it."""
    seat, link = as_read(table, "B"), seat_offers.offer(as_read(table, "B"))
    if not handed:
        flow.seal(seat, 0, OTHER)
    cleo = Guest.objects.create(name="Cleo")
    taken, _guest = seat_offers.accept(link, "Cleo", lambda: cleo)
    for deed in (
        lambda: flow.seal(seat, 0, FIRST),
        lambda: flow.reopen(seat, 0),
        lambda: seat_offers.offer(seat),
    ):
        with pytest.raises(SeatLost):
            deed()
    with pytest.raises(SeatLost):
        seat_offers.accept(link, "Dora", lambda: None)
    assert flow.owing(table.match) == (["A", "B"] if handed else ["A"])
    flow.seal(taken.seat, 0, FIRST)
    assert flow.owing(table.match) == ["A"]


PRIVATE: dict[str, Callable[[Seat, bool], object]] = {
    "draft": lambda seat, one: flow.draft(seat, 0, "F ^ F" if one else "TL TL"),
    "note": lambda seat, one: turn_notes.write(seat, TurnNote.Kind.NOTE, 0, "Left." if one else "Never."),
    "sealed message": lambda seat, one: turn_notes.write(seat, TurnNote.Kind.WORD, 0, "Ha!" if one else "Oh"),
    "whisper": lambda seat, one: messages.say(seat, None, "Go." if one else "Stay.", to=["A"]),
}


@pytest.mark.parametrize("secret", PRIVATE)
def test_two_worlds_of_what_goes_with_its_writer(secret: str, same: Callable[[str], None]) -> None:
    """The new holder sees the same, whatever the former one drafted, noted, whispered or sealed with it."""
    seen = []
    for one in (True, False):
        with transaction.atomic():
            same("handed over")
            same_numbers()
            alice, bob, cleo = Browser("Alice"), Browser("Bob"), Browser("Cleo")
            table = sit_down(alice, bob, Browser("Charlie"))
            PRIVATE[secret](as_read(table, "B"), one)
            link = link_of(bob, table.b)
            same("taken")
            assert take(cleo, link).status_code == 302
            at = f"/m/{table.key}/B/"
            pages = ("", "more/", "talk/", "notes/", "replies/")
            seen.append([cleo.get(at + more).content for more in pages])
            transaction.set_rollback(True)
    assert seen[0] == seen[1]


def test_programs_hand_seats_over(api: Api) -> None:
    key, _ada, ben = api.table()
    api.seal(key, ben, OTHER)
    made = api.ask("POST", f"matches/{key}/handover", token=ben)
    assert made.status_code == 201
    link = made.json()["url"]
    problem(api.ask("POST", "handover", {"link": link, "name": "Ada"}), 422, "/name")
    taken = api.ask("POST", "handover", {"link": link, "name": "Cleo"})
    assert taken.status_code == 201
    told = taken.json()
    assert (told["match"], told["seat"], told["league"]) == (key, "B", None)
    problem(api.get(f"matches/{key}", ben), 401)
    problem(api.ask("POST", f"matches/{key}/handover", token=ben), 401)
    problem(api.ask("POST", "handover", {"link": link, "name": "Dora"}), 422, "/link")
    match = api.match(key, told["token"])
    assert match["you"] == "B" and match["seats"]["B"]["name"] == "Cleo" and match["sealed"] == ["B"]
    assert Client().get(told["seat_url"].replace("http://testserver", "")).status_code == 200


def test_a_program_lets_a_bot_play_on(api: Api) -> None:
    key, ada, ben = api.table()
    api.seal(key, ben, OTHER)
    assert api.ask("POST", f"matches/{key}/handover/bot", token=ben).status_code == 204
    problem(api.get(f"matches/{key}", ben), 401)
    match = api.match(key, ada)
    assert match["seats"]["B"]["kind"] == "bot" and match["sealed"] == ["B"]
    problem(api.ask("POST", f"matches/{key}/handover/bot", token=ada), 409)


def test_nobody_hands_over_what_is_over_or_was_made_without_it(api: Api) -> None:
    key, ada, ben = api.table()
    link = api.ask("POST", f"matches/{key}/handover", token=ben).json()["url"]
    assert api.ask("DELETE", f"matches/{key}/handover", token=ben).status_code == 204
    problem(api.ask("POST", "handover", {"link": link, "name": "Cleo"}), 422, "/link")
    link = api.ask("POST", f"matches/{key}/handover", token=ben).json()["url"]
    api.ask("POST", f"matches/{key}/resign", token=ada)
    problem(api.ask("POST", f"matches/{key}/handover", token=ben), 409)
    problem(api.ask("POST", "handover", {"link": link, "name": "Cleo"}), 409)
    made = api.make(handover=False)
    problem(api.ask("POST", f"matches/{made['match']}/handover", token=made["token"]), 409)

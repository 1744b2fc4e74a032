"""Several at one device, each behind the curtain for the others; and a seat that is handed over for good."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games import GAMES, newest
from games.players import USUAL
from robosite.bots.owed_orders import owed
from robosite.matches import flow
from robosite.matches.flow import listing
from robosite.matches.models import FormerHold, Hold, Match, MatchFlag, Program, Seat
from robosite.people.models import Guest
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from tests.site.api.test_api import Api, problem
from tests.site.browsers import (
    FIRST,
    MORE_SHOTS,
    OTHER,
    SHOTS,
    Answer,
    Browser,
    Table,
    seat_at,
    sit_down,
    text,
)
from tests.site.matches.test_who_may_act import as_read
from tests.site.sameness import same_numbers

CURTAIN = "Pass the device to"
PLANNED = "Slot 1: fire."
"""The part of FIRST that the page of a seat shows."""


@pytest.fixture
def device() -> Browser:
    return Browser("Alice")


def share(device: Browser, names: str = "Bob", game: str = "pigs", **given: Any) -> Match:
    """A match that the device's people make for themselves."""
    data = {"game": game, "name": device.name, "with": "here", "here": names, **given}
    answer = device.post("/matches/", data)
    assert answer.status_code == 302, text(answer)
    return Match.objects.get(key=answer["Location"].split("/")[2])


def take(device: Browser, seat: Seat) -> None:
    assert device.do(seat, "here").status_code == 302


def is_covered(answer: Answer) -> bool:
    return CURTAIN in text(answer)


def test_all_at_the_device_sit_down_at_once_and_free_seats_are_for_friends_elsewhere(
    device: Browser, bob: Browser
) -> None:
    match = share(device, "Ben, Clara", seats=4)
    assert [seat.name for seat in match.seats.all()] == ["Alice", "Ben", "Clara", ""]
    assert match.status == "open" and len({seat.link_hash for seat in match.seats.all() if seat.taken}) == 3
    page = text(device.get("/mine/"))
    assert page.count(f'href="/m/{match.key}/') == 1 and "<strong>Alice, Ben, Clara</strong>" in page
    take(device, seat_at(match, "A"))
    bob.join(device.own_links(seat_at(match, "A"))["invite"])
    match.refresh_from_db()
    assert match.status == "playing"
    assert not is_covered(bob.get(seat_at(match, "D").get_absolute_url())), "at a device of his own"
    assert bob.do(seat_at(match, "A"), "here").status_code == 403


def test_who_takes_the_device_is_shown_in_the_colour_that_he_plays(device: Browser) -> None:
    match = share(device, game="robble")
    seats = re.compile(r'<button class="\w+">\s*<span class="plate side-(.)">(.)</span>')
    assert seats.findall(text(device.get(f"/m/{match.key}/"))) == [("b", "A"), ("w", "B")]
    for letter, order in (("A", "d4"), ("B", "swap")):
        take(device, seat_at(match, letter))
        assert flow.seal(seat_at(match, letter), match.turn, order)
        match.refresh_from_db()
    assert seats.findall(text(device.get(f"/m/{match.key}/"))) == [("w", "A"), ("b", "B")]


def test_a_curtain_is_before_every_seat_until_somebody_says_who_he_is(device: Browser) -> None:
    """The maker of the match has the device in hand."""
    match = share(device)
    a, b = seat_at(match, "A"), seat_at(match, "B")
    for holds, name, waits in ((a, "Bob", b), (b, "Alice", a), (a, "Bob", b)):
        assert not is_covered(device.get(holds.get_absolute_url()))
        answer = device.get(waits.get_absolute_url())
        assert answer.status_code == 200 and f"{CURTAIN} {name}" in text(answer)
        assert "no-store" in answer["Cache-Control"]
        take(device, waits)


def test_nothing_of_the_others_is_behind_any_address(device: Browser) -> None:
    match = share(device)
    take(device, seat_at(match, "A"))
    device.draft(seat_at(match, "A"), FIRST)
    take(device, seat_at(match, "B"))
    a = seat_at(match, "A").get_absolute_url()
    for answer in (
        device.get(a),
        device.get(a, headers={"HX-Request": "true"}),
        device.get(f"{a}?at=1.0"),
        device.draft(seat_at(match, "A"), "F"),
        device.post(f"{a}plan/", {"turn": 0, "choose": "F"}, headers={"HX-Request": "true"}),
        device.get(f"{a}qr/own.svg"),
        device.get(seat_at(match, "B").get_absolute_url()),
        device.get(match.get_absolute_url()),
    ):
        assert PLANNED not in text(answer)
    take(device, seat_at(match, "A"))
    assert flow.draft_of(match, seat_at(match, "A")) == FIRST  # and nobody has changed it
    assert PLANNED in text(device.get(a))


def test_a_seal_hands_the_device_on_and_the_last_one_shows_all_what_happened(device: Browser) -> None:
    match = share(device)
    take(device, seat_at(match, "A"))
    answer = device.seal(seat_at(match, "A"), FIRST)
    assert answer["Location"] == seat_at(match, "B").get_absolute_url()
    for letter in "AB":
        assert is_covered(device.get(seat_at(match, letter).get_absolute_url()))
    take(device, seat_at(match, "A"))
    device.do(seat_at(match, "A"), "reopen", turn=0)
    given = {"turn": 0, "typed": FIRST, "seal": "1"}
    answer = device.post(
        f"{seat_at(match, 'A').get_absolute_url()}plan/", given, headers={"HX-Request": "true"}
    )
    assert answer["HX-Redirect"] == seat_at(match, "B").get_absolute_url() and FIRST not in text(answer)
    take(device, seat_at(match, "B"))
    answer = device.seal(seat_at(match, "B"), OTHER)
    assert answer["Location"] == f"{match.get_absolute_url()}?at=1.0&play"
    assert " data-plays" in text(device.get(answer["Location"])), "it plays as everywhere else"
    page = text(device.get(answer["Location"]))
    assert "What happened in round 1" in page and "I’m Alice" in page and "I’m Bob" in page
    assert is_covered(device.get(seat_at(match, "A").get_absolute_url()))


@pytest.mark.parametrize("slug", GAMES)
def test_where_nothing_is_secret_no_curtain_falls_and_the_board_goes_to_whose_turn_it_is(
    slug: str, device: Browser
) -> None:
    match = share(device, game=slug)
    covered = is_covered(device.get(seat_at(match, "B").get_absolute_url()))
    assert covered == (newest(slug).manner != "turns")
    if slug == "robble":
        answer = device.seal(seat_at(match, "A"), "d4")
        assert answer["Location"] == seat_at(match, "B").get_absolute_url()
        assert not is_covered(device.get(answer["Location"]))


def test_when_it_is_over_nothing_is_covered_and_the_rematch_seats_all_again(device: Browser) -> None:
    match = share(device)
    for of_alice, of_bob in (SHOTS, MORE_SHOTS):
        match.refresh_from_db()
        for letter, order in (("A", of_alice), ("B", of_bob)):
            take(device, seat_at(match, letter))
            device.seal(seat_at(match, letter), order)
    match.refresh_from_db()
    assert match.status == "over"
    assert not is_covered(device.get(seat_at(match, "A").get_absolute_url()))
    device.do(seat_at(match, "A"), "rematch")
    after = Match.objects.get(rematch_of=match)
    assert after.status == "playing" and [seat.name for seat in after.seats.all()] == ["Bob", "Alice"]


def test_the_host_starts_with_those_who_are_there(alice: Browser, bob: Browser, charlie: Browser) -> None:
    match = alice.make(4)
    invite = alice.own_links(seat_at(match, "A"))["invite"]
    assert not listing.can_start(match, list(match.seats.all())), "too few"
    assert alice.do(seat_at(match, "A"), "start").status_code == 409
    assert "Start with" not in text(alice.get(seat_at(match, "A").get_absolute_url()))
    bob.join(invite)
    charlie.join(invite)
    assert "Start with 3" in text(alice.get(seat_at(match, "A").get_absolute_url()))
    assert bob.do(seat_at(match, "B"), "start").status_code == 409  # not his to say
    assert alice.do(seat_at(match, "A"), "start").status_code == 302
    match.refresh_from_db()
    assert match.status == "playing" and [seat.letter for seat in match.seats.all()] == ["A", "B", "C"]
    assert alice.do(seat_at(match, "A"), "start").status_code == 409
    assert bob.get(seat_at(match, "B").get_absolute_url()).status_code == 200


def test_seats_close_up_and_everybody_finds_the_way(alice: Browser, bob: Browser, charlie: Browser) -> None:
    match = alice.make(4)
    invite = alice.own_links(seat_at(match, "A"))["invite"]
    bob.join(invite)
    charlie.join(invite)
    link = charlie.own_links(seat_at(match, "C"))["seat"]
    charlie.draft(seat_at(match, "C"), "F F")
    bob.do(seat_at(match, "B"), "leave")
    alice.seal(seat_at(match, "A"), FIRST)
    alice.do(seat_at(match, "A"), "start")
    match.refresh_from_db()
    assert [(seat.letter, seat.name) for seat in match.seats.all()] == [("A", "Alice"), ("B", "Charlie")]
    moved = charlie.get(f"/m/{match.key}/C/")
    assert (moved.status_code, moved["Location"]) == (302, f"/m/{match.key}/B/")
    htmx = charlie.get(f"/m/{match.key}/C/", headers={"HX-Request": "true"})
    assert htmx["HX-Redirect"] == f"/m/{match.key}/B/"
    assert flow.draft_of(match, seat_at(match, "B")) == "F F"
    assert flow.draft_of(match, seat_at(match, "A")) == FIRST  # a seal for another opening is a draft again
    assert not Program.objects.exclude(seal="").exists()
    assert charlie.links(seat_at(match, "B"))["seat"] == link
    charlie.seal(seat_at(match, "B"), OTHER)
    alice.seal(seat_at(match, "A"), FIRST)
    match.refresh_from_db()
    assert match.turn == 1


def test_the_setup_is_one_for_fewer(alice: Browser, bob: Browser) -> None:
    for _ in range(6):
        answer = alice.post(
            "/matches/", {"game": "roboxing", "name": "Alice", "preset": "mix", "seats-mix": 4}
        )
        match = Match.objects.get(key=answer["Location"].split("/")[2])
        invite = alice.own_links(seat_at(match, "A"))["invite"]
        bob.join(invite)
        alice.do(seat_at(match, "A"), "start")
        match.refresh_from_db()
        assert match.status == "playing"
        match.game.check_setup(match.options, 2, match.setup)
        assert alice.get(f"/m/{match.key}/record/").status_code == 200


def test_an_export_keeps_the_curtain(device: Browser) -> None:
    match = share(device, "Bob, Clara")
    a, b = seat_at(match, "A"), seat_at(match, "B")
    for seat, who in ((a, "Alices"), (b, "Bobs")):
        take(device, seat)
        turn_notes.write(seat, TurnNote.Kind.NOTE, 0, f"{who} note")
        turn_notes.write(seat, TurnNote.Kind.WORD, 0, f"{who} word")
        guest = seat.holds.get().guest
        messages.say(seat, guest, f"{who} secret", to="C" if seat == a else "A")
        messages.say(seat, guest, f"{who} greeting")
    take(device, a)
    told = text(device.get("/me/export/"))
    assert all(f"Alices {what}" in told for what in ("note", "word", "secret", "greeting"))
    assert "Bobs greeting" in told
    assert not [what for what in ("note", "word", "secret") if f"Bobs {what}" in told]
    assert device.get("/me/export/").json()["talk"]["behind_the_curtain"] == [
        {"match": match.key, "seat": letter} for letter in "BC"
    ]
    take(device, b)
    told = text(device.get("/me/export/"))
    assert "Bobs note" in told and "Alices note" not in told and "Alices word" not in told
    for letter in "AC":
        flow.resign(seat_at(match, letter))
    told = text(device.get("/me/export/"))
    assert "Bobs note" in told and "Alices note" in told, "nothing is left out once it is over"


@pytest.fixture
def cleo() -> Browser:
    return Browser("Cleo")


def link_of(browser: Browser, seat: Seat) -> str:
    """The path of the link by which this browser's seat is handed over."""
    at = f"{seat.get_absolute_url()}handover/"
    assert browser.post(at).status_code == 302
    return "/s/handover/" + text(browser.get(at)).partition("/s/handover/")[2].partition("/")[0] + "/"


def accept(browser: Browser, link: str, name: str = "Cleo") -> Any:
    return browser.post(f"{link}take/", {"name": name})


def test_who_opens_the_link_and_gives_a_name_has_the_seat(table: Table, cleo: Browser) -> None:
    token = table.bob.own_links(table.b)["seat"]
    table.bob.seal(table.b, OTHER)
    seal = Program.objects.get(seat=table.b, turn=0).seal
    assert "Hand over seat" in text(table.bob.get(f"/m/{table.key}/B/more/"))
    link = link_of(table.bob, table.b)
    assert "Bob is handing you this seat" in text(cleo.get(link))
    assert accept(cleo, link)["Location"] == f"/m/{table.key}/B/"
    assert cleo.get(link).status_code == accept(Browser("Dora"), link, "Dora").status_code == 404, "one use"
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
    assert accept(cleo, link).status_code == accept(table.alice, link, "Alicia").status_code == refused
    assert table.b.name == "Bob" and Hold.objects.get(seat=table.b).guest.name == "Bob"
    assert Guest.objects.count() == guests and "guest" not in cleo.session
    assert table.alice.session.session_key == key


def test_who_plays_at_the_table_takes_no_second_seat_and_a_table_may_hand_none_over(table: Table) -> None:
    link = link_of(table.bob, table.b)
    assert accept(table.alice, link, "Alice").status_code == 422  # her own name is at the table
    assert accept(table.alice, link, "Alicia").status_code == 409
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
            assert accept(cleo, link).status_code == 302
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

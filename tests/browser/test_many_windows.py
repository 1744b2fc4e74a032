"""One seat in two tabs or browsers, and bad lines: nothing is lost, each page comes right by itself."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, ROUNDS, STILL, A, B, Person, Watcher, sit
from tests.receivers import until


def laptop_phone_and_bob(visit: Visit) -> tuple[Person, Person, Person]:
    laptop, phone, bob = (visit(who, **DESKTOP, **STILL) for who in ("Alice", "Alice’s phone", "Bob"))
    bob.sit_down(laptop.make_match())
    expect(laptop.table).to_contain_text("Bob")
    phone.context.add_cookies(laptop.context.cookies())  # type: ignore[arg-type]
    phone.page.goto(laptop.address)
    return laptop, phone, bob


def signs(person: Person) -> list[str]:
    return [slot.get_attribute("data-sign") or "" for slot in person.slots.all()]


@pytest.mark.more
def test_two_tabs_of_one_seat_show_the_same_draft_and_the_last_tap_wins(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    alice.is_joined_by(bob)
    other = alice.another_tab()
    alice.press(alice.key("F"))
    expect(other.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    alice.key("F").hover()  # a press counts though the page changes before the release
    alice.page.mouse.down()
    other.press(other.key("H"))
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: punch. Take it out.")
    alice.page.mouse.up()
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: fire. Take it out.")
    other.press(other.slots.nth(0))
    other.press(other.key("v"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: back. Take it out.")
    for sign in ("^", "^"):
        alice.press(alice.key(sign))
    expect(other.seal_button).to_be_enabled()
    other.seal()
    alice.has_sealed("v H F ^ ^")


@pytest.mark.more
def test_the_count_beside_my_games_follows_what_is_played(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    count = alice.page.locator(".bar .waiting")
    expect(count).to_have_text("1 waiting for you")
    alice.seal(ROUNDS[0][0])
    expect(count).to_be_hidden()
    bob.seal(ROUNDS[0][1])
    expect(count).to_have_text("1 waiting for you")
    alice.page.set_viewport_size({"width": 320, "height": 640})  # and the header keeps one line with it
    for language, games in (("de", "Meine Partien"), ("es", "Mis partidas"), ("en", "My games")):
        alice.reads(language)
        alice.page.reload()
        expect(alice.page.get_by_role("link", name=games)).to_be_visible()
        box = alice.page.locator(".bar").bounding_box()
        assert box and box["height"] < 64, (language, box)


@pytest.mark.more
def test_half_a_word_typed_is_not_lost_when_somebody_else_acts(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    charlie = visit("Charlie", **DESKTOP)
    invite = alice.make_match(players=3)
    bob.sit_down(invite)
    bob.enter_as_text()
    field = bob.page.get_by_label("Your program as text")
    field.press_sequentially("F F ")
    charlie.sit_down(invite)
    expect(bob.at_table("Charlie")).to_contain_text("planning")
    expect(field).to_have_value("F F ")
    expect(field).to_be_focused()
    bob.page.keyboard.type("H ")
    alice.seal("F F F F F")
    expect(bob.at_table("Alice")).to_contain_text("sealed")
    expect(field).to_have_value("F F H ")
    expect(field).to_be_focused()
    bob.page.keyboard.type("H H")
    bob.page.keyboard.press("Enter")
    expect(bob.seal_button).to_be_enabled()
    assert signs(bob) == ["F", "F", "H", "H", "H"]


@pytest.mark.more
def test_what_is_refused_stays_in_the_field_and_the_draft_stays_in_the_slots(
    visit: Visit, watcher: Watcher
) -> None:
    watcher.allow("^Alice without JavaScript: .*422")
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    for person in (alice, visit("Alice without JavaScript", java_script_enabled=False)):
        if person is not alice:
            person.page.goto(alice.own_link())
            person.press(person.button("Continue as Alice"))
        person.press(person.key("H"))
        person.enter_as_text()
        field = person.page.get_by_label("Your program as text")
        field.fill("F F jump")
        field.press("Enter")
        expect(person.page.get_by_role("alert")).to_have_text(re.compile("“jump” is not a command."))
        expect(field).to_have_value("F F jump")
        expect(person.slots.nth(0)).to_have_accessible_name("Slot 1: punch. Take it out.")


@pytest.mark.more
def test_a_seats_own_link_takes_the_seat_by_a_press_until_it_is_renewed(
    visit: Visit, watcher: Watcher
) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    alice.is_joined_by(bob)
    bob.press(bob.key("F"))
    expect(bob.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    own_link, seat = bob.own_link(), bob.address
    phone = visit("Bob’s phone")
    phone.page.goto(own_link)
    expect(phone.page.get_by_role("heading", level=1)).to_have_text("Bob’s seat")
    assert phone.context.request.get(seat).status == 403, "to open it changes nothing"
    phone.press(phone.button("Continue as Bob"))
    expect(phone.page).not_to_have_url(own_link)
    expect(phone.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    phone.press(phone.key("H"))
    expect(bob.slots.nth(1)).to_have_accessible_name("Slot 2: punch. Take it out.")

    watcher.allow("^Bob’s phone: .*403")
    bob.page.goto(seat)
    bob.unfold("Seat link")
    bob.unfold("New link")
    bob.press(bob.button("Yes, new link"))
    expect(phone.page.get_by_role("heading", level=1)).to_have_text("This is Bob’s seat")
    bob.close_menu()
    expect(bob.at_table("Bob")).to_contain_text("you")


@pytest.fixture
def lines(watcher: Watcher) -> None:
    watcher.allow("ERR_INTERNET_DISCONNECTED|WebSocket connection|htmx:")


SAID = """() => {
    for (const folded of document.querySelectorAll("#live details")) folded.open = true;
    const shown = document.querySelector("#live").cloneNode(true);
    for (const one of shown.querySelectorAll("#film-says, #film, .keep, select")) one.remove();
    for (const one of shown.querySelectorAll("input:not([type=hidden])")) one.replaceWith(`[${one.value}]`);
    const texts = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
    const said = [];
    while (texts.nextNode()) said.push(texts.currentNode.data.replace(/\\s+/g, " ").trim());
    return said.filter(Boolean);
}"""
"""Lists the texts of the changing part of a page."""


def is_as_if_opened_now(page: Page) -> None:
    """The page comes to say the same as one that is opened beside it."""
    now = page.context.new_page()
    now.goto(page.url)
    until(lambda: page.evaluate(SAID) == now.evaluate(SAID))
    now.close()


def receipt(person: Person) -> str:
    person.unfold("Your receipt")
    text = (person.page.locator("#receipt code").text_content() or "").strip()
    person.close_menu()
    return text


def test_the_receipt_is_that_of_what_was_sealed_and_reopened_elsewhere(
    visit: Visit, seated: Seated, lines: None
) -> None:
    game = seated("pigs", "two windows")
    laptop, phone = sit(visit("Ada", **DESKTOP, **STILL), game), visit("Ada’s phone", **DESKTOP, **STILL)
    phone.page.goto(f"/s/seat/{game.tokens[A]}/")
    phone.press(phone.button("Continue as"))
    laptop.seal(ROUNDS[0][0])
    for own in (laptop, phone):
        own.has_sealed()
    first = receipt(laptop)
    laptop.context.set_offline(True)
    game.seal(B, ROUNDS[0][1], 0)
    game.seal(A, "F F H H H", 1)
    laptop.context.set_offline(False)
    for own in (laptop, phone):
        own.sees_round(1)
        own.has_sealed()
    before = receipt(laptop)
    assert first != before == receipt(phone)
    is_as_if_opened_now(laptop.page)

    laptop.context.set_offline(True)
    game._ask("DELETE", f"/{game.key}/order?turn=1", None, A)
    game.seal(A, "F F H H H", 1)
    with laptop.page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "live"):
        laptop.context.set_offline(False)
    until(lambda: receipt(laptop) != before)
    assert receipt(laptop) == receipt(phone)


@pytest.mark.more
def test_messages_that_were_read_elsewhere_are_not_new(visit: Visit) -> None:
    laptop, phone, bob = laptop_phone_and_bob(visit)
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Chat"))
    bob.page.get_by_label("Your message").fill("Good evening")
    bob.press(bob.button("Send"))
    bubble = laptop.page.locator(".page > header").get_by_role("link", name="Chat")
    expect(bubble).to_have_accessible_name("Chat 1 new")
    phone.press(phone.page.locator(".page > header").get_by_role("link", name="Chat"))
    expect(phone.page.locator("#talk")).to_contain_text("Good evening")
    phone.seal(ROUNDS[0][0])
    laptop.has_sealed()
    expect(bubble).to_have_accessible_name("Chat")


def test_what_is_written_with_a_turn_is_asked_for_anew_and_a_link_renewed_in_another_tab_is_shown(
    visit: Visit, seated: Seated
) -> None:
    game = seated("pigs", "written with a turn")
    laptop = sit(visit("Ada", **DESKTOP, **STILL), game)
    laptop.open_menu()
    laptop.press(laptop.page.get_by_role("link", name="Message for the reveal"))
    word = laptop.page.get_by_label("Your message")
    word.fill("Surprise!")
    laptop.press(laptop.button("Save message"))
    expect(laptop.page.locator(".with-turn")).to_contain_text("Surprise!")
    laptop.press(laptop.page.get_by_role("link", name="Edit message"))
    expect(word).to_have_value("Surprise!")
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    game.seal(B, ROUNDS[0][1], 0)
    laptop.sees_round(1)
    expect(word).to_have_value("")
    expect(laptop.page.locator("#talk [name=turn]")).to_have_value("1")

    laptop.page.goto(laptop.address)
    old, tab = laptop.own_link(), laptop.another_tab()
    tab.unfold("Seat link")
    tab.unfold("New link")
    tab.press(tab.button("Yes, new link"))
    new = tab.page.get_by_role("textbox", name="Seat link:").input_value()
    assert new != old
    game.offer_draw(B)
    expect(laptop.page.get_by_role("heading", name="Ben offers a draw")).to_be_visible()
    assert laptop.own_link() == new
    is_as_if_opened_now(laptop.page)


@pytest.mark.more
def test_half_a_message_to_one_person_does_not_go_to_somebody_else_in_that_seat(visit: Visit) -> None:
    alice, carol, dave = (visit(who, **DESKTOP) for who in ("Alice", "Carol", "Dave"))
    bob = visit("Bob", java_script_enabled=False)
    invite = alice.make_match(players=4)
    for friend in (bob, carol):
        friend.sit_down(invite)
    expect(alice.table).to_contain_text("Carol")
    alice.press(alice.page.locator(".page > header").get_by_role("link", name="Chat"))
    alice.press(alice.page.locator(".threads").get_by_role("link", name="Bob"))
    expect(alice.button("Send to Bob")).to_be_visible()
    alice.page.get_by_label("Your message").fill("Carol is up to something")
    bob.unfold("Give up my seat")
    bob.press(bob.page.get_by_role("button", name="Yes, give it up", exact=True))
    dave.sit_down(invite)
    expect(alice.table).to_contain_text("Dave")
    alice.press(alice.button("Send to Bob"))
    expect(alice.page.get_by_role("alert")).to_contain_text("The players have changed.")
    expect(alice.page.get_by_label("Your message")).to_have_value("Carol is up to something")
    assert not dave.page.get_by_text("Carol is up to something").count()


@pytest.mark.more
def test_a_turn_that_was_taken_back_takes_along_what_was_typed_for_it(
    visit: Visit, seated: Seated, lines: None
) -> None:
    """The page was offline while it went back, and another one of the same number was played."""
    game = seated("robble", "taken back")
    ben = sit(visit("Ben", **DESKTOP, **STILL), game, B)
    game.seal(A, "c3", 0)
    ben.enter_as_text()
    ben.page.locator("[name=typed]").press_sequentially("d4")
    ben.context.set_offline(True)
    wish = {"kind": "take-back", "turn": 1, "taken_back": 0}
    for seat, does in ((A, "offer"), (B, "accept")):
        game._ask("POST", f"/{game.key}/proposals", wish | {"do": does}, seat)
    game.seal(A, "b2", 0)
    ben.context.set_offline(False)
    expect(ben.page.locator("#live")).to_have_attribute("data-taken-back", "1")
    expect(ben.page.locator("[name=typed]")).to_have_value("")
    expect(ben.page.locator("#plan [name=taken_back]")).to_have_value("1")
    is_as_if_opened_now(ben.page)

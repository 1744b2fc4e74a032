"""One seat in two browsers or two tabs: each shows what the server says now, whatever it has missed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, STILL, Person, Watcher
from tests.receivers import until
from tests.screenshots.town import Table
from tests.servers import Server

A, B = Seat("A"), Seat("B")


@pytest.fixture
def lines(watcher: Watcher) -> None:
    watcher.allow("ERR_INTERNET_DISCONNECTED|WebSocket connection|htmx:")


def table(visit: Visit, players: int = 2) -> tuple[Person, Person, Person]:
    laptop, phone, bob = (visit(who, **DESKTOP, **STILL) for who in ("Alice", "Alice’s phone", "Bob"))
    bob.sit_down(laptop.make_match(players=players))
    expect(laptop.table).to_contain_text("Bob")
    phone.context.add_cookies(laptop.context.cookies())  # type: ignore[arg-type]
    phone.page.goto(laptop.address)
    return laptop, phone, bob


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


def test_the_receipt_is_that_of_the_turn_that_was_sealed_elsewhere(visit: Visit, lines: None) -> None:
    laptop, phone, bob = table(visit)
    laptop.seal(ROUNDS[0][0])
    for own in (laptop, phone):
        own.has_sealed()
    first = receipt(laptop)
    laptop.context.set_offline(True)
    bob.seal(ROUNDS[0][1])
    phone.sees_round(1)
    phone.seal("F F H H H")
    phone.has_sealed()
    laptop.context.set_offline(False)
    laptop.sees_round(1)
    laptop.has_sealed()
    assert receipt(laptop) != first
    assert receipt(laptop) == receipt(phone)
    is_as_if_opened_now(laptop.page)


@pytest.mark.more
def test_the_receipt_is_new_after_reopening_and_sealing_elsewhere(visit: Visit, lines: None) -> None:
    laptop, phone, _ = table(visit)
    laptop.seal(ROUNDS[0][0])
    phone.has_sealed()
    first = receipt(laptop)
    laptop.context.set_offline(True)
    phone.press(phone.button("Reopen"))
    phone.press(phone.seal_button)
    phone.has_sealed()
    laptop.context.set_offline(False)
    assert receipt(laptop) != first
    assert receipt(laptop) == receipt(phone)


def test_a_link_renewed_in_another_tab_is_the_one_that_is_shown(visit: Visit) -> None:
    laptop, _, bob = table(visit)
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    old = laptop.own_link()
    tab = laptop.another_tab()
    tab.unfold("Seat link")
    tab.unfold("New link")
    tab.press(tab.button("Yes, new link"))
    new = tab.page.get_by_role("textbox", name="Seat link:").input_value()
    assert new != old
    bob.open_menu()
    bob.press(bob.button("Offer a draw"))
    expect(laptop.page.get_by_role("heading", name="Bob offers a draw")).to_be_visible()
    assert laptop.own_link() == new
    is_as_if_opened_now(laptop.page)


@pytest.mark.more
def test_messages_that_were_read_elsewhere_are_not_new(visit: Visit) -> None:
    laptop, phone, bob = table(visit)
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


def test_what_is_written_with_a_turn_is_asked_for_anew_when_that_turn_has_gone(
    visit: Visit, lines: None
) -> None:
    laptop, _phone, bob = table(visit)
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
    bob.seal(ROUNDS[0][1])
    laptop.sees_round(1)
    expect(word).to_have_value("")
    expect(laptop.page.locator("#talk [name=turn]")).to_have_value("1")


@pytest.mark.more
def test_half_a_message_to_one_person_does_not_go_to_somebody_else_in_that_seat(visit: Visit) -> None:
    alice, carol, dave = (visit(who, **DESKTOP) for who in ("Alice", "Carol", "Dave"))
    bob = visit("Bob", java_script_enabled=False)
    invite = alice.make_match(players=4)
    for friend in (bob, carol):
        friend.sit_down(invite)
    expect(alice.table).to_contain_text("Carol")
    alice.press(alice.page.locator(".page > header").get_by_role("link", name="Chat"))
    alice.page.locator("#talk").get_by_label("Bob").check()
    alice.page.get_by_label("Your message").fill("Carol is up to something")
    bob.unfold("Give up my seat")
    bob.press(bob.page.get_by_role("button", name="Yes, give it up", exact=True))
    dave.sit_down(invite)
    expect(alice.table).to_contain_text("Dave")
    alice.press(alice.button("Send"))
    expect(alice.page.get_by_role("alert")).to_contain_text("The players have changed.")
    expect(alice.page.get_by_label("Your message")).to_have_value("Carol is up to something")
    expect(alice.page.locator("#talk").get_by_label("Dave")).not_to_be_checked()
    assert not dave.page.get_by_text("Carol is up to something").count()


@pytest.mark.more
def test_a_turn_that_was_taken_back_takes_along_what_was_typed_for_it(
    visit: Visit, site: Server, lines: None
) -> None:
    """The page was offline while it went back, and another one of the same number was played."""
    game = Table(site.url, "robble", "taken back")
    game.sit_down()
    ben = visit("Ben", **DESKTOP, **STILL)
    ben.page.goto(f"/s/seat/{game.tokens[B]}/")
    ben.press(ben.button("Continue as"))
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
    game.api.close()

"""Two friends talk, agree on a draw and play again; one has no JavaScript. Somebody watches."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person, scrolls_sideways

pytestmark = pytest.mark.more

HEARD = "() => performance.getEntriesByType('resource').some(({ name }) => /heard/.test(name))"


def talk(person: Person) -> Locator:
    return person.page.locator("#talk")


def says(person: Person, words: str) -> None:
    person.page.get_by_label("Your message").fill(words)
    person.press(person.button("Send"))
    expect(talk(person).get_by_role("listitem").last).to_contain_text(words)


def test_talk_draw_and_rematch(visit: Visit) -> None:
    alice, charlie = visit("Alice", **PHONE), visit("Charlie", **DESKTOP)
    bob = visit("Bob", java_script_enabled=False, **DESKTOP)
    alice.is_joined_by(bob)
    match = alice.page.url.rpartition("/A/")[0]
    charlie.page.goto(f"{match}/")

    # Bob talks on a page of its own; on Alice's page it is counted, and opened in place.
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Chat"))
    says(bob, "Good evening")
    bubble = alice.page.locator(".page > header").get_by_role("link", name="Chat")
    expect(bubble).to_have_accessible_name("Chat 1 new")
    alice.press(bubble)
    expect(talk(alice)).to_contain_text("Good evening")
    expect(talk(alice)).to_be_in_viewport()
    expect(bubble).to_have_accessible_name("Chat")
    says(alice, "<b>Hello</b>, Bob")
    expect(alice.page.get_by_label("Your message")).to_have_value("")
    alice.unfold("Quick phrases")
    alice.press(alice.button("Good luck, and have fun!"))
    expect(talk(alice).get_by_role("listitem")).to_have_count(3)
    bob.page.reload()
    expect(talk(bob)).to_contain_text("<b>Hello</b>, Bob")
    assert scrolls_sideways(alice.page) <= 0

    # What is half typed stays, while Bob says something and the match goes on.
    alice.page.get_by_label("Your message").fill("I think tha")
    says(bob, "No hurry")
    expect(talk(alice)).to_contain_text("No hurry")
    alice.press(bubble)
    expect(alice.page.get_by_label("Your message")).to_have_value("I think tha")
    bob.press(bob.page.get_by_role("link", name="My notes"))
    bob.page.get_by_label("Your note").fill("She goes left")
    bob.press(bob.button("Save note"))
    bob.press(bob.page.get_by_role("link", name="Go to the board"))
    bob.open_menu()
    bob.press(bob.page.get_by_role("link", name="Message for the reveal"))
    bob.page.get_by_label("Your message").fill("Surprise!")
    bob.press(bob.button("Save message"))
    expect(bob.page.get_by_label("Your message")).to_have_value("Surprise!")
    bob.press(bob.page.get_by_role("link", name="Go to the board"))
    bob.seal(ROUNDS[0][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    expect(alice.page.get_by_label("Your message")).to_have_value("I think tha")
    expect(alice.page.get_by_text("Surprise!")).to_have_count(0)
    alice.page.mouse.wheel(0, -9999)  # a field out of sight lets the commands come back
    expect(alice.page.locator("#plan .dock")).to_be_visible()
    alice.seal(ROUNDS[0][0])
    alice.sees_round(1)
    for reader in (alice, charlie):
        expect(reader.happened).to_contain_text("Surprise!")

    # Watchers hear nothing of it, and talk among themselves.
    charlie.press(charlie.page.get_by_role("link", name="Spectator chat").first)
    expect(talk(charlie)).to_contain_text("No messages yet")
    charlie.page.get_by_label("Your name").fill("Charlie")
    says(charlie, "Poor Bob")

    # A draw is offered, declined, offered by the other, and agreed.
    alice.open_menu()
    alice.press(alice.button("Offer a draw"))
    expect(charlie.at_table("Alice")).to_contain_text("offers a draw")
    bob.page.reload()
    expect(bob.page.get_by_role("heading", name="Alice offers a draw")).to_be_visible()
    bob.press(bob.button("Decline"))
    alice.come_to_now()  # until then the status names the turn that its film shows
    expect(alice.status.get_by_text("No draw: Bob declined")).to_be_visible()
    alice.open_menu()
    alice.press(alice.button("Withdraw offer"))
    bob.open_menu()
    bob.press(bob.button("Offer a draw"))
    expect(alice.page.get_by_role("heading", name="Bob offers a draw")).to_be_visible()
    alice.press(alice.button("Accept"))
    for reader in (alice, charlie):
        expect(reader.status).to_contain_text("Draw by agreement.")

    # Now that it is over, players read what watchers said.
    bob.page.goto(f"{match}/talk/")
    expect(talk(bob)).to_contain_text("Poor Bob")

    # Once more, in one tap each; afterwards they see how they stand.
    alice.page.reload()  # right after the end a first tap is asked about
    alice.press(alice.button("Rematch"))
    expect(alice.page).to_have_url(re.compile("/B/"))
    expect(alice.page.get_by_text("Free seats are kept for them")).to_be_visible()
    bob.page.goto(f"{match}/B/")
    expect(bob.page.get_by_role("heading", name="Alice asks for a rematch")).to_be_visible()
    bob.press(bob.button("Accept rematch"))
    expect(bob.page).to_have_url(re.compile("/A/"))
    expect(alice.at_table("Bob")).to_contain_text("planning")
    alice.unfold("Resign")
    alice.press(alice.button("Yes, I resign"))
    expect(alice.status).to_contain_text("You lost.")
    alice.press(alice.page.get_by_role("link", name="You and Bob"))
    expect(alice.page.get_by_role("heading", name="You and Bob")).to_be_visible()
    expect(alice.page.locator("main p").first).to_have_text("Alice 0 – Bob 1, one draw")
    bob.page.goto(f"{match}/B/notes/")
    expect(talk(bob)).to_contain_text("She goes left")
    assert scrolls_sideways(alice.page) <= 0


def test_enter_says_a_message_at_a_desk_and_begins_a_line_on_a_phone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **DESKTOP)
    bob.sit_down(alice.make_match())
    for person in (alice, bob):
        person.press(person.page.locator(".page > header").get_by_role("link", name="Chat"))
        field = person.page.get_by_label("Your message")
        expect(field).to_be_focused()
        while not person.page.evaluate(HEARD):  # that script comes after the first sight
            person.page.wait_for_timeout(100)
        field.press_sequentially("One line")
        field.press("Shift+Enter")
        field.press_sequentially("and one more")
        field.press("Enter")
    expect(alice.page.get_by_label("Your message")).to_have_value("One line\nand one more\n")
    expect(talk(alice).get_by_role("listitem").last).to_contain_text("One line\nand one more")
    expect(bob.page.get_by_label("Your message")).to_have_value("")
    expect(talk(bob).get_by_role("listitem")).to_have_count(1)


def test_a_private_message_is_answered_in_its_thread_and_taken_back(visit: Visit) -> None:
    alice, bob, cleo = (
        visit("Alice", **PHONE),
        visit("Bob", **DESKTOP),
        visit("Cleo", java_script_enabled=False),
    )
    invite = alice.make_match(3)
    for person in (bob, cleo):
        person.sit_down(invite)
    match = alice.page.url.rpartition("/A/")[0]
    cleo.page.goto(f"{match}/C/talk/")
    cleo.press(cleo.page.locator(".threads").get_by_role("link", name="Alice"))
    cleo.page.get_by_label("Your message").fill("Against Bob?")
    cleo.press(cleo.button("Send to Alice"))
    expect(cleo.button("Send to Alice")).to_be_visible()
    alice.page.goto(f"{match}/A/")
    alice.press(alice.page.locator("#bubble"))
    expect(talk(alice)).to_contain_text("Against Bob?")
    for words in ("I am in", "At d6"):
        alice.page.get_by_label("Your message").fill(words)
        alice.press(alice.button("Send to Cleo"))
        expect(talk(alice)).to_contain_text(words)
    alice.press(alice.button("Undo"))
    expect(talk(alice).get_by_role("listitem")).to_have_count(2)
    expect(alice.page.get_by_label("Your message")).to_have_value("At d6")
    expect(alice.page.get_by_label("Your message")).to_be_focused()
    alice.page.keyboard.type(", then")
    expect(alice.page.get_by_label("Your message")).to_have_value("At d6, then")
    assert scrolls_sideways(alice.page) <= 0
    bob.page.goto(f"{match}/B/talk/")
    expect(bob.button("Send to everyone")).to_be_visible()
    expect(talk(bob)).to_contain_text("No messages yet")
    cleo.page.reload()
    expect(talk(cleo)).to_contain_text("I am in")
    expect(talk(cleo)).not_to_contain_text("At d6")

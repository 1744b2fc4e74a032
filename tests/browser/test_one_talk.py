"""Talk on the page of a match: the field has the focus, and words that were sealed come by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL
from tests.browser.test_two_devices import table

pytestmark = pytest.mark.more

HEARD = "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/js/heard.'))"
"""True as soon as the script of the talk is there."""


def test_a_word_appears_in_the_open_talk_at_the_reveal_and_nothing_says_saved(visit: Visit) -> None:
    laptop, _, bob = table(visit)
    bob.press(bob.page.locator(".with-turn a"))
    bob.page.get_by_label("Your message").fill("Surprise!")
    bob.press(bob.button("Save the message"))
    expect(bob.page.locator("#talk")).to_contain_text("Saved.")
    laptop.press(laptop.page.locator("#bubble"))
    expect(laptop.page.locator("[name=text]")).to_be_focused()
    laptop.page.keyboard.type("Good evening")
    laptop.press(laptop.button("Say it"))
    expect(laptop.page.locator("#said")).to_contain_text("Good evening")
    expect(laptop.page.locator("[name=text]")).to_be_focused()
    expect(laptop.page.locator("#said")).not_to_contain_text("Surprise!")
    laptop.seal(ROUNDS[0][0])
    bob.seal(ROUNDS[0][1])
    bob.sees_round(1)
    expect(bob.page.locator("#talk")).not_to_contain_text("Saved.")
    expect(laptop.page.locator("#said")).to_contain_text("Round 1")
    expect(laptop.page.locator("#said")).to_contain_text("Surprise!")


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_whoever_writes_goes_on_writing_when_a_round_is_played(visit: Visit, device: dict[str, Any]) -> None:
    alice, bob = visit("Alice", **device), visit("Bob", **STILL)
    bob.sit_down(alice.make_match())
    alice.seal(ROUNDS[0][0])
    alice.press(alice.page.locator("#bubble"))
    field = alice.page.locator("#say-text")
    expect(field).to_be_focused()
    alice.page.keyboard.type("Good evening")
    alice.press(alice.button("Say it"))
    said = alice.page.locator("#said").get_by_text("Good evening")
    expect(said).to_be_visible()
    while not alice.page.evaluate(HEARD):  # that script comes after the first sight
        alice.page.wait_for_timeout(100)
    field.focus()
    alice.page.keyboard.type("I am in the mid")
    bob.seal(ROUNDS[0][1])
    expect(alice.page.locator("#live")).to_have_attribute("data-turn", "1")
    expect(alice.page.locator("[data-film][data-number='1']")).to_be_attached()
    expect(alice.page.locator(".htmx-settling, .htmx-swapping")).to_have_count(0)
    alice.page.keyboard.type("dle of a sentence")
    expect(field).to_be_focused()
    expect(field).to_have_value("I am in the middle of a sentence")
    expect(field).to_be_in_viewport()
    expect(said).to_be_visible()
    # the film waits until its board is seen, as it is at a desk
    watch = alice.page.locator("#revealed button")
    if device is PHONE:
        expect(watch).to_be_visible()
        expect(alice.page.locator("#film.at-first:not(.playing)")).to_be_attached()
        alice.press(watch)
    alice.sees_round(1)
    expect(watch).to_be_hidden()
    expect(field).to_have_value("I am in the middle of a sentence")


def test_a_message_counts_until_the_open_talk_is_in_sight(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **STILL)
    bob.sit_down(alice.make_match())
    bubble = alice.page.locator("#bubble")
    alice.press(bubble)
    expect(alice.page.locator("#say-text")).to_be_focused()
    while not alice.page.evaluate(HEARD):
        alice.page.wait_for_timeout(100)
    alice.page.evaluate("() => document.activeElement.blur()")
    alice.page.evaluate("scrollTo(0, 0)")
    expect(alice.page.locator("#said")).not_to_be_in_viewport()
    for number, words in enumerate(("Are you there?", "I have sealed."), 1):
        if number == 1:
            bob.press(bob.page.locator("#bubble"))
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Say it"))
        expect(bubble).to_have_accessible_name(f"Talk {number} new")
    expect(alice.page.locator("#said")).not_to_contain_text("Are you there?")
    alice.page.locator("#said").scroll_into_view_if_needed()
    expect(alice.page.locator("#said")).to_contain_text("I have sealed.")
    expect(bubble).to_have_accessible_name("Talk")


def test_the_mark_of_a_new_message_follows_on_a_phone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    expect(alice.at_table("Bob")).to_contain_text("planning")
    bubble = alice.page.locator("#bubble")
    alice.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(bubble).not_to_be_in_viewport()
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Talk"))
    bob.page.get_by_label("Your message").fill("Are you there?")
    bob.press(bob.button("Say it"))
    expect(bubble).to_contain_text("1")
    expect(bubble).to_be_in_viewport()
    alice.press(bubble)
    expect(alice.page.locator("#said")).to_contain_text("Are you there?")


@pytest.mark.parametrize("sealed", [True, False], ids=["waiting", "planning"])
def test_what_was_said_stays_in_sight_on_a_phone(visit: Visit, *, sealed: bool) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE, **STILL)
    bob.sit_down(alice.make_match())
    if sealed:
        bob.seal(ROUNDS[0][1])
    bob.press(bob.page.locator("#bubble"))
    field = bob.page.locator("[name=text]")
    expect(field).to_be_focused()
    field.fill("Your turn!")
    bob.press(bob.button("Say it"))
    expect(bob.page.locator("#said")).to_contain_text("Your turn!")
    expect(bob.page.locator(".htmx-settling, .htmx-swapping")).to_have_count(0)
    expect(bob.page.locator("#said li").last).to_be_in_viewport()
    expect(field).to_be_in_viewport()
    expect(field).to_be_focused()
    assert bob.page.evaluate("scrollY") > 200


def test_the_desk_is_back_once_the_field_is_scrolled_out_of_sight(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    bob.sit_down(alice.make_match())
    expect(alice.at_table("Bob")).to_contain_text("planning")
    dock = alice.page.locator("#plan .dock")
    expect(dock).to_be_visible()
    alice.press(alice.page.locator("#bubble"))
    field = alice.page.locator("[name=text]")
    expect(field).to_be_focused()
    expect(dock).not_to_be_visible()
    alice.page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.name.includes('/js/heard.'))"
    )
    field.fill("Half a word")
    alice.page.evaluate("scrollTo(0, 0)")
    expect(dock).to_be_visible()
    expect(field).to_have_value("Half a word")


def test_an_update_does_not_take_the_focus_back_to_an_open_talk(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    bob.sit_down(alice.make_match())
    expect(alice.at_table("Bob")).to_contain_text("planning")
    alice.press(alice.page.locator("#bubble"))
    field = alice.page.locator("[name=text]")
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    alice.page.get_by_role("link", name="My notes").focus()
    while alice.page.evaluate("scrollY"):  # opening the talk may still be scrolling
        alice.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        alice.page.wait_for_timeout(200)
    bob.press(bob.button("Offer a draw"))
    expect(alice.page.get_by_role("heading", name="Bob offers a draw")).to_be_visible()
    expect(alice.page.locator(".htmx-settling, .htmx-swapping")).to_have_count(0)
    expect(field).not_to_be_focused()
    assert alice.page.evaluate("scrollY") < 100

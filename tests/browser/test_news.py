"""What is said aloud of what happens at the table: once, in one live region."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, STILL, Person
from tests.receivers import until

pytestmark = pytest.mark.more

SAID = "[...document.querySelectorAll('#says > *')].map((one) => one.textContent.trim())"


def hears(person: Person, words: str) -> None:
    until(lambda: any(words in said for said in person.page.evaluate(SAID)))


def test_who_comes_seals_and_writes_is_said_once(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **DESKTOP, **STILL)
    link = alice.make_match()
    alice.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    bob.sit_down(link)
    hears(alice, "Bob")
    expect(alice.page.locator("[aria-live=polite]:not(#says), [role=status]")).to_have_count(0)
    alice.page.wait_for_load_state("networkidle")
    alice.seal(ROUNDS[0][0])
    hears(alice, "Sealed. Waiting for Bob.")
    bob.seal(ROUNDS[0][1])
    hears(alice, "Round 2. Your turn: plan your program and seal it.")
    bob.page.get_by_role("link", name="Chat").first.click()
    bob.page.get_by_label("Your message").fill("Good luck")
    bob.press(bob.button("Send"))
    hears(alice, "Chat 1 new")

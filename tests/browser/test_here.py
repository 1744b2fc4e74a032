"""A player who has a match open is shown to the others at the table, on the page that they have open."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, STILL

pytestmark = pytest.mark.more


def test_a_friend_comes_and_goes_without_a_word_of_it_in_the_page_itself(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE, **STILL), visit("Bob", **DESKTOP, **STILL)
    invite = alice.make_match()
    badge = alice.page.locator("#players .here")
    bob.sit_down(invite)
    match = bob.page.url
    expect(badge).to_have_text("here now")
    expect(badge).to_be_visible()
    expect(alice.page.locator(".corner .here")).to_be_visible()
    bob.page.goto("about:blank")
    expect(badge).to_be_hidden()
    bob.page.goto(match)
    expect(badge).to_be_visible()
    expect(bob.page.locator(".corner .here")).to_have_text("Alice is here")
    alice.seal("F F F F F")  # an update draws the table anew
    alice.has_sealed()
    expect(bob.page.locator("#players .is-sealed")).to_be_visible()
    expect(badge).to_be_visible()
    expect(bob.page.locator(".corner .here")).to_be_visible()
    bob.page.goto(bob.page.url.partition("/m/")[0] + "/me/?settings=1")
    with bob.page.expect_navigation():
        bob.page.get_by_role("checkbox", name="Show when I’m online").uncheck()
    expect(bob.page.get_by_role("status").first).to_contain_text("No one sees any more")
    bob.page.goto(match)
    expect(bob.page.locator(".corner .here")).to_be_visible()
    alice.page.wait_for_timeout(2000)
    expect(badge).to_be_hidden()


def test_without_scripts_nothing_is_said_of_it(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False, **DESKTOP)
    bob.sit_down(alice.make_match())
    expect(bob.page.locator(".here").first).to_be_hidden()

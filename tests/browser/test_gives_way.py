"""On a phone nothing that lies at the lower edge covers what is read below the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_first_minute import PHONE

pytestmark = pytest.mark.more

FIXED = """() => {
    const all = [...document.querySelectorAll("#plan .dock, #film-says, #happened .programs")];
    const fixed = all.filter((one) => getComputedStyle(one).position === "fixed");
    return fixed.filter((one) => one.getBoundingClientRect().top < innerHeight - 1).length;
}"""
"""How many of them lie at the lower edge now."""
GONE, THERE = f"() => !({FIXED})()", f"() => ({FIXED})()"
TO_TALK = "one => one.scrollIntoView({ block: 'end', behavior: 'instant' })"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_dock_goes_with_the_board_and_comes_back_with_it(visit: Visit, motion: str) -> None:
    guest = visit("Guest", reduced_motion=motion, **PHONE)
    guest.page.goto("/")
    guest.press(guest.page.locator(".hello .play-now"))
    guest.key("F").tap()
    expect(guest.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    assert guest.page.evaluate(FIXED)
    guest.page.locator("#talk").evaluate(TO_TALK)
    guest.page.wait_for_function(GONE)
    guest.page.locator("#plan .dock button").first.focus()
    guest.page.keyboard.press("Tab")
    guest.page.wait_for_function(THERE)  # for somebody who goes by keyboard
    guest.page.evaluate("document.activeElement.blur()")
    guest.page.wait_for_function(GONE)
    guest.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    guest.page.wait_for_function(THERE)


def test_the_caption_of_a_film_does_not_lie_over_what_is_read_below(visit: Visit) -> None:
    guest = visit("Guest", **PHONE)
    guest.page.goto("/")
    guest.press(guest.page.locator(".hello .play-now"))
    guest.seal("F F ^ F F")
    expect(guest.page.locator("#film-says")).to_contain_text("Step 1")
    guest.page.locator("[data-play]").tap()
    assert guest.page.evaluate(FIXED) > 1, "the caption, and the way on"
    guest.page.locator("#talk").evaluate(TO_TALK)
    guest.page.wait_for_function(f"() => ({FIXED})() <= 1")  # the way on stays at hand
    programs = guest.page.locator("#happened .programs")
    programs.scroll_into_view_if_needed()
    expect(programs).to_be_in_viewport()

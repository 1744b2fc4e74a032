"""On a phone a film's caption does not cover what is read below the board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import SMALL

pytestmark = pytest.mark.more

FIXED = """() => {
    const all = [...document.querySelectorAll("#plan .dock, #film-says, #happened .programs")];
    const fixed = all.filter((one) => getComputedStyle(one).position === "fixed");
    return fixed.filter((one) => one.getBoundingClientRect().top < innerHeight - 1).length;
}"""
"""How many of them lie at the lower edge now."""
TO_TALK = "one => one.scrollIntoView({ block: 'end', behavior: 'instant' })"


def test_the_caption_of_a_film_does_not_lie_over_what_is_read_below(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
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

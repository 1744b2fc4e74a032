"""The bots of a waiting match: each described row is the button that lets this bot play."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.more

TOP = "one => one.getBoundingClientRect().top"


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_tap_on_a_row_seats_the_bot_and_a_second_one_gives_no_seat_away(
    visit: Visit, with_scripts: bool
) -> None:
    size = {"width": 390, "height": 664}
    alice = visit("Alice", java_script_enabled=with_scripts, viewport=size, has_touch=True)
    alice.page.goto("/new/pigs/")
    alice.page.locator("[name=name]").fill("Alice")
    alice.page.locator("[name=seats-standard]").select_option("4")
    alice.page.locator(".make-bar .primary").tap()
    bots = alice.page.locator("#bots")
    bots.get_by_text("Add a bot").tap()
    row = bots.locator("button", has_text="Easy")
    expect(row).to_contain_text("a handful of ideas")
    alice.page.wait_for_load_state()
    row.scroll_into_view_if_needed()
    before = bots.evaluate(TOP)
    row.tap(position={"x": 40, "y": 20})
    expect(bots.get_by_role("button", name="Remove")).to_have_count(1)
    expect(bots).to_contain_text("(Easy) is in seat B")
    expect(row).not_to_be_visible()
    if with_scripts:
        expect(bots.get_by_text("Add another bot")).to_be_focused()
        seen = f"before => Math.abs(({TOP})(document.querySelector('#bots')) - before) < 3"
        alice.page.wait_for_function(seen, arg=before)
    bots.get_by_text("Add another bot").tap()
    row.tap(position={"x": 40, "y": 20})
    expect(bots).to_contain_text("(Easy) is in seat C")
    expect(row).not_to_be_visible()
    expect(bots.get_by_role("button", name="Remove")).to_have_count(2)

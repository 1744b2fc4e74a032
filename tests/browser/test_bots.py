"""Bots: one tap plays one at once, and each described row of a waiting match lets this bot play."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE

pytestmark = pytest.mark.more


def test_play_at_once_seal_and_see_the_answer(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    alice.page.goto("/")
    alice.press(alice.page.locator(".hello .play-now"))
    expect(alice.page.get_by_role("heading", name="Players")).to_be_visible()
    expect(alice.table).to_contain_text("bot: Easy")
    alice.seal("^ ^ TL TL TL")
    alice.sees_round(1)
    expect(alice.happened.get_by_role("table")).to_be_visible()


def test_the_host_fills_the_seats_with_bots(visit: Visit, faults: Faults) -> None:
    alice = visit("Alice", **DESKTOP)
    alice.make_match(3)
    bots = alice.page.get_by_role("group", name="Add a bot")
    alice.unfold("Add a bot")
    alice.press(bots.get_by_role("button", name="Medium in seat B"))
    faults.look(alice.page, "with bots")
    alice.unfold("Add another bot")
    alice.press(bots.get_by_role("button", name="Easiest in seat C"))
    expect(alice.table.get_by_text("bot:")).to_have_count(2)
    expect(alice.status).to_contain_text("Everyone else has sealed")
    alice.seal("TL TL TL TL TL")
    alice.sees_round(1)


def test_without_javascript(visit: Visit) -> None:
    alice = visit("Alice", java_script_enabled=False)
    alice.make_match(2)
    alice.unfold("Add a bot")
    alice.press(alice.button("Medium in seat B"))
    expect(alice.table).to_contain_text("bot: Medium")
    alice.write("TL TL TL TL TL")
    alice.seal()
    alice.page.reload()
    alice.sees_round(1)


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

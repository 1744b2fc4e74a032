"""Somebody to play at once: one tap, and the bot's answers come by themselves."""

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


def test_the_host_fills_the_seats_with_bots(visit: Visit) -> None:
    alice = visit("Alice", **DESKTOP)
    alice.make_match(3)
    bots = alice.page.get_by_role("group", name="Add a bot")
    alice.unfold("Add a bot")
    alice.press(bots.get_by_role("button", name="Medium in seat B"))
    faults = Faults()
    faults.look(alice.page, "with bots")
    assert not faults.found, faults.found
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

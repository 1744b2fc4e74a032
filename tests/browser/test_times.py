"""Times on a page: in the zone of the device from the first look on, and what is left goes down."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, STILL

pytestmark = pytest.mark.more


def test_a_deadline_is_in_the_devices_zone_and_counts_on(visit: Visit) -> None:
    alice, bob = (
        visit("Alice", **DESKTOP, **STILL),
        visit("Bob", **DESKTOP, **STILL, timezone_id="Asia/Tokyo"),
    )
    bob.page.clock.install()
    alice.page.goto("/new/pigs/?players=2")
    alice.page.locator("[name=deadline][value='24']").evaluate("one => { one.checked = true }")
    alice.page.get_by_label("Your name").fill("Alice")
    alice.press(alice.page.locator(".make-bar .primary"))
    bob.sit_down(alice.page.get_by_label("Message to send").input_value().split()[-1])
    status = bob.page.locator("#status")
    expect(status).to_contain_text(
        re.compile(r"Deadline: \w{3} \d+ \w{3}, \d\d:\d\d (JST|GMT\+9) \(24\sh\sleft\)")
    )
    bob.page.clock.fast_forward("21:59:00")
    expect(status).to_contain_text(re.compile(r"\(2\sh(\s1\smin)?\sleft\)"))
    bob.page.clock.fast_forward("01:30:00")
    expect(status).to_contain_text(re.compile(r"\((29|30|31)\smin\sleft\)"))
    bob.page.clock.fast_forward("00:40:00")
    expect(status).to_contain_text("(time is up)")

"""A phone's heading: the names of those who play are read in full, whatever the number of the turn."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_first_minute import PHONE

CUT = "one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 4"


def test_a_long_name_is_not_cut(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Annegret-Luise Schmidt", **PHONE)
    bob.sit_down(alice.make_match())
    heading = alice.page.locator("#film-title")
    expect(heading).to_contain_text("Annegret-Luise Schmidt")
    heading.evaluate("one => { one.innerHTML = one.innerHTML.replace('Round 1', 'Round 12'); }")
    assert not heading.evaluate(CUT)

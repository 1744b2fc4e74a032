"""Puzzles in a real browser: solved by taps on a phone, the streak kept there, and axe finds nothing."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from robosite.matches.pages.puzzles import of_today, puzzles, today
from tests.browser.conftest import Visit
from tests.browser.people import PHONE, scrolls_sideways
from tests.receivers import until


def solve_todays(page: Page, slug: str) -> None:
    at = of_today(slug)
    page.goto(f"/puzzles/{slug}/{at}/?played&order={quote(puzzles(slug)[at - 1].answer)}")
    expect(page.get_by_role("status").filter(has_text="Solved.")).to_be_in_viewport()


def test_what_is_solved_is_known_to_this_browser_alone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    page = alice.page
    page.goto("/puzzles/robble/1/")
    assert not scrolls_sideways(page)
    alice.press(page.locator(f".taps [value='{puzzles('robble')[0].answer}']"))
    alice.press(page.locator(".dock .primary"))
    expect(page.get_by_role("status").filter(has_text="Solved.")).to_be_in_viewport()
    until(lambda: page.evaluate("localStorage.getItem('puzzles')"))
    page.goto("/puzzles/")
    expect(page.locator("ol").get_by_role("link", name="1 (solved)", exact=True)).to_have_count(1)
    bob.page.goto("/puzzles/")
    expect(bob.page.get_by_role("link", name="(solved)")).to_have_count(0)


def test_days_in_a_row_are_counted_once_a_day(visit: Visit) -> None:
    page = visit("Alice", **PHONE).page
    page.goto("/puzzles/")
    expect(page.locator("[data-streak]")).to_be_hidden()
    kept = f"localStorage.setItem('puzzles', JSON.stringify({{solved: [], day: {today() - 1}, streak: 4}}))"
    page.evaluate(kept)
    for slug in ("robble", "robosoccer"):
        solve_todays(page, slug)
        expect(page.locator("[data-streak]")).to_have_text("Days in a row with a puzzle of the day solved: 5")
    page.evaluate(kept.replace(str(today() - 1), str(today() - 2)))
    page.goto("/puzzles/")
    expect(page.locator("[data-streak]")).to_be_hidden()


@pytest.mark.more
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    page = visit("Alice", **{**PHONE, "color_scheme": scheme}).page
    solve_todays(page, "pigs")
    solved = page.url
    for address in ("/puzzles/", "/puzzles/roboxing/3/?again", solved):
        page.goto(address)
        found = Axe().run(page, options={"preload": False})
        assert not found.violations_count, found.generate_report()

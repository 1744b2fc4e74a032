"""Going back shows a page at once, where browsers keep it in their memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import ARGS, WHOLE_CHROMIUM, Visit
from tests.browser.people import DESKTOP, ROUNDS

WHY_NOT = "() => JSON.stringify(performance.getEntriesByType('navigation')[0].notRestoredReasons)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that keeps pages in its memory: a headless shell does not, and Playwright turns it off."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=WHOLE_CHROMIUM, args=ARGS, ignore_default_args=["--disable-back-forward-cache"]
        )
        yield running
        running.close()


def goes_back(page: Page, address: str) -> None:
    page.evaluate("history.back()")
    page.wait_for_url(address, wait_until="commit")
    assert page.evaluate("window.left ?? false"), page.evaluate(WHY_NOT)


def goes_and_comes_back(page: Page) -> None:
    """The page is the very one that was left, for what a script has noted in it is there still."""
    page.evaluate("window.left = true")
    address = page.url
    page.goto("/privacy/")
    goes_back(page, address)


@pytest.mark.more
def test_pages_without_secrets_come_back_from_memory(visit: Visit) -> None:
    ada, ben, cleo = visit("Ada"), visit("Ben"), visit("Cleo", **DESKTOP)
    ben.sit_down(ada.make_match())
    match = ada.address.removesuffix("A/")
    for path in ("/", "/rules/pigs/", "/learn/pigs/", "/new/pigs/", match):
        cleo.page.goto(path)
        cleo.page.wait_for_load_state("networkidle")
        goes_and_comes_back(cleo.page)
    ada.seal(ROUNDS[0][0])
    ben.seal(ROUNDS[0][1])
    cleo.sees_round(1)  # it hears again of what happens
    expect(cleo.page.locator("#live")).to_have_attribute("data-turn", "1")


@pytest.mark.more
def test_my_games_come_back_from_memory_and_are_true(visit: Visit) -> None:
    ada, ben = visit("Ada", **DESKTOP), visit("Ben")
    ben.sit_down(ada.make_match())
    match = ada.page.url
    ada.page.goto("/mine/")
    waits = ada.page.locator("#mine .yours")
    expect(waits).to_have_count(1)
    ada.page.wait_for_load_state("networkidle")
    ada.page.evaluate("window.left = true")
    ada.page.goto(match)
    ada.seal(ROUNDS[0][0])
    ada.has_sealed()
    goes_back(ada.page, "**/mine/")
    expect(waits).to_have_count(0)

"""Open tables in a browser: by keyboard, without JavaScript, on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE
from tests.browser.looks import Faults
from tests.servers import Server

PHONE: Any = {"width": 390, "height": 664}
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data"), OPEN_TABLES="1") as server:
        yield server


@pytest.fixture
def visit(browser: Browser, tables: Server) -> Iterator[Visit]:
    contexts: list[BrowserContext] = []

    def visit(**given: Any) -> Page:
        contexts.append(browser.new_context(base_url=tables.url, viewport=PHONE, **given))
        contexts[-1].set_default_timeout(PATIENCE)
        return contexts[-1].new_page()

    yield visit
    for context in contexts:
        context.close()


def open_one(page: Page, name: str, game: str = "robble") -> None:
    """A new open table with twelve hours for a turn, and a week in reserve."""
    page.goto(f"/new/{game}/")
    page.get_by_label("Your name").fill(name)
    page.get_by_text("Open to anyone").check()
    page.locator("details.rest > summary").click()
    page.get_by_text("More options", exact=True).filter(visible=True).click()
    page.get_by_label("12 hours").first.check()
    page.get_by_role("group", name="Extra time").get_by_label("1 week").check()
    page.locator(".make-bar .primary").click()
    expect(page.get_by_text("This is an open table")).to_be_visible()


def test_two_strangers_meet_by_keyboard(visit: Visit) -> None:
    ann, ben = visit(), visit()
    open_one(ann, "Ann")
    ben.goto("/")
    ben.get_by_role("link", name="Open tables").focus()
    ben.keyboard.press("Enter")
    entry = ben.get_by_role("listitem").filter(has_text="Players: Ann. One free seat.")
    sit = entry.get_by_role("link", name="Join")
    expect(sit).to_have_accessible_description("Robble: Standard")
    sit.focus()
    ben.keyboard.press("Enter")
    ben.get_by_label("Your name").focus()
    ben.keyboard.type("Ben")
    ben.keyboard.press("Enter")
    ben.wait_for_url("**/m/*/B/")
    expect(ann.locator("#status")).to_contain_text("12 hours for this turn, then your extra time: 7 days.")


@pytest.mark.more
def test_one_tap_sits_down_without_javascript(visit: Visit) -> None:
    ann, dora = visit(), visit(java_script_enabled=False)
    open_one(ann, "Ann", "robosoccer")
    open_one(dora, "Dora", "roboxing")  # so the site knows Dora's name
    dora.goto("/tables/")
    dora.get_by_label("Game").select_option("robosoccer")
    dora.get_by_label("Time per turn").select_option("day")
    dora.get_by_role("button", name="Show").click()
    expect(dora.get_by_role("heading", level=2).filter(has_text="Roboxing")).to_have_count(0)
    dora.get_by_role("listitem").filter(has_text="Ann").get_by_role("button", name="Join").click()
    dora.wait_for_url("**/m/*/B/")


@pytest.mark.more
def test_the_pages_look_right(visit: Visit, faults: Faults) -> None:
    ann, ben = visit(), visit()
    open_one(ann, "Ann", "pigs")
    ben.goto("/tables/")
    faults.look(ben, "open tables")
    ben.get_by_role("listitem").filter(has_text="Ann").get_by_role("link", name="Join").first.click()
    expect(ben.get_by_role("heading", level=1)).to_have_text("Open table: Robo Battle Pigs")
    faults.look(ben, "an open table")

"""What somebody chose or typed in this browser is there again, for them alone.

Some browsers forget whatever a script has written, and phones forget pages that nobody looks at.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, STILL, Person, Watcher, sit
from tests.receivers import until
from tests.screenshots.town import Table

FORGETS = """
localStorage.clear();
const { get } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
Object.defineProperty(Document.prototype, "cookie", { get, set() {} });
"""
"""A week has passed at each page: what scripts wrote is gone."""


@pytest.fixture
def forgetful(visit: Visit) -> Person:
    person = visit("Ada", **DESKTOP, **STILL)
    person.context.add_init_script(FORGETS)
    return person


def cookies(person: Person) -> dict[str, str]:
    return {one["name"]: one["value"] for one in person.context.cookies()}


def has(person: Person, name: str, value: str = "") -> None:
    until(lambda: cookies(person).get(name) in ([value] if value else cookies(person).values()))


def test_the_choices_of_a_browser_and_what_it_has_solved_are_written_by_the_site(
    forgetful: Person, table: Table
) -> None:
    page = forgetful.page
    home = sit(forgetful, table).address
    forgetful.unfold("Keys")
    works = page.get_by_label("Also when nothing has focus")
    expect(works).to_be_checked()
    works.uncheck()
    has(forgetful, "keys", "off")
    page.goto("/me/?settings=1")
    page.get_by_role("combobox", name="Theme").select_option("Blueprint")
    has(forgetful, "theme", "dark")
    page.get_by_label("Sounds").check()
    has(forgetful, "sounds", "on")
    page.goto(home)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto("/me/?settings=1")
    expect(page.get_by_label("Sounds")).to_be_checked()
    expect(page.get_by_role("combobox", name="Theme")).to_have_value("dark")

    page.goto("/puzzles/pigs/1/")
    forgetful.choose("^ ^ F F H")
    forgetful.press(page.locator(".dock .primary"))
    has(forgetful, "puzzles")
    page.goto("/puzzles/")
    expect(page.locator(".is-solved")).not_to_have_count(0)


def test_the_wish_for_offline_boards_and_a_draft_outlast_the_cookie(
    visit: Visit, table: Table, watcher: Watcher
) -> None:
    watcher.allow("ERR_INTERNET_DISCONNECTED|ERR_FAILED|WebSocket|Failed to load resource|htmx:")
    ada = visit("Ada", **PHONE, **STILL)
    home = sit(ada, table).address
    ada.page.goto("/me/?settings=1")
    ada.press(ada.page.get_by_label("Offline boards"))
    until(lambda: ada.page.evaluate("() => Boolean(navigator.serviceWorker.controller)"))
    path = "/m/" + home.partition("/m/")[2]
    put = """async (path) => (await caches.open("drafts")).put(`/draft${path}x/`, new Response(JSON.stringify(
        { typed: "F F H H H", turn: "0", taken_back: "0", owner: "not sent", at: 0 })))"""
    ada.page.goto(home)
    until(lambda: ada.page.evaluate("caches.match('/owner').then(Boolean)"))
    ada.page.evaluate(put, path)
    ada.context.clear_cookies(name="offline")
    ada.page.goto(f"{home}notes/")
    ada.page.wait_for_timeout(1_500)
    ada.page.goto(home)
    ada.page.wait_for_timeout(1_500)
    assert ada.page.evaluate("async (path) => Boolean(await caches.match(`/draft${path}x/`))", path)
    assert "offline" in cookies(ada)
    ada.page.goto("/me/?settings=1")
    expect(ada.page.get_by_label("Offline boards")).to_be_checked()


# What was typed


def open_talk(page: Page) -> Locator:
    page.locator("#bubble").click()
    return page.locator("#say-text")


def in_menu(page: Page, group: str, name: str) -> None:
    page.locator("#more").click()
    page.locator("#menu summary", has_text=group).click()
    page.locator("#menu").get_by_role("link", name=name).click()


def open_notes(page: Page) -> Locator:
    in_menu(page, "Notes", "My notes")
    return page.locator("#note")


def open_word(page: Page) -> Locator:
    in_menu(page, "Notes", "Message for the reveal")
    return page.locator("#word")


def open_typed(page: Page) -> Locator:
    if page.locator("details.typed:not([open])").count():
        in_menu(page, "Board", "Enter as text")
    return page.locator("#typed")


FIELDS = ((open_talk, "Send"), (open_notes, "Save note"), (open_word, "Save message"), (open_typed, "Apply"))
KEPT = "Object.keys(sessionStorage).filter((one) => one.startsWith('words '))"


def test_what_is_typed_at_a_table_outlasts_the_page_and_is_gone_once_sent(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    home = sit(ada, table).address
    for n, (opens, _button) in enumerate(FIELDS, 1):
        opens(ada.page).press_sequentially("F F H H H")
        until(lambda n=n: len(ada.page.evaluate(KEPT)) == n)  # type: ignore[misc]
    ada.page.goto("about:blank")
    ada.page.goto(home)
    ada.page.wait_for_load_state("networkidle")
    for n, (opens, button) in enumerate(FIELDS, 1):
        expect(opens(ada.page)).to_have_value("F F H H H")
        ada.press(ada.button(button))
        until(lambda n=n: len(ada.page.evaluate(KEPT)) == len(FIELDS) - n)  # type: ignore[misc]
    ada.page.goto(home)
    ada.page.wait_for_load_state("networkidle")
    for opens in (open_talk, open_typed):
        expect(opens(ada.page)).to_have_value("")


def test_words_of_a_form_with_its_own_page_outlast_it(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    home = sit(ada, table).address
    ada.page.goto(re.sub(r"/m/(\w+)/A/", r"/report/\1/", home))
    ada.page.locator("#words").press_sequentially("He called me a bucket")
    until(lambda: ada.page.evaluate("JSON.stringify(sessionStorage).includes('a bucket')"))
    ada.page.reload()
    expect(ada.page.locator("#words")).to_have_value("He called me a bucket")
    ada.page.locator("[name=about]").first.check()
    ada.page.locator("[name=reason]").first.check()
    ada.press(ada.page.locator("main form button").last)
    until(lambda: not ada.page.evaluate(KEPT))


def test_the_next_guest_at_this_browser_sees_nothing_of_it(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    home = sit(ada, table).address
    other = ada.another_tab()
    for tab in (ada, other):
        tab.page.goto(f"{home}talk/")
        tab.page.locator("#say-text").press_sequentially("between us")
    ada.page.goto("/me/?settings=1")
    ada.unfold("Your data")
    ada.unfold("Sign out here")
    ada.press(ada.button("Sign out"))
    ada.page.wait_for_url(re.compile(r":\d+/$"))
    sit(other, table)  # somebody who has the link
    other.page.goto(f"{home}talk/")
    kept = "JSON.stringify(sessionStorage)"
    until(lambda: all("between us" not in tab.page.evaluate(kept) for tab in (ada, other)))

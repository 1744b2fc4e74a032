"""A league of four at tables of three by its pages alone, from its link to the final table: on a phone, by
keyboard, without JavaScript, and from ARIA snapshots; axe looks at its pages.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.ears import Ear
from tests.browser.looks import SMALLEST, THEMES, Faults
from tests.browser.test_leagues import (
    NAMES,
    OWN,
    PHONE,
    WAYS,
    Press,
    button,
    by_hand,
    invite_on,
    join,
    name_it,
    play,
    rows,
)

pytestmark = pytest.mark.more


def make(page: Page, press: Press) -> str:
    """Makes a league of tables of three and says its invite."""
    page.goto("/l/new/")
    name_it(page, "Spring of friends")
    page.get_by_label("Your name").fill("Ada")
    play(page, "roboxing/melee")
    page.get_by_label("Players per match").select_option("3")
    press(page, button(page, "Create league"))
    return invite_on(page)


def resign_everywhere(page: Page, league: str, press: Press) -> None:
    """Resigns in each match of the reader that goes on."""
    page.goto(league)
    for address in [link.get_attribute("href") for link in page.locator(OWN).all()]:
        page.goto(address or "")
        resign(page, press)


def resign(page: Page, press: Press) -> None:
    press(page, page.locator("#more"))
    press(page, page.locator("summary", has_text="Resign").first)
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        press(page, button(page, "Yes, I resign"))
    expect(page.get_by_text("Yes, I resign")).to_be_hidden()


@pytest.mark.parametrize("way", WAYS)
def test_a_league_of_tables_from_its_link_to_its_table(visit: Visit, way: str) -> None:
    settings, press = WAYS[way]
    pages = {name: visit(name, **settings).page for name in NAMES}
    ada = pages["Ada"]
    invite = make(ada, press)
    for name in NAMES[1:]:
        join(pages[name], invite, name, press)
    ada.reload()
    told = "With 4 players, each plays 3 matches and meets each of the others 2 times."
    expect(ada.get_by_text(told)).to_be_visible()
    press(ada, button(ada, "Start with 4"))
    expect(ada.locator(OWN).first).to_be_visible()  # Enter does not wait for it
    league = ada.url
    for name in ("Dora", "Cleo", "Ben"):
        resign_everywhere(pages[name], league, press)
    ada.goto(league)
    expect(ada.get_by_text("The league is over.")).to_be_visible()
    assert rows(ada) == ["1 Ada 9", "2 Ben 3", *rows(ada)[2:]]
    assert sorted(rows(ada)[2:]) == ["3 Cleo 0", "3 Dora 0"]
    for page in pages.values():
        page.goto(league)
        assert rows(page) == rows(ada)
        assert page.get_by_role("rowheader", name="Match").count() == 4


def test_a_league_of_tables_is_for_everybody(visit: Visit) -> None:
    """Its pages in both themes at the smallest size, and what a screen reader says of them."""
    ears = {name: Ear(visit(name, **PHONE)) for name in NAMES[:3]}
    ada, faults = ears["Ada"], Faults()

    def look(name: str, page: Any) -> None:
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true; })")
        for theme in THEMES:
            faults.ask_axe(page, name, SMALLEST, theme)
        faults.measure(page, name, SMALLEST)

    invite = make(ada.page, by_hand)
    for name in NAMES[1:3]:
        join(ears[name].page, invite, name, by_hand)
    ada.page.reload()
    look("open", ada.page)
    ada.press("^Start with 3$")
    ada.hears("Your turn against .* and ")
    resign_everywhere(ears["Cleo"].page, ada.page.url, by_hand)
    ben = ears["Ben"]
    ben.page.goto(ada.page.url)
    ben.press("^Your turn against ", "link")
    ben.hears("group: Resign")
    resign(ben.page, by_hand)
    ben.page.goto(ada.page.url)
    ben.hears(r"Match 1.*Ada 3")
    ben.hears("has the move")
    look("playing", ben.page)
    for name, path in (("new", "/l/new/"), ("invite", invite)):
        ben.page.goto(path)
        look(name, ben.page)
    assert not faults.found, "\n".join(faults.found)

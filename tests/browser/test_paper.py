"""The games on paper: as many sheets as there are leaves, of the chosen size, and nothing cut off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from games import GAMES
from tests.browser.conftest import Visit
from tests.browser.people import (
    PHONE,
    SMALL,
    drawn,
)
from tests.servers import Server

pytestmark = pytest.mark.more

LEAVES = {"pigs": 4, "roboxing": 4, "robosoccer": 3, "robble": 6}
POINTS = {"a4": (595, 842), "letter": (612, 792)}
"""The width and height of a sheet, in points."""
LANGUAGES = (("en", "a4"), ("en", "letter"), ("es", "letter"), ("de", "a4"))
"""On which sheets each language is printed."""

BEYOND = """() => [...document.querySelectorAll(".leaf")].flatMap((leaf) => {
    const sheet = leaf.getBoundingClientRect();
    return [...leaf.querySelectorAll("*:not(.visually-hidden, defs *, symbol *)")].flatMap((one) => {
        const box = one.getBoundingClientRect();
        const over = Math.max(
            sheet.left - box.left, box.right - sheet.right, sheet.top - box.top, box.bottom - sheet.bottom);
        return box.width && box.height && over > 1
            ? [`${leaf.querySelector("h2").textContent}: ${one.outerHTML.slice(0, 60)} by ${over}`] : [];
    });
})"""
"""The elements that stand out of their leaf, in the order of the page."""
FLOODS = """() => [...document.querySelectorAll(".leaf, .leaf *")].filter((one) => {
    const [, ...ink] = /rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?/.exec(
        getComputedStyle(one).backgroundColor) ?? [, 255, 255, 255, 1];
    return Number(ink[3] ?? 1) && ink.slice(0, 3).some((part) => Number(part) < 255);
}).length"""
"""The number of elements with a background other than white."""


def sheets(pdf: bytes) -> list[tuple[int, int]]:
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert len(re.findall(rb"/Type /Page\b", pdf)) == len(boxes)
    return [(round(float(width)), round(float(height))) for width, height in boxes]


@pytest.mark.parametrize(("language", "sheet"), LANGUAGES)
@pytest.mark.parametrize("slug", GAMES)
def test_a_game_on_paper(browser: Browser, site: Server, slug: str, language: str, sheet: str) -> None:
    """In the dark theme, whose ink must not come out on paper."""
    page = browser.new_context(locale=language, color_scheme="dark").new_page()
    page.goto(f"{site.url}/rules/{slug}/paper/?sheet={sheet}", wait_until="networkidle")
    page.emulate_media(media="print")
    assert page.locator(".leaf").count() == LEAVES[slug]
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(FLOODS) == 0
    printed = page.pdf(prefer_css_page_size=True)
    assert sheets(printed) == [POINTS[sheet]] * LEAVES[slug]
    page.context.close()


def test_on_a_phone_the_leaves_are_as_wide_as_the_page(browser: Browser, site: Server) -> None:
    context = browser.new_context(**PHONE)
    page = context.new_page()
    for slug in GAMES:
        page.goto(f"{site.url}/rules/{slug}/paper/", wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), slug
        assert page.evaluate(BEYOND) == []
    context.close()


def prints(page: Page, name: str, *, parted: bool = False) -> list[tuple[int, int]]:
    """The sheets of a seat page, A4: what is planned with is on the first, or `parted`, whole on another."""
    page.emulate_media(media="print")
    high = 297 - 2 * 14  # millimetres between the margins
    page.set_viewport_size({"width": round(182 / 25.4 * 96), "height": round(high / 25.4 * 96)})
    planner = page.locator("#planner").bounding_box()
    assert planner
    assert (0 if parted else planner["y"]) + planner["height"] <= high / 25.4 * 96, name
    assert planner["width"] <= 182 / 25.4 * 96
    printed = page.pdf(format="A4")
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1200, "height": 900})
    return sheets(printed)


def seat_against_a_bot(browser: Browser, site: Server, slug: str) -> Page:
    page = browser.new_context(viewport={"width": 1200, "height": 900}, color_scheme="dark").new_page()
    page.goto(f"{site.url}/new/{slug}/")
    page.get_by_label("Your name").fill("Alice")
    page.get_by_label("Bot", exact=True).check()
    page.locator(".make-bar .primary").click()
    page.wait_for_load_state()  # before its styles are there, everything has another size
    page.locator("#planner").wait_for()
    if slug in ("pigs", "roboxing"):  # the bot plans at the same time: its seal brings the page once more
        expect(page.get_by_role("region", name="Players")).to_contain_text("sealed")
    page.wait_for_load_state("networkidle")
    return page


WRITE_IN = {
    "pigs": (".slot", 5),
    "roboxing": (".bx-cell", 9),
    "robosoccer": (".write-in i", 6),
    "robble": (".write-in i", 1),
}
"""The text written in at a match's first turn, and the number of boxes."""


@pytest.mark.parametrize("slug", GAMES)
def test_a_match_by_link_is_planned_on_paper(browser: Browser, site: Server, slug: str) -> None:
    """The first sheet has the board, the match's address, the turn, and empty boxes to write in."""
    page = seat_against_a_bot(browser, site, slug)
    address = page.url.rpartition("#")[0] or page.url
    prints(page, slug)
    page.emulate_media(media="print")
    assert page.locator("main > .paper-only").inner_text() == f"{address.removesuffix('A/')} · A"
    assert page.locator("h1").is_visible() and page.locator(".board").first.is_visible()
    boxes, n = WRITE_IN[slug]
    shown = page.locator(f"#planner {boxes}").filter(visible=True)
    assert shown.count() == n
    assert not shown.locator(".icon, .bx-slot").filter(visible=True).count(), (
        "something is written in already"
    )
    page.context.close()


def test_the_order_sheet_of_a_fight_on_paper(browser: Browser, site: Server) -> None:
    page = seat_against_a_bot(browser, site, "roboxing")
    page.locator(".bx-parts button").first.click()
    page.locator("button[name=seal]:not([aria-disabled])").click()
    page.locator(".bx-sheet").wait_for()
    page.reload()
    assert len(prints(page, "a fight", parted=True)) <= 3
    page.emulate_media(media="print")
    visible = {
        what: page.locator(what).filter(visible=True).count() for what in (".bx-body .bx-slot", ".bx-target")
    }
    assert visible == {".bx-body .bx-slot": 9, ".bx-target": 9}
    assert page.locator(".bx-order .write-in i").filter(visible=True).count() == 7
    page.context.close()


BUTTON = "Math.round(document.querySelector('#plan .dock [name=seal]').getBoundingClientRect().top)"


def test_robosoccer_s_button_stays_where_it_is_whatever_a_tap_says(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    guest.page.goto("/puzzles/robosoccer/1/")
    drawn(guest.page)
    tops = [guest.page.evaluate(BUTTON)]
    for number in range(3):
        guest.page.locator("#film .taps button:not([aria-disabled])").nth(number).click()
        drawn(guest.page)
        tops.append(guest.page.evaluate(BUTTON))
    assert len(set(tops)) == 1, tops

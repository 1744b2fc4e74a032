"""The games on paper, as many sheets as there are leaves; and colours that browsers force on pages."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from playwright.sync_api import Browser, Page, expect

from games import GAMES
from tests.browser.conftest import ARGS, WHOLE_CHROMIUM, Seated, Visit
from tests.browser.people import PHONE
from tests.servers import Server

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


@pytest.mark.more
@pytest.mark.parametrize(("language", "sheet"), LANGUAGES)
@pytest.mark.parametrize("slug", GAMES)
def test_a_game_on_paper(visit: Visit, slug: str, language: str, sheet: str) -> None:
    """In the dark theme, whose ink must not come out on paper."""
    page = visit("Guest", locale=language, color_scheme="dark").page
    page.goto(f"/rules/{slug}/paper/?sheet={sheet}", wait_until="networkidle")
    page.emulate_media(media="print")
    assert page.locator(".leaf").count() == LEAVES[slug]
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(FLOODS) == 0
    printed = page.pdf(prefer_css_page_size=True)
    assert sheets(printed) == [POINTS[sheet]] * LEAVES[slug]


@pytest.mark.more
def test_on_a_phone_the_leaves_are_as_wide_as_the_page(visit: Visit) -> None:
    page = visit("Guest", **PHONE).page
    for slug in GAMES:
        page.goto(f"/rules/{slug}/paper/", wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), slug
        assert page.evaluate(BEYOND) == []


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


def seat_against_a_bot(visit: Visit, slug: str) -> Page:
    guest = visit("Guest", viewport={"width": 1200, "height": 900}, color_scheme="dark")
    page: Page = guest.page
    page.goto(f"/rules/{slug}/")
    guest.press(guest.button("Play now"))
    page.locator("#planner").wait_for()
    page.wait_for_load_state()  # before its styles are there, everything has another size
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


@pytest.mark.more
@pytest.mark.parametrize("slug", GAMES)
def test_a_match_by_link_is_planned_on_paper(visit: Visit, slug: str) -> None:
    """The first sheet has the board, the match's address, the turn, and empty boxes to write in."""
    page = seat_against_a_bot(visit, slug)
    match, letter = page.url.partition("#")[0].removesuffix("/").rsplit("/", 1)
    prints(page, slug)
    page.emulate_media(media="print")
    assert page.locator("main > .paper-only").inner_text() == f"{match}/ · {letter}"
    assert page.locator("h1").is_visible() and page.locator(".board").first.is_visible()
    boxes, n = WRITE_IN[slug]
    shown = page.locator(f"#planner {boxes}").filter(visible=True)
    assert shown.count() == n
    assert not shown.locator(".icon, .bx-slot").filter(visible=True).count(), (
        "something is written in already"
    )


@pytest.mark.more
def test_the_order_sheet_of_a_fight_on_paper(visit: Visit) -> None:
    page = seat_against_a_bot(visit, "roboxing")
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


PIECES = ["#film .board-sheet", ".plate.side-a", ".plate.side-b"]


@pytest.fixture
def match(site: Server, seated: Seated) -> str:
    table = seated("pigs", "colours")
    table.play(1)
    return f"{site.url}/m/{table.key}/"


def looks(browser: Browser, match: str, *, theme: str = "", **settings: str) -> list[bytes]:
    page = browser.new_page(viewport={"width": 1200, "height": 900}, **settings)  # type: ignore[arg-type]
    if theme:
        page.context.add_cookies([{"name": "theme", "value": theme, "url": match}])
    page.goto(match)
    page.wait_for_timeout(1000)
    seen = [page.locator(piece).first.screenshot() for piece in PIECES]
    page.close()
    return seen


@pytest.mark.more
@pytest.mark.parametrize("theme", ["light", "dark", ""])
def test_a_browser_that_darkens_every_page_leaves_this_one_as_it_is(
    browser: Browser, match: str, theme: str
) -> None:
    """Both are whole browsers: a headless shell darkens nothing."""
    plainly = browser.browser_type.launch(executable_path=WHOLE_CHROMIUM, args=ARGS)
    args = [*ARGS, "--enable-features=WebContentsForceDark", "--force-dark-mode"]
    darkening = browser.browser_type.launch(executable_path=WHOLE_CHROMIUM, args=args)
    page = darkening.new_page(color_scheme="null")
    page.set_content("<p>Plain</p>")
    plain = page.evaluate("getComputedStyle(document.querySelector('p')).color")
    assert plain != "rgb(0, 0, 0)", "it darkens nothing"
    darkened = looks(darkening, match, theme=theme, color_scheme="null")
    plain_looks = looks(plainly, match, theme=theme or "dark")
    assert [PIECES[n] for n, one in enumerate(plain_looks) if one != darkened[n]] == []
    darkening.close()
    plainly.close()


@pytest.mark.more
@pytest.mark.parametrize("theme", ["light", ""])
def test_a_light_page_that_is_darkened_all_the_same_has_the_dark_colours(
    browser: Browser, match: str, theme: str
) -> None:
    """On a light system “only” keeps nothing off; sides, text and paper are those of blueprint then."""
    args = [*ARGS, "--enable-features=WebContentsForceDark"]
    darkening = browser.browser_type.launch(executable_path=WHOLE_CHROMIUM, args=args)
    told = [
        colours(one, match, theme=chosen, color_scheme="light")
        for one, chosen in ((browser, "dark"), (darkening, theme))
    ]
    darkening.close()
    assert told[0] == told[1]


def colours(browser: Browser, match: str, *, theme: str, **settings: str) -> list[list[str]]:
    """Colour and ground of the page, of its quieter text and of both sides."""
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    if theme:
        page.context.add_cookies([{"name": "theme", "value": theme, "url": match}])
    page.goto(match)
    read = "one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    found = [page.locator(one).first.evaluate(read) for one in ("body", ".hint, .lead, #status", *PIECES[1:])]
    page.close()
    return found


@pytest.mark.more
def test_sides_are_told_apart_where_colours_are_forced(browser: Browser, match: str) -> None:
    for scheme in ("light", "dark"):
        seen = looks(browser, match, forced_colors="active", color_scheme=scheme)
        assert all(one != other for one, other in combinations(seen[1:], 2))
        page = browser.new_page(forced_colors="active", color_scheme=scheme)
        page.goto(match)
        colours = [
            page.locator(plate).first.evaluate("one => getComputedStyle(one).backgroundColor")
            for plate in PIECES[1:]
        ]
        assert len({*colours, "rgba(0, 0, 0, 0)"}) == 3, colours
        page.close()

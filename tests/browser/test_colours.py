"""Colours that browsers force on pages: the sides stay told apart, and nothing is darkened twice."""

from __future__ import annotations

from itertools import combinations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ARGS, WHOLE_CHROMIUM, Seated
from tests.servers import Server

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

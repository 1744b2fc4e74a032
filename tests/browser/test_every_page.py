"""Every type of page of every game: nothing for axe, nothing sideways, nothing too small for a finger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from games import GAMES
from tests.browser.looks import DESK, ENLARGED, SMALLEST, THEMES, Faults
from tests.browser.scales import FIRST_SIGHT, Scales, is_font
from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE, Page, tables_of
from tests.screenshots.town import build
from tests.screenshots.visits import come_to
from tests.servers import Server

OF_US = tuple(page for page in OF_THE_SITE if page.who != "staff")
"""The admin's pages are Django's own."""

Town = tuple[dict[str, dict[str, str]], dict[str, Any]]


@pytest.fixture(scope="module")
def town(site: Server) -> Town:
    """Tables of every game in every state, and the cookies of who plays, watches and keeps the site."""
    return build(site, list(GAMES), tables_of(*OF_A_GAME), tables_of(*OF_THE_SITE))


@pytest.fixture(scope="module")
def plain(site: Server, town: Town) -> Iterator[Server]:
    """The same site as people see it: with DEBUG, Django has its own page for what is not there."""
    with site.beside(DEBUG="0", LIMITS="on") as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("game", ["", *GAMES])
def test_every_page_is_for_everybody_everywhere(
    browser: Browser, plain: Server, town: Town, game: str, faults: Faults
) -> None:
    for page, window in opened(browser, plain, town, game):
        for size in (SMALLEST, ENLARGED, (768, 1024), DESK):
            for theme in THEMES:
                faults.ask_axe(window, f"{game} {page.name}".strip(), size, theme)
            faults.measure(window, f"{game} {page.name}".strip(), size)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["", *GAMES])
def test_no_page_is_heavy(browser: Browser, plain: Server, town: Town, game: str) -> None:
    """At first sight, with nothing in the cache."""
    heavy: dict[str, str] = {}
    for page, window in opened(browser, plain, town, game):
        if page.press or page.name.removeprefix("error-") in BROKEN:
            continue
        scales = Scales(window)
        scales.session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        window.reload(wait_until="networkidle")
        weight = scales.total(lambda address: not is_font(address))
        if not 0 < weight <= FIRST_SIGHT:
            heavy[page.name] = f"{weight} bytes\n{scales}"
        scales.session.detach()
    assert not heavy, "\n".join(f"{name}: {scales}" for name, scales in heavy.items())


def opened(browser: Browser, server: Server, town: Town, game: str) -> Iterator[tuple[Page, Any]]:
    """Each page of a game, or of the site itself, open in a window of who looks at it."""
    places, cookies = town
    place = places[game or next(iter(places))]
    windows = {}
    for who, known in cookies.items():
        context = browser.new_context(base_url=server.url)
        context.add_cookies([{**cookie, "url": server.url} for cookie in known])
        windows[who] = context.new_page()
    for page in OF_A_GAME if game else OF_US:
        window = windows[page.who]
        come_to(window, page, place)
        yield page, window
    for window in windows.values():
        window.context.close()

"""Every type of page of every game: nothing for axe, nothing sideways or too small, valid and light."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Response

from games import GAMES
from tests.browser.conftest import CHROMIUM
from tests.browser.looks import DESK, ENLARGED, SMALLEST, THEMES, Faults
from tests.browser.scales import FIRST_SIGHT, Scales, is_font
from tests.checkers import check
from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE, Page, come_to, tables_of
from tests.screenshots.town import build
from tests.servers import ROOT, Server

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


CHECKER = "node_modules/vnu-jar/build/dist/vnu.jar"


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("games", [["pigs"], pytest.param(list(GAMES), marks=pytest.mark.more)])
def test_every_page_is_valid_html(browser: Browser, site: Server, tmp_path: Path, games: list[str]) -> None:
    keep_pages(browser, site, tmp_path, games)
    assert len(list(tmp_path.iterdir())) == len(OF_US) + len(games) * len(OF_A_GAME)
    messages = json.loads(check(CHECKER, "--format", "json", "--stdout", tmp_path).stdout)["messages"]
    found = [
        f"{Path(one['url']).name}:{one['lastLine']}: {one['message']}\n  {one['extract']}" for one in messages
    ]
    assert not found, "\n".join(found)


def keep_pages(browser: Browser, site: Server, folder: Path, games: list[str]) -> None:
    """A file of each type of page, as its reader's browser receives it."""
    places, cookies = build(site, games, tables_of(*OF_A_GAME), tables_of(*OF_US))
    some = next(iter(places.values()))
    # with DEBUG, Django has its own page for what is not there
    with site.beside(DEBUG="0", LIMITS="on") as plain:
        contexts = {}
        for who, known in cookies.items():
            contexts[who] = browser.new_context(base_url=plain.url)
            contexts[who].add_cookies([{**cookie, "url": plain.url} for cookie in known])
        for page in OF_US:
            (folder / f"{page.name}.html").write_text(
                INLINED.sub("", received(contexts[page.who], page, some))
            )
        for game, place in places.items():
            for page in OF_A_GAME:
                file = folder / f"{game}-{page.name}.html"
                file.write_text(INLINED.sub("", received(contexts[page.who], page, place)))
        for context in contexts.values():
            context.close()


INLINED = re.compile(r"<(style|script) data-file=.*?</\1>", re.DOTALL)
"""Files in a browser's first page: the checker does not know all of today's style sheets."""


def received(context: BrowserContext, page: Page, place: dict[str, str]) -> str:
    """The page as it comes: rendered by a browser only where it is the answer to a press."""
    if (status := page.name.removeprefix("error-")) in BROKEN:
        return place[status]
    if not page.press:
        return context.request.get(page.address.format(**place)).text()
    window = context.new_page()
    answers: list[Response] = []
    window.on("response", lambda answer: answers.append(answer))
    come_to(window, page, place)
    whole = [one for one in answers if one.request.is_navigation_request() and one.status < 300]
    text = whole[-1].text()
    window.close()
    return text


@pytest.mark.slow
def test_a_page_in_four_sizes_and_two_themes(tmp_path: Path) -> None:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: set CHROMIUM")
    arguments = ("--only", "robble", "--page", "planning", "--into", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.screenshots", *arguments],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert "look at" not in done.stdout, done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"robble-planning-{size}-{theme}.png"
        for size in ("browser", "desktop", "phone", "tablet")
        for theme in ("blueprint", "paper")
    ]

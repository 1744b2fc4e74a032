"""Every type of page is valid HTML for the Nu checker, which validator.w3.org runs too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Response

from games import GAMES
from tests.checkers import check
from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE, Page, tables_of
from tests.screenshots.town import build
from tests.screenshots.visits import come_to
from tests.servers import Server

CHECKER = "node_modules/vnu-jar/build/dist/vnu.jar"
OF_US = tuple(page for page in OF_THE_SITE if page.who != "staff")
"""The admin's pages are Django's own."""


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

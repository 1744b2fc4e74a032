"""Every type of page is valid HTML for the Nu checker, which validator.w3.org runs too."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Response

from games import GAMES
from tests.checkers import checker
from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE, Page, tables_of
from tests.screenshots.town import build
from tests.screenshots.visits import come_to
from tests.servers import Server

pytestmark = pytest.mark.more

OF_US = tuple(page for page in OF_THE_SITE if page.who != "staff")
"""The admin's pages are Django's own."""


def test_every_page_is_valid_html(browser: Browser, site: Server, tmp_path: Path) -> None:
    places, cookies = build(site, list(GAMES), tables_of(*OF_A_GAME), tables_of(*OF_US))
    with site.beside(DEBUG="0", LIMITS="on") as plain:
        contexts = {}
        for who, known in cookies.items():
            contexts[who] = browser.new_context(base_url=plain.url)
            contexts[who].add_cookies([{**cookie, "url": plain.url} for cookie in known])
        some = next(iter(places.values()))
        for page in OF_US:
            keep(tmp_path / f"{page.name}.html", contexts[page.who], page, some)
        for game, place in places.items():
            for page in OF_A_GAME:
                keep(tmp_path / f"{game}-{page.name}.html", contexts[page.who], page, place)
        for context in contexts.values():
            context.close()
    assert len(list(tmp_path.iterdir())) == len(OF_US) + len(GAMES) * len(OF_A_GAME)
    jar = checker("vnu-jar/build/dist/vnu.jar")
    told = subprocess.run(["java", "-jar", jar, "--format", "json", "--stdout", str(tmp_path)], capture_output=True, text=True, timeout=240)
    messages = json.loads(told.stdout)["messages"]
    Path("/tmp/br/vnu.json").write_text(json.dumps(messages))
    assert not messages
    

def keep(file: Path, context: BrowserContext, page: Page, place: dict[str, str]) -> None:
    """Keeps the page as it came; one that is answered to a press, or to a fault, is opened for that."""
    status = page.name.removeprefix("error-")
    if status in BROKEN:
        file.write_text(place[status])
    elif page.press:
        window = context.new_page()
        came: list[Response] = []
        window.on("response", lambda answer: came.append(answer) if answer.request.is_navigation_request() else None)
        come_to(window, page, place)
        file.write_text([a for a in came if a.status<300][-1].text())
        window.close()
    else:
        file.write_text(context.request.get(page.address.format(**place)).text())

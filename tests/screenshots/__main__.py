"""Photographs the pages: `python -m tests.screenshots --only pigs --page planning --whole`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

from playwright.sync_api import Browser
from playwright.sync_api import Page as Window

from games import GAMES
from tests.browser.people import scrolls_sideways
from tests.engines import chromium
from tests.screenshots.pages import OF_A_GAME, OF_THE_SITE, Page, come_to, tables_of
from tests.screenshots.town import build
from tests.servers import ROOT, Server

SIZES = {"phone": (360, 740), "browser": (390, 664), "tablet": (768, 1024), "desktop": (1440, 900)}
"""`browser`: a phone with the browser's own bars on its screen."""
THEMES: dict[str, Literal["light", "dark"]] = {"paper": "light", "blueprint": "dark"}
AT_REST = "*, ::before, ::after { animation: none !important; transition: none !important }"


def main() -> None:
    given = _arguments()
    games = [game for game in GAMES if given.only in ("", game)]
    if not games:
        sys.exit(f"There is no game “{given.only}”; there are {', '.join(GAMES)}.")
    into = ROOT / "screenshots"
    into.mkdir(exist_ok=True)
    began = time.monotonic()
    of_site = [page for page in OF_THE_SITE if given.page in ("", page.name) and not given.only]
    of_games = [page for page in OF_A_GAME if given.page in ("", page.name)]
    if not of_site and not of_games:
        sys.exit(f"There is no page “{given.page}”.")
    with tempfile.TemporaryDirectory(prefix="robosite-screenshots-") as data:
        with Server(Path(data)) as server:
            places, cookies = build(server, games, tables_of(*of_games), tables_of(*of_site))
        shots = list(_shots(places, of_site, of_games))
        print(f"{len(shots)} pages, {len(SIZES) * len(THEMES)} pictures each, into {into}/")
        # so that a page that is not there looks as it does for people
        with server.beside(DEBUG="0", LIMITS="on") as usual, chromium.launch() as engine:
            faults = _photograph(engine.browser, usual.url, shots, cookies, into, whole=given.whole)
    for fault in faults:
        print(f"look at {fault}")
    print(f"done in {time.monotonic() - began:.0f} s")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make screenshots", description=__doc__)
    parser.add_argument("--only", default="", help="one game, without the pages of the site itself")
    parser.add_argument("--page", default="", help="one type of page, such as planning")
    parser.add_argument("--whole", action="store_true", help="the whole page, not what the window shows")
    return parser.parse_args()


Shot = tuple[str, Page, dict[str, str]]
"""A picture's name, its type of page, and what its address needs."""


def _shots(places: dict[str, dict[str, str]], of_site: list[Page], of_games: list[Page]) -> Iterator[Shot]:
    some = next(iter(places.values()))
    for page in of_site:
        yield page.name, page, some
    for game, place in places.items():
        for page in of_games:
            if page.name != "film":
                yield f"{game}-{page.name}", page, place
                continue
            turn = place["planning_step"].partition(".")[0]
            for step in range(int(place["planning_steps"]) + 1):
                yield f"{game}-film-{step}", page, {**place, "planning_step": f"{turn}.{step}"}


def _photograph(
    browser: Browser, url: str, shots: list[Shot], cookies: dict[str, Any], into: Path, *, whole: bool
) -> list[str]:
    """Takes all pictures; says which pages scroll sideways, complain, or do not answer."""
    faults: list[str] = []
    windows: dict[str, Window] = {}
    for who, known in cookies.items():
        context = browser.new_context(base_url=url, reduced_motion="reduce")
        context.add_cookies(known)
        windows[who] = context.new_page()
    for name, page, place in shots:
        told = _shoot(windows[page.who], page, place, into / name, whole)
        faults += [f"{name}: {fault}" for fault in told]
    return faults


def _shoot(window: Window, page: Page, place: dict[str, str], picture: Path, whole: bool) -> list[str]:
    """The page is loaded once; then the window changes its size and the system its theme.

    A match's page shows its board as the window has room when it comes, so it is loaded for each size.
    """
    told: list[str] = []
    again = page in OF_A_GAME and page.address.startswith("/m/") and page.name not in ("reveal", "ended")
    status = come_to(window, page, place)
    expected = int(page.name.removeprefix("error-")) if page.name.startswith("error-") else 200
    if status != expected:
        told.append(f"answers {status}")
    window.evaluate("document.fonts.ready.then(() => true)")
    for size, (width, height) in SIZES.items():
        window.set_viewport_size({"width": width, "height": height})
        if again:
            come_to(window, page, place)
        if sideways := scrolls_sideways(window):
            told.append(f"scrolls {sideways} px sideways on a {size}")
        for theme, scheme in THEMES.items():
            window.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            path = picture.with_name(f"{picture.name}-{size}-{theme}.png")
            window.screenshot(path=path, full_page=whole, style=AT_REST)
    return told


if __name__ == "__main__":
    main()

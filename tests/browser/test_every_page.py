"""Every type of page of every game: nothing for axe, nothing sideways or too small, valid and light."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Response, expect

from games import GAMES
from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.looks import (
    AHEAD,
    DESK,
    ENLARGED,
    FIRST_SIGHT,
    FONTS,
    SMALLEST,
    THEMES,
    UPDATE,
    Faults,
    Scales,
    is_ahead,
    is_count,
    is_font,
    is_icon,
)
from tests.browser.people import DESKTOP, ROUNDS, Watcher, play_rounds, sit
from tests.checkers import check
from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE, Page, come_to, tables_of
from tests.screenshots.town import Table, build
from tests.servers import Server

OF_US = tuple(page for page in OF_THE_SITE if page.who != "staff")
"""The admin's pages are Django's own."""

Town = tuple[dict[str, dict[str, str]], dict[str, Any]]


@pytest.fixture(scope="module")
def plain(site: Server) -> Iterator[Server]:
    """The same site as people see it: with DEBUG, Django has its own page for what is not there.

    Then style sheets and scripts are sent as they were written, too.
    """
    with site.beside(DEBUG="0", LIMITS="on") as running:
        yield running


@pytest.fixture(scope="module")
def town(site: Server) -> Town:
    """Tables of every game in every state, and the cookies of who plays, watches and keeps the site."""
    return build(site, list(GAMES), tables_of(*OF_A_GAME), tables_of(*OF_THE_SITE))


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
    contexts = contexts_of(browser, server, cookies)
    windows = {who: context.new_page() for who, context in contexts.items()}
    for page in OF_A_GAME if game else OF_US:
        window = windows[page.who]
        come_to(window, page, place)
        yield page, window
    for context in contexts.values():
        context.close()


CHECKER = "node_modules/vnu-jar/build/dist/vnu.jar"
FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss8m"
"""Java's options for a program that runs a few seconds."""


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("games", [["pigs"], pytest.param(list(GAMES), marks=pytest.mark.more)])
def test_every_page_is_valid_html(
    browser: Browser,
    site: Server,
    plain: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    games: list[str],
) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", FAST_START)
    keep_pages(browser, site, plain, tmp_path, games)
    assert len(list(tmp_path.iterdir())) == len(OF_US) + len(games) * len(OF_A_GAME)
    messages = json.loads(check(CHECKER, "--format", "json", "--stdout", tmp_path).stdout)["messages"]
    found = [
        f"{Path(one['url']).name}:{one['lastLine']}: {one['message']}\n  {one['extract']}" for one in messages
    ]
    assert not found, "\n".join(found)


def keep_pages(browser: Browser, site: Server, plain: Server, folder: Path, games: list[str]) -> None:
    """A file of each type of page, as its reader's browser receives it."""
    places, cookies = build(site, games, tables_of(*OF_A_GAME), tables_of(*OF_US))
    contexts = contexts_of(browser, plain, cookies)
    for game, place in [("", places[games[0]]), *places.items()]:
        for page in OF_A_GAME if game else OF_US:
            text = INLINED.sub("", received(contexts[page.who], page, place))
            (folder / f"{game}-{page.name}.html").write_text(text)
    for context in contexts.values():
        context.close()


def contexts_of(browser: Browser, server: Server, cookies: dict[str, Any]) -> dict[str, BrowserContext]:
    """The browser of each person who looks."""
    contexts = {}
    for who, known in cookies.items():
        contexts[who] = browser.new_context(base_url=server.url)
        contexts[who].add_cookies([{**cookie, "url": server.url} for cookie in known])
    return contexts


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


AT_FIRST = """{
    const { setTimeout: plain } = window;
    window.setTimeout = (does, after = 0, ...given) => (after < 1000 ? plain(does, after, ...given) : 0);
}"""
"""What a page fetches a second and more after its first sight does not come, however slow that is."""


def test_the_weight_of_a_match_at_first_sight_of_an_update_and_a_tap(
    visit: Visit, plain: Server, table: Table, watcher: Watcher
) -> None:
    watcher.host = urlsplit(plain.url).netloc
    play_rounds(table, 0)
    alice = sit(visit("Ada", base_url=plain.url, **DESKTOP), table)
    fresh = visit("Ada with nothing cached", base_url=plain.url, **DESKTOP)
    fresh.context.add_cookies(alice.context.cookies())  # type: ignore[arg-type]
    fresh.page.add_init_script(AT_FIRST)
    scales = Scales(fresh.page)
    fresh.page.goto(f"{alice.address}?at=1.1", wait_until="networkidle")
    page, fonts = scales.total(lambda address: not is_font(address)), scales.total(is_font)
    print(f"first sight {page}, fonts {fonts}\n{scales}")
    assert 0 < fonts <= FONTS, scales
    assert 0 < page <= FIRST_SIGHT, scales
    asked = Counter(address for address, _ in scales.weighed if ".js" in address)
    assert set(asked.values()) == {1}, asked
    names = [address.rpartition("/")[2].partition(".")[0] for address in asked]
    assert len(names) == len(set(names)), "a script under two names runs twice"

    alice.come_to_now()
    scales = Scales(alice.page)
    scales.begin_again()
    alice.press(alice.key("F"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    tap, ahead = scales.total(), scales.total(is_ahead)  # what is fetched ahead comes now, or a little later
    print(f"a tap {tap}\n{scales}")
    scales.weighed.clear()
    table.seal(Seat("B"), ROUNDS[1][1], 1)
    expect(alice.at_table("Ben")).to_contain_text("sealed")
    others = (is_icon, is_ahead, is_count)
    update = scales.total(lambda address: not any(is_one(address) for is_one in others))
    assert 0 < ahead + scales.total(is_ahead) <= 2 * AHEAD
    print(f"an update {update}\n{scales}")
    assert 0 < tap <= UPDATE
    assert 0 < update <= UPDATE

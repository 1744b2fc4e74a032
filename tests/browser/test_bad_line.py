"""A line that hangs, a proxy that answers 502, a network that asks to sign in: the kept board is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from games.core import Seat
from tests.browser.conftest import PATIENCE
from tests.browser.people import PHONE, STILL, Person, Watcher
from tests.browser.test_offline import ask_for_it, keeps, kept
from tests.proxy import Fault, Proxy
from tests.receivers import until
from tests.screenshots.town import Table
from tests.servers import Server

A, B = Seat("A"), Seat("B")
AWAY = "The site isn’t answering. This is the board as this browser last saw it, on"
PORTALS = (Fault.PORTAL, Fault.ELSEWHERE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The site as people get it, whose files have names by which they are kept for good."""
    with Server(tmp_path_factory.mktemp("bad-line"), DEBUG="0", LIMITS="on") as running:
        yield running


@pytest.fixture
def line(site: Server) -> Iterator[Proxy]:
    with Proxy(site.port) as line:
        yield line


@pytest.fixture
def ada(browser: Browser, line: Proxy, site: Server, watcher: Watcher, tmp_path: Path) -> Iterator[Person]:
    """At her seat, with the board kept in her browser."""
    watcher.host = f"127.0.0.1:{line.port}"
    watcher.allow(r"ERR_|WebSocket|Failed to load resource|htmx|http://localhost:")
    table = Table(site.url, "pigs", "line")
    table.sit_down()
    context = browser.new_context(base_url=line.url, **PHONE, **STILL)
    context.set_default_timeout(PATIENCE)
    watcher.watch(context, "Ada")
    ada = Person("Ada", context, touch=True)
    ada.page.goto(f"/s/seat/{table.tokens[A]}/")
    ada.press(ada.button("Continue as"))
    expect(ada.page.get_by_role("heading", name="Players")).to_be_visible()
    home = ada.address
    ask_for_it(ada)
    keeps(ada, home)
    ada.home, ada.game = home, table  # type: ignore[attr-defined]
    yield ada
    table.api.close()
    context.close()


def comes_home(ada: Person) -> None:
    """The kept board is shown, and says so, though nothing of the present one has come."""
    ada.page.goto(ada.home, wait_until="commit")  # type: ignore[attr-defined]
    expect(ada.page.locator("#offline")).to_contain_text(AWAY)
    expect(ada.page.locator("#film .board")).to_be_visible()


@pytest.mark.parametrize(
    "fault",
    [Fault.HANGS, *(pytest.param(one, marks=pytest.mark.more) for one in (Fault.STALLS, Fault.BAD_GATEWAY))],
)
def test_the_kept_board_is_there_and_gives_way_to_the_present_one(
    ada: Person, line: Proxy, fault: Fault
) -> None:
    line.becomes(fault)
    comes_home(ada)
    ada.enter_as_text(kept=True)
    field = ada.page.get_by_label("Your program as text")
    field.press_sequentially("F F")
    ada.game.seal(B, "H H H H H", 0)  # type: ignore[attr-defined]
    line.becomes(None)
    expect(ada.page.locator("#offline")).to_contain_text("The site is back.", timeout=60_000)
    expect(ada.at_table("Ben")).to_contain_text("sealed")
    expect(field).to_have_value("F F")
    until(lambda: is_present(ada))
    expect(ada.page.locator("#offline")).to_have_count(0)
    expect(ada.at_table("Ben")).to_contain_text("sealed")


def is_present(ada: Person) -> bool:
    """Loads the page, and tells whether it came from the site: in time, as the worker sees it."""
    ada.page.reload()
    return not ada.page.locator("html[data-kept]").count()


@pytest.mark.more
def test_what_comes_late_takes_the_place_of_the_kept_board(ada: Person, line: Proxy) -> None:
    ada.game.seal(B, "H H H H H", 0)  # type: ignore[attr-defined]
    line.becomes(None, delay=3)  # each way: less than a page waits, more than the worker
    comes_home(ada)
    expect(ada.at_table("Ben")).to_contain_text("planning")
    expect(ada.at_table("Ben")).to_contain_text("sealed", timeout=60_000)
    expect(ada.page.locator("#offline")).to_contain_text("The site is back.")


@pytest.mark.more
@pytest.mark.parametrize("fault", PORTALS)
def test_a_network_that_asks_to_sign_in_is_not_kept_in_the_boards_place(
    ada: Person, line: Proxy, fault: Fault
) -> None:
    line.becomes(fault)
    before = kept(ada)
    for path in (ada.home, "/mine/"):  # type: ignore[attr-defined]
        ada.page.goto(path)
        expect(ada.page.get_by_role("heading", name="Please sign in")).to_be_visible()
    line.becomes(None)
    ada.context.set_offline(True)
    ada.page.goto(ada.home)  # type: ignore[attr-defined]
    assert kept(ada) == before
    expect(ada.page.locator("#offline")).to_contain_text("You’re offline.")
    expect(ada.page.locator("#film .board")).to_be_visible()
    look = "getComputedStyle(document.querySelector('.bar')).display"
    assert ada.page.evaluate(look) == "flex", "its style sheets are the site's"


@pytest.mark.more
def test_a_draft_is_not_taken_for_sent_where_the_network_answers(ada: Person, line: Proxy) -> None:
    line.becomes(Fault.HANGS)
    comes_home(ada)
    ada.press(ada.key("F"))
    expect(ada.page.locator("#offline")).to_contain_text("Nothing is sealed until you seal it.")
    for fault in PORTALS:
        line.becomes(fault)
        ada.page.wait_for_timeout(8000)
        assert [path for path in kept(ada) if path.startswith("/draft/")]
    line.becomes(None)
    expect(ada.page.locator("#offline")).to_contain_text("as your draft: F", timeout=60_000)
    expect(ada.slots.first).to_have_accessible_name("Slot 1: fire. Take it out.")

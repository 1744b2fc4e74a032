"""A real Chromium before a real server. Whatever a page complains about fails the test that opened it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.looks import Faults
from tests.browser.people import Person, Watcher
from tests.proxy import Proxy
from tests.screenshots.town import Table
from tests.servers import Server, new_database

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WHOLE_CHROMIUM = os.environ.get("WHOLE_CHROMIUM", CHROMIUM)
"""For what a headless shell lacks: notifications (a file says NEEDS_NOTIFICATIONS), pages kept in memory, and
dark mode by force."""
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

PATIENCE = 60_000
"""Milliseconds that a page may take for what usually takes a hundred."""

Visit = Callable[..., Person]
Seated = Callable[..., Table]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One Chromium a file: while it runs, its loop leaves no room for tests that need one of their own."""
    path = WHOLE_CHROMIUM if getattr(request.module, "NEEDS_NOTIFICATIONS", False) else CHROMIUM
    if not Path(path).exists():
        if os.environ.get("REQUIRE_SERVICES"):
            pytest.fail("A Chromium must be here: set CHROMIUM.")
        pytest.skip(f"no Chromium at {path}: set CHROMIUM")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all; each test makes a match of its own. On PostgreSQL and Redis with ON_SERVERS=1."""
    env: Any = {}
    with ExitStack() as stack:
        if os.environ.get("ON_SERVERS"):
            env["DATABASE_URL"] = stack.enter_context(new_database(os.environ["TEST_POSTGRES_URL"]))
            env["REDIS_URL"] = os.environ["TEST_REDIS_URL"]
            env["REDIS_PREFIX"] = secrets.token_hex(8)
        yield stack.enter_context(Server(tmp_path_factory.mktemp("site"), **env))


@pytest.fixture(autouse=True)
def watcher(site: Server) -> Iterator[Watcher]:
    """No page may complain, break the content policy, or ask another host for anything."""
    watching = Watcher(site.url)
    yield watching
    assert not watching.faults, "\n".join(watching.faults)


@pytest.fixture
def faults() -> Iterator[Faults]:
    """Gathers what is wrong with the looks of pages, and fails the test at its end."""
    gathered = Faults()
    yield gathered
    assert not gathered.found, "\n".join(gathered.found)


@pytest.fixture
def visit(browser: Browser, site: Server, watcher: Watcher) -> Iterator[Visit]:
    """Makes people: each with their own context (cookies and all), of this or another browser, and a page."""
    contexts: list[BrowserContext] = []

    def new(name: str, **settings: Any) -> Person:
        another = settings.pop("browser", browser)
        context = another.new_context(**{"base_url": site.url, **settings})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        watcher.watch(context, name)
        return Person(
            name,
            context,
            touch=settings.get("has_touch", False),
            scripts=settings.get("java_script_enabled", True),
        )

    yield new
    for context in contexts:
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")  # it may ask for something to the last
        context.close()


@pytest.fixture
def line(site: Server, watcher: Watcher) -> Iterator[Proxy]:
    """A line to the site that can fail; people at `line.url` may hear of that."""
    watcher.allow(r"ERR_|WebSocket|Failed to load|htmx|http://localhost:")
    with Proxy(site.port) as line:
        watcher.host = urlsplit(line.url).netloc
        yield line


@pytest.fixture
def seated(site: Server) -> Iterator[Seated]:
    """Makes matches whose players have sat down and act through the API; `more` are further terms."""
    with ExitStack() as stack:

        def new(game: str, seed: str, preset: str = "", **more: Any) -> Table:
            table = Table(site.url, game, seed, preset, more=more)
            stack.callback(table.api.close)
            table.sit_down()
            return table

        yield new


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match of Robo Battle Pigs in which nothing has been played."""
    return seated("pigs", "a table")

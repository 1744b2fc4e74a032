"""Each engine once, before a site whose pages listen for their own errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines import chromium, firefox, webkit
from tests.engines.guests import Guest
from tests.engines.windows import SIZE, Engine, Window
from tests.servers import Server

ENGINES: dict[str, Any] = {
    "chromium": chromium,
    "webkit": webkit,
    "firefox": firefox,
    "chromium-122": chromium.OldChromium(122),
    "chromium-109": chromium.OldChromium(109),
    "poorest": chromium.OldChromium(109, poor=True),
}
PRESENT = ("chromium", "webkit", "firefox")
SETTINGS = "tests.engines.settings"
WEBKIT_OFTEN = [pytest.param(name, marks=() if name == "webkit" else pytest.mark.more) for name in PRESENT]
"""Engines for a test of which `make test-integration` runs one: that which differs most from Chromium."""


Visit = Callable[..., Guest]
"""Makes a guest of that name with a window of their own, of a size if it is given."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module", params=PRESENT)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Skips where the machine lacks an engine, unless it must be there (REQUIRE_ENGINES, as in `.ci/run`)."""
    name: str = request.param
    if missing := ENGINES[name].missing():
        if os.environ.get("REQUIRE_ENGINES"):
            pytest.fail(f"{missing} must be here: sh .ci/engines")
        pytest.skip(f"no {missing}: sh .ci/engines")
    with ENGINES[name].launch() as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("engines"), DJANGO_SETTINGS_MODULE=SETTINGS) as running:
        yield running


@pytest.fixture
def open_window(engine: Engine) -> Iterator[Callable[..., Window]]:
    """Opens windows, each of a guest of its own, which are closed after the test."""
    opened: list[Window] = []

    def new(size: tuple[int, int] = SIZE) -> Window:
        opened.append(engine.window(size))
        return opened[-1]

    yield new
    for window in opened:
        window.close()


@pytest.fixture
def visit(open_window: Callable[..., Window], site: Server) -> Iterator[Visit]:
    """Makes guests. Whatever their pages complain about fails the test."""
    guests: list[Guest] = []

    def new(name: str, size: tuple[int, int] = SIZE) -> Guest:
        guests.append(Guest(name, open_window(size), site.url))
        return guests[-1]

    yield new
    complaints = [f"{guest.name}: {one}" for guest in guests for one in guest.complaints()]
    assert not complaints, "\n".join(complaints)

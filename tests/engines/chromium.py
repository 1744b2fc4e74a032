"""Chromium, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, sync_playwright

from tests.browser.conftest import ARGS, CHROMIUM
from tests.engines.windows import PATIENCE, SIZE, Unanswered

LEFT = "net::ERR_ABORTED"
"""The failure of a request that nobody waits for any more, since another page took the place of its own."""


class ChromiumWindow:
    def __init__(self, context: BrowserContext) -> None:
        context.set_default_timeout(PATIENCE * 1000)
        self._heard: list[str] = []
        context.on("console", lambda message: self._hear(message.type, message.text))
        context.on("weberror", lambda error: self._heard.append(f"error in a script: {error.error}"))
        context.on("requestfailed", lambda asked: self._fail(asked.failure, asked.url))
        self.page = context.new_page()

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self._heard.append(f"{kind}: {text}")

    def _fail(self, why: str | None, url: str) -> None:
        if why != LEFT:
            self._heard.append(f"{why}: {url}")

    def goto(self, address: str) -> None:
        self.page.goto(address)

    def evaluate(self, function: str, *values: Any) -> Any:
        try:
            return self.page.evaluate(f"(values) => ({function})(...values)", values)
        except Error as error:
            raise Unanswered(error.message) from error

    def tap(self, x: int, y: int) -> None:
        self.page.touchscreen.tap(x, y)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def complaints(self) -> list[str]:
        return self._heard

    def close(self) -> None:
        self.page.context.unroute_all(behavior="ignoreErrors")
        self.page.context.close()


class Chromium:
    name = "chromium"
    prepare: Callable[[BrowserContext], None] | None = None
    """What is done to each window before a page is opened in it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def window(self, size: tuple[int, int] = SIZE, **settings: Any) -> ChromiumWindow:
        width, height = size
        viewport: Any = {"width": width, "height": height}
        context = self.browser.new_context(viewport=viewport, has_touch=True, **settings)
        if self.prepare:
            self.prepare(context)
        return ChromiumWindow(context)


def missing() -> str:
    """The engine, if it is not here."""
    return "" if Path(CHROMIUM).exists() else "Chromium"


@contextmanager
def launch(path: str = CHROMIUM) -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield Chromium(browser)
        browser.close()

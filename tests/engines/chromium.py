"""Chromium, driven by Playwright, and those of yesterday, which `sh .ci/engines` brings from npm."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.request import urlopen

import brotli
from playwright.sync_api import Browser, BrowserContext, Error, Route, sync_playwright

from tests.browser.conftest import ARGS, CHROMIUM
from tests.engines.windows import PATIENCE, SIZE, Unanswered
from tests.kept import FOLDER
from tests.servers import ROOT


class ChromiumWindow:
    def __init__(self, context: BrowserContext) -> None:
        context.set_default_timeout(PATIENCE * 1000)
        self.page = context.new_page()

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


PACKAGES = ROOT / ".ci" / "old_chromium" / "node_modules"
LACKS = """for (const name of Object.getOwnPropertyNames(Element.prototype)) {
  if (/^(aria|role$)/.test(name)) delete Element.prototype[name];
}
delete AbortSignal.timeout;
delete HTMLFormElement.prototype.requestSubmit;"""
"""What Firefox 115 or Safari 15.6 lack, taken away from Chromium 109; of style sheets see `poor`."""


class OldChromium:
    """An engine like the modules beside this one; `poor`, without what the oldest Firefox or Safari lacks."""

    def __init__(self, version: int, poor: bool = False) -> None:
        self.version = version
        self.poor = poor
        self.packed = PACKAGES / f"chromium-{version}" / "bin" / "chromium.br"

    def missing(self) -> str:
        """The engine, if it is not here; there is one for Linux on x86-64 alone."""
        fits = (sys.platform, platform.machine()) == ("linux", "x86_64")
        return "" if fits and self.packed.exists() else f"Chromium {self.version} (Linux, x86-64)"

    @contextmanager
    def launch(self) -> Iterator[Chromium]:
        with launch(str(self._unpacked())) as engine:
            engine.prepare = make_poor if self.poor else None
            yield engine

    def _unpacked(self) -> Path:
        program = FOLDER / f"chromium-{self.version}"
        if not program.exists():
            FOLDER.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=FOLDER, delete=False) as file:
                file.write(brotli.decompress(self.packed.read_bytes()))
            made = Path(file.name)
            made.chmod(0o755)
            made.rename(program)
        return program


def make_poor(context: BrowserContext) -> None:
    context.add_init_script(LACKS)
    context.route("**/*.css", poor)


def poor(route: Route) -> None:
    """Sends a style sheet in which :has() and container queries are words that no browser knows."""
    text = urlopen(route.request.url).read().decode()
    for word in (":has(", "@container", "cqw"):
        text = text.replace(word, word.replace(word.strip(":@("), f"no-{word.strip(':@(')}"))
    route.fulfill(body=text, content_type="text/css")

"""Chromiums of yesterday, driven by Playwright; `sh .ci/engines` brings them as npm packages."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.request import urlopen

import brotli
from playwright.sync_api import BrowserContext, Route

from tests.engines import chromium
from tests.kept import FOLDER
from tests.servers import ROOT

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
        if (sys.platform, platform.machine()) != ("linux", "x86_64"):
            return f"Chromium {self.version} (Linux, x86-64)"
        return "" if self.packed.exists() else f"Chromium {self.version}"

    @contextmanager
    def launch(self) -> Iterator[chromium.Chromium]:
        with chromium.launch(str(self._unpacked())) as engine:
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

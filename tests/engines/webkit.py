"""WebKit, Safari's engine: WebKitGTK's MiniBrowser, driven by Selenium on a virtual screen."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Remote, WebKitGTKOptions
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.webkitgtk.service import Service

from tests.engines.windows import PATIENCE, SIZE, Unanswered

DRIVER, SCREEN = "WebKitWebDriver", "Xvfb"
BROWSERS = "*/webkit2gtk-4.*/MiniBrowser"
"""Below /usr/lib: Debian has the browser beside the library, not on the path."""
SMALL_BARS = """* { min-width: 0; min-height: 0; margin: 0; padding: 0; font-size: 1px; }"""
"""A style of GTK by which a window of MiniBrowser may be as narrow as a telephone in spite of its toolbar."""


class WebKitWindow:
    """A session of WebKitWebDriver: a browser of its own that keeps nothing."""

    def __init__(self, driver: Remote, service: Service, size: tuple[int, int]) -> None:
        self.driver = driver
        self.service = service
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        driver.set_window_size(*size)
        bars = size[1] - driver.execute_script("return innerHeight")
        driver.set_window_size(size[0], size[1] + bars)

    def goto(self, address: str) -> None:
        self.driver.get(address)

    def evaluate(self, function: str, *values: Any) -> Any:
        try:
            return self.driver.execute_script(f"return ({function})(...arguments)", *values)
        except WebDriverException as error:
            raise Unanswered(error.msg) from error

    def tap(self, x: int, y: int) -> None:
        hand = ActionChains(self.driver, duration=0)
        hand.w3c_actions.pointer_action.move_to_location(x, y).click()
        hand.perform()

    def type(self, text: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(text).perform()

    def close(self) -> None:
        self.driver.quit()
        self.service.stop()


class WebKit:
    name = "webkit"

    def __init__(self, display: str, config: str) -> None:
        self.display = display
        self.config = config

    def window(self, size: tuple[int, int] = SIZE) -> WebKitWindow:
        env = {**os.environ, "DISPLAY": self.display, "XDG_CONFIG_HOME": self.config}
        service = Service(executable_path=shutil.which(DRIVER), env=env)
        service.start()  # it takes one session
        options = WebKitGTKOptions()
        options.binary_location = browser()
        options.add_argument("--automation")
        connection = RemoteConnection(client_config=ClientConfig(service.service_url))
        driver = Remote(command_executor=connection, options=options)
        return WebKitWindow(driver, service, size)


def browser() -> str:
    return next((str(path) for path in sorted(Path("/usr/lib").glob(BROWSERS))), "")


def missing() -> str:
    found = {"MiniBrowser": browser(), **{name: shutil.which(name) for name in (DRIVER, SCREEN)}}
    return ", ".join(name for name, path in found.items() if not path)


@contextmanager
def launch() -> Iterator[WebKit]:
    command = [SCREEN, "-displayfd", "1", "-screen", "0", "1440x1000x24", "-nolisten", "tcp"]
    with (
        TemporaryDirectory(prefix="robosite-webkit-") as config,
        subprocess.Popen(command, stdout=PIPE, stderr=DEVNULL, text=True) as screen,
    ):
        style = Path(config) / "gtk-3.0" / "gtk.css"
        style.parent.mkdir()
        style.write_text(SMALL_BARS)
        assert screen.stdout
        yield WebKit(f":{screen.stdout.readline().strip()}", config)
        screen.terminate()

"""WebKit, Safari's engine: WebKitGTK's MiniBrowser, driven by Selenium on a virtual screen."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from glob import glob
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Remote, WebKitGTKOptions
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.webkitgtk.service import Service

from tests.engines.windows import PATIENCE, SIZE, Unanswered

BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
"""Where Debian has the browser: beside the library, not on the path."""


class WebKitWindow:
    """A session of WebKitWebDriver: a browser of its own that keeps nothing."""

    def __init__(self, driver: Remote) -> None:
        self.driver = driver
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        driver.set_window_size(*SIZE)

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

    def complaints(self) -> list[str]:
        return []  # its driver tells none: the page listens for itself (listening.py)


class WebKit:
    name = "webkit"

    def __init__(self, stack: ExitStack, display: str) -> None:
        self.stack = stack
        self.display = display

    def window(self) -> WebKitWindow:
        env = {**os.environ, "DISPLAY": self.display}
        service = Service(executable_path=shutil.which("WebKitWebDriver"), env=env)
        service.start()  # it takes one session
        self.stack.callback(service.stop)
        options = WebKitGTKOptions()
        options.binary_location = browser() or ""
        options.add_argument("--automation")
        connection = RemoteConnection(client_config=ClientConfig(service.service_url))
        driver = Remote(command_executor=connection, options=options)
        self.stack.callback(driver.quit)
        return WebKitWindow(driver)


def browser() -> str | None:
    return next(iter(sorted(glob(BROWSERS))), None)


@contextmanager
def launch() -> Iterator[WebKit]:
    with ExitStack() as stack:
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1440x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        stack.enter_context(screen)
        stack.callback(screen.terminate)
        assert screen.stdout
        yield WebKit(stack, f":{screen.stdout.readline().strip()}")

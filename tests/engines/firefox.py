"""Firefox, driven by WebDriver BiDi (W3C), which it speaks by itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.engines.windows import PATIENCE, SIZE, Unanswered
from tests.servers import spawn


class Refused(Exception):
    """The browser did not carry out a command."""


class Session:
    """One session of a browser: commands and their results."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.command("session.new", capabilities={})

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and returns its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                if message["type"] == "error":
                    raise Refused(f"{method}: {message['error']}: {message['message']}")
                result: dict[str, Any] = message["result"]
                return result


class FirefoxWindow:
    def __init__(self, session: Session, size: tuple[int, int]) -> None:
        self.session = session
        self.user: str = session.command("browser.createUserContext")["userContext"]
        opened = session.command("browsingContext.create", type="window", userContext=self.user)
        self.context: str = opened["context"]
        width, height = size
        self._do("browsingContext.setViewport", viewport={"width": width, "height": height})

    def _do(self, method: str, **params: Any) -> dict[str, Any]:
        return self.session.command(method, context=self.context, **params)

    def goto(self, address: str) -> None:
        self._do("browsingContext.navigate", url=address, wait="complete")

    def evaluate(self, function: str, *values: Any) -> Any:
        called = f"await ({function})(...JSON.parse(values))"
        try:
            told = self.session.command(
                "script.callFunction",
                functionDeclaration=f"async (values) => JSON.stringify({called})",
                arguments=[{"type": "string", "value": json.dumps(values)}],
                target={"context": self.context},
                awaitPromise=True,
            )
        except Refused as error:
            raise Unanswered(str(error)) from error
        if told["type"] != "success":
            raise Unanswered(told["exceptionDetails"]["text"])
        return json.loads(told["result"].get("value", "null"))

    def tap(self, x: int, y: int) -> None:
        to, down, up = {"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown"}, {"type": "pointerUp"}
        finger = {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "touch"},
            "actions": [to, {**down, "button": 0}, {**up, "button": 0}],
        }
        self._do("input.performActions", actions=[finger])

    def type(self, text: str) -> None:
        strokes = [{"type": kind, "value": sign} for sign in text for kind in ("keyDown", "keyUp")]
        self._do("input.performActions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def close(self) -> None:
        self.session.command("browser.removeUserContext", userContext=self.user)


class Firefox:
    name = "firefox"

    def __init__(self, session: Session) -> None:
        self.session = session

    def window(self, size: tuple[int, int] = SIZE) -> FirefoxWindow:
        return FirefoxWindow(self.session, size)


PATH = next((found for name in ("firefox-esr", "firefox") if (found := shutil.which(name))), "")


def missing() -> str:
    return "" if PATH else "Firefox"


@contextmanager
def launch() -> Iterator[Firefox]:
    with tempfile.TemporaryDirectory(prefix="robosite-firefox-", ignore_cleanup_errors=True) as folder:
        log = Path(folder) / "log"
        process = spawn([PATH, "--headless", "--profile", folder, "--remote-debugging-port", "0"], log)
        try:
            address = f"{_address(process, log)}/session"
            with connect(address, max_size=None, ping_interval=None, proxy=None) as socket:
                yield Firefox(Session(socket))
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address of its socket, which it prints once it listens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"Firefox did not start:\n{log.read_text(errors='replace')}")

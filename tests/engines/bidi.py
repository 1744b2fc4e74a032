"""A client of the WebDriver BiDi protocol (W3C): commands and their results, and the events meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.engines.windows import PATIENCE

Listener = Callable[[dict[str, Any]], None]


class Refused(Exception):
    """The browser did not carry out a command."""


class Session:
    """One session of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = count(1)
        self._listeners: dict[str, list[Listener]] = {}
        self.command("session.new", capabilities={})

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and returns its result; events that come meanwhile go to who listens."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message["type"] == "event":
                for listener in self._listeners.get(message["method"], []):
                    listener(message["params"])
            elif message["id"] == number:
                if message["type"] == "error":
                    raise Refused(f"{method}: {message['error']}: {message['message']}")
                result: dict[str, Any] = message["result"]
                return result

    def listen(self, event: str, listener: Listener) -> None:
        if event not in self._listeners:
            self.command("session.subscribe", events=[event])
        self._listeners.setdefault(event, []).append(listener)


@contextmanager
def session(address: str) -> Iterator[Session]:
    with connect(f"{address}/session", max_size=None, ping_interval=None, proxy=None) as socket:
        yield Session(socket)

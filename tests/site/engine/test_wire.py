"""The wire relies on names of Daphne, Twisted and Autobahn that are theirs to change, and on what they do.

After an upgrade of one of them a test here says what is gone or means something else.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from robosite.engine import wire  # first, since it chooses the reactor  # isort: skip
import daphne.server
from autobahn.websocket.protocol import WebSocketProtocol as Frames
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet.tcp import Connection
from twisted.web.http import HTTPChannel

OF_CLASSES = [
    (daphne.server, "HTTPFactory"),
    (daphne.server, "WebSocketFactory"),
    (daphne.server.Server, "protocol_disconnected"),
    (daphne.server.Server, "create_application"),
    (WebSocketProtocol, "onClose"),
    (WebSocketProtocol, "onMessage"),
    (WebSocketFactory, "protocol"),
    (Frames, "onFrameBegin"),
    (Frames, "sendCloseFrame"),
    (Frames, "STATE_OPEN"),
    (Frames, "STATE_CLOSED"),
    (HTTPChannel, "allHeadersReceived"),
    (HTTPChannel, "allContentReceived"),
    (HTTPChannel, "rawDataReceived"),
    (HTTPChannel, "length"),
    (HTTPChannel, "persistent"),
    (HTTPChannel, "requestFactory"),
    (HTTPChannel, "timeOut"),
    (Connection, "abortConnection"),
]


@pytest.mark.parametrize(("of", "name"), OF_CLASSES)
def test_what_the_wire_stands_on_is_there(of: Any, name: str) -> None:
    assert hasattr(of, name), f"{of.__module__ if isinstance(of, type) else ''} {of} has no {name} any more"


def test_who_hangs_up_has_the_request_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WebRequest, "connectionLost", lambda request, reason: None)
    application, request = Mock(), wire.Request.__new__(wire.Request)
    request.server = SimpleNamespace(connections={request: {"application_instance": application}})
    request.connectionLost(Mock())
    application.cancel.assert_called_once_with()


def test_daphne_still_asks_for_its_factories_by_their_names() -> None:
    """`wire.Server.run` puts its own in their place."""
    names = daphne.server.Server.run.__code__.co_names
    assert {"HTTPFactory", "WebSocketFactory"} <= set(names)
    assert issubclass(wire.BoundedFactory, HTTPFactory) and issubclass(wire.Request, WebRequest)
    assert issubclass(wire.Sockets, WebSocketFactory) and wire.Sockets.protocol is wire.Socket
    made = daphne.server.Server.create_application.__code__
    assert "connections" in made.co_names and "application_instance" in made.co_consts
    assert "application_queue" in WebSocketProtocol.onClose.__code__.co_names

"""The wire relies on names of Daphne, Twisted and Autobahn that are theirs to change, and on what they do.

After an upgrade of one of them a test here says what is gone or means something else.
"""

from __future__ import annotations

import ast
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from robosite.engine import wire  # first, since it chooses the reactor  # isort: skip
import daphne.server
from autobahn.websocket.protocol import WebSocketProtocol as Frames
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet.abstract import FileDescriptor
from twisted.internet.tcp import Connection
from twisted.internet.testing import StringTransport
from twisted.protocols.basic import LineReceiver
from twisted.web.http import HTTPChannel

from robosite.engine import frames
from tests.servers import ROOT

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
    (Frames, "consumeData"),
    (Frames, "STATE_OPEN"),
    (Frames, "STATE_CONNECTING"),
    (Frames, "STATE_CLOSED"),
    (HTTPChannel, "_waitingForTransport"),
    (HTTPChannel, "_optimisticEagerReadSize"),
    (HTTPChannel, "allContentReceived"),
    (HTTPChannel, "requestDone"),
    (LineReceiver, "paused"),
    (Connection, "abortConnection"),
    (FileDescriptor, "registerProducer"),
    (FileDescriptor, "bufferSize"),
]


def connected() -> HTTPChannel:
    channel = HTTPChannel()
    channel.makeConnection(StringTransport())
    return channel


OF_OBJECTS = [
    (connected, "_networkProducer"),
    (HTTPChannel, "_handlingRequest"),
    (HTTPChannel, "length"),
    (HTTPChannel, "persistent"),
    (HTTPChannel, "requestFactory"),
    (HTTPChannel, "timeOut"),
    (HTTPChannel, "_dataBuffer"),
    (HTTPChannel, "requests"),
    (FileDescriptor, "dataBuffer"),
    (FileDescriptor, "offset"),
    (FileDescriptor, "_tempDataLen"),
    (FileDescriptor, "producer"),
    (FileDescriptor, "disconnecting"),
]


QUIET: Any = Mock()
"""A reactor that does nothing."""


@pytest.mark.parametrize(("of", "name"), OF_CLASSES)
def test_what_the_wire_stands_on_is_there(of: Any, name: str) -> None:
    assert hasattr(of, name), f"{of.__module__ if isinstance(of, type) else ''} {of} has no {name} any more"


@pytest.mark.parametrize(("of", "name"), OF_OBJECTS)
def test_what_objects_of_the_wire_have_is_there(of: Any, name: str) -> None:
    made = of()
    assert hasattr(made, name), f"{type(made).__module__}.{type(made).__name__} has no {name} any more"


@pytest.mark.parametrize("module", [wire, frames])
def test_every_private_name_the_wire_uses_is_looked_for_here(module: ModuleType) -> None:
    """A new use of what Twisted or Daphne keep to themselves must come with a line in the lists above."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    private = {name for name in used if name.startswith("_") and not name.startswith("__")} - own
    assert private <= {name for _, name in OF_CLASSES + OF_OBJECTS}


@pytest.mark.parametrize("package", ["daphne", "twisted"])
def test_the_minor_version_the_wire_was_written_for_is_pinned(package: str) -> None:
    pins = (ROOT / "requirements" / "site.in").read_text().splitlines()
    (pin,) = [line.partition(" ")[0] for line in pins if line.startswith(f"{package}>=")]
    major, minor = version(package).split(".")[:2]
    assert pin == f"{package}>={major}.{minor},<{major}.{int(minor) + 1}"


def test_what_waits_to_be_sent_is_counted_as_twisted_counts_it() -> None:
    """`frames.unsent`: what is being sent, and what was written since."""
    transport = FileDescriptor(reactor=QUIET)
    transport.connected = True
    transport.write(b"12345")
    transport.writeSequence([b"678", b"9"])
    assert frames.unsent(transport) == 9
    transport.writeSomeData = lambda data: 4  # type: ignore[method-assign]
    transport.doWrite()
    assert frames.unsent(transport) == 5


def test_who_hangs_up_has_the_request_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WebRequest, "connectionLost", lambda request, reason: None)
    application, request = Mock(), wire.Request.__new__(wire.Request)
    request.server = SimpleNamespace(connections={request: {"application_instance": application}})
    request.connectionLost(Mock())
    application.cancel.assert_called_once_with()


def test_a_producer_hears_when_more_waits_than_the_buffer_holds_and_when_all_was_taken() -> None:
    heard: list[str] = []

    class Producer:
        def pauseProducing(self) -> None:
            heard.append("pause")

        def resumeProducing(self) -> None:
            heard.append("resume")

    transport = FileDescriptor(reactor=QUIET)
    transport.connected = True
    transport.registerProducer(Producer(), True)  # type: ignore[arg-type]
    transport.write(b"x" * transport.bufferSize)
    assert heard == []
    transport.write(b"x")
    assert heard == ["pause"] and transport.bufferSize <= 1 << 20
    transport.writeSomeData = lambda data: len(data)  # type: ignore[method-assign]
    transport.doWrite()
    assert heard == ["pause", "resume"]


def test_a_paused_receiver_of_lines_keeps_what_comes_until_it_reads_on() -> None:
    class Lines(LineReceiver):
        def __init__(self) -> None:
            self.heard: list[bytes] = []

        def lineReceived(self, line: bytes) -> None:
            self.heard.append(line)
            self.paused = True

    lines = Lines()
    lines.dataReceived(b"one\r\ntwo\r\n")
    assert lines.heard == [b"one"]
    lines.paused = False
    lines.dataReceived(b"")
    assert lines.heard == [b"one", b"two"]


def test_daphne_still_asks_for_its_factories_by_their_names() -> None:
    """`wire.Server.run` puts its own in their place."""
    names = daphne.server.Server.run.__code__.co_names
    assert {"HTTPFactory", "WebSocketFactory"} <= set(names)
    assert issubclass(wire.LimitedChannelFactory, HTTPFactory) and issubclass(wire.Request, WebRequest)
    assert issubclass(frames.Sockets, WebSocketFactory) and frames.Sockets.protocol is frames.Socket
    made = daphne.server.Server.create_application.__code__
    assert "connections" in made.co_names and "application_instance" in made.co_consts
    assert "handshake_deferred" in WebSocketProtocol.onConnect.__code__.co_names
    assert "application_queue" in WebSocketProtocol.onClose.__code__.co_names
    assert "transport" in WebRequest.process.__wrapped__.__code__.co_names

"""The engine: what it patches, what is sent over the wire, draining."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from robosite.engine import wire  # first, since it chooses the reactor  # isort: skip
import daphne.server
from autobahn.websocket.protocol import WebSocketProtocol as Frames
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from twisted.internet.tcp import Connection as TcpConnection
from twisted.web.http import HTTPChannel

from robosite.engine import TRICKS
from robosite.engine.wire import Server as WireServer
from robosite.web import health
from tests.bench.load import Connection, request
from tests.bench.players import tables
from tests.servers import ROOT, Server

KEPT_TO_THEMSELVES = re.compile(
    r"klass_info|get_compiler|\._state\b|_result_cache|_prefetched_objects_cache|threadlocal|__code__|co_stacksize"
)
LONG = 70_000


def test_nothing_outside_touches_what_libraries_keep_to_themselves_and_every_trick_is_switched() -> None:
    written = {file: file.read_text() for file in sorted((ROOT / "robosite").rglob("*.py"))}
    for file, code in written.items():
        assert "engine" in file.parts or not KEPT_TO_THEMSELVES.search(code), file
    for trick in TRICKS:
        assert f'is_on("{trick}")' in "".join(written.values()), trick


def test_a_trick_that_there_is_not_is_told(tmp_path: Path) -> None:
    env = os.environ | {"ENGINE_OFF": "prepared,preparde", "DATA_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "manage.py", "check"], cwd=ROOT, env=env, capture_output=True)
    assert told.returncode and b"preparde" in told.stderr and b"Traceback" not in told.stderr


@pytest.mark.integration
@pytest.mark.parametrize("off", [pytest.param("", marks=pytest.mark.more), "all"])
def test_a_match_is_played_with_and_without_all_tricks(tmp_path: Path, off: str) -> None:
    async def play(port: int) -> None:
        (table,) = await tables(port, 1, 2, 1)
        for player in table.players.values():
            async with Connection(port) as line:
                assert b"Bob" in (await line.answered(player.get())).unpacked
                await line.answered(player.plan(2, choose="F"))
                await line.answered(player.get("/mine/"))
                await line.answered(player.api("GET", player.api_match))
        async with Connection(port) as line:
            sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "gzip"}
            assert (await line.ask(request(port, "POST", "/language/", sent, b"a" * LONG))).status == 413

    with Server(tmp_path, ENGINE_OFF=off) as server:
        asyncio.run(play(server.port))
    assert "Traceback" not in server.logged()


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
    (TcpConnection, "abortConnection"),
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


def test_what_the_last_application_wrote_has_a_turn_in_which_it_is_sent(
    monkeypatch: Any, settings: Any
) -> None:
    """An application that ends just as somebody looks whether all have ended."""
    settings.DRAIN_SECONDS = 0
    monkeypatch.setattr(wire, "SETTLES", 0)
    monkeypatch.setattr(health, "draining", health.Draining())
    sent: list[str] = []

    class LastOne:
        """Ends when it is asked; what it wrote is sent a turn later, as transports do."""

        def done(self) -> bool:
            asyncio.get_running_loop().call_soon(sent.append, "body")
            return True

    server = WireServer.__new__(WireServer)
    server.ports, server.end_sockets = [], lambda: None
    server.connections = {object(): {"application_instance": LastOne()}}
    asyncio.run(_drained(server, sent))


async def _drained(server: WireServer, sent: list[str]) -> None:
    await server.drain()
    assert sent

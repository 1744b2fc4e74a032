"""Clients that send nothing, half a request or far too much stop nobody's play."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.programs import FIRST, OTHER, Site
from tests.servers import Server

pytestmark = pytest.mark.more

HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"POST /matches/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nga",
)


def test_silent_connections_and_half_requests_do_not_stop_play(tmp_path: Path) -> None:
    with Server(tmp_path) as server, ExitStack() as lines:
        for number in range(300):
            line = lines.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
            line.sendall(HALVES[number % 3])
        with Site(server.url) as site:
            match = site.make()
            assert site.seal(match, "A", FIRST).status_code == 200
            assert site.seal(match, "B", OTHER).json()["revealed"]
        assert "Traceback" not in server.logged()

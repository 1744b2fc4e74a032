"""Clients that send nothing, half a request or far too much stop nobody's play."""

from __future__ import annotations

import resource
import select
import socket
import statistics
import time
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

PATIENT = (
    "connections=6000, seconds for a request=600, seconds of silence=600,"
    " api make=1000/1000, api write=1000/1000"
)
"""Limits under which all of them stay: else those that wait longest would be hung up on."""


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


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_five_thousand_silent_connections_do_not_stop_play(tmp_path: Path) -> None:
    """From 25 addresses, 200 of each; two of three say half a request. Prints what it costs who plays."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    silent = 5000 if hard == resource.RLIM_INFINITY else min(5000, hard - 500)
    with Server(tmp_path, LIMITS=PATIENT) as server, ExitStack() as lines:
        before = rounds(server)
        opened: list[socket.socket] = []
        began = time.monotonic()
        for number in range(silent):
            line = lines.enter_context(socket.socket())
            line.settimeout(60)
            line.bind((f"127.0.1.{1 + number % 25}", 0))
            line.connect(("127.0.0.1", server.port))
            line.sendall(HALVES[number % 3])
            opened.append(line)
        took = time.monotonic() - began
        during = rounds(server)
        still = sum(map(is_open, opened))
        for line in opened:
            line.close()
        after = rounds(server)
        print(
            f"\n{silent} connections (of {hard} files), opened in {took:.1f} s, {still} still open after the"
            f" play. A seal took, median and slowest, in ms: before {told(before)}, with them"
            f" {told(during)}, afterwards {told(after)}."
        )
        assert still == silent
        assert max(during) < 10 and statistics.median(during) < 10 * max(statistics.median(before), 0.05)
        assert "Traceback" not in server.logged()


def rounds(server: Server) -> list[float]:
    """Twenty rounds are played; how long each seal took, in seconds."""
    took = []
    with Site(server.url) as site:
        for _ in range(20):
            match = site.make()
            for letter, order in (("A", FIRST), ("B", OTHER)):
                began = time.monotonic()
                assert site.seal(match, letter, order).status_code == 200
                took.append(time.monotonic() - began)
    return took


def told(times: list[float]) -> str:
    return f"{statistics.median(times) * 1000:.0f}/{max(times) * 1000:.0f}"


def is_open(line: socket.socket) -> bool:
    """Tell whether the other end has not hung up."""
    if line.fileno() < 0:
        return False
    poll = select.poll()
    poll.register(line, select.POLLIN)
    if not poll.poll(0):
        return True
    try:
        return line.recv(4096) != b""
    except OSError:
        return False

"""A client that floods its socket is hung up on; one that reads slowly gets all of its answers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.noise import (
    CONTINUED,
    PING,
    TEXT,
    ask_for_socket,
    closing_code,
    frame,
    line_to,
    opened,
)
from tests.faults.programs import Site
from tests.servers import Server

pytestmark = pytest.mark.more

MANY = 5000

NOISES = {
    "tiny frames": frame(TEXT) * MANY,
    "frames with a letter": frame(TEXT, b"a") * MANY,
    "pings": frame(PING, b"p" * 125) * MANY,
    "fragments of one message": frame(TEXT & 0x7F, b"a") + frame(CONTINUED, b"a") * MANY,
    "frames after asking to close": frame(0x88, b"\x03\xe8") + frame(TEXT) * MANY,
}


@pytest.mark.parametrize(
    "noise", ["tiny frames", "frames with a letter", "pings", "fragments of one message"]
)
def test_a_socket_that_floods_is_closed_as_against_the_rules(server: Server, noise: str) -> None:
    with Site(server.url) as site:
        line, heard = opened(server, f"/ws/m/{site.make().key}/")
        with line:
            with suppress(OSError):
                line.sendall(NOISES[noise])
            assert closing_code(line, heard) == 1008
    assert "Traceback" not in server.logged()


def test_a_page_that_says_a_little_stays_open(server: Server) -> None:
    with Site(server.url) as site:
        line, heard = opened(server, f"/ws/m/{site.make().key}/")
        with line:
            line.sendall(frame(TEXT, b"a") * 3 + frame(PING, b"p") * 3)
            line.settimeout(1)
            assert closing_code(line, heard, seconds=2) is None
            line.sendall(frame(0x88, b"\x03\xe8"))
            assert closing_code(line, b"") == 1000


@pytest.mark.parametrize("path", ["/ws/nowhere/", "/ws/m/abcdefghjkmn/"])
def test_frames_before_a_socket_is_open_end_the_line(server: Server, path: str) -> None:
    with line_to(server) as line:
        ask_for_socket(line, server, path)
        with suppress(OSError):
            for _ in range(200):
                line.sendall(NOISES["tiny frames"])
        heard = b""
        with suppress(OSError):
            while part := line.recv(4096):
                heard += part
        assert not heard or heard.startswith(b"HTTP/1.1 40")
    assert "Traceback" not in server.logged()


def test_who_reads_slowly_gets_all_of_it(tmp_path: Path) -> None:
    """Many answers asked for at once and read in sips: each comes whole, one after the other."""
    with Server(tmp_path) as server, line_to(server, window=4096) as line:
        get = f"GET /learn/pigs/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        line.sendall((get + "\r\n").encode() * 29 + (get + "Connection: close\r\n\r\n").encode())
        heard = b""
        while part := line.recv(20_000):
            heard += part
        assert heard.count(b"HTTP/1.1 200 OK\r\n") == 30 and heard.count(b"</html>") == 30

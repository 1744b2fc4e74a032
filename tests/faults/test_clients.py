"""Clients that flood, read slowly, send nothing or far too much; and those of a process that ends."""

from __future__ import annotations

import base64
import os
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.faults.programs import FIRST, OTHER, Site
from tests.receivers import until
from tests.servers import PATIENCE, Server

TEXT, CONTINUED, PING = 0x81, 0x00, 0x89


def frame(first: int, payload: bytes = b"") -> bytes:
    """A frame as a browser sends it, masked by zeros; `first` is its first byte."""
    return bytes([first, 0x80 | len(payload)]) + b"\0\0\0\0" + payload


def line_to(server: Server, *, window: int = 0) -> socket.socket:
    """A new connection; with a `window` its own side takes hardly anything that is not read."""
    line = socket.socket()
    if window:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    line.settimeout(60)
    try:
        line.connect(("127.0.0.1", server.port))
    except OSError:
        line.close()
        raise
    return line


def said(line: socket.socket) -> bytes:
    """All bytes that come until the other end has sent everything, or hangs up."""
    heard = b""
    with suppress(ConnectionError):
        while part := line.recv(65536):
            heard += part
    return heard


def ask_for_socket(line: socket.socket, server: Server, path: str) -> None:
    line.sendall(
        (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n"
        ).encode()
    )


def opened(server: Server) -> ClientConnection:
    """A socket at a match that the server has accepted."""
    with Site(server.url) as site:
        address = f"ws://127.0.0.1:{server.port}/ws/m/{site.make().key}/"
    return connect(address, origin=Origin(server.url), open_timeout=PATIENCE)


def closing_code(page: ClientConnection, seconds: float = PATIENCE) -> int | None:
    """The code of the close frame that the server sends; raises TimeoutError if it goes on to say nothing."""
    with suppress(ConnectionClosed):
        while True:
            page.recv(timeout=seconds)
    return page.protocol.close_code


MANY = 5000

NOISES = {
    "tiny frames": frame(TEXT) * MANY,
    "frames with a letter": frame(TEXT, b"a") * MANY,
    "pings": frame(PING, b"p" * 125) * MANY,
    "fragments of one message": frame(TEXT & 0x7F, b"a") + frame(CONTINUED, b"a") * MANY,
}


@pytest.mark.more
@pytest.mark.parametrize("noise", NOISES)
def test_a_socket_that_floods_is_closed_as_against_the_rules(server: Server, noise: str) -> None:
    with opened(server) as page:
        with suppress(OSError):
            page.socket.sendall(NOISES[noise])
        assert closing_code(page) == 1008
    assert "Traceback" not in server.logged()


@pytest.mark.more
def test_a_page_that_says_a_little_stays_open(server: Server) -> None:
    with opened(server) as page:
        page.socket.sendall(frame(TEXT, b"a") * 3 + frame(PING, b"p") * 3)
        with pytest.raises(TimeoutError):
            closing_code(page, seconds=2)
        page.close()
        assert page.protocol.close_code == 1000


@pytest.mark.more
@pytest.mark.parametrize("path", ["/ws/nowhere/", "/ws/m/abcdefghjkmn/"])
def test_frames_before_a_socket_is_open_end_the_line(server: Server, path: str) -> None:
    with line_to(server) as line:
        ask_for_socket(line, server, path)
        with suppress(OSError):
            for _ in range(200):
                line.sendall(NOISES["tiny frames"])
        heard = said(line)
        assert not heard or heard.startswith(b"HTTP/1.1 40")
    assert "Traceback" not in server.logged()


@pytest.mark.more
def test_who_reads_slowly_gets_all_of_it(tmp_path: Path) -> None:
    """Many answers asked for at once and read in sips: each comes whole, one after the other."""
    with Server(tmp_path) as server, line_to(server, window=4096) as line:
        get = f"GET /learn/pigs/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        line.sendall((get + "\r\n").encode() * 29 + (get + "Connection: close\r\n\r\n").encode())
        heard = b""
        while part := line.recv(20_000):  # in sips
            heard += part
        assert heard.count(b"HTTP/1.1 200 OK\r\n") == 30 and heard.count(b"</html>") == 30


HALVES = (
    b"",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    b"POST /matches/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nga",
)


@pytest.mark.more
def test_silent_connections_and_half_requests_do_not_stop_play(tmp_path: Path) -> None:
    with Server(tmp_path) as server, ExitStack() as lines:
        for number in range(300):
            lines.enter_context(line_to(server)).sendall(HALVES[number % 3])
        with Site(server.url) as site:
            match = site.make()
            assert site.seal(match, "A", FIRST).status_code == 200
            assert site.seal(match, "B", OTHER).json()["revealed"]
        assert "Traceback" not in server.logged()


POST = b"POST /matches/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.more
def test_what_is_too_long_is_refused_while_it_comes(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        with line_to(server) as announced:  # 300 MB, of which none comes
            announced.sendall(POST + b"Content-Length: 300000000\r\nExpect: 100-continue\r\n\r\n")
            answer = said(announced)
            assert answer.startswith(b"HTTP/1.1 413") and b"<h1>That was too much at once</h1>" in answer
            assert b"Content-Security-Policy" in answer
        with line_to(server) as chunked:
            chunked.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(40):
                chunked.sendall(b"4000\r\n" + b"a" * 0x4000 + b"\r\n")
            answer = said(chunked)
            assert answer.startswith(b"HTTP/1.1 413") and answer.count(b"HTTP/1.1 ") == 1
        with line_to(server) as api:
            head = POST.replace(b"/matches/", b"/api/v1/matches")
            api.sendall(head + b"Content-Length: 70000\r\n\r\n" + b"x" * 70000)
            answer = said(api)
            assert answer.startswith(b"HTTP/1.1 413") and b"application/problem+json" in answer
        with line_to(server) as short:  # what is short enough is answered as ever, and the next request too
            for status in (b"403", b"200"):
                body = b"a=" + b"b" * 60_000 if status == b"403" else b""
                first = POST if body else b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                short.sendall(first + b"Content-Length: %d\r\n\r\n" % len(body) + body)
                heard = short.recv(65536)
                assert heard.startswith(b"HTTP/1.1 " + status)
                while b"</html>" not in heard and status == b"403":
                    heard += short.recv(65536)
        with line_to(
            server
        ) as many:  # more fields than Django reads, of a charset that makes it read them at once
            query = b"GET /healthz?" + b"a&" * 1200 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            many.sendall(query + b"Content-Type: text/plain; charset=utf-16\r\n\r\n")
            assert said(many).startswith(b"HTTP/1.1 400")
        for length in (b"", b"-1", b"+3", b"3, 3", b"0x3", b"\xd9\xa3"):
            with line_to(server) as odd:  # a length that is none
                odd.sendall(POST + b"Content-Length: " + length + b"\r\n\r\na=b")
                assert said(odd).startswith(b"HTTP/1.1 400")
        assert "Traceback" not in server.logged()


# A process that is told to end: what is under way is answered, streams end whole, sockets are closed


def test_readyz_turns_first_and_then_no_connection_is_taken(tmp_path: Path) -> None:
    with Server(tmp_path, DRAIN_SECONDS="12") as server:  # a busy machine may take seconds for two questions
        assert httpx.get(f"{server.url}/readyz", timeout=PATIENCE).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        until(lambda: httpx.get(f"{server.url}/readyz", timeout=PATIENCE).status_code == 503)
        assert httpx.get(f"{server.url}/rules/pigs/", timeout=PATIENCE).status_code == 200, "it still answers"
        assert server.process.wait(PATIENCE) == 0
        with pytest.raises(OSError):
            line_to(server)


def test_streams_end_whole_and_sockets_with_a_close_frame(server: Server) -> None:
    with Site(server.url) as site:
        key = site.make().key
    began = threading.Event()

    def read() -> str:
        """Fails if the stream breaks off in the middle of a chunk."""
        text = ""
        with httpx.stream("GET", f"{server.url}/api/v1/matches/{key}/events", timeout=PATIENCE) as stream:
            for part in stream.iter_text():
                text += part
                began.set()
        return text

    at = f"ws://127.0.0.1:{server.port}/ws/m/{key}/"
    with (
        ThreadPoolExecutor(1) as threads,
        connect(at, origin=Origin(server.url), open_timeout=PATIENCE) as page,
    ):
        reading = threads.submit(read)
        assert "version" in page.recv(timeout=PATIENCE)
        assert began.wait(PATIENCE)
        server.process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=PATIENCE)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1001
        said = reading.result(PATIENCE)
    assert said.endswith("\n\n") and "event: changed" in said
    assert server.process.wait(PATIENCE) == 0


def test_requests_under_way_are_answered(tmp_path: Path) -> None:
    """The requests that came just before the process was told to end, all at once."""
    with Server(tmp_path, DRAIN_SECONDS="2") as server, ThreadPoolExecutor(8) as threads:
        body = b'{"game": "pigs", "name": "Ann"}'
        head = POST.replace(b"/matches/", b"/api/v1/matches").replace(b"x-www-form-urlencoded", b"json")
        lines = [line_to(server) for _ in range(8)]
        for line in lines:
            line.sendall(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        answers = threads.map(said, lines)
        server.process.send_signal(signal.SIGTERM)
        assert [answer.split(b"\r\n", 1)[0] for answer in answers] == [b"HTTP/1.1 201 Created"] * 8
        assert server.process.wait(PATIENCE) == 0
        for line in lines:
            line.close()


def test_whoever_was_let_in_is_answered(tmp_path: Path) -> None:
    """While it ends, connections are refused or answered: those refused go to another process."""
    unanswered: list[bytes] = []
    refused = threading.Event()

    def ask(server: Server) -> None:
        head = f"POST /back/phrase/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 0\r\n\r\n"
        while not refused.is_set():
            try:
                with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
                    unanswered.append(head.encode())
                    line.sendall(head.encode())
                    if line.recv(9) == b"HTTP/1.1 ":
                        unanswered.pop()
            except ConnectionRefusedError:
                refused.set()
            except ConnectionError:
                return  # it was let in, and is not answered

    with Server(tmp_path, DRAIN_SECONDS="2") as server, ThreadPoolExecutor(8) as askers:
        asking = [askers.submit(ask, server) for _ in range(8)]
        server.process.send_signal(signal.SIGTERM)
        for one in asking:
            one.result(PATIENCE)
        assert server.process.wait(PATIENCE) == 0
        assert not unanswered

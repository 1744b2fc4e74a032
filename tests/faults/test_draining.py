"""A process that is told to end: what is under way is answered, streams end whole, sockets are closed."""

from __future__ import annotations

import signal
import socket
import threading
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.receivers import until
from tests.servers import PATIENCE, Server


@pytest.fixture
def ends_slowly(tmp_path: Path) -> Server:
    return Server(tmp_path, DRAIN_SECONDS="2")


def test_readyz_turns_first_and_then_no_connection_is_taken(tmp_path: Path) -> None:
    with Server(tmp_path, DRAIN_SECONDS="12") as server:  # a busy machine may take seconds for two questions
        assert httpx.get(f"{server.url}/readyz", timeout=PATIENCE).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        until(lambda: httpx.get(f"{server.url}/readyz", timeout=PATIENCE).status_code == 503)
        assert httpx.get(f"{server.url}/rules/pigs/", timeout=PATIENCE).status_code == 200, "it still answers"
        assert server.process.wait(PATIENCE) == 0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", server.port), timeout=5)


def test_streams_end_whole_and_sockets_with_a_close_frame(server: Server) -> None:
    made = httpx.post(
        f"{server.url}/api/v1/matches", json={"game": "pigs", "name": "Ann"}, timeout=PATIENCE
    ).json()
    said: list[str] = []
    began = threading.Event()

    def read() -> None:
        """Fails, and so leaves nothing, if the stream breaks off in the middle of a chunk."""
        at = f"{server.url}/api/v1/matches/{made['match']}/events"
        with httpx.stream("GET", at, timeout=PATIENCE) as stream:
            text = ""
            for part in stream.iter_text():
                text += part
                began.set()
            said.append(text)

    reader = threading.Thread(target=read)
    reader.start()
    at = f"ws://127.0.0.1:{server.port}/ws/m/{made['match']}/"
    with connect(at, origin=Origin(server.url), open_timeout=PATIENCE) as page:
        assert "version" in page.recv(timeout=PATIENCE)
        assert began.wait(PATIENCE)
        server.process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=PATIENCE)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1001
    reader.join(PATIENCE)
    assert said and said[0].endswith("\n\n") and "event: changed" in said[0]
    assert server.process.wait(PATIENCE) == 0


def test_requests_under_way_are_answered(ends_slowly: Server) -> None:
    """The requests that came just before the process was told to end, all at once."""
    with ends_slowly as server:
        _ask_and_end(server)


def _ask_and_end(server: Server) -> None:
    body = b'{"game": "pigs", "name": "Ann"}'
    head = (
        f"POST /api/v1/matches HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    answers: list[bytes] = []

    def ask(line: socket.socket) -> None:
        answer = b""
        with line:
            while part := line.recv(65_536):
                answer += part
        answers.append(answer)

    lines = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(8)]
    readers = [threading.Thread(target=ask, args=[line]) for line in lines]
    for line, reader in zip(lines, readers, strict=True):
        line.sendall(head + body)
        reader.start()
    server.process.send_signal(signal.SIGTERM)
    for reader in readers:
        reader.join(PATIENCE)
    assert [answer.split(b"\r\n", 1)[0] for answer in answers] == [b"HTTP/1.1 201 Created"] * 8
    assert server.process.wait(PATIENCE) == 0


def test_whoever_was_let_in_is_answered(ends_slowly: Server) -> None:
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

    with ends_slowly as server:
        askers = [threading.Thread(target=ask, args=[server], daemon=True) for _ in range(8)]
        for asker in askers:
            asker.start()
        server.process.send_signal(signal.SIGTERM)
        for asker in askers:
            asker.join(PATIENCE)
        assert server.process.wait(PATIENCE) == 0
        assert not unanswered

"""Bodies longer than a page takes are refused on the wire, before they have come."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.servers import Server

POST = b"POST /matches/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"


def said(line: socket.socket) -> bytes:
    """All bytes that come until the other end has sent everything."""
    heard = b""
    while part := line.recv(65536):
        heard += part
    return heard


@pytest.mark.more
def test_what_is_too_long_is_refused_while_it_comes(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def line() -> socket.socket:
            return socket.create_connection(("127.0.0.1", server.port), timeout=60)

        with line() as announced:  # 300 MB, of which none comes
            announced.sendall(POST + b"Content-Length: 300000000\r\nExpect: 100-continue\r\n\r\n")
            answer = said(announced)
            assert answer.startswith(b"HTTP/1.1 413") and b"<h1>That was too much at once</h1>" in answer
            assert b"Content-Security-Policy" in answer
        with line() as chunked:
            chunked.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(40):
                chunked.sendall(b"4000\r\n" + b"a" * 0x4000 + b"\r\n")
            answer = said(chunked)
            assert answer.startswith(b"HTTP/1.1 413") and answer.count(b"HTTP/1.1 ") == 1
        with line() as api:
            api.sendall(
                POST.replace(b"/matches/", b"/api/v1/matches")
                + b"Content-Length: 70000\r\n\r\n"
                + b"x" * 70000
            )
            answer = said(api)
            assert answer.startswith(b"HTTP/1.1 413") and b"application/problem+json" in answer
        with line() as short:  # what is short enough is answered as ever, and the next request too
            for status in (b"403", b"200"):
                body = b"a=" + b"b" * 60_000 if status == b"403" else b""
                first = POST if body else b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                short.sendall(first + b"Content-Length: %d\r\n\r\n" % len(body) + body)
                heard = short.recv(65536)
                assert heard.startswith(b"HTTP/1.1 " + status)
                while b"</html>" not in heard and status == b"403":
                    heard += short.recv(65536)
        with line() as many:  # more fields than Django reads, of a charset that makes it read them at once
            query = b"GET /healthz?" + b"a&" * 1200 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            many.sendall(query + b"Content-Type: text/plain; charset=utf-16\r\n\r\n")
            assert said(many).startswith(b"HTTP/1.1 400")
        for length in (b"", b"-1", b"+3", b"3, 3", b"0x3", b"\xd9\xa3"):
            with line() as odd:  # a length that is none
                odd.sendall(POST + b"Content-Length: " + length + b"\r\n\r\na=b")
                assert said(odd).startswith(b"HTTP/1.1 400")
        assert "Traceback" not in server.logged()

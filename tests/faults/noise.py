"""Clients that are noisy or deaf: raw lines to a server, and what the server's process holds."""

from __future__ import annotations

import base64
import os
import socket
import struct
from time import monotonic

from tests.servers import Server

TEXT, CONTINUED, CLOSE, PING = 0x81, 0x00, 8, 0x89


def frame(first: int, payload: bytes = b"") -> bytes:
    """A frame as a browser sends it, masked by zeros; `first` is its first byte."""
    return bytes([first, 0x80 | len(payload)]) + b"\0\0\0\0" + payload


def line_to(server: Server, *, window: int = 0) -> socket.socket:
    """A new connection; with a `window` its own side takes hardly anything that is not read."""
    line = socket.socket()
    if window:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    line.settimeout(30)
    line.connect(("127.0.0.1", server.port))
    return line


def ask_for_socket(line: socket.socket, server: Server, path: str) -> None:
    """Says what a browser says to open a socket."""
    line.sendall(
        (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n"
        ).encode()
    )


def opened(server: Server, path: str) -> tuple[socket.socket, bytes]:
    """A socket that the server has accepted, and what came after the handshake so far."""
    line, heard = line_to(server), b""
    ask_for_socket(line, server, path)
    while b"\r\n\r\n" not in heard:
        part = line.recv(4096)
        assert part, heard
        heard += part
    assert heard.startswith(b"HTTP/1.1 101"), heard
    return line, heard.partition(b"\r\n\r\n")[2]


def closing_code(line: socket.socket, heard: bytes, *, seconds: float = 20.0) -> int | None:
    """The code of the close frame that the server sends; None if the line ends without, or goes on."""
    ends = monotonic() + seconds
    while monotonic() < ends:
        while len(heard) >= 2 and len(heard) >= 2 + (heard[1] & 0x7F):
            size = heard[1] & 0x7F
            if heard[0] & 0x0F == CLOSE:
                return int(struct.unpack("!H", heard[2:4])[0])
            heard = heard[2 + size :]
        try:
            part = line.recv(65536)
        except TimeoutError:
            continue
        except OSError:
            return None
        if not part:
            return None
        heard += part
    return None

"""A line between browser and site that hangs, breaks off, or has somebody else answer in the site's place."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

Mode = Literal["open", "hangs", "breaks off", "slow", "gateway", "portal", "elsewhere"]
SLOW = 7
"""Seconds that a slow line takes for an answer."""
PAGE = "<!doctype html><title>{said}</title><h1>{said}</h1><p>Not the site: a page of the network’s.</p>"


class BadLine:
    """Listens on a port of its own. What is under way is cut when it becomes another kind of line."""

    def __init__(self, site: str) -> None:
        self.site = urlsplit(site)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.mode: Mode = "open"
        self._open: set[socket.socket] = set()

    def becomes(self, mode: Mode) -> None:
        self.mode = mode
        for one in list(self._open):
            self._close(one)

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.listening.close()
        self.becomes("open")

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self.listening.accept()
                self._open.add(browser)
                threading.Thread(target=self._serve, args=(browser,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        with suppress(OSError):
            mode, asked = self.mode, browser.recv(65_536)
            if mode == "hangs" or not asked:
                return
            if mode in ("gateway", "portal", "elsewhere"):
                there = b" /sign-in " in asked
                browser.sendall(self._answer("portal" if there else mode))
                self._close(browser)
                return
            if mode == "slow":
                time.sleep(SLOW)
            site = socket.create_connection((self.site.hostname or "", self.site.port or 80))
            self._open.add(site)
            site.sendall(asked)
            most = 600 if mode == "breaks off" else 0  # bytes: the headers and a little more
            threading.Thread(target=self._pump, args=(browser, site, 0), daemon=True).start()
            self._pump(site, browser, most)

    def _pump(self, source: socket.socket, target: socket.socket, most: int) -> None:
        with suppress(OSError):
            while chunk := source.recv(65_536):
                target.sendall(chunk[:most] if most else chunk)
                if most:
                    return  # and no end of it ever comes
        self._close(source)
        self._close(target)

    def _answer(self, mode: Mode) -> bytes:
        status, said = (
            ("502 Bad Gateway", "Bad gateway") if mode == "gateway" else ("200 OK", "Please sign in")
        )
        head = [f"HTTP/1.1 {status}", "Content-Type: text/html; charset=utf-8", "Connection: close"]
        if mode == "elsewhere":
            head[0] = "HTTP/1.1 302 Found"
            head.append(f"Location: http://localhost:{self.port}/sign-in")
        body = PAGE.format(said=said).encode()
        return "\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body

    def _close(self, one: socket.socket) -> None:
        self._open.discard(one)
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()

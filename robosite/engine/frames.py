"""The input accepted over a page's socket: next to nothing, since sockets only push.

Daphne hands every frame to the application, which would start a task for each; here none is handed on. Pages
send no frames but answers to the server's pings: a socket that sends more than a few is closed (1008), and
nothing more is read of it. One that does not read is hung up on.
"""

from __future__ import annotations

# ruff: noqa: N802, N803 - Autobahn and Twisted call these methods by their names
import time
from typing import Any

import daphne.server  # first, since it chooses the reactor
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as its_reactor

reactor: Any = its_reactor

AGAINST_THE_RULES = 1008
LINGER = 2.0
"""Seconds for which a noisy socket stays half open, so that the other end gets to read why."""

__all__ = ["Socket", "Sockets", "daphne"]


def unsent(transport: Any) -> int:
    """The number of bytes that wait in this process until the other end takes them."""
    waiting: int = len(transport.dataBuffer) - transport.offset + transport._tempDataLen
    return waiting


class Allowance:
    """Lets MOST["frames"] frames pass at once, and as many a minute in the long run."""

    def __init__(self) -> None:
        self.most: int = settings.MOST["frames"]
        self.left, self.since = float(self.most), time.monotonic()

    def take(self) -> bool:
        """Counts one more frame; False if there are too many."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.since) * self.most / 60) - 1
        self.since = now
        return self.left >= 0


class SlowReader:
    """Registered with a socket's transport, which calls it when the client reads too slowly."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport

    def pauseProducing(self) -> None:
        """Drops the connection: pages are sent so little that only a client that does not read lags."""
        self.transport.abortConnection()

    def resumeProducing(self) -> None:
        """Does nothing: the connection has been dropped."""

    def stopProducing(self) -> None:
        """Does nothing: the connection is closed."""


class Socket(WebSocketProtocol):
    """A page's WebSocket, which is closed once more frames come than it is allowed."""

    transport: Any
    over = False
    """Tell whether it was closed because of its noise."""

    def connectionMade(self) -> None:
        self.allowance = Allowance()
        super().connectionMade()
        self.transport.unregisterProducer()  # until now that was the connection as HTTP saw it
        self.transport.registerProducer(SlowReader(self.transport), True)

    def dataReceived(self, data: bytes) -> None:
        if self.over:
            return
        if self.state == self.STATE_CONNECTING and hasattr(self, "handshake_deferred"):
            self.transport.abortConnection()  # nothing may come before the handshake is answered
            return
        super().dataReceived(data)

    def onFrameBegin(self) -> None:
        """Called for every frame: messages and their parts, pings and pongs."""
        if self.allowance.take():
            super().onFrameBegin()
        else:
            self._end()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Drops the message: pages send no commands."""
        self.last_ping = time.time()

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        if not self.over:
            super().onClose(wasClean, code, reason)

    def _end(self) -> None:
        """Closes the socket, tells the application, and reads nothing more, not even what has arrived."""
        self.sendCloseFrame(code=AGAINST_THE_RULES, reasonUtf8=b"too many frames")
        super().onClose(False, AGAINST_THE_RULES, "too many frames")
        self.over, self.state, self.data = True, self.STATE_CLOSED, b""
        self.transport.pauseProducing()
        self.transport.loseWriteConnection()
        reactor.callLater(LINGER, self.transport.abortConnection)


class Sockets(WebSocketFactory):
    """Makes a Socket for each handshake."""

    protocol = Socket

"""Limits on the messages that a client may send over the WebSocket of a page.

A page sends no messages, only frames that reply to the server's pings. If a client sends a message, this
module drops it, before Daphne starts a task for it. If more frames arrive than Allowance permits, the socket
is closed (code 1008), and nothing more is read from it. A client that does not read is disconnected.
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
"""Seconds for which a socket stays half open after too many frames, so that its client can read why."""

__all__ = ["Socket", "Sockets", "daphne"]


def unsent(transport: Any) -> int:
    """The number of bytes still to be sent over a connection, since its client has not read them yet."""
    waiting: int = len(transport.dataBuffer) - transport.offset + transport._tempDataLen
    return waiting


class Allowance:
    """The rate limit for the WebSocket frames that one client may send.

    A client may send MOST["frames"] frames at once, and the same number per minute in the long run.
    """

    def __init__(self) -> None:
        self.most: int = settings.MOST["frames"]
        self.left, self.since = float(self.most), time.monotonic()

    def take(self) -> bool:
        """Counts one WebSocket frame from the client; returns False if the frame exceeds the limit."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.since) * self.most / 60) - 1
        self.since = now
        return self.left >= 0


class SlowReader:
    """A Twisted producer that drops the client of a WebSocket if the client reads too slowly."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport

    def pauseProducing(self) -> None:
        """Drops the connection; Twisted calls this when the client does not read its messages."""
        self.transport.abortConnection()

    def resumeProducing(self) -> None:
        """Does nothing: the connection has been dropped."""

    def stopProducing(self) -> None:
        """Does nothing: the connection is closed."""


class Socket(WebSocketProtocol):
    """The WebSocket of a page, which is closed when the client exceeds its Allowance of frames.

    A client that sends anything before its handshake is answered is disconnected.
    """

    transport: Any
    over = False
    """A flag: True if this socket was closed because of too many frames."""

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
        """Counts a frame (message, fragment, ping or pong), and closes the socket after too many."""
        if self.allowance.take():
            super().onFrameBegin()
        else:
            self._end()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Drops a message from a client, since pages send no messages."""
        self.last_ping = time.time()

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        if not self.over:
            super().onClose(wasClean, code, reason)

    def _end(self) -> None:
        """Closes the socket (code 1008), tells the application, and drops all input that was not read yet.

        The connection ends after LINGER seconds.
        """
        self.sendCloseFrame(code=AGAINST_THE_RULES, reasonUtf8=b"too many frames")
        super().onClose(False, AGAINST_THE_RULES, "too many frames")
        self.over, self.state, self.data = True, self.STATE_CLOSED, b""
        self.transport.pauseProducing()
        self.transport.loseWriteConnection()
        reactor.callLater(LINGER, self.transport.abortConnection)


class Sockets(WebSocketFactory):
    """The factory of WebSockets, which creates a Socket for each handshake."""

    protocol = Socket

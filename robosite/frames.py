"""What the server takes over a page's socket: next to nothing, since sockets only tell.

Daphne hands every frame to the application, which would start a task for each; here none is handed on. Pages
send no frames but answers to the server's pings: a socket that sends more than a few is closed (1008), and
nothing more is read of it. One that does not read is hung up on.
"""

from __future__ import annotations

# ruff: noqa: N802, N803 - Autobahn and Twisted call these methods by their names
import time
from types import SimpleNamespace
from typing import Any

import daphne.server  # first, since it chooses the reactor
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as its_reactor

reactor: Any = its_reactor

AGAINST_THE_RULES = 1008
LINGER = 2.0
"""For so many seconds a noisy socket stays half open, so that the other end comes to read why."""

__all__ = ["Socket", "Sockets", "daphne"]


def unsent(transport: Any) -> int:
    """How many bytes wait in this process until the other end takes them."""
    waiting: int = len(transport.dataBuffer) - transport.offset + transport._tempDataLen
    return waiting


def not_taken(transport: Any, data: bytes) -> bytes:
    """Sends as much as the other end takes now, and gives the rest; Twisted would ask the loop first."""
    if unsent(transport) or transport.disconnecting or transport.disconnected:
        return data
    taken = transport.writeSomeData(data)
    return data[taken:] if isinstance(taken, int) else data  # else it is broken, as writing will show


class Allowance:
    """Lets MOST["frames"] frames pass at once, and as many a minute in the long run."""

    def __init__(self) -> None:
        self.most: int = settings.MOST["frames"]
        self.left, self.since = float(self.most), time.monotonic()

    def take(self) -> bool:
        """Counts one more frame; whether it may pass."""
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
        """Nothing: the connection has been dropped."""

    def stopProducing(self) -> None:
        """Nothing: the connection is gone."""


class Socket(WebSocketProtocol):
    """A page's socket, from its handshake to its end."""

    transport: Any
    request: Any
    http_headers: dict[str, str]
    over = False
    """Whether it was closed because of its noise."""

    def connectionMade(self) -> None:
        self.allowance = Allowance()
        super().connectionMade()
        self.transport.unregisterProducer()  # until now that was the connection as HTTP saw it
        self.transport.registerProducer(SlowReader(self.transport), True)

    def onOpen(self) -> None:
        """Forgets the handshake but for its path, since a page may keep its socket for hours."""
        super().onOpen()
        self.request = SimpleNamespace(path=self.request.path)  # Daphne tells it once more at the end
        self.clean_headers.clear()  # the application has read them before it accepted
        self.http_headers, self.http_request_data = {}, b""

    def dataReceived(self, data: bytes) -> None:
        if self.over:
            return
        if self.state == self.STATE_CONNECTING and hasattr(self, "handshake_deferred"):
            self.transport.abortConnection()  # nothing may come before the handshake is answered
            return
        super().dataReceived(data)

    def sendMessage(self, payload: bytes, isBinary: bool = False, **more: Any) -> None:
        """Sends a message: one that many sockets are told is put into a frame once."""
        if self.state != self.STATE_OPEN or more:
            super().sendMessage(payload, isBinary, **more)
        else:
            self.sendData(self.factory.framed(payload, isBinary))

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:
        """Sends as much as the client takes now; the rest when the loop says that it takes more."""
        if self.state == self.STATE_OPEN and not (sync or chopsize or self.send_queue):
            data = not_taken(self.transport, data)
        if data:
            super().sendData(data, sync, chopsize)

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
        """Closes it, tells the application, and reads nothing of what has come already or comes still."""
        self.sendCloseFrame(code=AGAINST_THE_RULES, reasonUtf8=b"too many frames")
        super().onClose(False, AGAINST_THE_RULES, "too many frames")
        self.over, self.state, self.data = True, self.STATE_CLOSED, b""
        self.transport.pauseProducing()
        self.transport.loseWriteConnection()
        reactor.callLater(LINGER, self.transport.abortConnection)


class Sockets(WebSocketFactory):
    """Makes a Socket for each handshake."""

    protocol: Any = Socket
    last: tuple[tuple[bytes, bool], bytes] = (b"", False), b""
    """The last message, and its frame."""

    def framed(self, payload: bytes, binary: bool) -> bytes:
        """A message as it goes over the wire."""
        if self.last[0] != (payload, binary):
            frame: bytes = self.prepareMessage(payload, binary).payloadHybi
            self.last = (payload, binary), frame
        return self.last[1]

    def buildProtocol(self, addr: Any) -> Any:
        """A Socket. What is set for all is set on their class, once: Autobahn copies it to each else."""
        if self.protocol is Socket:
            settled = {name: getattr(self, name) for name in Socket.CONFIG_ATTRS}
            plain = {name: value for name, value in settled.items() if not callable(value)}
            self.protocol = type("Socket", (Socket,), plain)
        return super().buildProtocol(addr)

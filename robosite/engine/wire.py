"""Daphne's server, which refuses too long bodies and too many frames, and drains before it ends.

Slow clients, and many connections of one address, are left to a proxy (`docs/hosting/nginx.conf`).
"""

# ruff: noqa: N802 - Twisted calls these methods by their names
import asyncio
import logging
import resource
import time
from collections.abc import Callable
from typing import Any

import daphne.server  # first, since it chooses the reactor
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as its_reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web import http

from robosite.engine import is_on
from robosite.web import health

log = logging.getLogger("robosite")
reactor: Any = its_reactor

LINGER = 5.0
"""Seconds for which a refused body is still read, so that the client can read the response."""
SILENCE = 60
GOING_AWAY, AGAINST_THE_RULES = 1001, 1008
LONGEST_DRAIN = 8.0
"""The maximum number of seconds that an ending process waits for requests under way."""
SETTLES = 0.5
"""Seconds that an ending process waits for the requests of the connections that it has just accepted."""
BACKLOG = 50
"""The length of the kernel's queue of connections that are not accepted yet (Twisted's default)."""


class BoundedChannel(http.HTTPChannel):
    """A client's HTTP connection, which answers a request at once if its body is too long."""

    transport: Any
    refused = answered = False
    """Flags: `refused`: the arriving body is too long; `answered`: the response to it is under way."""

    def allHeadersReceived(self) -> None:
        if self.length is None or self.length <= settings.MOST["body"]:
            super().allHeadersReceived()
            return
        request = self.requests[-1]
        request.parseCookies()
        request.gotLength(0)
        self._refuse(request)
        self.length = 0  # so it is answered now; what it announced still stands in its headers

    def rawDataReceived(self, data: bytes) -> None:
        if not self.refused:
            super().rawDataReceived(data)

    def allContentReceived(self) -> None:
        if not self.answered:
            self.answered = self.refused
            super().allContentReceived()

    def too_long(self, request: Any) -> None:
        """Refuses a request whose body has exceeded the limit although its length was not announced."""
        self._refuse(request)
        self.allContentReceived()

    def _refuse(self, request: Any) -> None:
        self.refused, self.persistent = True, False
        request.responseHeaders.setRawHeaders(b"Connection", [b"close"])

    def loseConnection(self) -> None:
        if not self.refused:
            super().loseConnection()
            return
        self.transport.loseWriteConnection()
        reactor.callLater(LINGER, self.transport.abortConnection)


class Request(WebRequest):
    """A request whose body is stored up to the limit MOST["body"], and refused beyond it."""

    came = 0

    def handleContentChunk(self, data: bytes) -> None:
        if self.channel.refused:
            return
        left = settings.MOST["body"] + 1 - self.came
        self.came += len(data)
        self.content.write(data[:left])
        if self.came > settings.MOST["body"]:
            self.channel.too_long(self)

    def connectionLost(self, reason: Failure) -> None:
        """Cancels the application's task, since the client has disconnected and waits for no response."""
        application = self.server.connections.get(self, {}).get("application_instance")
        super().connectionLost(reason)
        if application:
            application.cancel()


class Socket(WebSocketProtocol):
    """A page's WebSocket, closed (1008) after too many frames a minute; no message starts a task."""

    transport: Any
    came, since, over = 0, 0.0, False

    def dataReceived(self, data: bytes) -> None:
        if not self.over:
            super().dataReceived(data)

    def onFrameBegin(self) -> None:
        now = time.monotonic()
        if now > self.since + 60:
            self.came, self.since = 0, now
        self.came += 1
        if self.came <= settings.MOST["frames"]:
            super().onFrameBegin()
        elif not self.over:
            self._end()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N803
        self.last_ping = time.time()

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:  # noqa: N803
        if not self.over:
            super().onClose(wasClean, code, reason)

    def _end(self) -> None:
        self.sendCloseFrame(code=AGAINST_THE_RULES, reasonUtf8=b"too many frames")
        super().onClose(False, AGAINST_THE_RULES, "too many frames")
        self.over, self.state, self.data = True, self.STATE_CLOSED, b""
        self.transport.loseWriteConnection()
        reactor.callLater(LINGER, self.transport.abortConnection)


class Sockets(WebSocketFactory):
    protocol = Socket


class BoundedFactory(HTTPFactory):
    protocol = BoundedChannel

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.timeOut = SILENCE

    def buildProtocol(self, addr: Any) -> Any:
        connection: Any = super().buildProtocol(addr)
        connection.requestFactory = Request
        return connection


class Server(daphne.server.Server):
    """Daphne's server, which lets requests finish before it ends; `end_sockets` ends event streams."""

    def __init__(self, *, end_sockets: Callable[[], None], **settings_of_daphne: Any) -> None:
        super().__init__(**settings_of_daphne)
        self.end_sockets = end_sockets

    def run(self) -> None:
        self.ports: list[Any] = []
        more_files()
        if is_on("limits"):
            daphne.server.HTTPFactory = BoundedFactory  # Daphne asks for no other way
            daphne.server.WebSocketFactory = Sockets
        super().run()

    def listen_success(self, port: Any) -> None:
        """Stores a listening port so that `drain` can close it, since Daphne does not store it."""
        super().listen_success(port)
        self.ports.append(port)

    def kill_all_applications(self) -> Deferred[Any]:
        """Waits for requests under way (`drain`), then cancels those that are not finished."""
        drained = Deferred.fromFuture(asyncio.ensure_future(self.drain()))
        drained.addErrback(lambda failure: log.error("unfinished: %s", failure.getTraceback()))
        return drained.addBoth(lambda _: super(Server, self).kill_all_applications())

    async def drain(self) -> None:
        """Turns unready; DRAIN_SECONDS later closes the ports, and waits LONGEST_DRAIN for open requests."""
        health.draining.begun = True  # `/readyz` fails, so that a proxy can notice, but requests are accepted
        await asyncio.sleep(settings.DRAIN_SECONDS)
        for port in self.ports:  # `stopListening` would close it later, and reset what comes until then
            port.stopReading()
            port.numberAccepts = BACKLOG
            port.doRead()  # lets in all connections that wait in the kernel's queue
            port.connectionLost(connectionDone)
        self.end_sockets()  # so that their pages connect to another process
        for protocol in list(self.connections):
            if isinstance(protocol, WebSocketProtocol) and protocol.state == protocol.STATE_OPEN:
                protocol.sendCloseFrame(code=GOING_AWAY, isReply=False)
        came, quiet = time.monotonic(), False
        while time.monotonic() < came + LONGEST_DRAIN:
            await asyncio.sleep(0.05)
            tasks = [one.get("application_instance") for one in self.connections.values()]
            under_way = any(task is not None and not task.done() for task in tasks)
            before, quiet = quiet, time.monotonic() > came + SETTLES and not under_way
            if before and quiet:  # what was written last is sent a turn of the loop later
                return


def more_files() -> None:
    """Raises the process's limit on open files, each connection being one, towards 65,536."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

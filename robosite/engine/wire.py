"""Limits on the requests that the site's own server accepts from clients: their size, time and number.

Without this module, Daphne would read a body to its end, however long, before it calls the application. It
would also keep connections on which nothing arrives, or only a byte now and then. This module sets these
limits:
- A body that is too long is answered at once (413) and discarded as it arrives.
- A request must be complete within a time limit.
- Connections without a complete request, and connections whose client does not read, are limited in number,
  for each address and in total. If there is no room for a new connection, an older one is dropped.
- The next request of a connection begins only when the response to the previous one is on its way.
- A client that does not read its responses is disconnected.

The limits on WebSockets are in `frames.py`.
"""

from __future__ import annotations

# ruff: noqa: N802 - Twisted calls these methods by their names
import asyncio
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import daphne.server  # first, since it chooses the reactor
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from twisted.internet import reactor as its_reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure
from twisted.web import http

from robosite.engine import is_on
from robosite.engine.frames import Sockets, unsent
from robosite.web import health
from robosite.web.addresses import address_behind, is_proxy

log = logging.getLogger("robosite")
reactor: Any = its_reactor

SPARE_FILES = 200
"""The number of open files that a process reserves for everything except HTTP connections.

They are for the database, files, the WebSockets of pages, and bots."""
LINGER = 5.0
"""Seconds for which a refused body is still read, so that the client can read the response."""
GOING_AWAY = 1001
LONGEST_DRAIN = 8.0
"""The maximum number of seconds that an ending process waits for requests under way."""
SETTLES = 0.5
"""Seconds that an ending process waits for the requests of the connections that it has just accepted."""
BACKLOG = 50
"""The length of the kernel's queue of connections that are not accepted yet (Twisted's default)."""
SLOWEST = 2048
"""The minimum rate at which a client must read a response, in bytes a second.

It applies after a grace period, MOST["seconds unread"], in which nothing has to be read."""


class ConnectionLimiter:
    """Limits the number of connections, for each address and in total.

    Each counted connection is in one of three dicts, the longest-waiting connections first:
    - `silent`: no byte of a request has arrived.
    - `speaking`: a part of a request has arrived.
    - `not_reading`: the client does not read a response.

    While a request is being answered, its connection is counted only if the client does not read the
    response.

    If an address has no room for a new connection, its oldest connection is dropped. If there is no room in
    total, the first connection in `not_reading` is dropped, or else the first in `silent`, or else the first
    in `speaking`. The connections of a proxy have "" as their address and are limited only in total.
    """

    def __init__(self) -> None:
        self.silent: dict[LimitedChannel, float] = {}
        self.speaking: dict[LimitedChannel, float] = {}
        self.not_reading: dict[LimitedChannel, tuple[int, float]] = {}
        self.by_address: dict[str, dict[LimitedChannel, None]] = {}
        self.dropped: Counter[str] = Counter()

    def waits(self, connection: LimitedChannel) -> None:
        """Registers a connection on which no byte of the next request has arrived (in `silent`).

        If there is no room for it, another connection is dropped.
        """
        self._make_room(connection)
        self.silent[connection] = time.monotonic()

    def does_not_read(self, connection: LimitedChannel) -> None:
        """Registers a connection whose client reads a response too slowly (in `not_reading`).

        Such connections are limited in number and time. If there is no room for it, another connection is
        dropped.
        """
        self.leaves(connection)
        self._make_room(connection)
        self.not_reading[connection] = unsent(connection.transport), time.monotonic()

    def _make_room(self, connection: LimitedChannel) -> None:
        of_address = self.by_address.setdefault(connection.address, {})
        if connection.address and len(of_address) >= settings.MOST["connections of one"]:
            self._drop(next(iter(of_address)), "address")
        elif len(self.silent) + len(self.speaking) + len(self.not_reading) >= self.most:
            self._drop(next(iter(self.not_reading or self.silent or self.speaking)), "all")
        self.by_address.setdefault(connection.address, {})[connection] = None

    def speaks(self, connection: LimitedChannel) -> None:
        """Registers that the first byte of a request has arrived: moves the connection to `speaking`.

        Does nothing unless the connection is in `silent`.
        """
        if self.silent.pop(connection, None) is not None:
            self.speaking[connection] = time.monotonic()

    def leaves(self, connection: LimitedChannel) -> None:
        """Stops counting a connection against the limits; does nothing if the connection is not counted.

        This is called when its request is complete, when its response was read, or when it has ended.
        """
        self.silent.pop(connection, None)
        self.speaking.pop(connection, None)
        self.not_reading.pop(connection, None)
        if (of_address := self.by_address.get(connection.address)) is not None:
            of_address.pop(connection, None)
            if not of_address:
                del self.by_address[connection.address]

    def sweep(self) -> None:
        """Drops all connections that have exceeded a time limit; repeats itself every second."""
        now = time.monotonic()
        for connections, most in (
            (self.silent, settings.MOST["seconds of silence"]),
            (self.speaking, settings.MOST["seconds for a request"]),
        ):
            for connection in [connection for connection, since in connections.items() if now - since > most]:
                self._drop(connection, "time")
        self._sweep_not_reading(now)
        reactor.callLater(1, self.sweep)

    def _sweep_not_reading(self, now: float) -> None:
        """Drops connections whose client reads too slowly, or whose address has too many bytes unread.

        Connections whose client has read everything are no longer counted. `now` is a time of
        `time.monotonic`.
        """
        held: Counter[str] = Counter()
        for connection, (before, began) in list(self.not_reading.items()):
            left = unsent(connection.transport)
            since = min(now, began + max(before - left, 0) / SLOWEST)
            self.not_reading[connection] = left, since
            held[connection.address] += left
            if not left and not connection.transport.disconnecting:
                self.leaves(connection)
                continue
            too_much = bool(connection.address) and held[connection.address] > settings.MOST["unread of one"]
            if too_much or now - since > settings.MOST["seconds unread"]:
                self._drop(connection, "unread")

    @property
    def most(self) -> int:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        most: int = settings.MOST["connections"]
        return most if files == resource.RLIM_INFINITY else max(min(most, files - SPARE_FILES), 10)

    def _drop(self, connection: LimitedChannel, why: str) -> None:
        self.dropped[why] += 1
        self.leaves(connection)
        connection.transport.abortConnection()


class LimitedChannel(http.HTTPChannel):
    """A client's HTTP connection, which tells a ConnectionLimiter when it waits, receives or cannot send."""

    transport: Any
    _networkProducer: Any  # noqa: N815 - Twisted calls it so
    address = ""
    refused = False
    """A flag: True if the body that is arriving was refused as too long; its response is under way."""

    def connectionMade(self) -> None:
        super().connectionMade()
        peer = getattr(self.transport.getPeer(), "host", "")
        self.address = "" if is_proxy(peer) else address_behind(peer, "")  # a proxy counts for nobody
        self.factory.connections.waits(self)

    def dataReceived(self, data: bytes) -> None:
        self.factory.connections.speaks(self)
        super().dataReceived(data)

    def pauseProducing(self) -> None:
        """Stops reading requests, since the client does not read its response fast enough."""
        super().pauseProducing()
        self.paused = True
        self._networkProducer.pauseProducing()
        self.factory.connections.does_not_read(self)

    def resumeProducing(self) -> None:
        """Resumes reading, after the client has read everything.

        Input that has arrived meanwhile is processed at once, unless a request is still being answered.
        """
        self.paused = False
        self.factory.connections.leaves(self)
        super().resumeProducing()
        if self._handlingRequest:  # as before: to learn whether it hangs up
            if sum(map(len, self._dataBuffer)) <= self._optimisticEagerReadSize:
                self._networkProducer.resumeProducing()
        elif not self.transport.disconnecting:
            self.factory.connections.waits(self)
            LineReceiver.dataReceived(self, b"")

    def allHeadersReceived(self) -> None:
        if self.length is None or self.length <= settings.MOST["body"]:
            super().allHeadersReceived()
            return
        request = self.requests[-1]
        request.parseCookies()
        request.gotLength(0)
        self._refuse(request)
        self.length = 0  # so it is answered now; what it announced still stands in its headers

    def allContentReceived(self) -> None:
        if not self._handlingRequest:
            self.factory.connections.leaves(self)
            super().allContentReceived()

    def rawDataReceived(self, data: bytes) -> None:
        if not (self.refused and self._handlingRequest):
            super().rawDataReceived(data)

    def too_long(self, request: Any) -> None:
        """Refuses a request whose body has exceeded the limit although its length was not announced."""
        self._refuse(request)
        self.allContentReceived()

    def _refuse(self, request: Any) -> None:
        self.refused, self.persistent = True, False
        request.responseHeaders.setRawHeaders(b"Connection", [b"close"])

    def requestDone(self, request: Any) -> None:
        super().requestDone(request)
        ready = self.persistent and not self._handlingRequest and not self.paused
        if ready and not self.transport.disconnecting:
            self.factory.connections.waits(self)

    def loseConnection(self) -> None:
        if not self.refused:
            super().loseConnection()
            if unsent(self.transport):
                self.factory.connections.does_not_read(self)
            return
        self.transport.loseWriteConnection()
        hang_up = self.transport.abortConnection
        self.lingering = reactor.callLater(LINGER, hang_up)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.factory.connections.leaves(self)
        super().connectionLost(reason)


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


class LimitedChannelFactory(HTTPFactory):
    """The factory of HTTP connections, which creates a LimitedChannel for each."""

    protocol = LimitedChannel

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.timeOut = settings.MOST["seconds of silence"]
        self.connections = ConnectionLimiter()
        reactor.callLater(1, self.connections.sweep)

    def buildProtocol(self, addr: Any) -> Any:
        connection: Any = http.HTTPFactory.buildProtocol(self, addr)
        connection.requestFactory = Request
        return connection


class Server(daphne.server.Server):
    """Daphne's server with limited connections, which lets requests under way finish before it ends.

    `ENGINE_OFF=limits` switches the limits off. `end_sockets` is called when the process ends, to end the
    application's event streams.
    """

    def __init__(self, *, end_sockets: Callable[[], None], **settings_of_daphne: Any) -> None:
        super().__init__(**settings_of_daphne)
        self.end_sockets = end_sockets

    def run(self) -> None:
        self.ports: list[Any] = []
        more_files()
        if is_on("limits"):
            daphne.server.HTTPFactory = LimitedChannelFactory  # Daphne asks for no other way
            daphne.server.WebSocketFactory = Sockets
        super().run()

    def listen_success(self, port: Any) -> None:
        """Stores a listening port so that `drain` can close it, since Daphne does not store it."""
        super().listen_success(port)
        self.ports.append(port)

    def kill_all_applications(self) -> Deferred[Any]:
        """Waits for requests under way (`drain`), then cancels those that are not finished."""
        drained = Deferred.fromFuture(asyncio.ensure_future(self.drain()))
        drained.addErrback(_log)
        return drained.addBoth(lambda _: super(Server, self).kill_all_applications())

    async def drain(self) -> None:
        """Prepares the end of the process; waits until no request is under way, or a time limit is over.

        The steps are:
        - For DRAIN_SECONDS, `/readyz` fails so that a proxy can notice, but requests are still accepted.
        - The ports are closed, and WebSockets and event streams are ended, so that their pages connect to
          another process.
        - Requests under way are awaited, for at most LONGEST_DRAIN seconds.
        """
        health.draining.begun = True
        await asyncio.sleep(settings.DRAIN_SECONDS)
        for port in self.ports:
            _let_in_and_close(port)
        self.end_sockets()
        for protocol in list(self.connections):
            if isinstance(protocol, WebSocketProtocol) and protocol.state == protocol.STATE_OPEN:
                protocol.sendCloseFrame(code=GOING_AWAY, isReply=False)
        came, quiet = time.monotonic(), False
        while time.monotonic() < came + LONGEST_DRAIN:
            await asyncio.sleep(0.05)
            read = time.monotonic() > came + SETTLES
            before, quiet = quiet, read and not any(map(_is_under_way, self.connections.values()))
            if before and quiet:  # what was written last is sent a turn of the loop later
                return


def _let_in_and_close(port: Any) -> None:
    """Accepts all connections that wait in the kernel's queue, and then closes the port at once.

    Twisted's `stopListening` would close the port later, and reset the connections that are made until then.
    """
    port.stopReading()
    port.numberAccepts = BACKLOG
    port.doRead()
    port.connectionLost(connectionDone)


def _log(failure: Failure) -> None:
    log.error("not all that was under way could be finished: %s", failure.getTraceback())


def _is_under_way(connection: dict[str, Any]) -> bool:
    application = connection.get("application_instance")
    return application is not None and not application.done()


def more_files() -> None:
    """Raises the process's limit on open files to 65,536, or as far as the system allows.

    Each connection counts as an open file. A limit that is already higher stays unchanged.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

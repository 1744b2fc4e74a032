"""What the site's own server takes from the network: whole requests, not too long, in good time.

Daphne reads a body to its end, however long, before the site hears of it; and it keeps a connection that
sends nothing, or a byte now and then. Here a body that is too long is answered at once (413) and thrown away
as it comes; a request has so many seconds for all of it; and of connections that wait for a request there are
only so many, of one address and of all: the one that has been silent longest makes room for the next.
"""

from __future__ import annotations

# ruff: noqa: N802 - Twisted calls these methods by their names
import resource
import time
from collections import Counter
from typing import Any

import daphne.server  # first, since it chooses the reactor
from daphne.http_protocol import HTTPFactory, WebRequest
from django.conf import settings
from twisted.internet import reactor as its_reactor
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web import http

from robosite.limits import address_behind, is_proxy

reactor: Any = its_reactor

SPARE_FILES = 200
"""What else a process has open: the database, files, sockets of pages, bots."""
LINGER = 5.0
"""For so many seconds a refused body is read on, so that who sends it comes to read the answer."""


class Crowd:
    """The connections that wait for a request to be whole, those that have waited longest first."""

    def __init__(self) -> None:
        self.silent: dict[Line, float] = {}
        self.speaking: dict[Line, float] = {}
        self.of: dict[str, dict[Line, None]] = {}
        self.dropped: Counter[str] = Counter()

    def waits(self, line: Line) -> None:
        """It is open, and nothing has been sent."""
        of_one = self.of.setdefault(line.address, {})
        if line.address and len(of_one) >= settings.MOST["connections of one"]:
            self._drop(next(iter(of_one)), "address")
        elif len(self.silent) + len(self.speaking) >= self.most:
            self._drop(next(iter(self.silent or self.speaking)), "all")
        self.of.setdefault(line.address, {})[line] = None
        self.silent[line] = time.monotonic()

    def speaks(self, line: Line) -> None:
        """The first byte of a request has come."""
        if self.silent.pop(line, None) is not None:
            self.speaking[line] = time.monotonic()

    def leaves(self, line: Line) -> None:
        """Its request is whole, or it is gone."""
        self.silent.pop(line, None)
        self.speaking.pop(line, None)
        if (of_one := self.of.get(line.address)) is not None:
            of_one.pop(line, None)
            if not of_one:
                del self.of[line.address]

    def sweep(self) -> None:
        """Those that have waited too long are hung up on."""
        now = time.monotonic()
        for lines, most in (
            (self.silent, settings.MOST["seconds of silence"]),
            (self.speaking, settings.MOST["seconds for a request"]),
        ):
            for line in [line for line, since in lines.items() if now - since > most]:
                self._drop(line, "time")
        reactor.callLater(1, self.sweep)

    @property
    def most(self) -> int:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        most: int = settings.MOST["connections"]
        return most if files == resource.RLIM_INFINITY else max(min(most, files - SPARE_FILES), 10)

    def _drop(self, line: Line, why: str) -> None:
        self.dropped[why] += 1
        self.leaves(line)
        line.transport.abortConnection()


class Line(http.HTTPChannel):
    """A connection, from its first byte to its last."""

    transport: Any
    address = ""
    refused = False
    """Whether the body that comes is too long, so that an answer is under way already."""

    def connectionMade(self) -> None:
        super().connectionMade()
        peer = getattr(self.transport.getPeer(), "host", "")
        self.address = "" if is_proxy(peer) else address_behind(peer, "")  # a proxy counts for nobody
        self.factory.crowd.waits(self)

    def dataReceived(self, data: bytes) -> None:
        self.factory.crowd.speaks(self)
        super().dataReceived(data)

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
            self.factory.crowd.leaves(self)
            super().allContentReceived()

    def rawDataReceived(self, data: bytes) -> None:
        if not (self.refused and self._handlingRequest):
            super().rawDataReceived(data)

    def too_long(self, request: Any) -> None:
        """A body that announced no length has become too long."""
        self._refuse(request)
        self.allContentReceived()

    def _refuse(self, request: Any) -> None:
        self.refused, self.persistent = True, False
        request.responseHeaders.setRawHeaders(b"Connection", [b"close"])

    def requestDone(self, request: Any) -> None:
        super().requestDone(request)
        if self.persistent and not self._handlingRequest and not self.transport.disconnecting:
            self.factory.crowd.waits(self)

    def loseConnection(self) -> None:
        if not self.refused:
            super().loseConnection()
            return
        self.transport.loseWriteConnection()
        hang_up = self.transport.abortConnection
        self.lingering = reactor.callLater(LINGER, hang_up)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.factory.crowd.leaves(self)
        super().connectionLost(reason)


class Request(WebRequest):
    """A request of which no more is kept than the site takes."""

    came = 0

    def handleContentChunk(self, data: bytes) -> None:
        if self.channel.refused:
            return
        left = settings.MOST["body"] + 1 - self.came
        self.came += len(data)
        self.content.write(data[:left])
        if self.came > settings.MOST["body"]:
            self.channel.too_long(self)


class Lines(HTTPFactory):
    """Makes a Line for each connection."""

    protocol = Line

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.timeOut = settings.MOST["seconds of silence"]
        self.crowd = Crowd()
        reactor.callLater(1, self.crowd.sweep)

    def buildProtocol(self, addr: Any) -> Any:
        line: Any = http.HTTPFactory.buildProtocol(self, addr)
        line.requestFactory = Request
        return line


class Server(daphne.server.Server):
    """Daphne's server with such lines."""

    def run(self) -> None:
        more_files()
        daphne.server.HTTPFactory = Lines  # Daphne asks for no other way
        super().run()


def more_files() -> None:
    """As many open files, and so connections, as the machine allows without being asked."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

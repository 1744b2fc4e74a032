"""Requests to URLs that users gave: only HTTPS, only public addresses, no redirects, a short timeout.

The site's host can allow further networks (`settings.REACHABLE_NETWORKS`). The name is resolved once, and
each of its addresses checked; up to TRIED of them are tried, IPv4 and IPv6 in turn. Since the name is not
resolved again, its owner cannot redirect the request by changing its addresses.
"""

import contextlib
import csv
import http.client
import logging
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import chain, zip_longest
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from robosite.web.addresses import unwrapped

log = logging.getLogger("robosite")

TIME = 10.0
"""Seconds that a whole request may take: resolving the name, connecting, sending and the response."""
CONNECTING = 3.0
"""Seconds of TIME that resolving the name and connecting may take together."""
ASKED_AT_ONCE = 64
"""The most names resolved at once, each on a thread, which a dead name server blocks for half a minute."""
MAX_RESPONSE_BYTES = 16_384
"""The most bytes of a response that are read; chat services answer with the whole message."""
LONGEST = 2000
TRIED = 6
"""The most addresses of a name that are tried."""


class Forbidden(Exception):
    """Raised for a URL to which this site sends no requests."""


class Response(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def check(url: str) -> str:
    """Checks a URL without resolving its host's name, and returns the host; raises Forbidden."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Forbidden from None
    plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    if parts.scheme != "https" or not host or not plain or len(url) > LONGEST:
        raise Forbidden
    if parts.username is not None or parts.fragment or (port is not None and not 0 < port < 65536):
        raise Forbidden
    with contextlib.suppress(ValueError):
        if not allowed(ip_address(host)):
            raise Forbidden
    return host


def allowed(address: IPv4Address | IPv6Address) -> bool:
    """Returns True if an address (or the IPv4 one inside) is public, or in a network that the host allows."""
    address = unwrapped(address)
    if any(address in ip_network(network) for network in settings.REACHABLE_NETWORKS):
        return True
    return is_global(address)


def post(url: str, body: bytes, headers: Mapping[str, str], method: str = "POST") -> Response:
    """Sends a request, reads up to MAX_RESPONSE_BYTES; raises Forbidden, or OSError (also after TIME)."""
    host = check(url)
    parts = urlsplit(url)
    connection = _Connection(host, parts.port or 443)
    timer = threading.Timer(TIME, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path, body, {"User-Agent": "Robosite", **headers})
        answer = connection.getresponse()
        read = answer.read(MAX_RESPONSE_BYTES)
        if connection.late:  # a response that was cut off looks complete
            raise TimeoutError
        return Response(answer.status, {k.lower(): v for k, v in answer.getheaders()}, read)
    except (http.client.HTTPException, ValueError) as fault:
        raise OSError(type(fault).__name__) from None
    finally:
        timer.cancel()
        connection.close()


class _Connection(http.client.HTTPSConnection):
    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port, timeout=TIME / 2, context=ssl.create_default_context())
        self.late = False

    def connect(self) -> None:
        ends = monotonic() + CONNECTING
        raw = _connected(_resolve(self.host, self.port), self.port, ends)
        raw.settimeout(TIME / 2)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        sock = context.wrap_socket(raw, server_hostname=self.host, do_handshake_on_connect=False)
        self.sock = sock
        sock.do_handshake()

    def cut(self) -> None:
        """Shuts the socket down when the time is up, so that a call that is waiting for data fails."""
        self.late = True
        if self.sock:
            with contextlib.suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


def _connected(addresses: Sequence[str], port: int, ends: float) -> socket.socket:
    """A connection to the first address that accepts one; all share the time until `ends`; else OSError."""
    faults: list[OSError] = []
    for at, address in enumerate(addresses):
        share = (ends - monotonic()) / (len(addresses) - at)
        try:
            return socket.create_connection((address, port), timeout=max(share, 0.01))
        except OSError as fault:
            faults.append(fault)
    raise faults[-1]


def _resolve(host: str, port: int) -> list[str]:
    """Up to TRIED addresses of a host, IPv4 and IPv6 in turn, each in the resolver's order.

    Raises Forbidden if one of them may not be requested, or there is none; OSError if the name cannot be
    resolved.
    """
    found = list(dict.fromkeys(str(info[4][0]) for info in _resolved(host, port)))
    if not found or not all(allowed(ip_address(one.partition("%")[0])) for one in found):
        raise Forbidden
    first = [one for one in found if (":" in one) == (":" in found[0])]
    second = [one for one in found if one not in first]
    turns = chain.from_iterable(zip_longest(first, second))
    return [one for one in turns if one is not None][:TRIED]


_asking = threading.BoundedSemaphore(ASKED_AT_ONCE)


def _resolved(host: str, port: int) -> list[Any]:
    """The rows of `getaddrinfo`; raises TimeoutError after CONNECTING seconds, or if too many threads ask."""
    asking = _asking
    if not asking.acquire(blocking=False):
        raise TimeoutError
    answer: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as fault:
            answer.set_exception(fault)
        finally:
            asking.release()

    threading.Thread(target=ask, name="names", daemon=True).start()
    return answer.result(CONNECTING)


DATA = Path(__file__).with_name("special_addresses.csv")


class Block(NamedTuple):
    """A row of IANA's registries; N/A there counts as not globally reachable."""

    network: IPv4Network | IPv6Network
    name: str
    globally_reachable: bool


@cache
def blocks() -> tuple[Block, ...]:
    """All blocks of special addresses, the smallest first: the first that contains an address counts."""
    with DATA.open(newline="", encoding="utf-8") as file:
        rows = [
            Block(ip_network(row["block"]), row["name"], row["globally_reachable"] == "True")
            for row in csv.DictReader(file)
        ]
    return tuple(sorted(rows, key=lambda row: row.network.prefixlen, reverse=True))


def is_global(address: IPv4Address | IPv6Address) -> bool:
    """Returns True if IANA's registries call the address globally reachable, or do not have it."""
    return next((row.globally_reachable for row in blocks() if address in row.network), True)

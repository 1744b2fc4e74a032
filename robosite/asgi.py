"""The ASGI application: pages and the API over HTTP, and pushes to open pages over WebSockets."""

from __future__ import annotations

# ruff: noqa: E402 - Django must be set up before its models are imported
import os
from ipaddress import ip_address
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

import django
from django.conf import settings
from django.core.exceptions import RequestAborted

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack

from robosite.engine.handler import request_handler
from robosite.matches.live.origins import own_origin_only
from robosite.urls import sockets
from robosite.web import later
from robosite.web.addresses import is_proxy

ROOT_PATH = frozenset({b"daphne-root-path"})
PROXY_HEADERS = ROOT_PATH | {b"x-forwarded-proto"}
"""The names of headers that are dropped from a request for which `_is_forwarded` returns False."""


def whole(handler: Any) -> Any:
    """Wraps an ASGI handler: first reads the request body, and calls the handler again after each Later.

    A request raises Later (`later.py`) if it must wait for slow work. Of a body that is longer than a page
    accepts, only the beginning is kept. If the client disconnects before the body is complete, the handler is
    not called. The wrapper sets `scope["came"]` to the number of bytes that arrived, and `scope["took"]` to
    the seconds of thread time spent so far on the slow work and on earlier attempts at the request.
    """

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await _body(scope, receive)
        except RequestAborted:
            return
        scope["took"] = 0.0
        later.begin_request()
        waited = 0
        while True:
            scope["may_wait"] = waited < later.TIMES
            try:
                return await handler(scope, _replaying_body(body, receive), send)
            except later.Later as wait:
                waited += not isinstance(wait, later.Locked)  # which has pauses of its own
                scope["took"] += await wait.work()

    return answered


async def _body(scope: Any, receive: Any) -> bytes:
    """Reads the body of a request; of a body that is too long, returns one byte more than a page accepts.

    Sets `scope["came"]` to the number of bytes received. Raises RequestAborted if the client disconnects.
    """
    scope["came"], kept = 0, bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        part = message.get("body", b"")
        kept += part[: max(settings.MOST["body"] + 1 - scope["came"], 0)]
        scope["came"] += len(part)
        if not message.get("more_body", False):
            return bytes(kept)


def _replaying_body(body: bytes, receive: Any) -> Any:
    """Returns a replacement for `receive`, whose first message is the whole `body`.

    All later messages come from `receive`.
    """
    whole_body = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def next_message() -> Any:
        return next(whole_body, None) or await receive()

    return next_message


def at_root(application: Any) -> Any:
    """Wraps the application: drops headers by which a client could change the URLs that the site generates.

    The header Daphne-Root-Path is dropped from all requests and sockets. Daphne would take a path prefix from
    this header, but the site is at the root of its host. X-Forwarded-Proto is dropped unless `_is_forwarded`
    returns True.
    """

    async def entered(scope: Any, receive: Any, send: Any) -> None:
        dropped = ROOT_PATH if _is_forwarded(scope) else PROXY_HEADERS
        headers = [header for header in scope["headers"] if header[0] not in dropped]
        await application({**scope, "root_path": "", "headers": headers}, receive, send)

    return entered


def _is_forwarded(scope: Any) -> bool:
    """Returns True if the peer may be a proxy of this site, so that its X-Forwarded-Proto is believed.

    If TRUSTED_PROXIES is set, the peer's address must be in TRUSTED_PROXIES. Otherwise, the peer's address
    must not be public; a peer without an IP address, as on a Unix socket, is believed too.
    """
    peer = (scope.get("client") or ("",))[0] or ""
    if settings.TRUSTED_PROXIES:
        return is_proxy(peer)
    try:
        return not ip_address(peer).is_global
    except ValueError:  # a Unix socket of this machine
        return True


application = at_root(
    ProtocolTypeRouter(
        {
            "http": whole(request_handler()),
            "websocket": own_origin_only(SessionMiddlewareStack(URLRouter(sockets))),
        }
    )
)

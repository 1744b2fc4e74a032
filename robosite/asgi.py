"""The ASGI application: pages and API over HTTP, notices of changes over WebSockets."""

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
NOBODYS = ROOT_PATH | {b"x-forwarded-proto"}
"""Headers that clients must not set: only a trusted proxy may send `X-Forwarded-Proto`."""


def whole(handler: Any) -> Any:
    """Wraps `handler`: reads the whole request first, and calls the handler again after each Later
    (`later.py`).

    At most as much of a body is kept as a page accepts. In the scope, `came` is the number of bytes that
    arrived, and `took` the seconds of thread time used by work that was waited for (`middleware.waits`).
    """

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await _body(scope, receive)
        except RequestAborted:
            return
        scope["took"] = 0.0
        later.begin_request()
        for left in reversed(range(later.TIMES + 1)):
            scope["may_wait"] = left > 0
            try:
                return await handler(scope, _told(body, receive), send)
            except later.Later as wait:
                scope["took"] += await wait.work()

    return answered


async def _body(scope: Any, receive: Any) -> bytes:
    """Reads the body, and returns at most one byte more than a page accepts; raises RequestAborted."""
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


def _told(body: bytes, receive: Any) -> Any:
    """Returns a replacement for `receive` that first gives the whole body, then passes on later messages."""
    whole_body = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def next_message() -> Any:
        return next(whole_body, None) or await receive()

    return next_message


def at_root(application: Any) -> Any:
    """Wraps the application, so that no header from a client can change the URLs that the site generates.

    The site is at the root of its host. Daphne takes a path prefix from a header that anybody may send, so
    the header is dropped here, for requests and sockets. The scheme is believed only if a proxy sends it.
    """

    async def entered(scope: Any, receive: Any, send: Any) -> None:
        dropped = ROOT_PATH if _is_forwarded(scope) else NOBODYS
        headers = [header for header in scope["headers"] if header[0] not in dropped]
        await application({**scope, "root_path": "", "headers": headers}, receive, send)

    return entered


def _is_forwarded(scope: Any) -> bool:
    """Tell whether the peer may set the scheme.

    It must be in TRUSTED_PROXIES or, if that is empty, have no public address.
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

"""The site as one ASGI application: pages and API over HTTP, change messages over WebSockets."""

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
"""Headers that only a proxy may send."""


def whole(handler: Any) -> Any:
    """Calls `handler` with the whole request, and calls it again after each wait it asks for (`later.py`).

    At most as much of a body is kept as a page accepts; `came` in the scope is the number of bytes that
    arrived, `took` how many seconds of the thread the work that it waited for has used (`middleware.waits`).
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
    """Returns the body, up to one byte more than a page accepts; raises RequestAborted."""
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
    """Returns a stand-in for `receive`: it gives the whole body first, then whatever comes after it."""
    whole_body = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def next_message() -> Any:
        return next(whole_body, None) or await receive()

    return next_message


def at_root(application: Any) -> Any:
    """Wraps the entry of every connection, so that nothing a client sends can change an address of the site.

    The site stands at the root of its host. Daphne takes a path prefix from a header that anybody may send,
    so it is dropped here, for requests and sockets; the scheme is believed only if a proxy sends it.
    """

    async def entered(scope: Any, receive: Any, send: Any) -> None:
        dropped = ROOT_PATH if _is_forwarded(scope) else NOBODYS
        headers = [header for header in scope["headers"] if header[0] not in dropped]
        await application({**scope, "root_path": "", "headers": headers}, receive, send)

    return entered


def _is_forwarded(scope: Any) -> bool:
    """Tell whether the peer may name the scheme.

    It must be one of TRUSTED_PROXIES or, if there are none, have no public address.
    """
    peer = (scope.get("client") or ("",))[0] or ""
    if settings.TRUSTED_PROXIES:
        return is_proxy(peer)
    try:
        return not ip_address(peer).is_global
    except ValueError:  # a socket of this machine
        return True


application = at_root(
    ProtocolTypeRouter(
        {
            "http": whole(request_handler()),
            "websocket": own_origin_only(SessionMiddlewareStack(URLRouter(sockets))),
        }
    )
)

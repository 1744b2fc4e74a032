"""The ASGI application: pages and the API over HTTP, and pushes to open pages over WebSockets."""

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

    Of a body that is too long, only the beginning is kept. A client that disconnects before its end gets no
    response. Sets `scope["came"]`, the bytes that arrived, and `scope["took"]`, the seconds of thread time
    spent on slow work (`later.py`) and on earlier attempts.
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
    """Reads a body, to one byte more than a page accepts; sets `scope["came"]`. Raises RequestAborted."""
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
    """Returns a replacement for `receive`, whose first message is the whole `body`."""
    whole_body = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def next_message() -> Any:
        return next(whole_body, None) or await receive()

    return next_message


def at_root(application: Any) -> Any:
    """Wraps the application: drops headers by which a client could change the URLs that the site generates.

    Daphne-Root-Path always, as the site is at the root of its host; X-Forwarded-Proto unless `_is_forwarded`.
    """

    async def entered(scope: Any, receive: Any, send: Any) -> None:
        dropped = ROOT_PATH if _is_forwarded(scope) else PROXY_HEADERS
        headers = [header for header in scope["headers"] if header[0] not in dropped]
        await application({**scope, "root_path": "", "headers": headers}, receive, send)

    return entered


def _is_forwarded(scope: Any) -> bool:
    """Returns True for a peer in TRUSTED_PROXIES or, if that is not set, one without a public IP address."""
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

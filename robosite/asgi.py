"""The site as one ASGI application: pages and API over HTTP, changes over sockets."""

from __future__ import annotations

# ruff: noqa: E402 - Django must be set up before its models are imported
import os
from ipaddress import ip_address
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

import django
from django.conf import settings

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack

from robosite.addresses import is_proxy
from robosite.engine.handler import Handler
from robosite.matches.live.origins import own_origin_only
from robosite.urls import sockets

ROOT_PATH = frozenset({b"daphne-root-path"})
NOBODYS = ROOT_PATH | {b"x-forwarded-proto"}
"""Headers that only a proxy may send."""


def at_root(application: Any) -> Any:
    """The entry of every connection: nothing that a client sends decides an address of the site.

    The site stands at the root of its host. Daphne takes a path before it from a header that anybody may
    send, so it is dropped here, for requests and sockets; and the scheme is believed from a proxy alone.
    """

    async def entered(scope: Any, receive: Any, send: Any) -> None:
        dropped = ROOT_PATH if _is_forwarded(scope) else NOBODYS
        headers = [header for header in scope["headers"] if header[0] not in dropped]
        await application({**scope, "root_path": "", "headers": headers}, receive, send)

    return entered


def _is_forwarded(scope: Any) -> bool:
    """Tell whether the peer may name the scheme: a proxy, or without TRUSTED_PROXIES a private address."""
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
            "http": Handler(),
            "websocket": own_origin_only(SessionMiddlewareStack(URLRouter(sockets))),
        }
    )
)

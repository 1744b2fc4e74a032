"""The site as one ASGI application: pages and API over HTTP, changes over sockets."""

from __future__ import annotations

# ruff: noqa: E402 - Django must be set up before its models are imported
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

import django
from django.core.handlers.asgi import ASGIHandler

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import SessionMiddlewareStack

from robosite.urls import sockets


class OneThread(ASGIHandler):
    """Django's handler with all sync code of the process on one long-lived thread.

    The stock handler opens a thread, and with it a database connection, for every request. One thread that
    stays halves the cost of a page; so nothing slow may be done in a request, and one scales by processes.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP comes here, not {scope['type']}.")
        await self.handle(scope, receive, send)


application = ProtocolTypeRouter(
    {
        "http": OneThread(),
        "websocket": AllowedHostsOriginValidator(SessionMiddlewareStack(URLRouter(sockets))),
    }
)

"""The site as one ASGI application: pages and API over HTTP, changes over sockets."""

from __future__ import annotations

# ruff: noqa: E402 - Django must be set up before its models are imported
import os
from typing import Any
from urllib.parse import urlsplit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

import django
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponseBadRequest

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import SessionMiddlewareStack

from robosite.urls import sockets


class OneThread(ASGIHandler):
    """Django's handler with all sync code of the process on one long-lived thread.

    The stock handler opens a thread, and with it a database connection, for every request. One thread that
    stays halves the cost of a page; so nothing slow may be done in a request, and one scales by processes.

    Of a body no more is kept than a page takes; `came` in the scope says how much there was.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP comes here, not {scope['type']}.")
        scope["came"] = 0

        async def some() -> Any:
            message = await receive()
            if message["type"] == "http.request":
                body = message.get("body", b"")
                left = max(settings.MOST["body"] + 1 - scope["came"], 0)
                scope["came"] += len(body)
                message = {**message, "body": body[:left]}
            return message

        await self.handle(scope, some, send)

    def create_request(self, scope: Any, body_file: Any) -> Any:
        """A request that names a charset has its query read here already; too many fields of it are a 400."""
        try:
            return super().create_request(scope, body_file)
        except SuspiciousOperation as fault:
            return None, HttpResponseBadRequest(str(fault), content_type="text/plain")


def readable(application: Any) -> Any:
    """Origins that are no address at all are nobody's, as `null` is; the check behind stumbles over them."""

    async def heard(scope: Any, receive: Any, send: Any) -> None:
        headers = [
            (name, b"null" if name == b"origin" and not _is_origin(at) else at)
            for name, at in scope["headers"]
        ]
        await application({**scope, "headers": headers}, receive, send)

    return heard


def _is_origin(at: bytes) -> bool:
    try:
        found = urlsplit(at.decode("ascii"))
        return found.port is None or found.port >= 0
    except ValueError:
        return False


application = ProtocolTypeRouter(
    {
        "http": OneThread(),
        "websocket": readable(AllowedHostsOriginValidator(SessionMiddlewareStack(URLRouter(sockets)))),
    }
)

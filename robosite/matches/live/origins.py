"""A check of the `Origin` header, so that only the site's own pages can open a WebSocket."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from robosite.web.http import split_url

Application = Callable[..., Awaitable[None]]
Origin = tuple[str, str, int]
"""Scheme, host, port."""
PORTS = {"http": 80, "https": 443}


def own_origin_only(application: Application) -> Application:
    """Wraps an ASGI application for WebSockets: answers 403 unless a page of this site opens the socket."""
    refused = WebsocketDenier.as_asgi()

    async def opened(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        allowed = is_own(scope)
        await (application if allowed else refused)(scope, receive, send)

    return opened


def is_own(scope: MutableMapping[str, Any]) -> bool:
    """Returns True if the page that opens this WebSocket belongs to this site, by its `Origin` header.

    It must be that of PUBLIC_URL; in development, or without PUBLIC_URL, also that of the requested URL, as
    Django allows for forms. A socket without it is not accepted.
    """
    given = _origin(_header(scope, b"origin"))
    if given is None:
        return False
    if given == _origin(settings.PUBLIC_URL):
        return True
    return not (settings.PRODUCTION and settings.PUBLIC_URL) and given == _asked(scope)


def _asked(scope: MutableMapping[str, Any]) -> Origin | None:
    """The origin of the requested URL, HTTPS in production; None if its host is not one of ALLOWED_HOSTS."""
    host = _header(scope, b"host")
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return None
    secure = settings.PRODUCTION or scope.get("scheme") in ("wss", "https")
    return _origin(f"{'https' if secure else 'http'}://{host}")


def _origin(text: str) -> Origin | None:
    """Parses an origin such as `https://example.org:8000`; None for any other text, such as `null`."""
    parts = split_url(text)
    if parts.scheme not in PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    if text != f"{parts.scheme}://{parts.netloc}":
        return None
    return parts.scheme, parts.hostname, PORTS[parts.scheme] if parts.port is None else parts.port


def _header(scope: MutableMapping[str, Any], name: bytes) -> str:
    found = [value for header, value in scope["headers"] if header == name]
    return found[0].decode("ascii", "replace") if len(found) == 1 else ""

"""An empty view, and its server as Django and Daphne come: the yardstick of the site's prices.

`python -m tests.bench.stock serve --port 8000`. The site's middleware and its one thread, but Django's own
handler, which goes to the thread and back for signals, middleware and view, and Daphne's own server.
"""

from __future__ import annotations

import argparse
from typing import Any

from daphne.server import Server
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path


def empty(request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={"Content-Length": "0"})


urlpatterns = [
    path("empty/", empty),
    path("healthz", empty),
    path("rules.json", empty, name="speculation-rules"),
]


def application() -> Any:
    """Django's handler on the one thread, as the site had it before `asgi.Handler`."""
    import robosite.asgi  # noqa: F401  # sets Django up

    handler = ASGIHandler()

    async def answered(scope: Any, receive: Any, send: Any) -> None:
        await handler.handle(scope, receive, send)  # its `__call__` would open a thread for each request

    return answered


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("serve")
    arguments.add_argument("--port", type=int)
    port = arguments.parse_args().port
    Server(application(), endpoints=[f"tcp:port={port}:interface=127.0.0.1"], verbosity=1).run()


if __name__ == "__main__":
    main()

"""What every answer gets, and what happens when the database is busy."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

Handler = Callable[[HttpRequest], HttpResponse]

log = logging.getLogger("robosite")


NO_DOCUMENTS = (".css", ".js", ".svg", ".woff2")
"""Files that load nothing of their own: the whole policy at each would weigh more than some of them do."""


def answer_headers(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if request.path.startswith(settings.STATIC_URL) and request.path.endswith(NO_DOCUMENTS):
            response.setdefault("Content-Security-Policy", "default-src 'none'")
            return response
        response.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
        return response

    return middleware


class Busy:
    """A locked database or a full disk is a page that says so, with Retry-After; nothing is half written."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return _busy(request) if isinstance(exception, OperationalError) else None


def _busy(request: HttpRequest) -> HttpResponse:
    log.exception("the database did not answer: %s %s", request.method, request.path)
    response = HttpResponse(render_to_string("503.html"), status=503)  # asks the database nothing
    response["Retry-After"] = "5"
    return response

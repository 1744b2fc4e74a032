"""Logs that hold no secrets: whatever follows the prefix of secret links is cut, line breaks are escaped.

With LOG_FORMAT=json each line is an object, with the number of the request that it belongs to.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse

# The kind of link stays, if there is one: a link that was typed or copied wrong can hold its secret anywhere.
_SECRET = re.compile(r"(/s/(?:[a-z]{1,12}/(?=[^\s/?#'\"]))?)[^\s/?#'\"]+", re.IGNORECASE)

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The number of the request that is being answered, "" outside of any."""

requests = logging.getLogger("robosite.requests")


def without_secrets(text: str) -> str:
    return _SECRET.sub(r"\1…", text).replace("\r", "\\r").replace("\n", "\\n")


class NoSecrets(logging.Filter):
    """Rewrites a record's message; a traceback keeps its own lines.

    What was wrong with a request is a line and no fault of the site: it has no traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_secrets(record.getMessage())
        record.args = ()
        if record.name.startswith("django.") and getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True


class AsJson(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if number := request_id.get():
            told["request"] = number
        if record.exc_info:
            trace = self.formatException(record.exc_info).splitlines()
            told["trace"] = "\n".join(map(without_secrets, trace))
        return json.dumps(told, ensure_ascii=False)


def numbered(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """The middleware that numbers each request: its log lines carry the number, an answer that failed too."""

    def middleware(request: HttpRequest) -> HttpResponse:
        number = secrets.token_hex(8)
        token, began = request_id.set(number), time.perf_counter()
        try:
            response = get_response(request)
            took = (time.perf_counter() - began) * 1000
            requests.info("%s %s %s %.0f ms", request.method, request.path, response.status_code, took)
        finally:
            request_id.reset(token)
        if response.status_code >= 500:
            response["X-Request-ID"] = number
        return response

    return middleware

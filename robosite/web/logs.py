"""Logging without secrets: text is cut after a secret link's prefix. LOG_FORMAT=json writes JSON."""

import json
import logging
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection
from django.http import HttpRequest, HttpResponse

from robosite import __version__

# The prefix of secret links in any spelling: doubled, with backslashes, encoded, spaces around the letter …
_SLASH = r"(?:[/\\]|%(?:25)*(?:2f|5c)|\\x(?:2f|5c)|\\u00(?:2f|5c))"
_BLANK = r"(?:[\s.;+\x00-\x1f\x7f]|%(?:25)*(?:[01][0-9a-f]|20|2e|3b|2b|7f|c2|a0)|\\[trnvf0]|\\x[01][0-9a-f])*"
_S = r"(?:s|%(?:25)*(?:73|53)|\\x(?:73|53))"
_SECRET = re.compile(f"({_SLASH}){_BLANK}{_S}{_BLANK}{_SLASH}.*", re.IGNORECASE | re.DOTALL)
# Text that looks like the secret of a link itself: 192 bits in base64, anywhere.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])(?=[A-Z0-9_-]*[a-z])(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{32,}")
CUT = "/s/…"
_GLUED = re.compile(rf"/s/…(?:[^\s\"']|{_BLANK}{_S}{_BLANK}{_SLASH})", re.IGNORECASE)

request_id: ContextVar[str] = ContextVar("request_id", default="")

log = logging.getLogger("robosite")
requests = logging.getLogger("robosite.requests")


def without_secrets(text: str) -> str:
    """The text on one line, cut after the first /s/ (a secret link), without anything like a link's token."""
    text = _TOKEN.sub("…", _SECRET.sub(CUT, text))
    return text.replace("\r", "\\r").replace("\n", "\\n")


class Cleaned:
    """Wraps an argument of a log message, so that its text has no secrets."""

    def __init__(self, said: object) -> None:
        self.said = said

    def __str__(self) -> str:
        return without_secrets(str(self.said))

    def __repr__(self) -> str:
        return without_secrets(repr(self.said))


class NoSecrets(logging.Filter):
    """Removes secrets from messages and tracebacks; of an argument with a secret, only that is cut."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _said(record), ()
        if record.name.startswith("django.") and getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        elif record.exc_info and not record.exc_text:
            record.exc_text = _FORMATTER.formatException(record.exc_info)
        record.exc_text = _trace(record.exc_text) if record.exc_text else None
        record.stack_info = _trace(record.stack_info) if record.stack_info else None
        return True


_FORMATTER = logging.Formatter()


def _said(record: logging.LogRecord) -> str:
    template = str(record.msg)
    if not record.args or _SECRET.search(template):
        return without_secrets(record.getMessage())
    given = record.args
    parts = {k: _clean(v) for k, v in given.items()} if isinstance(given, dict) else tuple(map(_clean, given))
    try:
        whole = (template % parts).replace("\r", "\\r").replace("\n", "\\n")
    except TypeError:  # a number that is neither int nor float
        return without_secrets(record.getMessage())
    return without_secrets(whole) if _GLUED.search(whole) or _SECRET.search(whole.replace(CUT, "")) else whole


_PARTS = ("  File ", "Traceback ", "During handling ", "The above exception ")
"""The beginnings of the lines at which a new part of a traceback starts."""


def _trace(text: str) -> str:
    """Drops the lines after one that was cut, up to the next of _PARTS."""
    lines: list[str] = []
    for line in text.splitlines():
        if not lines or not lines[-1].endswith(CUT) or line.startswith(_PARTS):
            lines.append(without_secrets(line))
    return "\n".join(lines)


def _clean(part: object) -> object:
    return part if isinstance(part, int | float | None) else Cleaned(part)


class Outage:
    """Logs once when a service stops answering, and once when it answers again."""

    def __init__(self, log: logging.Logger, gone: str, back: str) -> None:
        self.log, self.gone, self.back = log, gone, back
        self.under_way = False

    def begin(self, fault: BaseException) -> None:
        """Records that the service did not answer; logs this unless the outage is recorded already."""
        if not self.under_way:
            self.under_way = True
            self.log.warning("%s (%s)", self.gone, type(fault).__name__)

    def end(self) -> None:
        """Records that the service answers; logs this if an outage was recorded."""
        if self.under_way:
            self.under_way = False
            self.log.warning("%s", self.back)


class AsJson(logging.Formatter):
    """Logging formatter that writes each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if number := request_id.get():
            fields["request"] = number
        trace = record.exc_text or (self.formatException(record.exc_info) if record.exc_info else "")
        if trace:
            fields["trace"] = _trace(trace)
        return json.dumps(fields, ensure_ascii=False)


def begin_process(command: BaseCommand, *said: str, warning: str = "") -> None:
    """Prints a process's first messages; as JSON, logs them, and from then on uncaught exceptions."""
    warnings = [*filter(None, [warning]), *settings.MISSPELT]
    if settings.LOG_FORMAT != "json":
        for line in said:
            command.stdout.write(line)
        command.stdout.flush()
        for line in warnings:
            command.stderr.write(command.style.WARNING(line))
        return
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda given: _log_uncaught(given.exc_type, given.exc_value, given.exc_traceback)
    for line in said:
        log.info("%s", line.strip())
    for line in warnings:
        log.warning("%s", line)


def runs(name: str) -> str:
    """The message that a process logs when it starts: its name, ID and version, the database, and Redis."""
    database = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
    redis = "Redis" if settings.REDIS_URL else "no Redis"
    return f"Robosite {__version__} runs: {name}, process {os.getpid()}, with {database} and {redis}."


def _log_uncaught(
    kind: type[BaseException], fault: BaseException | None, trace: TracebackType | None
) -> None:
    log.critical("nobody caught an exception", exc_info=(kind, fault or kind(), trace))


def numbered(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that logs each request; gives its log lines a random ID, sent as X-Request-ID with a 5xx."""

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

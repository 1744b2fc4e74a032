"""What comes before a view: a request is handed to the one thread once, and the middleware stays light."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import translation

MOST_CALLS = 900
"""Calls of functions, ours and Django's; 700 when this was written, 1,300 before."""


async def asked(path: str) -> int:
    """The status of a GET through the ASGI application."""
    from robosite.asgi import OneThread

    first, heard = [{"type": "http.request", "body": b"", "more_body": False}], []

    async def receive() -> Any:
        import asyncio

        return first.pop() if first else await asyncio.sleep(60)

    async def send(message: Any) -> None:
        heard.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"testserver")], "client": ["192.0.2.1", 1], "server": ["testserver", 80],
        "http_version": "1.1",
    }  # fmt: skip
    await OneThread()(scope, receive, send)
    status: int = heard[0]["status"]
    return status


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/healthz", "/rules/", "/nowhere/"])
async def test_a_request_is_handed_to_the_thread_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[Any] = []
    handler = SyncToAsync.thread_handler

    def counted(self: Any, *given: Any, **more: Any) -> Any:
        handed.append(self.func)
        return handler(self, *given, **more)

    monkeypatch.setattr(SyncToAsync, "thread_handler", counted)
    assert await asked(path) == (404 if path == "/nowhere/" else 200)
    assert len(handed) == 1


def calls(work: Callable[[], object]) -> int:
    """How many functions, Python's and C's, `work` calls."""
    count = 0

    def note(frame: Any, event: str, what: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_the_middleware_takes_so_many_calls_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    handler = BaseHandler()
    monkeypatch.setattr(handler, "_get_response", lambda request: HttpResponse())
    handler.load_middleware()
    request = RequestFactory().get("/", headers={"Accept-Language": "de"})
    with translation.override("en"):  # the request's language stays on otherwise
        for _ in range(3):
            handler.get_response(request)
        assert calls(lambda: handler.get_response(request)) < MOST_CALLS

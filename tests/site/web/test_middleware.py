"""Middleware: a request is handed to the one thread once, and little is done before the view."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from threading import Event
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
    """The status of a GET through the handler."""
    from robosite.engine.handler import Handler

    first, heard = [{"type": "http.request", "body": b"", "more_body": False}], []

    async def receive() -> Any:
        return first.pop() if first else await asyncio.sleep(60)

    async def send(message: Any) -> None:
        heard.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"testserver")], "client": ["192.0.2.1", 1], "server": ["testserver", 80],
        "http_version": "1.1",
    }  # fmt: skip
    await Handler()(scope, receive, send)
    status: int = heard[0]["status"]
    return status


@pytest.mark.django_db(transaction=True)
async def test_a_request_whose_sender_has_hung_up_is_never_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    from robosite.engine.handler import Handler

    begun: list[Any] = []
    monkeypatch.setattr(Handler, "get_response", lambda *given: begun.append(given))
    free = Event()
    thread = SyncToAsync.single_thread_executor
    thread.submit(free.wait, 30)
    waits = asyncio.create_task(asked("/healthz"))
    for _ in range(10):
        await asyncio.sleep(0)  # until it waits for the thread
    waits.cancel()  # as the server does (engine/wire.py)
    with pytest.raises(asyncio.CancelledError):
        await waits
    free.set()
    await asyncio.get_running_loop().run_in_executor(thread, int)
    assert not begun


@pytest.mark.django_db(transaction=True)
async def test_while_an_answer_takes_long_the_loop_does_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    from robosite.engine.handler import Handler

    free = Event()
    heard: list[bool] = []

    def wait(*given: Any) -> HttpResponse:
        heard.append(free.wait(30))
        return HttpResponse()

    monkeypatch.setattr(Handler, "get_response", wait)
    slow = asyncio.create_task(asked("/healthz"))
    next_one = asyncio.create_task(asked("/healthz"))
    await asyncio.sleep(0.05)
    free.set()
    assert [await slow, await next_one] == [200, 200] and heard == [True, True]


def calls(work: Callable[[], object]) -> int:
    """The number of functions, Python's and C's, that `work` calls."""
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

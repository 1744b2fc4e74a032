"""The handler of requests: all sync code of the process on one thread, once a request."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from io import BytesIO
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted, SuspiciousOperation
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponseBadRequest
from django.urls import set_script_prefix

from robosite import later
from robosite.engine.one_thread import THREAD
from robosite.later import Later

PATIENCE = 0.005
"""Seconds for which the loop waits for the thread before it turns to something else."""


class Handler(ASGIHandler):
    """Django's handler with all sync code of the process on one long-lived thread, once a request.

    The stock handler opens a thread, and with it a database connection, for every request. One thread that
    stays halves the cost of a page; so nothing slow may be done in a request, and one scales by processes.
    Middleware, views and what is to be done afterwards are called there in one go: to hand a request to
    the thread and back costs as much as all of the middleware.

    Of a body no more is kept than a page takes; `came` in the scope says how much there was.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """The middleware as sync code, however the request came."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """A client that hangs up has the server cancel this; what waits for the thread is not begun."""
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP comes here, not {scope['type']}.")
        try:
            body = await self._body(scope, receive)
        except RequestAborted:
            return
        response = await self._response_of(scope, body)
        await self.send_response(response, send)
        if response.streaming:
            await sync_to_async(response.close)()

    async def _body(self, scope: Any, receive: Any) -> BytesIO:
        """As much of the body as a page takes; raises RequestAborted."""
        scope["came"], kept = 0, BytesIO()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestAborted
            part = message.get("body", b"")
            kept.write(part[: max(settings.MOST["body"] + 1 - scope["came"], 0)])
            scope["came"] += len(part)
            if not message.get("more_body", False):
                kept.seek(0)
                return kept

    async def _response_of(self, scope: Any, body: BytesIO) -> Any:
        """The thread's answer, once all is made that it must wait for (`later.py`)."""
        loop = asyncio.get_running_loop()
        scope["took"] = 0.0
        for begin in (*[self._begin] * later.TIMES, self._response):
            work = partial(copy_context().run, begin, loop, scope, body)
            late = THREAD.busy
            try:
                return await _answer_of(THREAD.submit(work), late=late)
            except Later as wait:
                scope["took"] += await wait.work()
                body.seek(0)

    def _begin(self, loop: asyncio.AbstractEventLoop, scope: Any, body: BytesIO) -> Any:
        """The answer; raises Later if that must wait, and notes what the thread has spent on it so far."""
        began = time.thread_time()
        try:
            return later.waiting_for(lambda: self._response(loop, scope, body))
        except Later:
            scope["took"] += time.thread_time() - began
            raise

    def _response(self, loop: asyncio.AbstractEventLoop, scope: Any, body: BytesIO) -> Any:
        """The whole answer, of which nothing is left to do but sending, unless it is a stream."""
        SyncToAsync.threadlocal.main_event_loop = loop  # pushes are sent from there
        set_script_prefix("/")
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        response._handler_class = self.__class__
        if not response.streaming:
            response.close()
        return response

    def create_request(self, scope: Any, body_file: Any) -> Any:
        """A request that names a charset has its query read here already; too many fields of it are a 400."""
        try:
            return super().create_request(scope, body_file)
        except SuspiciousOperation as fault:
            return None, HttpResponseBadRequest(str(fault), content_type="text/plain")


async def _answer_of(future: Future[Any], *, late: bool) -> Any:
    """The thread's answer; unless that comes `late`, the loop does nothing else for a moment.

    Python runs one thread at a time. A loop that reads what else has come while the thread is at work takes
    turns with it at every look into the database, which costs more than to read it afterwards.
    """
    if not late:
        with suppress(TimeoutError):
            future.exception(PATIENCE)
        if future.done():
            return future.result()
    return await asyncio.wrap_future(future)

"""The handler of requests: all sync code of the process on one thread, and of a request in one go."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted, SuspiciousOperation
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpResponseBadRequest
from django.urls import set_script_prefix

from robosite.engine import is_on


class PlainHandler(ASGIHandler):
    """Django's handler: a thread and a database connection for each request."""

    async def read_body(self, receive: Any) -> BytesIO:
        """The body, which is short enough for memory (`asgi.whole`); raises RequestAborted."""
        body, more = BytesIO(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestAborted
            body.write(message.get("body", b""))
            more = message.get("more_body", False)
        body.seek(0)
        return body

    def create_request(self, scope: Any, body_file: Any) -> Any:
        """Makes the request, or answers 400: if it names a charset, its query is read here already."""
        try:
            return super().create_request(scope, body_file)
        except SuspiciousOperation as fault:
            return None, HttpResponseBadRequest(str(fault), content_type="text/plain")


class Handler(PlainHandler):
    """Django's handler with all sync code of the process on asgiref's one thread, which keeps its connection.

    So nothing slow may be done in a request, and a site scales by adding processes. Middleware, view and
    clean-up are called on that thread in one go: passing a request to the thread and back costs as much as
    all of the middleware.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Loads the middleware as sync code, whatever `is_async` says."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request; if the client hangs up, the server cancels this (`wire.py`)."""
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP comes here, not {scope['type']}.")
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        response = await sync_to_async(self._response)(scope, body)
        await self.send_response(response, send)
        if response.streaming:
            await sync_to_async(response.close)()

    def _response(self, scope: Any, body: BytesIO) -> Any:
        """The complete answer, which only has to be sent, unless it is a stream."""
        set_script_prefix("/")
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        if not response.streaming:
            response.close()
        return response


def request_handler() -> PlainHandler:
    """The handler that the site uses."""
    return Handler() if is_on("handler") else PlainHandler()


def loop_of_thread() -> asyncio.AbstractEventLoop | None:
    """The event loop for which this thread works now, if there is one."""
    loop: asyncio.AbstractEventLoop | None = getattr(SyncToAsync.threadlocal, "main_event_loop", None)
    return loop

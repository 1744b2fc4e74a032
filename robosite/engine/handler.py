"""The site's ASGI handler, which runs the sync code of all requests on one thread, one request at a time."""

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
    """Django's ASGI handler, but for how it reads bodies and rejects malformed requests."""

    async def read_body(self, receive: Any) -> BytesIO:
        """Reads the body, which `asgi.whole` has limited; raises RequestAborted if the client is gone."""
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
        """Returns (request, None), or (None, a 400) where Django raises, as for an odd charset."""
        try:
            return super().create_request(scope, body_file)
        except SuspiciousOperation as fault:
            return None, HttpResponseBadRequest(str(fault), content_type="text/plain")


class Handler(PlainHandler):
    """Django's handler, but all sync code runs on asgiref's one thread, with its database connection."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers an HTTP request, unless the client disconnects before the whole body has arrived."""
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
        set_script_prefix("/")
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        if not response.streaming:
            response.close()
        return response


def request_handler() -> PlainHandler:
    """Creates the site's handler: a Handler or, if ENGINE_OFF switches “handler” off, a PlainHandler."""
    return Handler() if is_on("handler") else PlainHandler()


def loop_of_thread() -> asyncio.AbstractEventLoop | None:
    """The event loop for which asgiref runs sync code on this thread now; None if it runs none here."""
    loop: asyncio.AbstractEventLoop | None = getattr(SyncToAsync.threadlocal, "main_event_loop", None)
    return loop

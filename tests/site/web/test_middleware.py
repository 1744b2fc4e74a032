"""Middleware, and requests that wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.core.handlers.base import BaseHandler
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import translation

from robosite.people import recovery_phrases
from robosite.people.hashers import Scrypt
from robosite.people.models import Guest
from robosite.web import later

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


class Attempt(list[str]):
    """The kinds of waits of a request until it was answered, and the answer."""

    answer: Any = None

    def __init__(self, call: Callable[[], Any]) -> None:
        later.begin_request()
        while True:
            try:
                self.answer = later.waiting_for(call)
            except later.Later as wait:
                self.append(type(wait).__name__)
                asyncio.run(wait.work())  # type: ignore[arg-type]
            else:
                return


@pytest.fixture
def slow(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The site's own hashers, but quick ones; what they have computed."""
    settings.PASSWORD_HASHERS = ["robosite.people.hashers.PBKDF2", "robosite.people.hashers.Scrypt"]
    monkeypatch.setattr("robosite.people.hashers.PBKDF2.iterations", 2)
    monkeypatch.setattr(Scrypt, "work_factor", 2)
    monkeypatch.setattr(later, "PAUSES", (0.001,) * 7)
    return []


@pytest.mark.django_db
def test_a_phrase_and_a_password_are_hashed_beside_the_thread(slow: list[str]) -> None:
    guest = Guest.objects.create(name="Ann")
    phrase = recovery_phrases.new_phrase(guest)
    for words, found in ((phrase.split(), guest), (["zebra"] * 6, None)):
        asked = Attempt(lambda: recovery_phrases.guest_who_says(words))  # noqa: B023
        assert (asked, asked.answer) == (["Later"], found)
    user = User(username="staff")
    assert Attempt(lambda: user.set_password("a long password")) == ["Later"]
    assert Attempt(lambda: check_password("a long password", user.password)).answer is True
    assert Attempt(lambda: check_password("another", user.password)).answer is False


@pytest.mark.django_db
def test_a_phrase_that_is_prepared_is_the_one_that_is_stored(slow: list[str]) -> None:
    guest = Guest.objects.create(name="Ann")

    def makes() -> str:
        recovery_phrases.prepare_phrase(guest)
        Guest.objects.filter(pk=guest.pk).update(name="Ben")  # from here on it cannot wait
        return recovery_phrases.new_phrase(guest)

    made = Attempt(makes)
    assert made == ["Later"] and recovery_phrases.guest_who_says(made.answer.split()) == guest


class NotAvailable(Exception):
    sqlstate = "55P03"


def meets_a_lock(times: list[int]) -> Callable[..., Any]:
    def execute(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE") and "Zoe" in str(params) and times[0]:
            times[0] -= 1
            raise OperationalError("lock timeout") from NotAvailable()
        return execute(sql, params, many, context)

    return execute


@pytest.mark.django_db(transaction=True)
def test_a_request_that_meets_a_lock_comes_again_unless_it_has_committed_something(slow: list[str]) -> None:
    guest, times = Guest.objects.create(name="Ann"), [3]

    def rename(before: Callable[[], Any]) -> None:
        with connection.execute_wrapper(meets_a_lock(times)):
            before()
            with transaction.atomic():
                Guest.objects.create(name="Emil")  # is rolled back
                Guest.objects.filter(pk=guest.pk).update(name="Zoe")

    assert Attempt(lambda: rename(lambda: None)) == ["Locked"] * 3
    assert Guest.objects.filter(name="Emil").count() == Guest.objects.filter(name="Zoe").count() == 1
    times[0] = 1
    with pytest.raises(OperationalError):
        Attempt(lambda: rename(lambda: Guest.objects.create(name="Fay")))
    assert Guest.objects.filter(name="Fay").count() == 1
    times[0] = 99
    with pytest.raises(OperationalError):
        Attempt(lambda: rename(lambda: None))
    assert times[0] == 99 - len(later.PAUSES) - 1

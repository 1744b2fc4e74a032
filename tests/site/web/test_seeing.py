"""Seen from outside: figures, logs, and requests that wait."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from asgiref.sync import SyncToAsync
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.base import BaseHandler
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import translation

from robosite import __version__
from robosite.engine.handler import Handler
from robosite.matches import gauges
from robosite.people import recovery_phrases
from robosite.people.models import Guest
from robosite.play import views
from robosite.web import later, metrics
from robosite.web.later import Scrypt
from robosite.web.logs import AsJson, NoSecrets, request_id
from tests.faults.programs import FIRST, Site
from tests.servers import ROOT, Server
from tests.site.browsers import Browser, Table
from tests.site.large import calls

# Figures


def figures(answer: Any) -> dict[str, float]:
    """Each figure by its name and labels; every line is checked for Prometheus' text format."""
    lines = answer.content.decode().splitlines()
    named = {line.split()[2] for line in lines if line.startswith("# TYPE ")}
    found = {}
    for line in lines:
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))", line), line
            continue
        name, labels, value = re.fullmatch(r'([a-z_]+)(\{(?:[a-z]+="[^"\n]*",?)+\})? (\S+)', line).groups()
        assert re.sub(r"_(bucket|sum|count)$", "", name) in named or name in named
        found[name + (labels or "")] = float(value)
    return found


def test_figures_are_for_who_may_see_them_only_and_one_that_fails_hides_no_other(
    alice: Browser, settings: Any
) -> None:
    assert alice.get("/metrics").status_code == 404
    settings.METRICS_FOR = ["127.0.0.0/8", "::1"]
    assert alice.get("/metrics").status_code == 200
    assert alice.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 404
    assert alice.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code == 404
    settings.METRICS_FOR, settings.METRICS_TOKEN = [], "a long token"
    assert alice.get("/metrics").status_code == 404
    for wrong in ("Bearer ", "Bearer another", "a long toke"):
        assert alice.get("/metrics", headers={"Authorization": wrong}).status_code == 404
    answer = alice.get("/metrics", headers={"Authorization": "Bearer a long token"})
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    settings.METRICS_FOR = ["127.0.0.1"]
    added = [
        metrics.gauge("robosite_test_waiting", "Notices that wait.", lambda: {"": 7}),
        metrics.gauge("robosite_test_broken", "Broken.", lambda: {"": 1 / 0}),
    ]
    try:
        found = figures(alice.get("/metrics"))
    finally:
        for one in added:
            metrics.registry.unregister(one)
    assert found["robosite_test_waiting"] == 7 and "robosite_test_broken" not in found
    assert 'robosite_matches{status="open"}' in found


def test_figures_count_what_happens_and_tell_nothing_of_anybody(
    table: Table, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    before = figures(table.alice.get("/metrics"))
    with django_capture_on_commit_callbacks(execute=True):
        assert table.alice.seal(table.a, FIRST).status_code == 302
    shown = table.alice.get("/metrics")
    after = figures(shown)
    assert after["robosite_seals_total"] == before["robosite_seals_total"] + 1
    sent = 'robosite_pushes_total{result="sent"}'
    assert after[sent] > before.get(sent, 0)
    assert after['robosite_matches{status="playing"}'] == 1
    redirects, took = 'robosite_answers_total{status="3xx"}', 'robosite_answer_seconds_count{kind="m"}'
    assert after[redirects] == before.get(redirects, 0) + 1
    assert after[took] == before.get(took, 0) + 1
    assert after['robosite_answer_seconds_bucket{kind="m",le="+Inf"}'] == after[took]
    assert after['robosite_answer_seconds_bucket{kind="m",le="0.005"}'] <= after[took]
    for secret in (table.key, FIRST, "Alice", table.invite):
        assert secret not in shown.content.decode()


def test_matches_whose_count_takes_long_are_not_counted_at_every_look(
    table: Table, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    counts = gauges.MatchCounts()
    with django_assert_num_queries(2):
        assert counts()["playing"] == counts()["playing"] == 1
    monkeypatch.setattr(gauges, "QUICK_COUNT_SECONDS", 0)
    monkeypatch.setattr(gauges, "PAUSE_FACTOR", 10**6)
    with django_assert_num_queries(1):
        assert counts()["playing"] == counts()["playing"] == 1


def test_a_line_of_the_log_is_json_without_secrets() -> None:
    secret = "/s/seat/0123456789abcdef/"
    record = logging.makeLogRecord(
        {"msg": "asked for %s\nand more", "args": (secret,), "name": "robosite", "levelname": "WARNING"}
    )
    try:
        raise ValueError(f"nothing at {secret}")
    except ValueError as fault:
        record.exc_info = (ValueError, fault, fault.__traceback__)
    NoSecrets().filter(record)
    token = request_id.set("abc")
    try:
        (line,) = AsJson().format(record).splitlines()
    finally:
        request_id.reset(token)
    told = json.loads(line)
    assert (told["level"], told["logger"], told["request"]) == ("WARNING", "robosite", "abc")
    assert told["message"] == "asked for /s/…"
    assert "0123456789abcdef" not in line and "ValueError" in told["trace"]


@pytest.mark.integration
def test_a_server_logs_json_with_the_number_of_each_request(tmp_path: Path) -> None:
    with Server(tmp_path, LOG_FORMAT="json") as server:
        with Site(server.url) as site:
            match = site.make()
            site.seal(match, "A", FIRST)
        for path in (f"/s/seat/{match.tokens['A']}/", "/s/invite/nothing-but-a-secret/", "/nothing"):
            httpx.get(f"{server.url}{path}", trust_env=False, verify=False, timeout=60)
    lines = [json.loads(line) for line in server.logged().splitlines()]  # every one, the greeting too
    assert lines[0]["message"] == f"Robosite is at {server.url}/"
    asked = [line for line in lines if line["logger"] == "robosite.requests"]
    assert len({line["request"] for line in asked}) == len(asked) > 5
    assert any(re.fullmatch(r"PUT /api/v1/matches/\w+/order 200 \d+ ms", line["message"]) for line in asked)
    assert any(line["message"].startswith("GET /s/… 200") for line in asked)
    for secret in (*match.tokens.values(), "nothing-but-a-secret", FIRST):
        assert secret not in server.logged()


@pytest.mark.integration
@pytest.mark.parametrize("process", ["clock", "bots"])
def test_clock_and_bots_log_first_that_they_run(tmp_path: Path, process: str) -> None:
    server = Server(tmp_path, LOG_FORMAT="json")
    server.fill()
    running = subprocess.Popen(
        [sys.executable, "manage.py", process],
        cwd=ROOT,
        env=server.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert running.stdout
    try:
        first = json.loads(running.stdout.readline())
    finally:
        running.kill()
        running.communicate()
    assert first["level"] == "INFO" and first["message"] == (
        f"Robosite {__version__} runs: {'clock and notices' if process == 'clock' else 'bots'}, "
        f"process {running.pid}, with SQLite and no Redis."
    )


def test_a_database_that_is_busy_is_no_fault_and_its_answer_has_the_number_that_the_log_has(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as when a session is to be kept: the middleware does that, after the view."""

    def locked(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    browser = Browser("Dora", raise_request_exception=False)
    with monkeypatch.context() as patched:
        patched.setattr(views, "respond", locked)
        answer = table.charlie.get(f"/m/{table.key}/")
        assert answer.status_code == 503 and re.fullmatch("[0-9a-f]{16}", answer["X-Request-ID"])
    assert "X-Request-ID" not in table.charlie.get("/")
    monkeypatch.setattr(SessionStore, "save", locked)
    answer = browser.post("/matches/", {"game": "pigs", "seats": 2, "name": "Dora"})
    assert answer.status_code == 503 and answer["Retry-After"]
    assert "Nothing is lost" in answer.content.decode()


def test_security_txt_says_whom_to_tell_if_the_host_has_said_it(
    alice: Browser, settings: Any, time: Any
) -> None:
    at = "/.well-known/security.txt"
    assert alice.get(at).status_code == 404
    settings.SECURITY_CONTACT, settings.PUBLIC_URL = "mailto:host@example.org", "https://robots.example.org"
    answer = alice.get(at)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    told = dict(line.split(": ", 1) for line in answer.content.decode().splitlines())
    assert told["Contact"] == "mailto:host@example.org"
    assert told["Canonical"] == f"https://robots.example.org{at}"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT00:00:00Z", told["Expires"])


MOST_CALLS = 900
"""Calls of functions, ours and Django's; 700 when this was written, 1,300 before."""


async def asked(path: str) -> int:
    """The status of a GET through the handler."""
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
    settings.PASSWORD_HASHERS = ["robosite.web.later.PBKDF2", "robosite.web.later.Scrypt"]
    monkeypatch.setattr("robosite.web.later.PBKDF2.iterations", 2)
    monkeypatch.setattr(Scrypt, "work_factor", 2)
    monkeypatch.setattr(later, "PAUSES", (0.001,) * 7)
    return []


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

"""Limits, one by one and many at once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.testing import WebsocketCommunicator

from robosite.engine.handler import request_handler
from robosite.matches.live import consumers
from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.web import bounds, limits, rate_windows
from robosite.web.bounds import BUCKETS, Bucket
from tests.servers import ROOT
from tests.site.browsers import SAME_ORIGIN, Browser, Table, sit_down, text
from tests.site.conftest import Seconds


def test_the_environment_changes_rows_of_the_table_and_one_that_cannot_be_read_is_told() -> None:
    buckets, most = bounds.parse_limits("match=3/0.5, sockets=7,body=1000")
    assert buckets["match"] == Bucket(3, 0.5, bounds.BUCKETS["match"].says)
    assert (most["sockets"], most["body"]) == (7, 1000)
    assert buckets["talk"] == bounds.BUCKETS["talk"] and most["fields"] == bounds.MOST["fields"]
    assert bounds.parse_limits("on") == bounds.parse_limits("off") == (bounds.BUCKETS, bounds.MOST)
    wrong = "match=3 match=0/1 match=3/0 match=a/b sockets=3/4 sockets=-1 none=3 yes on,"
    for given in wrong.split():
        with pytest.raises(ValueError, match="in LIMITS: write on, off, or rows like"):
            bounds.parse_limits(given)


def test_every_bucket_of_the_table_is_asked_for_somewhere() -> None:
    code = "".join(
        path.read_text()
        for path in Path(bounds.__file__).parents[1].rglob("*.py")
        if path.name != "bounds.py"
    )
    for name in [*bounds.BUCKETS, *bounds.MOST]:
        word = name.removeprefix("api ").removesuffix("/all").removesuffix("/name")
        assert f'"{word}"' in code, name


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=B"])
@pytest.mark.parametrize("path", ["/matches/", "/me/name/", "/admin/login/", "/nowhere/"])
def test_a_form_that_is_announced_too_long_is_413_before_it_is_read(
    alice: Browser, kind: str, path: str
) -> None:
    class Unread:
        def read(self, *args: Any) -> bytes:
            raise AssertionError("the body was read")

        readline = read

        def close(self) -> None: ...

    unread: dict[str, Any] = {"wsgi.input": Unread()}
    answer = alice.generic("POST", path, b"a=b", kind, CONTENT_LENGTH=str(64 * 1024 + 1), **unread)
    assert answer.status_code == 413
    assert "<h1>That’s too long</h1>" in text(answer) and "default-src" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("most", [64 * 1024, 64 * 1024 + 1])
def test_a_body_without_a_length_is_read_so_far_and_no_further(most: int) -> None:
    """As any server hands it on, in pieces."""
    from robosite.asgi import whole

    pieces = [b"a" * 30_000] * 3 if most > 64 * 1024 else [b"name=" + b"a" * 60_000, b"&b=" + b"a" * 100]
    heard: list[Any] = []

    async def ask() -> None:
        left = list(pieces)

        async def receive() -> Any:
            if left:
                return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}
            await asyncio.sleep(30)

        async def send(message: Any) -> None:
            heard.append(message)

        scope = {
            "type": "http", "method": "POST", "path": "/language/", "query_string": b"", "scheme": "http",
            "headers": [(b"host", b"testserver"), (b"content-type", b"application/x-www-form-urlencoded")],
            "client": ["192.0.2.1", 1], "server": ["testserver", 80], "http_version": "1.1",
        }  # fmt: skip
        await whole(request_handler())(scope, receive, send)

    async_to_sync(ask)()
    assert heard[0]["status"] == (
        413 if most > 64 * 1024 else 403
    )  # short enough: the form's token is missing


def test_too_many_fields_are_413_in_the_sites_own_look(alice: Browser) -> None:
    field = b'--B\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n1\r\n'
    file = b'--B\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n1\r\n'
    for body, kind in (
        (b"&".join(b"a%d=1" % n for n in range(101)), "application/x-www-form-urlencoded"),
        (b"".join(field % n for n in range(103)) + b"--B--", "multipart/form-data; boundary=B"),
        (file + b"--B--\r\n", "multipart/form-data; boundary=B"),
    ):
        answer = alice.generic("POST", "/matches/", body, kind)
        assert answer.status_code == 413 and "<h1>That’s too long</h1>" in text(answer)
    answer = alice.generic("POST", "/matches/", b"x", "multipart/form-data")
    assert answer.status_code == 400 and "<h1>We couldn’t read that</h1>" in text(answer)
    assert "default-src" in answer["Content-Security-Policy"]


def test_brackets_are_not_nested_without_end(client: Any) -> None:
    for depth, status in ((20, 422), (21, 400), (8000, 400)):
        inner = '{"a":' * (depth - 1) + "1" + "}" * (depth - 1)
        body = (
            f'{{"game": "pigs", "name": "Ada", "options": {inner}}}'
            if depth < 100
            else "[" * depth + "]" * depth
        )
        answer = client.generic("POST", "/api/v1/matches", body, "application/json")
        assert answer.status_code == status and answer["Content-Type"] == "application/problem+json"


def test_who_makes_too_many_matches_is_told_when_to_go_on(
    limited: Any, alice: Browser, bob: Browser, seconds: Seconds
) -> None:
    limited.BUCKETS |= {"match": Bucket(3, 6), "match/guest": Bucket(2, 2)}
    given = {"game": "pigs", "seats": 2, "name": "Alice"}
    assert [alice.post("/matches/", given).status_code for _ in range(2)] == [302, 302]
    assert alice.post("/play/", {"game": "pigs"}).status_code == 302  # the first was no guest's yet
    before = Match.objects.count()
    for path in ("/matches/", "/play/"):
        answer = bob.post(path, {**given, "name": "Bob"})
        assert answer.status_code == 429 and answer["Retry-After"] == "31"
        assert "<h1>Too many requests</h1>" in text(answer) and "wait 31 seconds" in text(answer)
    assert Match.objects.count() == before and not Guest.objects.filter(name="Bob").exists()
    seconds.at += 51
    answer = alice.post("/matches/", given)  # the address may again, this guest may not yet
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    assert bob.post("/matches/", {**given, "name": "Bob"}).status_code == 302
    seconds.at += 60
    assert alice.post("/matches/", given).status_code == 302


def test_a_rematch_counts_as_a_match_and_sitting_down_by_invites_is_bounded(
    limited: Any, table: Table, charlie: Browser, seconds: Seconds
) -> None:
    match = table.alice.make()
    invite = table.alice.own_links(match.seats.get(letter="A"))["invite"]
    table.alice.do(table.a, "resign")
    limited.BUCKETS |= {"match": Bucket(1, 1), "seat": Bucket(1, 1)}
    rate_windows.reset()
    limits.take(("match", "127.0.0.1"))
    answer = table.bob.do(table.b, "rematch")
    assert answer.status_code == 429 and "Please wait 2 minutes, then" in text(answer)
    limits.take(("seat", "127.0.0.1"))
    assert charlie.accept(invite).status_code == 429
    assert not match.seats.get(letter="B").taken


def test_whatever_pages_send_is_bounded_by_address_and_looking_is_not(limited: Any, alice: Browser) -> None:
    limited.BUCKETS |= {"post": Bucket(2, 1)}
    answers = [alice.post("/language/", {"language": "de"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert 60 < int(answers[-1]["Retry-After"]) <= 121 and "<html" in text(answers[-1])
    assert alice.post("/language/", {"language": "de"}, REMOTE_ADDR="192.0.2.9").status_code == 302
    assert alice.get("/").status_code == 200
    assert alice.post("/api/v1/matches", {}).status_code != 429  # the API counts by itself


async def opened(path: str, *headers: tuple[bytes, bytes]) -> WebsocketCommunicator | None:
    """A socket to there, unless it is refused."""
    from robosite.asgi import application

    line = WebsocketCommunicator(application, path, headers=[*SAME_ORIGIN, *headers])
    line.scope["client"] = ["127.0.0.1", 1]
    accepted, code = await line.connect(timeout=60)
    if accepted:
        assert "version" in json.loads(await line.receive_from(timeout=60))
        return line
    assert code == 4429
    await line.disconnect(timeout=60)
    return None


@pytest.mark.django_db(transaction=True)
async def test_so_many_sockets_are_open_of_one_seat_and_of_one_address(settings: Any) -> None:
    table = await sync_to_async(lambda: sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie")))()
    settings.LIMITS = "on"
    settings.MOST = {**settings.MOST, "sockets": 4, "sockets of a seat": 2}

    async def open_one(browser: Browser, letter: str) -> WebsocketCommunicator | None:
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        return await opened(f"/ws/m/{table.key}/{letter}", (b"cookie", cookie.encode()))

    lines = [await open_one(table.alice, "A/") for _ in range(3)]
    assert [line is not None for line in lines] == [True, True, False]
    lines += [
        await open_one(table.bob, "B/"),
        await open_one(table.charlie, ""),
        await open_one(table.charlie, ""),
    ]
    assert [line is not None for line in lines[3:]] == [True, True, False]
    for line in filter(None, lines):
        await line.disconnect(timeout=60)
    assert not len(consumers.slots) and not consumers.of_seat.count
    line = await open_one(table.alice, "A/")
    assert line
    await line.disconnect(timeout=60)


@pytest.mark.django_db(transaction=True)
async def test_a_newcomers_socket_takes_the_place_of_one_of_who_has_many(settings: Any) -> None:
    table = await sync_to_async(lambda: sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie")))()
    settings.LIMITS, settings.TRUSTED_PROXIES = "on", ["127.0.0.1"]
    settings.MOST = {**settings.MOST, "sockets of all": 4}

    async def open_from(address: str) -> WebsocketCommunicator | None:
        return await opened(f"/ws/m/{table.key}/", (b"x-forwarded-for", address.encode()))

    many = [await open_from(f"[2001:db8:0:{n:x}::7]:{5000 + n}") for n in range(5)]
    assert [line is not None for line in many] == [True] * 4 + [False]
    one = await open_from("198.51.100.7:44")
    assert one and many[3]
    assert await many[3].receive_output(timeout=60) == {"type": "websocket.close", "code": 4429}
    assert len(consumers.slots) == 4
    for line in filter(None, (*many, one)):
        await line.disconnect(timeout=60)
    assert not len(consumers.slots)


MAY = BUCKETS["login"].capacity

PROGRAM = """
import sys, threading
import django
django.setup()
from robosite.web import limits, rate_windows
rate_windows.CONNECT = rate_windows.ANSWER = 30  # on a busy machine
threads, asks = int(sys.argv[1]), int(sys.argv[2])
passed, gate = [], threading.Barrier(threads + 1)
def ask():
    limits.wait("post", "somebody else")  # so that there is a connection
    while True:
        gate.wait()
        for _ in range(asks):
            passed.append(limits.wait("login", who) == 0)
        gate.wait()
for _ in range(threads):
    threading.Thread(target=ask, daemon=True).start()
print("ready", flush=True)
for who in sys.stdin:
    passed.clear()
    gate.wait()
    gate.wait()
    print(sum(passed), flush=True)
"""


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can, so that what can come between does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.integration
def test_processes_that_ask_at_once_let_pass_what_one_would(redis_url: str) -> None:
    env = {
        **os.environ,
        "REDIS_URL": redis_url,
        "REDIS_PREFIX": f"tests-{uuid4().hex}",
        "LIMITS": "on",
        "DJANGO_SETTINGS_MODULE": "robosite.settings",
    }
    command = [sys.executable, "-c", PROGRAM, "4", "5"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    running = [subprocess.Popen(command, cwd=ROOT, env=env, **pipes) for _ in range(3)]
    try:
        assert {said(one) for one in running} == {"ready"}
        for n in range(10):
            for one in running:
                one.stdin.write(f"192.0.2.{n}\n")
            assert sum(int(said(one)) for one in running) == MAY
    finally:
        for one in running:
            one.kill()
            one.communicate()


def said(one: subprocess.Popen[str]) -> str:
    assert one.stdout
    return one.stdout.readline().strip()


@pytest.mark.parametrize("every", [2, 99], ids=["every second one is right", "none is"])
def test_of_guesses_at_once_so_many_are_made_however_many_right_ones_come_between(
    settings: Any, quick_switches: None, every: int
) -> None:
    """Each is counted before it is made; only the right ones are given back."""
    settings.LIMITS, settings.REDIS_URL = "on", ""
    settings.BUCKETS = {**settings.BUCKETS, "phrase": Bucket(8, 0.01)}
    for _ in range(30):
        made: list[str] = []
        use, gate = ("phrase", uuid4().hex), threading.Barrier(8)

        def guess(right: bool, use: Any = use, made: list[str] = made, gate: Any = gate) -> None:
            gate.wait()
            for _ in range(20):
                if limits.wait_for([use]) == 0:
                    made.append("right" if right else "wrong")
                    if right:
                        limits.give_back([use])

        threads = [threading.Thread(target=guess, args=[n % every == every - 1]) for n in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert made.count("wrong") == 8 if every > 8 else made.count("wrong") <= 8
        assert limits.wait_for([use]) == 0 if made.count("wrong") < 8 else limits.wait_for([use]) > 0

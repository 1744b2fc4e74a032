"""The JSON API: the stream of changes, from a real server and by itself."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.test import Client

from robosite.api import stream
from robosite.web.admission import Owner
from tests.servers import Server
from tests.site.api.test_api import WALK, Api, problem


def versions(lines: Iterator[str]) -> Iterator[int]:
    """The versions that a stream tells; every event is `changed`."""
    event = ""
    for line in lines:
        if line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            assert event == "changed"
            told = json.loads(line.removeprefix("data: "))
            assert told.keys() == {"version"}
            yield told["version"]


def test_a_server_tells_every_change_at_once(server: Server) -> None:
    with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as http:
        made = http.post("matches", json={"game": "pigs", "name": "Ada"}).json()
        key, own = made["match"], {"Authorization": f"Bearer {made['token']}"}
        with http.stream("GET", f"matches/{key}/events") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["cache-control"] == "no-store" and "etag" not in answer.headers
            lines = answer.iter_lines()
            assert re.fullmatch(r"retry: \d{3,4}", next(lines))
            told = versions(lines)
            assert next(told) == 1
            body = {"name": "Ben", "invite": made["invite"]}
            ben = http.post(f"matches/{key}/seats", json=body).json()["token"]
            assert next(told) == 2
            http.put(f"matches/{key}/draft", json={"turn": 0, "order": "F"}, headers=own)
            http.put(f"matches/{key}/order", json={"turn": 0, "order": WALK}, headers=own)
            assert next(told) == 3
            theirs = {"Authorization": f"Bearer {ben}"}
            sealed = http.put(f"matches/{key}/order", json={"turn": 0, "order": WALK}, headers=theirs)
            assert next(told) == sealed.json()["version"]
        with http.stream("GET", f"matches/{key}/events") as answer:
            assert next(versions(answer.iter_lines())) == sealed.json()["version"]


@pytest.mark.slow
def test_a_stream_ends_by_itself_before_the_server_ends_it(server: Server) -> None:
    with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as http:
        key = http.post("matches", json={"game": "pigs", "name": "Ada"}).json()["match"]
        with http.stream("GET", f"matches/{key}/events") as answer:
            assert list(versions(answer.iter_lines())) == [1]
            assert 20 < answer.elapsed.total_seconds() < 30


@pytest.mark.django_db
def test_a_stream_needs_a_match(client: Client, settings: Any) -> None:
    settings.LIMITS = "off"
    problem(Api(client).get("matches/abcdefghjkmn/events"), 404)
    problem(Api(client).ask("POST", "matches/abcdefghjkmn/events"), 405)


@pytest.mark.django_db
def test_only_so_many_streams_are_open_for_one_address(client: Client, settings: Any) -> None:
    settings.LIMITS = "off"
    key = Api(client).make()["match"]
    settings.LIMITS = "on"
    owner = Owner("127.0.0.1")
    taken = [stream.streams.take(owner, put_out=list) for _ in range(settings.MOST["streams"])]
    try:
        answer = Api(client).get(f"matches/{key}/events")
        problem(answer, 429)
        assert int(answer["Retry-After"]) > 0
    finally:
        for place in filter(None, taken):
            stream.streams.leave(place)
    assert not len(stream.streams)


@pytest.mark.django_db
async def test_a_newcomers_stream_takes_the_place_of_one_of_who_has_many(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LIMITS, settings.MOST = "on", {**settings.MOST, "streams of all": 3}
    monkeypatch.setattr(stream, "SECONDS", 20.0)
    monkeypatch.setattr(stream, "_version", lambda key: 7)

    async def read(address: str, told: list[str]) -> None:
        told.extend([part async for part in stream._changes("abcdefghjkmn", Owner(address))])

    told: list[list[str]] = [[] for _ in range(4)]
    readers = []
    for n, address in enumerate(("2001:db8::/56", "2001:db8:0:100::/56", "2001:db8:0:200::/56", "192.0.2.7")):
        readers.append(asyncio.create_task(read(address, told[n])))
        await asyncio.sleep(0.05)
    await asyncio.wait_for(readers[2], 30)
    assert told[2][-1] == stream.PUT_OUT and len(stream.streams) == 3
    assert not stream.streams.may(Owner("2001:db8:0:300::/56")) and stream.streams.may(Owner("198.51.100.7"))
    for reader in (readers[0], readers[1], readers[3]):
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    assert not len(stream.streams)


@pytest.mark.django_db
async def test_changes_that_come_fast_are_told_once_and_never_backwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from robosite.matches.live.push import hub

    monkeypatch.setattr(stream, "SECONDS", 0.3)
    monkeypatch.setattr(stream, "BEAT", 0.05)
    monkeypatch.setattr(stream, "_version", lambda key: 7)
    told: list[str] = []
    listening = hub()

    async def read() -> None:
        told.extend([part async for part in stream._changes("abcdefghjkmn", Owner("192.0.2.1"))])

    reader = asyncio.create_task(read())
    await asyncio.sleep(0.1)
    for version in (8, 9, 10, 6):
        listening._hand_on({"type": "changed", "match": "abcdefghjkmn", "version": version})
    listening._hand_on({"type": "draft", "match": "abcdefghjkmn", "seat": "A", "tab": "secret"})
    await reader
    assert told[0].startswith("retry: ")
    assert [part for part in told[1:] if part != ":\n\n"] == [
        'event: changed\ndata: {"version": 7}\n\n',
        'event: changed\ndata: {"version": 10}\n\n',
    ]
    assert ":\n\n" in told
    assert "abcdefghjkmn" not in listening.listeners and not len(stream.streams)
    if listening.task:
        listening.task.cancel()


@pytest.mark.django_db
async def test_what_does_not_concern_a_stream_keeps_no_beat_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy hangs up where nothing comes, however often somebody else's draft changes meanwhile."""
    from robosite.matches.live.push import hub

    monkeypatch.setattr(stream, "SECONDS", 1.0)
    monkeypatch.setattr(stream, "BEAT", 0.2)
    monkeypatch.setattr(stream, "_version", lambda key: 7)
    listening, told = hub(), list[str]()

    async def read() -> None:
        told.extend([part async for part in stream._changes("abcdefghjkmn", Owner("192.0.2.1"))])

    reader = asyncio.create_task(read())
    while not reader.done():
        listening._hand_on({"type": "draft", "match": "abcdefghjkmn", "seat": "A", "tab": ""})
        listening._hand_on({"type": "changed", "match": "abcdefghjkmn", "version": 6})
        await asyncio.sleep(0.02)
    await reader
    assert ":\n\n" in told[2:]
    if listening.task:
        listening.task.cancel()

"""The socket of a guest: it tells that there is something new in the guest's matches, and nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from robosite.matches import flow
from robosite.matches.live import consumers, own_matches, push
from robosite.matches.models import Match
from robosite.people.models import Guest
from robosite.talk import messages
from tests.site.browsers import FIRST, SAME_ORIGIN, Browser, Table, sit_down
from tests.site.matches.test_sockets import a_table, socket

pytestmark = pytest.mark.django_db(transaction=True)

NEWS = {"games": True}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_matches, "JUST_NOW", -own_matches.OVER_FOR)  # these tables have just been made


@asynccontextmanager
async def listening(browser: Browser, path: str = "/ws/mine/") -> AsyncIterator[WebsocketCommunicator]:
    line = socket(path, browser, *SAME_ORIGIN)
    accepted, code = await line.connect(timeout=60)
    assert accepted, code
    await line.receive_from(timeout=60)  # {}, or the version
    try:
        yield line
    finally:
        await line.disconnect(timeout=60)


async def told(line: WebsocketCommunicator) -> Any:
    return json.loads(await line.receive_from(timeout=60))


async def silent(line: WebsocketCommunicator) -> bool:
    return bool(await line.receive_nothing(timeout=3 * consumers.GATHERS))


async def does(act: Callable[[], Any]) -> Any:
    return await sync_to_async(act)()


async def test_a_move_a_message_and_a_new_seat_are_told_to_whom_they_concern() -> None:
    table = await does(a_table)
    async with listening(table.alice) as alices, listening(table.bob) as bobs:
        await does(lambda: flow.seal(table.a, 0, FIRST))
        assert (await told(alices), await told(bobs)) == (NEWS, NEWS)
        await does(lambda: messages.say(table.a, None, "Hello"))
        assert (await told(alices), await told(bobs)) == (NEWS, NEWS)
        other: Table = await does(lambda: sit_down(Browser("Dora"), table.bob, Browser("Emil")))
        assert await told(bobs) == NEWS
        assert await silent(alices)
        await does(lambda: flow.seal(other.a, 0, FIRST))  # which the socket listens to from now on
        assert await told(bobs) == NEWS
        assert await silent(alices)


async def test_a_draft_a_private_message_to_others_and_watchers_talk_are_told_to_nobody_else() -> None:
    table = await does(a_table)
    async with listening(table.alice) as alices, listening(table.bob) as bobs:
        await does(lambda: flow.draft(table.a, 0, FIRST, "tab"))
        guest = await does(lambda: Guest.objects.create(name="Fred"))
        await does(lambda: messages.say_among_watchers(table.match, lambda: guest, (), text="Psst"))
        assert await silent(alices)
        assert await silent(bobs)


async def test_a_page_of_a_match_hears_of_the_others_and_not_twice_of_its_own() -> None:
    table = await does(a_table)
    other: Table = await does(lambda: sit_down(table.alice, table.bob, Browser("Emil")))
    async with listening(table.alice, f"/ws/m/{table.key}/A/") as line:
        await does(lambda: flow.seal(other.b, 0, FIRST))
        assert await told(line) == NEWS
        await does(lambda: flow.seal(table.b, 0, FIRST))
        assert "version" in await told(line)
        assert await silent(line)


async def test_what_happened_just_before_the_page_listens_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_matches, "JUST_NOW", own_matches.OVER_FOR)
    table = await does(a_table)
    async with listening(table.alice) as line:
        assert await told(line) == NEWS


async def test_what_the_layer_lost_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await does(a_table)
    monkeypatch.setattr(push, "ASKS_EVERY", 0.05)
    async with listening(table.bob) as line:
        monkeypatch.setattr(push, "_send", lambda message: None)

        async def hears_news() -> None:
            while await told(line) != NEWS:
                pass

        await does(lambda: flow.seal(table.a, 0, FIRST))
        await hears_news()
        await does(lambda: messages.say(table.a, None, "Hello"))
        await hears_news()
        await does(lambda: sit_down(Browser("Dora"), table.bob, Browser("Emil")))
        await hears_news()
        for _ in range(10):
            assert await told(line) == {}


async def test_nobodys_browser_and_other_sites_have_no_such_socket() -> None:
    table = await does(a_table)
    for browser, headers in (
        (Browser("Nobody"), SAME_ORIGIN),
        (table.alice, ((b"host", b"testserver"), (b"origin", b"http://evil.example"))),
    ):
        line = socket("/ws/mine/", browser, *headers)
        accepted, _ = await line.connect(timeout=60)
        assert not accepted
        await line.disconnect(timeout=60)
    assert not len(consumers.slots) and not any(consumers.of_seat.count.values())


async def test_it_takes_no_commands_and_frames_are_counted() -> None:
    table = await does(a_table)
    async with listening(table.alice) as line:
        before = await does(lambda: list(Match.objects.values()))
        for _ in range(100):
            await line.send_to(text_data='{"seal": "F F F F F"}')
        assert await line.receive_output(timeout=60) == {"type": "websocket.close", "code": 1008}
        await line.wait(timeout=60)
        assert await does(lambda: list(Match.objects.values())) == before
    assert not len(consumers.slots) and not any(consumers.of_seat.count.values())
    assert not push.listening()


async def test_a_guests_sockets_are_limited(settings: Any) -> None:
    table = await does(a_table)
    settings.LIMITS = "on"
    settings.MOST = {**settings.MOST, "sockets of a seat": 1}
    async with listening(table.alice):
        line = socket("/ws/mine/", table.alice, *SAME_ORIGIN)
        assert await line.connect(timeout=60) == (False, 4429)
        await line.disconnect(timeout=60)
        async with listening(table.bob):
            pass

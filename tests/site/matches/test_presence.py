"""Presence: who has a match's page open is told to the others at the table, and to nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from robosite.matches.live import presence, push
from robosite.matches.live.presence import Presence
from tests.site.browsers import SAME_ORIGIN, Browser, Table
from tests.site.matches.test_sockets import a_table, socket

pytestmark = pytest.mark.django_db(transaction=True)

SOON = 0.3


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "GATHERS", 0.05)


@asynccontextmanager
async def looking(table: Table, browser: Browser, letter: str = "") -> AsyncIterator[WebsocketCommunicator]:
    line = socket(f"/ws/m/{table.key}/{letter and letter + '/'}", browser, *SAME_ORIGIN)
    accepted, code = await line.connect(timeout=30)
    assert accepted, code
    try:
        yield line
    finally:
        await line.disconnect(timeout=30)


async def hears(line: WebsocketCommunicator, *who: str) -> bool:
    """Tell whether the page is told that these are here, one after the other, and then nothing more."""
    told: list[str] = []
    while len(told) < len(who) or not await line.receive_nothing(timeout=SOON):
        message = json.loads(await line.receive_from(timeout=60))
        told += [message["here"]] if "here" in message else []
    return told == [*who]


async def until(true: Callable[[], Any]) -> Any:
    """Waits until `true` returns something true, and returns that."""
    async with asyncio.timeout(60):
        while not (said := true()):
            await asyncio.sleep(0.01)
    return said


async def test_players_see_each_other_come_and_go() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices:
        assert await hears(alices)
        async with looking(table, table.bob, "B") as bobs:
            assert await hears(alices, "B") and await hears(bobs, "A")
            async with looking(table, table.bob, "B") as another:
                assert await hears(another, "A") and await hears(alices)
            assert await hears(alices)  # one of Bob's pages is still open
        assert await hears(alices, "")


async def test_watchers_are_neither_shown_nor_told() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices, looking(table, Browser("Wanda")) as wandas:
        assert await hears(alices) and await hears(wandas)
        async with looking(table, table.bob) as bobs:  # who looks at the public page
            assert await hears(alices) and await hears(bobs) and await hears(wandas)


async def test_whoever_does_not_want_to_be_seen_is_not_from_that_moment_on() -> None:
    table = await sync_to_async(a_table)()
    switch = sync_to_async(lambda **form: table.bob.post("/me/presence/", form))
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B") as bobs:
        assert await hears(alices, "B") and await hears(bobs, "A")
        await switch()
        assert await hears(alices, "") and await hears(bobs)
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B"):
        assert await hears(alices)
        await switch(shown="1")
        assert await hears(alices, "B")


async def test_another_process_tells_is_asked_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await sync_to_async(a_table)()
    heard: list[Any] = []

    async def layer(message: Any) -> None:
        heard.append(message)

    monkeypatch.setattr(push, "deliver", layer)
    async with looking(table, table.alice, "A") as alices:
        assert await hears(alices)
        asked = await until(lambda: next((one for one in heard if one["type"] == "present"), None))
        assert asked["asks"] and [letter for letter, _guest in asked["open"][table.key]] == ["A"]
        ours = presence.presence()
        other = Presence(ours.hub)
        other.pages[table.key] = 1
        other.shown[table.key]["B", 0] = 1
        heard.clear()
        other.hear(asked)
        assert other.at(table.key) == ours.at(table.key) | {("B", 0)}
        await until(lambda: heard)
        ours.hear(json.loads(json.dumps(heard[0])))
        assert await hears(alices, "B")
        monkeypatch.setattr(presence, "FORGOTTEN_AFTER", 0.0)
        ours.hear(push.HOLDS)
        assert await hears(alices, "")


async def test_nothing_is_left_when_all_pages_are_closed() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A"), looking(table, table.bob, "B") as bobs:
        assert await hears(bobs, "A")
        ours = presence.presence()
    assert not (ours.pages or ours.shown or ours.elsewhere or ours.told)
    assert presence.KEY not in ours.hub.listeners

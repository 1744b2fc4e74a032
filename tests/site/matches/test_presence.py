"""Presence: who has a match's page open is told to the others at the table, and to nobody else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
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


async def here(line: WebsocketCommunicator) -> list[Any]:
    """The messages to the page about who is here, until nothing more comes."""
    told = []
    while not await line.receive_nothing(timeout=SOON):
        told += [json.loads(await line.receive_from(timeout=30))]
    return [message["here"] for message in told if "here" in message]


async def test_players_see_each_other_come_and_go() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices:
        assert await here(alices) == []
        async with looking(table, table.bob, "B") as bobs:
            assert (await here(alices), await here(bobs)) == (["B"], ["A"])
            async with looking(table, table.bob, "B") as another:
                assert (await here(alices), await here(another)) == ([], ["A"])
            assert await here(alices) == []  # one of Bob's pages is still open
        assert await here(alices) == [""]


async def test_watchers_are_neither_shown_nor_told() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A") as alices, looking(table, Browser("Wanda")) as wandas:
        assert (await here(alices), await here(wandas)) == ([], [])
        async with looking(table, table.bob) as bobs:  # who looks at the public page
            assert (await here(alices), await here(bobs), await here(wandas)) == ([], [], [])


async def test_whoever_does_not_want_to_be_seen_is_not_from_that_moment_on() -> None:
    table = await sync_to_async(a_table)()
    switch = sync_to_async(lambda **form: table.bob.post("/me/presence/", form))
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B") as bobs:
        assert (await here(alices), await here(bobs)) == (["B"], ["A"])
        await switch()
        assert (await here(alices), await here(bobs)) == ([""], [])
    async with looking(table, table.alice, "A") as alices, looking(table, table.bob, "B"):
        assert await here(alices) == []
        await switch(shown="1")
        assert await here(alices) == ["B"]


async def test_another_process_tells_is_asked_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await sync_to_async(a_table)()
    heard: list[Any] = []

    async def layer(message: Any) -> None:
        heard.append(message)

    monkeypatch.setattr(push, "deliver", layer)
    async with looking(table, table.alice, "A") as alices:
        assert await here(alices) == []
        asked = next(message for message in heard if message["type"] == "present")
        assert asked["asks"] and [letter for letter, _guest in asked["open"][table.key]] == ["A"]
        ours = presence.presence()
        other = Presence(ours.hub)
        other.pages[table.key] = 1
        other.shown[table.key]["B", 0] = 1
        heard.clear()
        other.hear(asked)
        assert other.at(table.key) == ours.at(table.key) | {("B", 0)}
        await here(alices)
        ours.hear(json.loads(json.dumps(heard[0])))
        assert await here(alices) == ["B"]
        monkeypatch.setattr(presence, "FORGOTTEN_AFTER", 0.0)
        ours.hear(push.HOLDS)
        assert await here(alices) == [""]


async def test_nothing_is_left_when_all_pages_are_closed() -> None:
    table = await sync_to_async(a_table)()
    async with looking(table, table.alice, "A"), looking(table, table.bob, "B") as bobs:
        await here(bobs)
        ours = presence.presence()
    assert not (ours.pages or ours.shown or ours.elsewhere or ours.told)
    assert presence.KEY not in ours.hub.listeners

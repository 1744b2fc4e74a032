"""Sockets at one process hear at once of what friends do at another."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from games.core import Seat
from robosite.matches.live.push import ASKS_EVERY
from tests.bench.load import Connection
from tests.bench.players import tables
from tests.servers import Server

A, B = Seat("A"), Seat("B")
SOON = ASKS_EVERY / 3
"""Seconds: far sooner than a process looks for what the layer has lost."""


async def hears(one: Server, other: Server) -> float:
    """Seconds from a seal at one process until the other player's socket at the other has news of it."""
    table = (await tables(one.port, 1, 1, 2))[0]
    ada, ben = table.players[A], table.players[B]
    address = f"ws://127.0.0.1:{other.port}/ws/mine/"
    cookies = {"Cookie": ben.headers()["Cookie"]}
    async with (
        Connection(one.port) as line,
        connect(address, origin=Origin(other.url), additional_headers=cookies, proxy=None) as socket,
    ):
        assert json.loads(await socket.recv()) == {}
        await asyncio.sleep(1)  # what was there before it listened has been told by then
        turn, orders = table.next_turn()
        begun = time.monotonic()
        await line.answered(ada.seal(turn, orders[A]))
        while json.loads(await asyncio.wait_for(socket.recv(), ASKS_EVERY)) != {"games": True}:
            pass
        return time.monotonic() - begun


async def sees(one: Server, other: Server) -> float:
    """The most seconds until a page at one process is told that one at the other was opened, and closed."""
    table = (await tables(one.port, 1, 1, 2))[0]

    def page(at: Server, seat: Seat) -> connect:
        player = table.players[seat]
        cookies = {"Cookie": player.headers()["Cookie"]}
        address = f"ws://127.0.0.1:{at.port}/ws{player.page}"
        return connect(address, origin=Origin(at.url), additional_headers=cookies, proxy=None)

    async with page(one, A) as ada:

        async def is_told(here: str) -> float:
            begun = time.monotonic()
            while json.loads(await asyncio.wait_for(ada.recv(), ASKS_EVERY)).get("here") != here:
                pass
            return time.monotonic() - begun

        async with page(other, B) as ben:
            while json.loads(await asyncio.wait_for(ben.recv(), ASKS_EVERY)).get("here") != "A":
                pass
            opened = await is_told("B")
        return max(opened, await is_told(""))


@pytest.mark.more
@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.parametrize("waits", [hears, sees], ids=["a move", "who is here"])
def test_what_happens_at_another_process_is_told_at_once(
    empty_postgres: str, redis_url: str, tmp_path: Path, waits: Callable[[Server, Server], Any]
) -> None:
    with (
        Server(tmp_path, DATABASE_URL=empty_postgres, REDIS_URL=redis_url) as one,
        one.beside() as other,
    ):
        assert asyncio.run(waits(one, other)) < SOON

"""From the last seal to the other browser's new board, by a small client; `make felt` has a Chromium's."""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from games.core import Seat
from tests.bench.figures import row, title
from tests.bench.load import PATIENCE, Answer, Connection
from tests.bench.players import PLAYED, Table, tables
from tests.servers import Server

REVEALS = 50
A, B = Seat("A"), Seat("B")


async def measure(site: Server) -> None:
    """The last seal goes by the page's form, so its own answer is drawn before the other's."""
    title("From pressing the last seal to the other side's new board, one match on an idle site")
    (table,) = await tables(site.port, 1, PLAYED, REVEALS)
    told, boards, sealed = await by_socket(site, table)
    row("the other side is told by its socket", told)
    row("… and has fetched its new live part", boards)
    row("the sealer has his own answer", sealed)


async def by_socket(site: Server, table: Table) -> tuple[list[float], list[float], list[float]]:
    """Seconds from the last seal's start until B is told, has the new board, and A has the answer."""
    told, boards, sealed = [], [], []
    ada, ben = table.players[A], table.players[B]
    address = f"ws://127.0.0.1:{site.port}/ws{ben.page}"
    cookies = {"Cookie": ben.headers()["Cookie"]}
    async with (
        Connection(site.port) as ours,
        Connection(site.port) as theirs,
        connect(address, origin=Origin(site.url), additional_headers=cookies, proxy=None) as socket,
    ):
        await _told(socket)
        for _ in range(REVEALS):
            turn, orders = table.next_turn()
            version = _version(await theirs.answered(ben.seal(turn, orders[B])))
            while await _told(socket) < version:
                pass
            start = time.perf_counter()
            sealing = asyncio.create_task(_seal(ours, ada.seal(turn, orders[A])))
            while await _told(socket) <= version:
                pass
            told.append(time.perf_counter() - start)
            live = await theirs.answered(ben.get(htmx=True))
            boards.append(time.perf_counter() - start)
            assert f'data-turn="{turn + 1}"'.encode() in live.unpacked
            sealed.append(await sealing - start)
    return told, boards, sealed


async def _seal(line: Connection, raw: bytes) -> float:
    await line.answered(raw)
    return time.perf_counter()


async def _told(socket: ClientConnection) -> int:
    """The version that the next message tells; 0 if it tells another thing."""
    async with asyncio.timeout(PATIENCE):
        told: Any = json.loads(await socket.recv())
    return int(told.get("version", 0))


def _version(live: Answer) -> int:
    found = re.search(rb'data-version="(\d+)"', live.unpacked)
    assert found
    return int(found[1])

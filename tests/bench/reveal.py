"""From the last seal to the other browser's new board: by a small client, and in a real Chromium."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from typing import Any

from playwright.async_api import async_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from games.core import Seat
from tests.bench.figures import row, title
from tests.bench.load import PATIENCE, Answer, Connection
from tests.bench.players import PLAYED, Table, tables
from tests.servers import Server

REVEALS, BROWSER_REVEALS = 50, 10
A, B = Seat("A"), Seat("B")

# Notes when a board of turn `turn` has been painted: milliseconds since 1970.
WATCH = """turn => {
  window.painted = new Promise(done => {
    const look = () => {
      if (Number(document.getElementById("live")?.dataset.turn) < turn) return;
      watcher.disconnect();
      const paint = () => done(performance.timeOrigin + performance.now());
      requestAnimationFrame(() => requestAnimationFrame(paint));
    };
    const watcher = new MutationObserver(look);
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
    look();
  });
}"""
SHOWN = "version => Number(document.getElementById('live')?.dataset.version) >= version"


async def measure(site: Server) -> None:
    """The last seal goes by the page's form, so its own answer is drawn before the other's."""
    title("From pressing the last seal to the other side's new board, one match on an idle site")
    (table,) = await tables(site.port, 1, PLAYED, REVEALS + BROWSER_REVEALS)
    told, boards, sealed = await by_socket(site, table)
    row("the other side is told by its socket", told)
    row("… and has fetched its new live part", boards)
    row("the sealer has his own answer", sealed)
    if chromium := shutil.which("chromium") or shutil.which("chromium-browser"):
        row("the other side's Chromium has painted it", await in_chromium(site, table, chromium))


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


async def in_chromium(site: Server, table: Table, path: str) -> list[float]:
    """Seconds from the last seal's start until B's browser has painted the new board."""
    took = []
    ada, ben = table.players[A], table.players[B]
    async with async_playwright() as playwright, Connection(site.port) as line:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = await browser.new_context(bypass_csp=True)  # lets this script look on; the page is the same
        await context.add_cookies(
            [{"name": name, "value": value, "url": site.url} for name, value in ben.cookies.items()]
        )
        page = await context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        await page.goto(f"{site.url}{ben.page}")
        for _ in range(BROWSER_REVEALS):
            turn, orders = table.next_turn()
            await page.evaluate(WATCH, turn + 1)
            version = _version(await line.answered(ben.seal(turn, orders[B])))
            await page.wait_for_function(SHOWN, arg=version)
            await asyncio.sleep(0.1)  # its own request is over
            start = time.time()
            await line.answered(ada.seal(turn, orders[A]))
            took.append(await page.evaluate("window.painted") / 1000 - start)
        await browser.close()
    return took


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

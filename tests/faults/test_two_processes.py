"""Processes beside one another: sockets hear of what happens at another; old ones stay what they were."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from games.core import Seat
from robosite.matches.live.push import ASKS_EVERY
from tests.bench.load import Connection
from tests.bench.players import Player, tables
from tests.servers import PATIENCE, ROOT, Server
from tests.site.web.test_setting_urls import KEYS

A, B = Seat("A"), Seat("B")
SOON = ASKS_EVERY / 3
"""Seconds: far sooner than a process looks for what the layer has lost."""


def socket_of(at: Server, player: Player, path: str) -> connect:
    cookies = {"Cookie": player.headers()["Cookie"]}
    address = f"ws://127.0.0.1:{at.port}/ws{path}"
    return connect(address, origin=Origin(at.url), additional_headers=cookies, proxy=None)


async def hears(one: Server, other: Server) -> float:
    """Seconds from a seal at one process until the other player's socket at the other has news of it."""
    table = (await tables(one.port, 1, 1, 2))[0]
    ada, ben = table.players[A], table.players[B]
    async with Connection(one.port) as line, socket_of(other, ben, "/mine/") as socket:
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

    players = table.players
    async with socket_of(one, players[A], players[A].page) as ada:

        async def is_told(here: str) -> float:
            begun = time.monotonic()
            while json.loads(await asyncio.wait_for(ada.recv(), ASKS_EVERY)).get("here") != here:
                pass
            return time.monotonic() - begun

        async with socket_of(other, players[B], players[B].page) as ben:
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
    with Server(tmp_path, DATABASE_URL=empty_postgres, REDIS_URL=redis_url) as one, one.beside() as other:
        assert asyncio.run(waits(one, other)) < SOON


# While a new version is installed, old processes serve its files, and need none of their own

OWN = {**KEYS, "PRODUCTION": "1", "DEBUG": "0", "LIMITS": "on"}
HEADERS = {"Host": "robots.example", "X-Forwarded-Proto": "https"}
PAGES = ["/", "/rules/pigs/", "/new/robble/", "/learn/roboxing/", "/puzzles/", "/me/", "/back/", "/privacy/"]


def get(server: Server, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", headers={**HEADERS, **headers}, timeout=PATIENCE)


def test_a_file_that_is_collected_later_is_served(tmp_path: Path) -> None:
    server = Server(tmp_path, prepare=True, **OWN)
    server.fill()
    static = tmp_path / "static"
    collected = static.resolve()
    static.unlink()
    shutil.copytree(collected, static)
    with server:
        later = {
            "css/site.0123456789ab.css": "a { color: red }",
            "css/later.css": "b { color: red }",  # its name says nothing of its version
        }
        assert get(server, "/static/css/site.0123456789ab.css").status_code == 404
        for name, text in later.items():
            (static / name).write_text(text)
        answer = get(server, "/static/css/site.0123456789ab.css")
        assert (answer.status_code, answer.text) == (200, "a { color: red }")
        assert "immutable" in answer.headers["Cache-Control"] and answer.headers["Content-Type"].startswith(
            "text/css"
        )
        assert get(server, "/static/css/later.css").status_code == 404
        (tmp_path / "secret.0123456789ab.txt").write_text("secret")
        for path in ("/static/../secret.0123456789ab.txt", "/static/%2e%2e/secret.0123456789ab.txt"):
            assert get(server, path).status_code == 404


@pytest.mark.more
def test_a_process_needs_none_of_its_files_after_its_start(tmp_path: Path) -> None:
    """The next version's templates, texts and code lie in their place: it reads none of them."""
    root = tmp_path / "code"
    for folder in ("robosite", "games", "templates", "static", "locale"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "manage.py", root)
    data = tmp_path / "data"
    data.mkdir()
    server = Server(data, prepare=True, **OWN)
    server.root = root
    with server:
        for folder in ("templates", "locale", "static"):
            shutil.rmtree(root / folder)
        for language in ("en", "de", "es"):
            for page in PAGES:
                answer = get(server, page, **{"Accept-Language": language})
                assert answer.status_code == 200 and f'lang="{language}"' in answer.text, (
                    page,
                    server.logged(),
                )
        made = httpx.post(
            f"{server.url}/api/v1/matches",
            json={"game": "roboxing", "name": "Ann"},
            headers=HEADERS,
            timeout=PATIENCE,
        )
        assert get(server, f"/m/{made.json()['match']}/").status_code == 200

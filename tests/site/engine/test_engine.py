"""The engine room: a switch for each trick, and nothing of its kind outside of it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from robosite.engine import TRICKS
from tests.bench.load import Connection, request
from tests.bench.players import tables
from tests.servers import ROOT, Server

KEPT_TO_THEMSELVES = re.compile(
    r"klass_info|get_compiler|\._state\b|_result_cache|_prefetched_objects_cache|threadlocal|__code__|co_stacksize"
)
LONG = 70_000


def test_nothing_outside_touches_what_libraries_keep_to_themselves() -> None:
    for file in sorted((ROOT / "robosite").rglob("*.py")):
        if "engine" not in file.parts:
            assert not KEPT_TO_THEMSELVES.search(file.read_text()), file


def test_every_trick_is_switched_somewhere() -> None:
    code = "".join(file.read_text() for file in (ROOT / "robosite").rglob("*.py"))
    for trick in TRICKS:
        assert f'is_on("{trick}")' in code, trick


def test_a_trick_that_there_is_not_is_told(tmp_path: Path) -> None:
    env = os.environ | {"ENGINE_OFF": "prepared,preparde", "DATA_DIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "manage.py", "check"], cwd=ROOT, env=env, capture_output=True)
    assert told.returncode and b"preparde" in told.stderr and b"Traceback" not in told.stderr


@pytest.mark.integration
@pytest.mark.parametrize("off", [pytest.param("", marks=pytest.mark.more), "all"])
def test_a_match_is_played_with_and_without_all_tricks(tmp_path: Path, off: str) -> None:
    async def play(port: int) -> None:
        (table,) = await tables(port, 1, 2, 1)
        for player in table.players.values():
            async with Connection(port) as line:
                assert b"Ben" in (await player.ask(line, player.get(gzip=False))).body
                await player.ask(line, player.tap(2, "F"))
                await player.ask(line, player.get("/mine/"))
                await player.ask(line, player.api("GET", player.api_match))
        async with Connection(port) as line:
            sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept-Encoding": "gzip"}
            assert (await line.ask(request(port, "POST", "/language/", sent, b"a" * LONG))).status == 413

    with Server(tmp_path, ENGINE_OFF=off) as server:
        asyncio.run(play(server.port))
    assert "Traceback" not in server.logged()

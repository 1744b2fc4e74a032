"""The robot of docs/examples plays all four games over the API, also when the site is killed meanwhile."""

from __future__ import annotations

import importlib.util
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from games import GAMES
from tests.servers import ROOT, Server

pytestmark = pytest.mark.more

BOT = ROOT / "docs" / "examples" / "bot.py"
TURNS = 6


@pytest.fixture(scope="module")
def bot() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bot", BOT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_of_them_play_each_game_to_an_end_through_a_crash(bot: ModuleType, tmp_path: Path) -> None:
    with Server(tmp_path) as site, ThreadPoolExecutor(2 * len(GAMES)) as players:
        api, playing = f"{site.url}/api/v1", {}
        for game in GAMES:
            made = httpx.post(f"{api}/matches", json={"game": game, "name": "Chance"}).json()
            joins = {"name": "Luck", "invite": made["invite"]}
            joined = httpx.post(f"{api}/matches/{made['match']}/seats", json=joins).json()
            both = [players.submit(bot.play, site.url, seated, TURNS) for seated in (made, joined)]
            playing[made["match"]] = both
        time.sleep(1)
        site.kill()
        site.prepare = False
        site.start()
        for key, both in playing.items():
            outcome, same = (one.result(timeout=240) for one in both)
            assert outcome and outcome == same, key
            record = httpx.get(f"{api}/matches/{key}/record").json()
            assert record["result"] == outcome and len(record["turns"]) >= 2, record

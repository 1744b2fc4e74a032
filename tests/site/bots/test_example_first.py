"""The first program of docs/examples plays each game on a real server, and tells how it ended."""

from __future__ import annotations

import runpy
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from games import GAMES
from tests.servers import ROOT, Server
from tests.site.bots.test_example_bot import once

FIRST = ROOT / "docs" / "examples" / "first.py"
LINES = 40
"""The most lines that it has, without blank ones."""


def test_it_is_short() -> None:
    assert sum(bool(line.strip()) for line in FIRST.read_text().splitlines()) <= LINES


@pytest.mark.more
@pytest.mark.parametrize("slug", GAMES)
def test_it_plays_until_its_friend_resigns(slug: str, tmp_path: Path) -> None:
    order_of = runpy.run_path(str(FIRST))["order_of"]
    with ExitStack() as stack:
        server = stack.enter_context(Server(tmp_path))
        program = [sys.executable, "-u", str(FIRST), server.url, slug]
        first = stack.enter_context(subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env={}))
        stack.callback(first.kill)
        site = stack.enter_context(httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False))
        assert first.stdout
        invite, key = (link.rstrip("/").rpartition("/")[2] for link in first.stdout.readline().split())
        at = f"matches/{key}"
        sat = site.post(f"{at}/seats", json={"name": "Ada", "invite": invite}).raise_for_status().json()
        site.headers["Authorization"] = f"Bearer {sat['token']}"

        def has_played() -> dict[str, Any] | None:
            """Plays wherever it is to act; the match once three turns are behind."""
            match: dict[str, Any] = site.get(f"{at}?legal=1").json()
            if match["turn"] < 3 and sat["seat"] in match["to_act"]:
                order = {"turn": match["turn"], "order": order_of(site, at, match)}
                site.put(f"{at}/order", json=order).raise_for_status()
            return match if match["turn"] >= 3 else None

        once(has_played)
        ended = site.post(f"{at}/resign").raise_for_status().json()["outcome"]
        assert ended["reason"] == "resigned" and first.stdout.readline() == f"{ended}\n"
        assert first.wait(30) == 0

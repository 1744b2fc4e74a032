"""An upgrade from the last release and the way back, while pages are open: an honest site raises no alarm."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from games.core import Seat, play_turn
from tests.browser.conftest import Visit
from tests.browser.people import STILL, Watcher, sit
from tests.faults.programs import League, Site
from tests.host.releases import promised
from tests.screenshots.town import Table
from tests.servers import ROOT, Server

GAMES = ("pigs", "roboxing", "robosoccer", "robble")
WORKER = "static/js/referee/worker.js"
A, B = Seat("A"), Seat("B")

pytestmark = [pytest.mark.more, pytest.mark.timeout(1_800)]


class Installed(Server):
    """The site of one version, whose page others may have open at the same address."""

    def __init__(self, data: Path, root: Path, port: int | None = None) -> None:
        super().__init__(data, ALLOWED_HOSTS="127.0.0.1")
        self.root, self.port = root, port or self.port
        self.url = f"http://127.0.0.1:{self.port}"

    def fill(self) -> None:
        for words in (("migrate",), ("collectstatic", "--no-input")):
            command = [sys.executable, "manage.py", *words, "--verbosity", "0"]
            subprocess.run(command, cwd=self.root, env=self.env, check=True)


@pytest.fixture
def last_release(tmp_path: Path) -> Path:
    """The code of the newest release that has the second referee."""
    for release in promised():
        packed = subprocess.run(
            ["git", "-C", str(ROOT), "archive", release.found() or "none"], capture_output=True
        ).stdout
        if not packed:
            continue
        with tarfile.open(fileobj=BytesIO(packed)) as files:
            files.extractall(tmp_path / "release", filter="data")
        assert (tmp_path / "release" / WORKER).exists()
        return tmp_path / "release"
    pytest.skip("this clone has no release")


class Begun:
    """A match whose pages are open: Ada's, and one of somebody who watches."""

    def __init__(self, server: Server, game: str, visit: Visit, stack: ExitStack) -> None:
        self.table = Table(server.url, game, f"releases {game}")
        stack.callback(self.table.api.close)
        self.table.sit_down()
        ada, zoe = (visit(name, base_url=server.url, **STILL) for name in ("Ada", "Zoe"))
        sit(ada, self.table)
        zoe.page.goto(f"/m/{self.table.key}/")
        self.pages: list[Page] = [ada.page, zoe.page]
        self.ada = ada

    def seal_half(self) -> Callable[[], None]:
        """Seals one of two orders, or plans a reply to the next one; what it returns plays the turn."""
        state, table = self.table.state, self.table
        orders = {seat: self._sample(state, seat) for seat in sorted(state.to_act())}
        first, *others = orders
        after = list(play_turn(state, orders))[-1]
        if others:
            table.seal(first, orders[first])
            to_seal, played = others[0], [orders]
        else:
            (other,) = after.to_act()
            reply = {other: self._sample(after, other)}
            lines = {"turn": state.turn, "lines": [[orders[first], reply[other]]]}
            table._ask("PUT", f"/{table.key}/replies", lines, other)
            to_seal, played, after = first, [orders, reply], list(play_turn(after, reply))[-1]

        def plays() -> None:
            table.seal(to_seal, orders[to_seal])
            assert table._ask("GET", f"/{table.key}")["turn"] == state.turn + len(played)
            table.state = after

        return plays

    def _sample(self, state: Any, seat: Seat) -> str:
        return str(state.view(seat).sample(seat, self.table.rng))

    def agrees(self) -> None:
        """All pages have heard of the last turn and checked it, as far as no order is secret."""
        shown = self.table._ask("GET", f"/{self.table.key}")
        is_secret = self.table.state.conceals(0, A) and shown["status"] != "over"
        says = "unknown" if is_secret else "agrees"
        for page in self.pages:
            live = page.locator(f"#live[data-turn='{shown['turn']}'][data-referee={says}]")
            expect(live).to_be_attached()
            assert page.locator("#alarm").count() == 0


def test_no_page_is_alarmed_by_an_upgrade_nor_by_the_way_back(
    last_release: Path, tmp_path: Path, visit: Visit, watcher: Watcher
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with ExitStack() as stack:
        old = stack.enter_context(Installed(data, last_release))
        watcher.host = urlsplit(old.url).netloc
        watcher.allow("WebSocket|ERR_|Failed to load resource|htmx:")  # between one version and the next
        league = begun_league(old)
        matches = [Begun(old, game, visit, stack) for game in GAMES]
        fresh = Begun(old, "pigs", visit, stack)  # whose pages get their worker from the next version
        for match in matches:
            match.table.play(4)
            match.agrees()
        half = [match.seal_half() for match in matches]
        resigned(old, league)

        old.stop()
        new = stack.enter_context(Installed(data, ROOT, old.port))
        for match, plays in zip(matches, half, strict=True):
            plays()
            match.table.play(2)
            match.agrees()
        fresh.table.play(1)
        fresh.agrees()
        half = [match.seal_half() for match in matches]
        resigned(new, league)
        resigned(new, league)
        page = visit("Eve", base_url=new.url).page
        is_recomputed(page, league)

        new.stop()
        stack.enter_context(Installed(data, last_release, old.port))
        is_recomputed(page, league)
        for plays in half:
            plays()
        for match in (*matches, fresh):
            match.table.play(1)
            match.table.resign(B)
            match.agrees()
            match.ada.open_menu()
            checked = match.pages[0].locator("#menu [data-checked]").first
            expect(checked).to_contain_text("Checked on this device up to turn")


def begun_league(server: Server) -> League:
    with Site(server.url) as programs:
        league = programs.league(3)
        assert programs.start(league).status_code == 200
        programs.fixtures(league)
        return league


def resigned(server: Server, league: League) -> None:
    """In the next match of the league that is not over, seat B resigns."""
    with Site(server.url) as programs:
        match = next(one for one in programs.fixtures(league) if not one["outcome"])
        token = league.tokens[match["seats"]["B"]]
        answer = programs.ask("POST", f"matches/{match['match']}/resign", token=token)
        assert answer.is_success, answer.text


def is_recomputed(page: Page, league: League) -> None:
    page.goto(f"/l/{league.key}/")
    expect(page.locator("#league[data-referee=agrees]")).to_be_attached()
    assert page.locator("#alarm").count() == 0

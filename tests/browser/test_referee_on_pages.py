"""The second referee on open pages: it agrees with an honest site, through an upgrade too, and tells lies."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from games.core import Seat, play_turn
from robosite.share.referee import verify_page
from tests.browser.conftest import Seated, Visit
from tests.browser.dishonest import LIES
from tests.browser.people import STILL, A, B, Watcher, sit
from tests.faults.programs import League, Site
from tests.host.releases import promised
from tests.screenshots.town import Table
from tests.servers import DATABASE, ROOT, Server, manage

TURNS = 3
GAMES = ("pigs", "roboxing", "robosoccer", "robble")


REPLACED = """
from django.db import transaction
from robosite.matches import flow
from robosite.matches.models import Match, Seat
seat = Seat.objects.get(match__key="{key}", letter="A")
before = seat.match.version
with transaction.atomic():
    flow.reopen(seat, 0)
    flow.seal(seat, 0, "H H H H H")
    Match.objects.filter(key="{key}").update(version=before)
"""
"""What a host does who replaces a sealed order and its seal, and hides that."""


CLOSED = """
from robosite.leagues.flow import close
from robosite.leagues.models import League
close(League.objects.get(key="{key}"))
"""
"""What a moderator does who closes a league."""


class Dishonest(Server):
    program = ("-m", "tests.browser.dishonest")


def watch(visit: Visit, table: Table) -> Page:
    page: Page = visit("Zoe", **STILL).page
    page.goto(f"{str(table.api.base_url).partition('/api')[0]}/m/{table.key}/")
    return page


def verdict(page: Page, says: str) -> None:
    expect(page.locator("#live")).to_have_attribute("data-referee", says)


@pytest.mark.parametrize("game", GAMES)
def test_an_open_page_agrees_with_an_honest_site(visit: Visit, seated: Seated, game: str) -> None:
    table = seated(game, f"referee {game}")
    page = watch(visit, table)
    for turn in range(1, TURNS + 1):
        table.play(1)
        expect(page.locator("#live")).to_have_attribute("data-turn", str(turn))
        verdict(page, "unknown" if game == "roboxing" else "agrees")
    assert page.locator("#alarm").count() == 0
    if game == "roboxing":  # its robots are shown at the end
        table.resign(A)
        page.reload()
        verdict(page, "agrees")
        assert page.evaluate("localStorage.length") >= 1


def test_each_lie_is_told_within_a_turn(tmp_path: Path, visit: Visit, watcher: Watcher) -> None:
    with Dishonest(tmp_path) as server:
        watcher.host = urlsplit(server.url).netloc
        for lie in LIES:
            (tmp_path / "lie").write_text(lie)
            table = Table(server.url, "pigs", f"referee {lie}")
            with closing(table.api):
                table.sit_down()
                page = watch(visit, table)
                for turn in range(TURNS):
                    for seat in A, B:
                        table.seal(seat, "TL H H H H", turn)
                says_so(page)
                page.context.close()  # before its site is gone


def test_a_replaced_seal_is_told_and_a_league_that_was_closed_unplayed_raises_no_alarm(
    site: Server, visit: Visit, table: Table
) -> None:
    page, league = watch(visit, table), begun_league(site)
    table.seal(A, "TL H H H H", 0)
    expect(page.locator("#live[data-seals][data-referee=waiting]")).to_be_visible()
    code = REPLACED.format(key=table.key) + CLOSED.format(key=league.key)
    manage("shell", "-c", code, env=site.env)
    table.seal(B, "TL H H H H", 0)
    says_so(page)
    is_recomputed(page, league)


def test_another_winner_is_told(site: Server, visit: Visit, table: Table) -> None:
    table.play(1)
    table.resign(A)
    lie = "json_set(outcome_json, '$.scores', json('{\"A\": 1, \"B\": 0}'))"
    with closing(sqlite3.connect(site.data / DATABASE, timeout=60)) as database, database:
        database.execute(f"UPDATE matches_match SET outcome_json = {lie} WHERE key = ?", [table.key])
    says_so(watch(visit, table))


def test_a_seat_that_reopens_is_no_lie(visit: Visit, table: Table) -> None:
    page = watch(visit, table)
    table.seal(A, "TL H H H H", 0)
    expect(page.locator("#live[data-seals][data-referee=waiting]")).to_be_visible()
    table._ask("DELETE", f"/{table.key}/order?turn=0", None, A)
    table.seal(A, "TR H H H H", 0)
    table.seal(B, "TL H H H H", 0)
    verdict(page, "agrees")


def test_nothing_is_loaded_where_data_is_to_be_saved(visit: Visit, table: Table, league: str) -> None:
    table.play(1)
    page: Page = visit("Zoe", **STILL).page
    page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request(lambda request: "/js/news" in request.url):  # when the referee would come
        page.goto(f"/m/{table.key}/")
    page.wait_for_load_state("networkidle")
    verdict(page, "unknown")
    assert not [one for one in asked if "/referee/" in one or "/js/checked" in one or "/record/" in one]
    page.goto(league)
    assert page.locator("#league").get_attribute("data-referee") is None


@pytest.fixture(scope="module")
def league(site: Server) -> str:
    """The address of a league of three whose first place has won all matches."""
    with Site(site.url) as programs:
        league = programs.league(3)
        programs.start(league)
        for match in programs.fixtures(league):
            resigns(programs, league, match, max(match["seats"].values()))
    return f"/l/{league.key}/"


def resigns(programs: Site, league: League, match: dict[str, Any], place: int) -> None:
    answer = programs.ask("POST", f"matches/{match['match']}/resign", token=league.tokens[place])
    assert answer.is_success, answer.text


def another_table(route: Route) -> None:
    """Serves the page with other points for the winner."""
    answer = route.fetch()
    lie = answer.text().replace('<td class="points">2</td>', '<td class="points">3</td>')
    assert lie != answer.text()
    route.fulfill(response=answer, body=lie)


def test_the_table_of_a_league_is_worked_out_again(visit: Visit, league: str) -> None:
    page: Page = visit("Zoe", **STILL).page
    page.goto(league)
    shown = page.locator("#league")
    expect(shown).to_have_attribute("data-referee", "agrees")
    page.locator(".league-menu > summary").click()
    expect(page.get_by_text("Recomputed on this device.")).to_be_visible()
    page.route(f"**{league}", another_table)
    page.reload()
    expect(shown).to_have_attribute("data-referee", "differs")
    expect(page.get_by_role("alert").filter(has_text="This device gets a different result")).to_be_visible()


def says_so(page: Page) -> None:
    alarm = page.get_by_role("alert").filter(has_text="This device disagrees with the site about turn")
    expect(alarm).to_be_visible()
    expect(alarm.get_by_role("link", name="Save the match file")).to_be_visible()
    verdict(page, "differs")


WON = {"scores": {"A": 1, "B": 0}, "reason": "resigned"}
FILE = {
    "format": "robosite/1",
    "game": "robble",
    "rules": 1,
    "options": {},
    "setup": {},
    "seats": ["A", "B"],
    "turns": [{"A": "c4"}, {"B": "resign"}],
    "names": {"A": "Ada", "B": "Ben"},
    "result": WON,
}
CHANGED: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, "agrees", "No cheating found in this file."),
    ({"result": {**WON, "scores": {"A": 0, "B": 1}}}, "differs", "The result doesn’t follow from the turns."),
    ({"turns": [{"A": "a9"}]}, "refused", "in turn 1, Ada (A)"),
)
"""A file as it is, with another winner, and against the rules: its verdict, and what is said of it."""


def test_a_saved_page_checks_files_offline(browser: Browser, tmp_path: Path) -> None:
    saved = tmp_path / "verify.html"
    saved.write_text(verify_page(), encoding="utf-8")
    page = browser.new_page(offline=True)
    page.goto(saved.as_uri())
    for changed, verdict, says in CHANGED:
        page.locator("#text").fill(json.dumps(FILE | changed))
        expect(page.locator("#verdict")).to_have_attribute("data-verdict", verdict)
        expect(page.locator("#verdict")).to_contain_text(says)
        assert page.get_by_role("heading", name="What this can’t tell").is_visible()
    page.locator("#text").fill("{")
    expect(page.locator("#verdict")).to_contain_text("This isn’t a match file")
    assert not page.locator("#found").is_visible()
    page.goto(f"{saved.as_uri()}#de")
    page.reload()
    expect(page).to_have_title("Eine Partie prüfen")
    page.close()


WORKER = "static/js/referee/worker.js"


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


@pytest.mark.more
@pytest.mark.timeout(1_800)
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
        resigns(programs, league, match, match["seats"]["B"])


def is_recomputed(page: Page, league: League) -> None:
    page.goto(f"/l/{league.key}/")
    expect(page.locator("#league[data-referee=agrees]")).to_be_attached()
    assert page.locator("#alarm").count() == 0

"""The second referee on the pages of matches and leagues: it agrees with an honest site, and tells lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from games.core import Seat
from robosite.share.referee import verify_page
from tests.browser.conftest import Visit
from tests.browser.people import STILL, Watcher
from tests.faults.programs import Site
from tests.screenshots.town import Table
from tests.servers import Server, manage

Begun = Callable[[Server, str], Table]
TURNS = 3
GAMES = ("pigs", "roboxing", "robosoccer", "robble")


A, B = Seat("A"), Seat("B")
RESIGNED = {"scores": {"A": 1, "B": 0}, "reason": "resigned"}
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
ANOTHER_WINNER = """
from robosite.matches.models import Match
match = Match.objects.get(key="{key}")
match.outcome_json["scores"] = dict(A=1, B=0)
match.save()
"""


CLOSED = """
from robosite.leagues.flow import close
from robosite.leagues.models import League
close(League.objects.get(key="{key}"))
"""
"""What a moderator does who closes a league."""


class Dishonest(Server):
    program = ("-m", "tests.browser.dishonest")


@pytest.fixture
def begun() -> Iterator[Begun]:
    """Makes matches of two, whose players act through the API."""
    with ExitStack() as stack:

        def begin(site: Server, game: str) -> Table:
            table = Table(site.url, game, f"referee {game}")
            stack.callback(table.api.close)
            table.sit_down()
            return table

        yield begin


def watch(visit: Visit, table: Table, url: str) -> Page:
    page: Page = visit("Zoe", **STILL).page
    page.goto(f"{url}/m/{table.key}/")
    return page


def verdict(page: Page, says: str) -> None:
    expect(page.locator("#live")).to_have_attribute("data-referee", says)


@pytest.mark.parametrize("game", GAMES)
def test_an_open_page_agrees_with_an_honest_site(site: Server, visit: Visit, begun: Begun, game: str) -> None:
    table = begun(site, game)
    page = watch(visit, table, site.url)
    for turn in range(1, TURNS + 1):
        table.play(1)
        expect(page.locator("#live")).to_have_attribute("data-turn", str(turn))
        verdict(page, "unknown" if game == "roboxing" else "agrees")
    assert page.locator("#alarm").count() == 0


def test_a_whole_fight_agrees_once_its_robots_are_shown(site: Server, visit: Visit, begun: Begun) -> None:
    table = begun(site, "roboxing")
    table.play(4)
    table._ask("POST", f"/{table.key}/resign", {}, A)
    page = watch(visit, table, site.url)
    verdict(page, "agrees")
    assert page.evaluate("localStorage.length") >= 1


@pytest.mark.parametrize("lie", ["rule", "order", "turn"])
def test_a_lie_is_told_within_a_turn(
    tmp_path: Path, visit: Visit, watcher: Watcher, begun: Begun, lie: str
) -> None:
    with Dishonest(tmp_path, LIE=lie) as server:
        watcher.host = urlsplit(server.url).netloc
        table = begun(server, "pigs")
        page = watch(visit, table, server.url)
        for turn in range(TURNS):
            for seat in A, B:
                table.seal(seat, "TL H H H H", turn)
        says_so(page)
        page.context.close()  # before its site is gone


def test_a_seal_that_was_replaced_is_told(site: Server, visit: Visit, begun: Begun) -> None:
    table = begun(site, "pigs")
    page = watch(visit, table, site.url)
    table.seal(A, "TL H H H H", 0)
    expect(page.locator("#live[data-seals][data-referee=waiting]")).to_be_visible()
    manage("shell", "-c", REPLACED.format(key=table.key), env=site.env)
    table.seal(B, "TL H H H H", 0)
    says_so(page)


def test_another_winner_is_told(site: Server, visit: Visit, begun: Begun) -> None:
    table = begun(site, "pigs")
    table.play(1)
    table._ask("POST", f"/{table.key}/resign", {}, A)
    manage("shell", "-c", ANOTHER_WINNER.format(key=table.key), env=site.env)
    says_so(watch(visit, table, site.url))


def test_a_seat_that_reopens_is_no_lie(site: Server, visit: Visit, begun: Begun) -> None:
    table = begun(site, "pigs")
    page = watch(visit, table, site.url)
    table.seal(A, "TL H H H H", 0)
    expect(page.locator("#live[data-seals][data-referee=waiting]")).to_be_visible()
    table._ask("DELETE", f"/{table.key}/order?turn=0", None, A)
    table.seal(A, "TR H H H H", 0)
    table.seal(B, "TL H H H H", 0)
    verdict(page, "agrees")


def test_nothing_is_loaded_where_data_is_to_be_saved(site: Server, visit: Visit, begun: Begun) -> None:
    table = begun(site, "pigs")
    table.play(1)
    page: Page = visit("Zoe", **STILL).page
    page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request(lambda request: "/js/news" in request.url):  # when the referee would come
        page.goto(f"{site.url}/m/{table.key}/")
    page.wait_for_load_state("networkidle")
    verdict(page, "unknown")
    assert not [one for one in asked if "/referee/" in one or "/js/checked" in one or "/record/" in one]
    page.goto(finished_league(site))
    assert page.locator("#league").get_attribute("data-referee") is None


def finished_league(site: Server, *, is_closed: bool = False) -> str:
    """The address of a league of three: the first place has lost all matches, or all were closed unplayed."""
    with Site(site.url) as programs:
        given = {"name": "Spring", "game": "pigs", "organiser": "Ada", "deadline_hours": 24}
        made = programs.ask("POST", "leagues", given).json()
        tokens = {made["place"]: made["token"]}
        for name in ("Ben", "Cleo"):
            body = {"name": name, "invite": made["invite"]}
            joined = programs.ask("POST", f"leagues/{made['league']}/places", body).json()
            tokens[joined["place"]] = joined["token"]
        started = programs.ask("POST", f"leagues/{made['league']}/start", {}, made["organiser_token"])
        assert started.status_code == 200, started.text
        matches = programs.ask("GET", f"leagues/{made['league']}/matches").json()["matches"]
        if is_closed:
            manage("shell", "-c", CLOSED.format(key=made["league"]), env=site.env)
        for match in () if is_closed else matches:
            loser = min(match["seats"].values())
            answer = programs.ask("POST", f"matches/{match['match']}/resign", {}, tokens[loser])
            assert answer.status_code in (200, 204), answer.text
    return f"{site.url}/l/{made['league']}/"


def test_a_league_that_was_closed_unplayed_raises_no_alarm(site: Server, visit: Visit) -> None:
    page: Page = visit("Zoe", **STILL).page
    page.goto(finished_league(site, is_closed=True))
    expect(page.locator("#league")).to_have_attribute("data-referee", "agrees")
    assert page.locator("#alarm").count() == 0


def another_table(route: Route) -> None:
    """Serves the page with other points for the winner."""
    answer = route.fetch()
    lie = answer.text().replace('<td class="points">2</td>', '<td class="points">3</td>')
    assert lie != answer.text()
    route.fulfill(response=answer, body=lie)


def test_the_table_of_a_league_is_worked_out_again(site: Server, visit: Visit) -> None:
    address = finished_league(site)
    page: Page = visit("Zoe", **STILL).page
    page.goto(address)
    league = page.locator("#league")
    expect(league).to_have_attribute("data-referee", "agrees")
    page.locator(".league-menu > summary").click()
    expect(page.get_by_text("Recomputed on this device.")).to_be_visible()
    page.route(address, another_table)
    page.reload()
    expect(league).to_have_attribute("data-referee", "differs")
    expect(page.get_by_role("alert").filter(has_text="This device gets a different result")).to_be_visible()


def says_so(page: Page) -> None:
    alarm = page.get_by_role("alert").filter(has_text="This device disagrees with the site about turn")
    expect(alarm).to_be_visible()
    expect(alarm.get_by_role("link", name="Save the match file")).to_be_visible()
    verdict(page, "differs")


@pytest.mark.parametrize(
    ("changed", "verdict", "says"),
    [
        ({}, "agrees", "No cheating found in this file."),
        (
            {"result": {"scores": {"A": 0, "B": 1}, "reason": "resigned"}},
            "differs",
            "The result doesn’t follow from the turns.",
        ),
        ({"turns": [{"A": "a9"}]}, "refused", "in turn 1, Ada (A)"),
    ],
    ids=["honest", "another winner", "against the rules"],
)
def test_a_saved_page_checks_a_file_offline(
    browser: Browser, tmp_path: Path, changed: dict[str, Any], verdict: str, says: str
) -> None:
    result = {"scores": {"A": 1, "B": 0}, "reason": "resigned"}
    file = {
        "format": "robosite/1",
        "game": "robble",
        "rules": 1,
        "options": {},
        "setup": {},
        "seats": ["A", "B"],
    }
    file |= {
        "turns": [{"A": "c4"}, {"B": "resign"}],
        "names": {"A": "Ada", "B": "Ben"},
        "result": result,
    } | changed
    saved = tmp_path / "verify.html"
    saved.write_text(verify_page(), encoding="utf-8")
    page = browser.new_page(offline=True)
    page.goto(saved.as_uri())
    page.locator("#text").fill(json.dumps(file))
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

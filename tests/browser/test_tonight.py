"""The evening of a league on phones: players and a watcher see its films in step, or without JavaScript."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import STILL, scrolls_sideways
from tests.faults.programs import Site
from tests.servers import DATABASE, Server

pytestmark = pytest.mark.more

PHONE: Any = {"viewport": {"width": 390, "height": 664}, "has_touch": True, **STILL}
ORDERS = ("c3", "e5", "d4")
FILMS = 3


def evening(site: Server) -> str:
    """A league of three whose first turns have just been played, at the minute that has begun; its path.

    The clock plays them once their hour has come, and the database says that it has.
    """
    hour = datetime.now(UTC).replace(second=0, microsecond=0)
    terms = {"time": f"{hour:%H:%M}", "zone": "UTC", "days": list(range(7))}
    with Site(site.url) as programs:
        given = {"name": "Evening of friends", "game": "robble", "organiser": "Ada", "reveal_at": terms}
        made = programs.ask("POST", "leagues", given).json()
        tokens = {1: made["token"]}
        for name in ("Ben", "Cleo"):
            body = {"name": name, "invite": made["invite"]}
            taken = programs.ask("POST", f"leagues/{made['league']}/places", body).json()
            tokens[taken["place"]] = taken["token"]
        programs.ask("POST", f"leagues/{made['league']}/start", token=made["organiser_token"])
        matches = programs.ask("GET", f"leagues/{made['league']}/matches").json()["matches"]
        for one, order in zip(matches, ORDERS, strict=True):
            path = f"matches/{one['match']}"
            seen = programs.ask("GET", f"{path}?legal=1", token=tokens[one["seats"]["A"]]).json()
            at = seen["to_act"][0]
            body = {"turn": 0, "order": order}
            sealed = programs.ask("PUT", f"{path}/order", body, token=tokens[one["seats"][at]])
            assert sealed.status_code == 200, sealed.text
        with sqlite3.connect(site.data / DATABASE, timeout=60) as database:
            marks = ",".join("?" * FILMS)
            database.execute(
                f"UPDATE matches_match SET due = ?, deadline = ? WHERE key IN ({marks})",
                [f"{hour:%Y-%m-%d %H:%M:%S}"] * 2 + [one["match"] for one in matches],
            )
        database.close()
        end = time.monotonic() + 60
        while any(programs.ask("GET", f"matches/{one['match']}").json()["turn"] == 0 for one in matches):
            assert time.monotonic() < end, "the clock has not played the turns"
            time.sleep(0.2)
    return f"/l/{made['league']}/tonight/"


def shown(page: Page) -> tuple[str | None, str | None]:
    stage = page.locator("#stage")
    return stage.get_attribute("data-number"), stage.locator("[aria-current=step]").get_attribute("data-tick")


def test_an_evening_of_films_in_step(visit: Visit, site: Server) -> None:
    path = evening(site)
    pages = [visit(name, **PHONE).page for name in ("Ada", "Ben", "Zoe")]
    for page in pages:
        page.goto(path)
    given = pages[0].locator("[data-tonight]").get_attribute("data-begins")
    begins = datetime.fromtimestamp(float(given or 0), UTC)
    if datetime.now(UTC) < begins - timedelta(seconds=10):
        expect(pages[2].locator("[data-says]")).to_contain_text("The films begin in")
    together: set[str | None] = set()
    end = time.monotonic() + 180
    while len(together) < FILMS and time.monotonic() < end:
        seen = [shown(page) for page in pages]
        if len(set(seen)) == 1 and seen[0][1] != "0":
            together.add(seen[0][0])
        time.sleep(0.3)
    assert together == {"1", "2", "3"}, "each film was seen by all three at the same step"
    for page in pages:
        expect(page.locator("[data-says]")).to_have_text("That’s all for tonight.")


def test_an_evening_at_ones_own_pace(visit: Visit, site: Server, faults: Faults) -> None:
    """A latecomer begins at the beginning; without JavaScript links lead from film to film."""
    path = evening(site)
    late, plain = visit("Ada", **PHONE), visit("Ben", **PHONE, java_script_enabled=False)
    late.page.goto(f"{path}?film=2")
    expect(late.page.locator("#stage")).to_have_attribute("data-number", "2")
    expect(late.page.locator("[data-says]")).to_have_text("You’re watching at your own pace.")
    late.page.get_by_role("button", name="From the start").click()
    expect(late.page.locator("#stage")).to_have_attribute("data-number", "1")
    plain.page.goto(path)
    for number in ("1", "2", "3"):
        plain.page.locator(".evening-films a:not(.quiet)").nth(int(number) - 1).click()
        expect(plain.page.locator("#stage")).to_have_attribute("data-number", number)
        plain.page.get_by_role("link", name="Step forward").click()
        expect(plain.page.locator("[aria-current=step]")).to_have_attribute("data-tick", "1")
    for page in (late.page, plain.page):
        assert not scrolls_sideways(page)
    faults.look(late.page, "evening")

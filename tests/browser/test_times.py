"""Times on a page: in the reader’s zone, counted down, and right though the device’s clock is wrong."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone, translation
from playwright.sync_api import Browser, Route, expect

from robosite.people.zones import date_and_time, zone_named
from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, STILL, Person, Watcher, sit
from tests.receivers import until
from tests.screenshots.town import Table
from tests.servers import ROOT

HOURS = 3_600_000
WRONG = """
const Right = Date, wrong = () => Right.now() + %d;
globalThis.Date = class extends Right {
    constructor(...given) { given.length ? super(...given) : super(wrong()); }
    static now() { return wrong(); }
};
"""


def whose_clock_is_wrong(visit: Visit, name: str, hours: int, **settings: Any) -> Person:
    person = visit(name, **{**DESKTOP, **STILL, **settings})
    person.context.add_init_script(WRONG % (hours * HOURS))
    return person


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match with a day for each turn."""
    return seated("pigs", "times", deadline_hours=24)


@pytest.mark.parametrize("hours", [25, pytest.param(-25, marks=pytest.mark.more)])
def test_a_day_is_left_whatever_the_device_says_as_long_as_the_tab_lasts(
    visit: Visit, table: Table, watcher: Watcher, hours: int
) -> None:
    bob = sit(whose_clock_is_wrong(visit, "Ben", hours), table, "B")
    left = re.compile(r"\((24\sh|23\sh(\s\d+\smin)?)\sleft\)")
    expect(bob.page.locator("#status")).to_contain_text(left)
    bob.page.wait_for_timeout(4_000)  # the scripts have written it anew
    expect(bob.page.locator("#status")).to_contain_text(left)
    until(lambda: bob.page.evaluate("Boolean(sessionStorage.getItem('clock ahead'))"))
    watcher.allow("ERR_FAILED")
    bob.page.route("**/healthz", lambda route: route.abort())  # what was learnt holds for this tab
    bob.page.goto("/mine/")
    bob.page.wait_for_timeout(2_000)
    expect(bob.page.locator("time.left").first).to_contain_text(re.compile(r"2[34]\sh"))


def test_the_puzzle_of_the_day_is_the_sites(visit: Visit) -> None:
    ada = whose_clock_is_wrong(visit, "Ada", 25, timezone_id="UTC")
    ada.page.goto("/puzzles/")
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    ada.page.reload()
    ada.page.wait_for_timeout(3_000)
    pages = [url for url in asked if url.endswith("/puzzles/")]
    assert len(pages) == 1, "no other day, so the page is not asked for once more"


@pytest.mark.more
def test_a_deadline_is_in_the_devices_zone_and_counts_on(
    visit: Visit, table: Table, watcher: Watcher
) -> None:
    bob = visit("Ben", **DESKTOP, **STILL, timezone_id="Asia/Tokyo")
    bob.page.clock.install()
    sit(bob, table, "B")
    status = bob.page.locator("#status")
    expect(status).to_contain_text(
        re.compile(r"Deadline: \w{3} \d+ \w{3}, \d\d:\d\d (JST|GMT\+9) \(24\sh\sleft\)")
    )
    watcher.allow("^Ben: .*(WebSocket|ERR_INTERNET_DISCONNECTED)")
    bob.context.set_offline(True)  # else the next answer says that the site's clock has not moved
    for passes, left in (
        ("21:59:00", r"\(2\sh(\s1\smin)?\sleft\)"),
        ("01:30:00", r"\((29|30|31)\smin\sleft\)"),
        ("00:40:00", r"\(time is up\)"),
    ):
        bob.page.clock.fast_forward(passes)
        expect(status).to_contain_text(re.compile(left))


SCRIPTS = ROOT / "static" / "js"


def answer(route: Route, page: str) -> None:
    name = route.request.url.rpartition("/")[2]
    if name.endswith(".js"):
        route.fulfill(body=(SCRIPTS / name).read_text(), content_type="text/javascript")
    else:
        route.fulfill(body=page, content_type="text/html")


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_script_writes_each_month_as_the_site_does(browser: Browser, language: str) -> None:
    moments = [datetime(2026, month, 3 * month % 28 + 1, 9, 5, tzinfo=UTC) for month in range(1, 13)]
    times = "".join(f'<time data-time="" datetime="{moment.isoformat()}">?</time>' for moment in moments)
    head = f'<!doctype html><html lang="{language}"><script type="module" src="/times.js"></script>'
    context = browser.new_context(timezone_id="Asia/Tokyo")
    try:
        page = context.new_page()
        context.route("**/*", lambda route: answer(route, head + times))
        page.goto("https://robots.example/")
        page.wait_for_function("!document.body.textContent.includes('?')")
        shown = page.locator("time").all_text_contents()
    finally:
        context.close()
    with translation.override(language), timezone.override(zone_named("Asia/Tokyo")):
        assert shown == [date_and_time(moment).rpartition(" ")[0] for moment in moments]


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "secure"), [("https", True), ("http", False)])
def test_the_zones_cookie_is_secure_where_the_page_is(browser: Browser, scheme: str, secure: bool) -> None:
    context = browser.new_context(timezone_id="Europe/Madrid")
    try:
        head = '<script type="module" src="/site.js"></script>'
        context.route("**/*", lambda route: answer(route, head))
        page = context.new_page()
        page.goto(f"{scheme}://robots.example/")
        until(lambda: page.evaluate("document.cookie.includes('zone=')"))
        (cookie,) = context.cookies()
    finally:
        context.close()
    assert (cookie["name"], cookie["value"], cookie["secure"]) == ("zone", "Europe/Madrid", secure)

"""Staff at work in a browser, under the same strict policy as everybody: no page may complain."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import AXE, THEMES
from tests.browser.people import DESKTOP
from tests.servers import Server, manage

PASSWORD = "nine slow robots"


def log_in(page: Page, site: Server, name: str, to: str = "/admin/") -> None:
    """Makes somebody who may do everything, and lets them log in."""
    env = {**site.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    manage("createsuperuser", "--no-input", "--username", name, "--email", "", env=env)
    for password in ("wrong", PASSWORD):
        page.goto(f"/admin/login/?next={to}")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()
        refused = page.get_by_text("Please enter the correct username and password")
        expect(refused).to_be_visible(visible=password != PASSWORD)


def faults_of(page: Page, part: str) -> list[str]:
    page.evaluate(Axe().axe_script)
    found = page.evaluate("([part, options]) => axe.run(part, options)", [part, AXE])
    return [violation["id"] for violation in found["violations"]]


@pytest.mark.slow
def test_staff_logs_in_looks_acts_and_leaves(visit: Visit, site: Server) -> None:
    alice = visit("Alice")
    alice.make_match()
    key = re.search(r"/m/(\w+)/", alice.page.url).group(1)
    ann = visit("Ann", **DESKTOP)
    page = ann.page
    log_in(page, site, "ann")
    overview = page.get_by_role("table", name="The last 14 days")
    expect(overview.get_by_role("rowheader", name="Matches created")).to_be_visible()
    expect(overview.get_by_role("img", name="Orders sealed, day by day")).to_be_visible()
    page.get_by_text("Each day in numbers").click()
    expect(page.get_by_role("columnheader", name="Requests that failed")).to_be_visible()
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        assert not faults_of(page, "#overview")
    page.set_viewport_size({"width": 320, "height": 640})
    box = overview.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 320
    page.set_viewport_size(DESKTOP["viewport"])
    page.get_by_role("link", name="Matches", exact=True).last.click()
    page.locator("#searchbar").fill(key)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=key).click()
    expect(page.get_by_role("heading", name="View match")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("cell", name=f"match:{key}").first).to_be_visible()
    page.goto(f"/admin/matches/match/?q={key}")
    page.get_by_label("Select this object for an action").check()
    page.get_by_label("Action:").select_option("close")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("nobody wins")).to_be_visible()
    page.get_by_role("button", name="Yes: Close").click()
    expect(page.get_by_text("Closed: 1.")).to_be_visible()
    page.get_by_role("link", name="Change password").click()
    expect(page.get_by_label("Old password")).to_be_visible()
    page.goto("/admin/auth/user/")
    page.get_by_role("link", name="ann", exact=True).click()
    expect(page.get_by_role("heading", name="Change user")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("Logged out")).to_be_visible()
    said = manage("audit", "--count", "100", env=site.env)
    for entry in (
        "login-refused user:",
        "login user:",
        "list match",
        f"look match:{key}",
        f'asks match:{key} {{"action":"close"}}',
        f"close match:{key}",
        "look user:",
        "logout user:",
    ):
        assert entry in said, said
    assert "each as it was written" in manage("audit", "--verify", env=site.env)

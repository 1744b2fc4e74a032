"""Staff at work in a browser, under the same strict policy as everybody: no page may complain."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import AXE, SMALLEST, THEMES
from tests.browser.people import DESKTOP, scrolls_sideways
from tests.servers import Server, manage

PASSWORD = "nine slow robots"


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.goto("/admin/")
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def faults_of_the_overview(page: Page) -> list[str]:
    page.evaluate(Axe().axe_script)
    found = page.evaluate("options => axe.run('#overview', options)", AXE)
    return [violation["id"] for violation in found["violations"]]


@pytest.mark.slow
def test_staff_logs_in_looks_acts_and_leaves(visit: Visit, site: Server) -> None:
    env = {**site.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    manage("createsuperuser", "--no-input", "--username", "ann", "--email", "", env=env)
    alice = visit("Alice")
    alice.make_match()
    key = re.search(r"/m/(\w+)/", alice.page.url).group(1)
    ann = visit("Ann", **DESKTOP)
    page = ann.page
    log_in(page, "wrong")
    expect(page.get_by_text("Please enter the correct username and password")).to_be_visible()
    log_in(page)
    overview = page.get_by_role("table", name="The last 14 days")
    expect(overview.get_by_role("rowheader", name="Matches created")).to_be_visible()
    expect(overview.get_by_role("img", name="Orders sealed, day by day")).to_be_visible()
    page.get_by_text("Each day in numbers").click()
    expect(page.get_by_role("columnheader", name="Requests that failed")).to_be_visible()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert not faults_of_the_overview(page)
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
    said = manage("audit", "--count", "100", env=env)
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
    assert "each as it was written" in manage("audit", "--verify", env=env)


@pytest.mark.slow
def test_a_message_is_reported_its_author_muted_and_his_objection_heard(visit: Visit, site: Server) -> None:
    env = {**site.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    manage("createsuperuser", "--no-input", "--username", "mia", "--email", "", env=env)
    alice, bob = (visit(name, java_script_enabled=False) for name in ("Alice", "Bob"))
    bob.sit_down(alice.make_match())
    bob.page.locator("#bubble").click()
    bob.page.get_by_label("Your message").fill("You play like a toaster")
    bob.button("Send").click()

    alice.page.reload()
    alice.open_menu().get_by_role("link", name="Report").click()
    alice.page.get_by_role("radio", name="toaster").check()
    alice.page.get_by_role("radio", name="It insults").check()
    alice.button("Send report").click()
    expect(alice.page.get_by_role("status")).to_contain_text("is waiting for a moderator")

    mia = visit("Mia", **DESKTOP)
    mia.page.goto("/admin/login/?next=/admin/moderation/report/")
    mia.page.get_by_label("Username").fill("mia")
    mia.page.get_by_label("Password").fill(PASSWORD)
    mia.button("Log in").click()
    mia.page.get_by_role("row", name="toaster").get_by_role("link").first.click()
    for theme in THEMES:
        mia.page.emulate_media(color_scheme=theme)
        mia.page.reload()  # the admin's links change their colour slowly
        mia.page.evaluate(Axe().axe_script)
        found = mia.page.evaluate("options => axe.run('#content-main', options)", {**AXE, "preload": False})
        assert not found["violations"]
    mia.page.set_viewport_size({"width": SMALLEST[0], "height": SMALLEST[1]})
    assert not scrolls_sideways(mia.page)
    mia.page.get_by_label("And in your words").fill("Robots have feelings.")
    mia.page.get_by_role("button", name="Mute", exact=True).click()
    expect(mia.page.get_by_text("Done: a mute.")).to_be_visible()

    bob.page.reload()
    expect(bob.page.locator("#bar")).to_contain_text("Robots have feelings.")
    expect(bob.page.get_by_label("Your message")).to_have_count(0)
    bob.page.get_by_role("link", name="What you can do about it").first.click()
    bob.page.get_by_label("What did the moderators get wrong?").fill("I meant my own toaster")
    bob.button("Send objection").click()
    expect(bob.page.get_by_role("status")).to_contain_text("will look at the matter again")

    mia.page.goto("/admin/moderation/report/?what__exact=objection")
    mia.page.get_by_role("row", name="objection").get_by_role("link").first.click()
    expect(mia.page.get_by_text("I meant my own toaster")).to_be_visible()
    mia.button("Lift the measure").click()
    expect(mia.page.get_by_text("Lifted.")).to_be_visible()
    bob.page.goto(bob.page.url)
    expect(bob.page.get_by_text("It has been lifted.")).to_be_visible()

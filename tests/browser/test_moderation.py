"""A report and what comes of it, from the page to the desk and back; players have no JavaScript."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.looks import AXE, SMALLEST, THEMES
from tests.browser.people import DESKTOP, scrolls_sideways
from tests.servers import Server, manage

PASSWORD = "seven slow robots"


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

"""Notices in a browser: a push subscription, what comes of a push, and all of it without JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import PHONE

pytestmark = pytest.mark.more

NEEDS_NOTIFICATIONS = True

# A browser for tests has no push service, so the address that it would give is given here.
SUBSCRIBES = """
PushManager.prototype.subscribe = async function (options) {
  const key = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  const p256dh = key.replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
  const keys = { p256dh, auth: "AAAAAAAAAAAAAAAAAAAAAA" };
  return { endpoint: "https://push.example.org/some-browser", keys };
};
"""


def test_a_browser_gives_its_address_and_is_one_way_more(visit: Visit) -> None:
    alice = visit("Alice", **PHONE, permissions=["notifications"])
    alice.context.add_init_script(SUBSCRIBES)
    alice.make_match()
    page = alice.page
    page.goto("/notices/")
    page.get_by_role("button", name="Push to this browser").click()
    expect(page.get_by_role("heading", name="Push to Chrome")).to_be_visible()
    expect(page.get_by_role("button", name="Send a test")).to_be_visible()


def shown(page: Page) -> list[Any]:
    """Title, text and tag of the notifications that are to be seen."""
    return list(
        page.evaluate(
            """async () => (await (await navigator.serviceWorker.ready).getNotifications())
              .map((one) => [one.title, one.body, one.tag])"""
        )
    )


def test_the_worker_shows_a_push_and_replaces_it(visit: Visit) -> None:
    alice = visit("Alice", permissions=["notifications"])
    alice.context.add_init_script(SUBSCRIBES)
    alice.make_match()
    page = alice.page
    page.goto("/notices/")
    devtools = alice.context.new_cdp_session(page)
    registered: list[str] = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registered.extend(one["registrationId"] for one in told["registrations"]),
    )
    devtools.send("ServiceWorker.enable")
    page.get_by_role("button", name="Push to this browser").click()
    expect(page.get_by_role("heading", name="Push to Chrome")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    origin = page.url.partition("/notices")[0]

    def push(**told: str) -> None:
        given = {"origin": origin, "registrationId": registered[-1], "data": json.dumps(told)}
        devtools.send("ServiceWorker.deliverPushMessage", given)

    def comes(*expected: list[str]) -> None:
        for _ in range(100):
            if shown(page) == list(expected):
                return
            page.wait_for_timeout(100)
        assert shown(page) == list(expected)

    push(title="Your turn", body="Round 2.", url="/mine/", tag="abc")
    comes(["Your turn", "Round 2.", "abc"])
    push(title="Your turn", body="Round 3.", url="/mine/", tag="abc")
    comes(["Your turn", "Round 3.", "abc"])
    push(title="Nothing is waiting here any more", body="", url="/mine/", tag="abc", done="1")
    comes(["Nothing is waiting here any more", "", "abc"])
    push(title="Nothing is waiting here any more", body="", url="/mine/", tag="other", done="1")
    push(title="Your turn", body="", url="/mine/", tag="def")
    comes(["Nothing is waiting here any more", "", "abc"], ["Your turn", "", "def"])


def test_feeds_and_hours_are_chosen_without_javascript(visit: Visit) -> None:
    alice = visit("Alice", java_script_enabled=False)
    alice.make_match()
    page = alice.page
    page.goto("/notices/")
    page.get_by_role("button", name="A calendar of deadlines").click()
    link = page.get_by_label("Its secret link:").input_value()
    assert page.request.get(link).text().startswith("BEGIN:VCALENDAR")
    page.get_by_label("from").select_option("22")
    page.get_by_label("until").select_option("7")
    page.get_by_label("12 hours").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("until")).to_have_value("7")
    expect(page.get_by_label("12 hours")).to_be_checked()


def test_the_offer_after_sealing_can_be_declined(visit: Visit) -> None:
    alice, bob = visit("Alice", java_script_enabled=False), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    page = alice.page
    page.goto(page.url.partition("?")[0])
    alice.write("F F F F F")
    alice.seal()
    expect(page.get_by_text("Shall we tell you when it is your turn?")).to_be_visible()
    page.get_by_role("button", name="No, thank you").click()
    expect(page.get_by_role("heading", name="Sealed")).to_be_visible()
    expect(page.get_by_text("Shall we tell you when it is your turn?")).to_have_count(0)

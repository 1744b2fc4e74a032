"""Notices in a browser: a push subscription, what comes of a push, and all of it without JavaScript."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import PHONE, Person, Watcher, scrolls_sideways
from tests.receivers import until

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


def shown(page: Page) -> list[Any]:
    """Title, text and tag of the notifications that are to be seen."""
    return list(
        page.evaluate(
            """async () => (await (await navigator.serviceWorker.ready).getNotifications())
              .map((one) => [one.title, one.body, one.tag])"""
        )
    )


Push = Callable[[str], None]


def subscribed(alice: Person) -> Push:
    """Alice's browser takes pushes; what pushes to it, as its push service would."""
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
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("heading", name="Push to Chrome")).to_be_visible()
    expect(page.get_by_role("button", name="Send a test")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    origin = page.url.partition("/notices")[0]

    def push(data: str) -> None:
        given = {"origin": origin, "registrationId": registered[-1], "data": data}
        devtools.send("ServiceWorker.deliverPushMessage", given)

    return push


def comes(page: Page, *expected: list[str]) -> None:
    until(lambda: shown(page) == list(expected))


KEPT = """decodeURIComponent(document.cookie.match(/(?:^|; )push=([^;]*)/)?.[1] ?? "")"""
"""The subscription that a browser remembers as its own (kept.js), as JSON; "" if it has none."""


SOMETHING = ["Robosite", "Something has happened in your matches.", "robosite"]


PAYLOADS = {
    "": SOMETHING,
    "{": SOMETHING,
    "null": SOMETHING,
    "7": SOMETHING,
    '"text"': SOMETHING,
    "[1, 2]": SOMETHING,
    "{}": SOMETHING,
    '{"title": ""}': SOMETHING,
    '{"title": 7, "body": {}, "tag": null, "url": []}': SOMETHING,
    '{"title": "Your turn"}': ["Your turn", "", "robosite"],
    '{"title": "Your turn", "body": 7, "tag": ""}': ["Your turn", "", "robosite"],
    '{"title": "Nothing waits", "body": "", "tag": "x", "done": "1"}': ["Nothing waits", "", "x"],
    '{"title": "Your turn", "body": "B", "tag": "x", "url": "http://["}': ["Your turn", "B", "x"],
}
CLOSES = """async () => {
  for (const one of await (await navigator.serviceWorker.ready).getNotifications()) one.close();
}"""


def test_the_worker_shows_a_push_and_replaces_it_and_no_push_shows_nothing(visit: Visit) -> None:
    alice = visit("Alice", permissions=["notifications"])
    push, page = subscribed(alice), alice.page
    for data, expected in PAYLOADS.items():
        push(data)
        comes(page, expected)
        page.evaluate(CLOSES)
        comes(page)
    for n in (2, 3):
        push(json.dumps({"title": "Your turn", "body": f"Round {n}.", "url": "/mine/", "tag": "abc"}))
        comes(page, ["Your turn", f"Round {n}.", "abc"])
    push(json.dumps({"title": "Your turn", "body": "", "url": "/mine/", "tag": "def"}))
    comes(page, ["Your turn", "Round 3.", "abc"], ["Your turn", "", "def"])
    page.goto("/mine/")  # where both lead
    comes(page)


def test_a_browser_that_lost_its_subscription_renews_it_at_the_next_page(visit: Visit) -> None:
    """Its browser has dropped it, or its push service says that it is gone: no tap is needed."""
    alice = visit("Alice", permissions=["notifications"])
    subscribed(alice)
    page = alice.page
    told: list[str] = []
    alice.context.on(
        "request", lambda one: told.append(one.post_data or "") if one.method == "POST" else None
    )
    alice.context.add_init_script(SUBSCRIBES.replace("some-browser", "another"))
    with page.expect_response("**/notices/add/"):
        page.goto("/mine/")
    until(lambda: "another" in page.evaluate(KEPT))
    assert "was=https%3A%2F%2Fpush.example.org%2Fsome-browser" in told[0]
    page.goto("/notices/")
    expect(page.get_by_role("heading", name="Push to Chrome")).to_have_count(1)


HAS_ONE = f"""
PushManager.prototype.getSubscription = async () => {{
  const {{ endpoint, key }} = JSON.parse({KEPT} || localStorage.getItem("push"));
  const keys = {{ p256dh: key, auth: "AAAAAAAAAAAAAAAAAAAAAA" }};
  return {{ endpoint, keys, options: {{}}, unsubscribe: async () => true }};
}};
"""


def test_a_browser_from_before_tells_once_which_subscription_is_its_own(visit: Visit) -> None:
    """So that the site sends nothing more to it once its guest has left it."""
    alice = visit("Alice", permissions=["notifications"])
    subscribed(alice)
    page = alice.page
    alice.context.add_init_script(HAS_ONE)
    page.goto("/mine/")
    page.wait_for_load_state("networkidle")
    page.evaluate(
        f"""() => {{
          const {{ endpoint, key }} = JSON.parse({KEPT});
          document.cookie = "push=;path=/;max-age=0";
          localStorage.setItem("push", JSON.stringify({{ endpoint, key }}));
        }}"""
    )
    with page.expect_request("**/notices/add/") as asked:
        page.goto("/mine/")
    assert "was=https%3A%2F%2Fpush.example.org%2Fsome-browser" in str(asked.value.post_data)
    until(lambda: "bound" in page.evaluate(KEPT))


def test_whoever_leaves_takes_pushes_along(visit: Visit) -> None:
    """The browser ends its subscription, and closes what it shows; nothing of it is there for the next."""
    alice = visit("Alice", permissions=["notifications"])
    push, page = subscribed(alice), alice.page
    push(json.dumps({"title": "Your turn", "body": "with Ben", "tag": "one"}))
    comes(page, ["Your turn", "with Ben", "one"])
    left: list[str] = []
    alice.context.expose_function("left", lambda endpoint: left.append(endpoint))
    ends = HAS_ONE.replace("unsubscribe: async () => true", "unsubscribe: () => left(endpoint)")
    alice.context.add_init_script(ends)
    page.goto("/me/?settings=1")
    until(lambda: page.evaluate("Boolean(document.querySelector('form[data-leaves]'))"))
    page.wait_for_load_state("networkidle")
    alice.unfold("Your data")
    alice.unfold("Sign out here")
    alice.press(alice.button("Sign out"))
    page.wait_for_url(re.compile(r":\d+/$"))
    until(lambda: left == ["https://push.example.org/some-browser"])
    assert page.evaluate(KEPT) == ""
    assert page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0


CHANGED = """async (given) => {
  const keys = { p256dh: given.key, auth: "AAAAAAAAAAAAAAAAAAAAAA" };
  const asked = [];
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    asked.push(userVisibleOnly, new Uint8Array(applicationServerKey).length);
    return { endpoint: "https://push.example.org/asked-for", keys };
  };
  const event = new Event("pushsubscriptionchange");
  const options = { userVisibleOnly: true, applicationServerKey: new Uint8Array(65).buffer };
  event.oldSubscription = given.was && { endpoint: given.was, options };
  event.newSubscription = given.becomes && { endpoint: given.becomes, keys };
  let done = null;
  event.waitUntil = (promise) => (done = promise); // that of an event made here refuses
  self.dispatchEvent(event);
  await done;
  return asked;
}"""
KNOWS = """async ([endpoint, key]) => {
  const subscription = { endpoint, keys: { p256dh: key, auth: "AAAAAAAAAAAAAAAAAAAAAA" } };
  const form = await (await fetch("/notices/")).text(); // a form is sent once
  const token = form.match(/name="csrfmiddlewaretoken" value="(\\w+)"/)[1];
  const given = { kind: "push", csrfmiddlewaretoken: token, was: endpoint };
  const body = new URLSearchParams({ ...given, subscription: JSON.stringify(subscription) });
  const { type } = await fetch("/notices/add/", { method: "POST", body, redirect: "manual" });
  return type === "opaqueredirect";
}"""
"""The answer for a push address: 404 unless it is this browser's."""
OLD, NEW = "https://push.example.org/some-browser", "https://push.example.org/another"
ASKED_FOR = "https://push.example.org/asked-for"


def test_a_subscription_that_the_browser_changes_is_told_by_the_worker(
    visit: Visit, watcher: Watcher
) -> None:
    """With no page open that sees to it: the worker asks for a new one if the browser gives it none.

    If the old one is not named, whose it was cannot be told, and only the next page renews it (push.js).
    """
    alice = visit("Alice", permissions=["notifications"])
    subscribed(alice)
    page, (worker, *_) = alice.page, alice.context.service_workers
    key = page.locator("[data-push]").first.get_attribute("data-push")
    watcher.allow("404")  # the page may tell the old one, which its browser has no more, after the worker has
    assert worker.evaluate(CHANGED, {"was": None, "becomes": NEW, "key": key}) == []
    assert page.evaluate(KNOWS, [OLD, key])
    assert worker.evaluate(CHANGED, {"was": OLD, "becomes": NEW, "key": key}) == []
    assert [page.evaluate(KNOWS, [one, key]) for one in (NEW, OLD)] == [True, False]
    assert worker.evaluate(CHANGED, {"was": NEW, "becomes": None, "key": key}) == [True, 65]
    assert [page.evaluate(KNOWS, [one, key]) for one in (ASKED_FOR, NEW)] == [True, False]
    page.goto("/notices/")
    expect(page.get_by_role("heading", name="Push to Chrome")).to_have_count(1)


def test_what_the_site_says_is_gone_is_renewed_by_itself_or_by_one_tap(
    visit: Visit, watcher: Watcher
) -> None:
    """Its push service has said 410: the page has a line about it, and the browser subscribes anew."""
    watcher.allow("ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS")  # a page that a route fulfils has no address
    alice = visit("Alice", permissions=["notifications"])
    subscribed(alice)
    page = alice.page
    number = page.url.partition("#")[2]
    key = page.locator("form[data-push]").get_attribute("data-push")
    gone = hashlib.sha256(b"https://push.example.org/some-browser").hexdigest()
    button = f'<button data-push-renew="{number}" data-push="{key}" hidden>Enable push again</button>'

    def says_so(route: Route) -> None:
        answer = route.fetch()
        line = f'<p class="lost-channel" data-push-gone="{gone}">Gone. {button}</p>'
        route.fulfill(response=answer, body=answer.text().replace("<h1>", f"{line}<h1>"))

    page.route("**/mine/", says_so)
    alice.context.add_init_script(SUBSCRIBES.replace("some-browser", "another"))
    with page.expect_request("**/notices/add/") as asked:
        page.goto("/mine/")
    assert "was=https%3A%2F%2Fpush.example.org%2Fsome-browser" in str(asked.value.post_data)
    expect(page.locator(".lost-channel")).to_have_count(0)
    until(lambda: "another" in page.evaluate(KEPT))
    alice.context.add_init_script(SUBSCRIBES.replace("some-browser", "a-third") + HAS_ONE)
    page.goto("/mine/")  # the site goes on: it is not believed twice, and the button is there
    with page.expect_request("**/notices/add/") as asked:
        page.get_by_role("button", name="Enable push again").click()
    assert f"renews={number}" in str(asked.value.post_data)
    page.wait_for_event("load")
    assert "a-third" in page.evaluate(KEPT)
    page.goto("/notices/")
    expect(page.get_by_role("heading", name="Push to Chrome")).to_have_count(1)


IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.1 Mobile/15E148 Safari/604.1"
)
NO_PUSH = "delete window.PushManager;"
INSTALLED = "Object.defineProperty(navigator, 'standalone', { value: true });"
DENIED = "Object.defineProperty(Notification, 'permission', { value: 'denied' });"
STEPS = {
    "install": (IPHONE, NO_PUSH, "Choose “Add to Home Screen”"),
    "old": (IPHONE, NO_PUSH + INSTALLED, "Push notifications need iOS 16.4 or newer."),
    "ready": (IPHONE, INSTALLED, ""),
    "denied-app": (IPHONE, INSTALLED + DENIED, "choose Notifications and then Robosite"),
    "denied": ("", DENIED, "Allow notifications for this site in its settings"),
    "no": ("", NO_PUSH, "This browser can’t receive push notifications here."),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_way_to_pushes_is_right_at_every_step(visit: Visit, step: str) -> None:
    """From a tab of an iPhone to the home screen, and from there to the button, or to the settings."""
    agent, script, says = STEPS[step]
    alice = visit("Alice", **PHONE, **({"user_agent": agent} if agent else {}))
    alice.context.add_init_script(script)
    alice.make_match()
    page = alice.page
    page.goto("/notices/")
    form = page.locator("form[data-push]")
    button = form.get_by_role("button", name="Notify me")
    expect(button).to_have_count(0 if NO_PUSH in script else 1)
    expect(page.locator("main").get_by_role("button")).to_have_count(button.count())  # all others are folded
    seen = form.locator("[data-push-hint]:visible")
    expect(seen).to_have_count(1 if says else 0)
    if says:
        expect(seen).to_contain_text(says)
    assert not scrolls_sideways(page)

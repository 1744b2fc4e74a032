"""A browser that was asked to keeps the boards last seen, and sends what was written on a bad line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seated, Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, STILL, A, B, Person, sit
from tests.proxy import Fault, Proxy
from tests.receivers import until
from tests.screenshots.town import Table
from tests.servers import Server

KEPT = """async () => {
    const found = [];
    for (const name of await caches.keys()) {
        if (!name.startsWith("boards-") && name !== "drafts") continue;
        for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
    }
    return found.sort();
}"""
FILES = """async () => {
    const all = performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname);
    const files = all.filter((one) => one.startsWith("/static/"));
    const isThere = (script) => files.some((one) => one.includes(`/js/${script}.`));
    const kept = await Promise.all(files.map((one) => caches.match(one)));
    return ["at_once", "row"].every(isThere) && kept.every(Boolean);
}"""
"""Tells whether the page has the scripts that come after it, and all that it has is kept."""

STORED = """async () => [
    (await navigator.serviceWorker.getRegistrations()).length,
    localStorage.getItem("mine"),
    sessionStorage.getItem("mine"),
]"""

AWAY = "The site isn’t answering. This is the board as this browser last saw it, on"
PORTALS = (Fault.PORTAL, Fault.ELSEWHERE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The site as people get it, whose files have names by which they are kept for good."""
    with Server(tmp_path_factory.mktemp("bad-line"), DEBUG="0", LIMITS="on") as running:
        yield running


def waits_until(person: Person, script: str) -> None:
    """Until a script says true: the pages' policy lets no browser evaluate one again and again by itself."""
    until(lambda: person.page.evaluate(script))


def ask_for_it(person: Person) -> None:
    person.page.goto("/me/?settings=1")
    person.press(person.page.get_by_label("Offline boards"))
    waits_until(person, "() => Boolean(navigator.serviceWorker.controller)")


def kept(person: Person) -> list[str]:
    return [str(path) for path in person.page.evaluate(KEPT) if path != "/owner"]


def keeps(person: Person, home: str) -> None:
    person.page.goto(home)
    path = "/m/" + home.partition("/m/")[2]
    waits_until(person, f"async () => (await ({KEPT})()).includes({path!r})")
    waits_until(person, FILES)


@pytest.fixture
def ada(visit: Visit, line: Proxy, table: Table) -> Person:
    """At her seat, with the board kept in her browser, where one of an older version was."""
    ada = visit("Ada", base_url=line.url, **PHONE, **STILL)
    home = sit(ada, table).address
    ada.page.evaluate("caches.open('boards-of-an-older-version')")
    ask_for_it(ada)
    keeps(ada, home)
    return ada


@pytest.mark.more
def test_boards_are_bounded_and_what_is_too_late_is_said_and_not_sealed(ada: Person, table: Table) -> None:
    home = ada.address
    names = [name for name in ada.page.evaluate("caches.keys()") if name.startswith("boards-")]
    assert len(names) == 1 and "older" not in names[0]
    fill = """async (name) => {
        const cache = await caches.open(name);
        for (let n = 0; n < 20; n += 1) await cache.put(`/m/${n}/A/`, new Response(""));
    }"""
    ada.page.evaluate(fill, names[0])
    keeps(ada, home)
    until(lambda: len([path for path in kept(ada) if path.startswith("/m/")]) == 12)
    ada.context.set_offline(True)
    ada.page.goto(home)
    ada.enter_as_text(kept=True)
    ada.page.get_by_label("Your program as text").fill("F F H H H")
    ada.press(ada.button("Apply"))
    expect(ada.page.locator("#offline")).to_contain_text("Saved on this device")
    for seat in (A, B):
        table.seal(seat, "H H H H H", 0)
    ada.page.goto(home)
    ada.context.set_offline(False)
    expect(ada.page.locator("#offline")).to_contain_text("couldn’t be saved as your draft")
    expect(ada.page.locator("#offline")).to_contain_text("F F H H H")


@pytest.mark.more
@pytest.mark.parametrize("way", ["leave", "forget"])
def test_leaving_and_forgetting_erase_everything(ada: Person, way: str) -> None:
    ada.page.goto("/me/?settings=1")
    ada.page.evaluate("() => { localStorage.setItem('mine', 'x'); sessionStorage.setItem('mine', 'x'); }")
    ada.unfold("Your data")
    if way == "leave":
        ada.unfold("Sign out here")
        ada.press(ada.button("Sign out"))
    else:
        ada.press(ada.page.get_by_role("link", name="Delete my data"))
        ada.page.locator("input[name=sure]").check() if ada.page.locator("input[name=sure]").count() else None
        ada.press(ada.page.locator("main form button").last)
    ada.page.wait_for_url(re.compile(r":\d+/$"))
    assert kept(ada) == []
    assert {one["name"] for one in ada.context.cookies()} <= {"csrftoken", "styles", "zone"}
    assert ada.page.evaluate(STORED) == [0, None, None]


@pytest.mark.more
def test_who_was_signed_out_elsewhere_keeps_nothing_and_another_guest_has_not_asked(
    ada: Person, table: Table
) -> None:
    ada.context.clear_cookies(name="sessionid")
    ada.page.goto("/mine/")
    waits_until(ada, f"async () => !(await ({KEPT})()).length")
    ada.context.clear_cookies(name="csrftoken")  # by this, a browser gets its new guest back for a minute
    sit(ada, table, B)  # somebody else now, with the old guest's wish
    ada.page.wait_for_timeout(2500)
    assert kept(ada) == []
    ada.page.goto("/me/?settings=1")
    expect(ada.page.get_by_label("Offline boards")).not_to_be_checked()


@pytest.mark.more
def test_a_shared_device_keeps_no_board_and_a_switch_turns_it_off(ada: Person, table: Table) -> None:
    ada.page.goto(f"/s/seat/{table.tokens[B]}/")
    ada.press(ada.button("Continue as"))
    expect(ada.page.get_by_role("heading", name="Pass the device to Ben")).to_be_visible()
    waits_until(ada, f"async () => (await ({KEPT})()).join() === '/owner'")
    ada.page.goto("/me/?settings=1")
    ada.press(ada.page.get_by_label("Offline boards"))
    waits_until(ada, "async () => !(await caches.keys()).length")


@pytest.mark.more
def test_nothing_is_kept_for_who_has_not_asked(visit: Visit, table: Table) -> None:
    person = visit("Ada", **DESKTOP)
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    person.page.goto(sit(person, table).address)
    person.page.wait_for_load_state("networkidle")
    assert person.page.evaluate("caches.keys()") == []
    assert not [url for url in asked if "offline" in url or "sw.js" in url]


def test_the_kept_board_takes_taps_and_text_offline_and_sends_them_as_a_draft(
    ada: Person, faults: Faults
) -> None:
    home, says = ada.address, ada.page.locator("#offline")
    ada.context.set_offline(True)
    ada.page.goto(f"{home}?at=1")
    expect(says).to_contain_text("You’re offline. This is the board as this browser last saw it, on")
    expect(ada.page.locator("#film .board")).to_be_visible()
    ada.page.goto(home)
    expect(says).to_contain_text("Keep planning.")
    for sign in ("F", "^"):
        ada.press(ada.key(sign))
    expect(ada.slots.nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")
    expect(ada.page.locator("#says > :last-child")).to_have_text("Slot 2: forward. Take it out.")
    ada.press(ada.slots.first)
    expect(ada.slots.first).to_have_accessible_name("Slot 1: free. Fill it next.")
    ada.press(ada.key("H"))
    expect(ada.slots.first).to_have_accessible_name("Slot 1: punch. Take it out.")
    expect(says).to_contain_text("Nothing is sealed until you seal it.")
    assert ada.page.locator("#ghosts > *, .plan-words li").count() == 0
    faults.look_on_phone(ada.page, "planned offline")
    ada.seal_button.tap(force=True)  # what cannot be used says why
    expect(ada.page.get_by_role("alert")).to_contain_text("You can seal once you’re online.")
    ada.page.goto(home)  # it has been kept
    expect(says).to_contain_text("H ^ _ . .")
    expect(ada.slots.nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")
    ada.context.set_offline(False)
    expect(says).to_have_text(re.compile(r"Sent on .+ as your draft: H \^ _ \. \.\. It isn’t sealed yet\."))
    expect(ada.page.locator(".plan-words li")).to_have_count(2)

    ada.context.set_offline(True)
    ada.page.goto(home)
    ada.enter_as_text(kept=True)
    ada.page.get_by_label("Your program as text").fill("F F H H H")
    ada.press(ada.button("Apply"))
    expect(says).to_contain_text("F F H H H. It’s sent as a draft once you’re online. Nothing is sealed")
    ada.page.goto("/mine/")
    expect(ada.page.get_by_role("heading", name="You’re offline")).to_be_visible()
    ada.press(ada.page.get_by_role("link", name="Robo Battle Pigs").first)
    expect(says).to_contain_text("Saved on this device on")
    ada.context.set_offline(False)
    expect(says).to_have_text(re.compile(r"Sent on .+ as your draft: F F H H H\. It isn’t sealed yet\."))
    expect(ada.slots.first).to_have_accessible_name("Slot 1: fire. Take it out.")
    expect(ada.seal_button).to_be_enabled()
    assert not [path for path in kept(ada) if path.startswith("/draft/")]


@pytest.mark.more
@pytest.mark.parametrize("slug", ["robosoccer", "robble", "roboxing"])
def test_a_game_whose_taps_need_a_network_says_so_and_takes_text(
    ada: Person, seated: Seated, slug: str
) -> None:
    table = seated(slug, "offline")
    home = sit(ada, table).address
    keeps(ada, home)
    ada.context.set_offline(True)
    ada.page.goto(home)
    says = ada.page.locator("#offline")
    expect(says).to_contain_text(
        "In this game tapping needs a connection, but you can enter your plan as text here."
    )
    expect(ada.page.locator("[name=typed]")).to_be_visible()
    order = table.state.view(A).sample(A, table.rng)
    ada.page.locator("[name=typed]").fill(order)
    ada.press(ada.button("Apply"))
    expect(says).to_contain_text(order)
    ada.context.set_offline(False)
    expect(says).to_contain_text(re.compile(r"Sent on .+ as your draft"))


def comes_home(ada: Person, home: str) -> None:
    """The kept board is shown, and says so, though nothing of the present one has come."""
    ada.page.goto(home, wait_until="commit")
    expect(ada.page.locator("#offline")).to_contain_text(AWAY)
    expect(ada.page.locator("#film .board")).to_be_visible()


@pytest.mark.parametrize(
    "fault",
    [Fault.HANGS, *(pytest.param(one, marks=pytest.mark.more) for one in (Fault.STALLS, Fault.BAD_GATEWAY))],
)
def test_the_kept_board_is_there_and_gives_way_to_the_present_one(
    ada: Person, table: Table, line: Proxy, fault: Fault
) -> None:
    line.becomes(fault)
    comes_home(ada, ada.address)
    ada.enter_as_text(kept=True)
    field = ada.page.get_by_label("Your program as text")
    field.press_sequentially("F F")
    table.seal(B, "H H H H H", 0)
    line.becomes(None)
    expect(ada.page.locator("#offline")).to_contain_text("The site is back.", timeout=60_000)
    expect(ada.at_table("Ben")).to_contain_text("sealed")
    expect(field).to_have_value("F F")
    until(lambda: is_present(ada))
    expect(ada.page.locator("#offline")).to_have_count(0)
    expect(ada.at_table("Ben")).to_contain_text("sealed")


def is_present(ada: Person) -> bool:
    """Loads the page, and tells whether it came from the site: in time, as the worker sees it."""
    ada.page.reload()
    return not ada.page.locator("html[data-kept]").count()


@pytest.mark.more
def test_what_comes_late_takes_the_place_of_the_kept_board(ada: Person, table: Table, line: Proxy) -> None:
    table.seal(B, "H H H H H", 0)
    line.becomes(None, delay=3)  # each way: less than a page waits, more than the worker
    comes_home(ada, ada.address)
    expect(ada.at_table("Ben")).to_contain_text("planning")
    expect(ada.at_table("Ben")).to_contain_text("sealed", timeout=60_000)
    expect(ada.page.locator("#offline")).to_contain_text("The site is back.")


@pytest.mark.more
@pytest.mark.parametrize("fault", PORTALS)
def test_a_network_that_asks_to_sign_in_is_not_kept_in_the_boards_place(
    ada: Person, line: Proxy, fault: Fault
) -> None:
    line.becomes(fault)
    home, before = ada.address, kept(ada)
    for path in (home, "/mine/"):
        ada.page.goto(path)
        expect(ada.page.get_by_role("heading", name="Please sign in")).to_be_visible()
    line.becomes(None)
    ada.context.set_offline(True)
    ada.page.goto(home)
    assert kept(ada) == before
    expect(ada.page.locator("#offline")).to_contain_text("You’re offline.")
    expect(ada.page.locator("#film .board")).to_be_visible()
    look = "getComputedStyle(document.querySelector('.bar')).display"
    assert ada.page.evaluate(look) == "flex", "its style sheets are the site's"


@pytest.mark.more
def test_a_draft_is_not_taken_for_sent_where_the_network_answers(ada: Person, line: Proxy) -> None:
    line.becomes(Fault.HANGS)
    comes_home(ada, ada.address)
    ada.press(ada.key("F"))
    expect(ada.page.locator("#offline")).to_contain_text("Nothing is sealed until you seal it.")
    for fault in PORTALS:
        line.becomes(fault)
        ada.page.wait_for_timeout(8000)
        assert [path for path in kept(ada) if path.startswith("/draft/")]
    line.becomes(None)
    expect(ada.page.locator("#offline")).to_contain_text("as your draft: F", timeout=60_000)
    expect(ada.slots.first).to_have_accessible_name("Slot 1: fire. Take it out.")

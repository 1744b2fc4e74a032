"""My games, the number in the header and who is here, as they change by themselves on an open page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL, Person
from tests.browser.test_two_devices import table

pytestmark = pytest.mark.more


def entries(page: Page) -> Locator:
    return page.locator(".games.mine > li")


def header_count(page: Page) -> Locator:
    return page.locator(".waiting .count")


def tab_of(person: Person, address: str) -> Page:
    """A further tab, whose socket is open."""
    page = person.context.new_page()
    with page.expect_websocket() as socket:
        page.goto(address)
    assert socket.value.url.endswith("/ws/mine/")
    return page


def test_moves_and_messages_and_invitations_appear_by_themselves(visit: Visit) -> None:
    laptop, _, bob = table(visit)
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    mine = tab_of(laptop, "/mine/")
    expect(mine.locator("#mine h2")).to_have_text(["Waiting"])
    expect(header_count(mine)).to_be_hidden()
    expect(mine).to_have_title("My games · Robosite")
    rules = tab_of(laptop, "/rules/pigs/")

    bob.seal(ROUNDS[0][1])
    expect(entries(mine)).to_contain_text("your turn")
    expect(mine.locator("#mine h2")).to_have_text(["Your turn"])
    expect(mine.get_by_role("link", name="Next · 1")).to_be_visible()
    for page, title in ((mine, r"^\(1\) My games"), (rules, r"^\(1\) ")):
        expect(header_count(page)).to_contain_text("1")
        expect(page).to_have_title(re.compile(title))

    entries(mine).get_by_role("link").focus()
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Chat"))
    bob.page.get_by_label("Your message").fill("Good evening")
    bob.press(bob.button("Send"))
    expect(entries(mine)).to_contain_text("new message")
    expect(entries(mine).get_by_role("link")).to_be_focused()

    # An open page of the match marks it too, wherever it is scrolled.
    bubble = laptop.page.locator("#bubble")
    expect(bubble).to_contain_text("1")
    laptop.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(bubble).to_be_in_viewport()
    laptop.press(bubble)
    expect(laptop.page.locator("#said")).to_contain_text("Good evening")
    expect(entries(mine)).not_to_contain_text("new message")

    # A rematch, and another match in which somebody else waits.
    bob.page.goto(bob.page.url.rpartition("talk/")[0])
    other = visit("Carla", **DESKTOP, **STILL)
    laptop.sit_down(other.make_match())
    expect(entries(mine)).to_have_count(2)
    expect(header_count(mine)).to_contain_text("2")
    expect(header_count(rules)).to_contain_text("2")


def test_an_invitation_comes_to_the_top_and_is_taken_in_one_tap(visit: Visit) -> None:
    laptop, _, bob = table(visit)
    match = bob.address
    bob.open_menu()
    bob.press(bob.page.locator("summary", has_text="Resign").last)
    bob.press(bob.button("Yes, I resign"))
    bob.page.goto(match)
    mine = tab_of(bob, "/mine/")
    expect(mine.locator("#mine h2")).to_have_text(["Finished"])
    laptop.page.goto(laptop.address)
    laptop.press(laptop.button("Rematch"))
    expect(mine.locator("#mine h2")).to_have_text(["Your turn"])
    expect(entries(mine)).to_contain_text("Rematch: Robo Battle Pigs")
    mine.get_by_role("button", name="Join").click()
    expect(mine).not_to_have_url(match)
    expect(mine.locator("#planner")).to_be_visible()


def test_a_link_to_give_away_is_seen_whole(visit: Visit) -> None:
    alice = visit("Alice", **(PHONE | {"viewport": {"width": 320, "height": 664}}), **STILL)
    alice.make_match()
    link = alice.page.get_by_label("Message to send")
    assert link.evaluate("one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth")


def test_the_number_on_a_matchs_page_counts_the_other_matches_too(visit: Visit) -> None:
    laptop, phone, _ = table(visit)
    phone.page.close()  # its copy of the session ends as soon as the laptop takes another seat by its link
    carla = visit("Carla", **DESKTOP, **STILL)
    first = laptop.page.url
    laptop.sit_down(carla.make_match())
    laptop.page.goto(first)
    expect(header_count(laptop.page)).to_contain_text("2")
    second = laptop.another_tab()
    second.page.goto(carla.address.replace("/A/", "/B/"))
    second.seal(ROUNDS[0][1])
    expect(header_count(laptop.page)).to_contain_text("1")


def test_a_page_that_was_asleep_asks_once(visit: Visit) -> None:
    laptop, _, _ = table(visit)
    laptop.seal(ROUNDS[0][0])
    laptop.has_sealed()
    mine = laptop.context.new_page()
    mine.clock.install()
    with mine.expect_websocket():
        mine.goto("/mine/")
    with mine.expect_response(re.compile("/mine/waiting/")):
        mine.clock.run_for(2000)
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/mine/" in request.url:
            asked.append(request.url)

    mine.on("request", note)
    mine.clock.fast_forward(600_000)  # and no word from the socket
    with mine.expect_websocket():
        mine.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    with mine.expect_response(re.compile("/mine/waiting/")):
        mine.clock.run_for(2000)
    mine.clock.run_for(10_000)
    assert len(asked) == 1, asked


def test_without_javascript_the_list_is_what_it_was_when_it_was_asked_for(visit: Visit) -> None:
    alice, bob = visit("Alice", java_script_enabled=False, **PHONE), visit("Bob", **DESKTOP)
    alice.sit_down(bob.make_match())
    alice.page.goto("/mine/")
    expect(entries(alice.page)).to_contain_text("your turn")


def test_a_friend_comes_and_goes_without_a_word_of_it_in_the_page_itself(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE, **STILL), visit("Bob", **DESKTOP, **STILL)
    invite = alice.make_match()
    badge = alice.page.locator("#players .here")
    bob.sit_down(invite)
    match = bob.page.url
    expect(badge).to_have_text("here now")
    expect(badge).to_be_visible()
    expect(alice.page.locator(".bar .here")).to_be_visible()
    bob.page.goto("about:blank")
    expect(badge).to_be_hidden()
    bob.page.goto(match)
    expect(badge).to_be_visible()
    expect(bob.page.locator(".bar .here")).to_have_text("Alice is here")
    alice.seal("F F F F F")  # an update draws the table anew
    alice.has_sealed()
    expect(bob.page.locator("#players .is-sealed")).to_be_visible()
    expect(badge).to_be_visible()
    expect(bob.page.locator(".bar .here")).to_be_visible()
    bob.page.goto(bob.page.url.partition("/m/")[0] + "/me/?settings=1")
    with bob.page.expect_navigation():
        bob.page.get_by_role("checkbox", name="Show when I’m online").uncheck()
    expect(bob.page.locator("main .notice").first).to_contain_text("Others no longer see")
    bob.page.goto(match)
    expect(bob.page.locator(".bar .here")).to_be_visible()
    alice.page.wait_for_timeout(2000)
    expect(badge).to_be_hidden()


def test_without_scripts_nothing_is_said_of_it(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False, **DESKTOP)
    bob.sit_down(alice.make_match())
    expect(bob.page.locator(".here").first).to_be_hidden()

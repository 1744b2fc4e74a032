"""Two tabs, two browsers, quick fingers and bad lines: nothing is lost, each page comes right by itself."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, Person, Watcher

pytestmark = pytest.mark.more


def table(visit: Visit) -> tuple[Person, Person, str]:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    invite = alice.make_match()
    bob.sit_down(invite)
    expect(alice.at_table("Bob")).to_contain_text("planning")
    return alice, bob, invite


def signs(person: Person) -> list[str]:
    return [slot.get_attribute("data-sign") or "" for slot in person.slots.all()]


def test_two_tabs_of_one_seat_show_the_same_draft_and_the_last_tap_wins(visit: Visit) -> None:
    alice, _, _ = table(visit)
    other = alice.another_tab()
    alice.press(alice.key("F"))
    expect(other.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    other.press(other.key("H"))
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: punch. Take it out.")
    other.press(other.slots.nth(0))
    other.press(other.key("v"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: back. Take it out.")
    alice.choose("^ ^ ^")
    expect(other.seal_button).to_be_enabled()
    other.seal()
    alice.has_sealed("v H ^ ^ ^")


def test_the_count_beside_my_games_follows_what_is_played(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    count = alice.page.locator(".bar .waiting")
    expect(count).to_have_text("1 waiting for you")
    alice.seal(ROUNDS[0][0])
    expect(count).to_be_hidden()
    bob.seal(ROUNDS[0][1])
    expect(count).to_have_text("1 waiting for you")
    alice.page.set_viewport_size({"width": 320, "height": 640})  # and the header keeps one line with it
    for language, games in (("de", "Meine Partien"), ("es", "Mis partidas"), ("en", "My games")):
        cookie = {"name": "django_language", "value": language, "url": alice.page.url}
        alice.context.add_cookies([cookie])  # type: ignore[list-item]
        alice.page.reload()
        expect(alice.page.get_by_role("link", name=games)).to_be_visible()
        box = alice.page.locator(".bar").bounding_box()
        assert box and box["height"] < 64, (language, box)


def test_quick_taps_lose_none(visit: Visit) -> None:
    alice, _, _ = table(visit)
    alice.page.evaluate(
        """() => {
            for (const sign of ["F", "H", "TL", "^", "v"]) {
                const keys = [...document.querySelectorAll("button[name=choose]")];
                keys.find((key) => key.value === sign).click();
            }
        }"""
    )
    expect(alice.seal_button).to_be_enabled()
    assert signs(alice) == ["F", "H", "TL", "^", "v"]


def test_a_press_counts_though_the_page_changed_before_the_release(visit: Visit) -> None:
    alice, _, _ = table(visit)
    other = alice.another_tab()
    alice.key("F").hover()
    alice.page.mouse.down()
    other.press(other.key("H"))
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: punch. Take it out.")
    alice.page.mouse.up()
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: fire. Take it out.")
    alice.press(alice.key("v"))
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: back. Take it out.")


def test_half_a_word_typed_is_not_lost_when_somebody_else_acts(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    charlie = visit("Charlie", **DESKTOP)
    invite = alice.make_match(players=3)
    bob.sit_down(invite)
    bob.enter_as_text()
    field = bob.page.get_by_label("Your program as text")
    field.press_sequentially("F F ")
    charlie.sit_down(invite)
    expect(bob.at_table("Charlie")).to_contain_text("planning")
    expect(field).to_have_value("F F ")
    expect(field).to_be_focused()
    bob.page.keyboard.type("H ")
    alice.seal("F F F F F")
    expect(bob.at_table("Alice")).to_contain_text("sealed")
    expect(field).to_have_value("F F H ")
    expect(field).to_be_focused()
    bob.page.keyboard.type("H H")
    bob.page.keyboard.press("Enter")
    expect(bob.seal_button).to_be_enabled()
    assert signs(bob) == ["F", "F", "H", "H", "H"]


def test_what_is_refused_stays_in_the_field_and_the_draft_stays_in_the_slots(
    visit: Visit, watcher: Watcher
) -> None:
    watcher.allow("^Alice without JavaScript: .*422")
    alice, _, _ = table(visit)
    for person in (alice, visit("Alice without JavaScript", java_script_enabled=False)):
        if person is not alice:
            person.page.goto(alice.own_link())
            person.press(person.button("Continue as Alice"))
        person.press(person.key("H"))
        person.enter_as_text()
        field = person.page.get_by_label("Your program as text")
        field.fill("F F jump")
        field.press("Enter")
        expect(person.page.get_by_role("alert")).to_have_text(re.compile("“jump” is not a command."))
        expect(field).to_have_value("F F jump")
        expect(person.slots.nth(0)).to_have_accessible_name("Slot 1: punch. Take it out.")


def test_opening_a_seats_own_link_changes_nothing_and_a_press_takes_the_seat(visit: Visit) -> None:
    _, bob, _ = table(visit)
    bob.press(bob.key("F"))
    expect(bob.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    own_link = bob.own_link()
    seat = bob.address
    phone = visit("Bob’s phone")
    phone.page.goto(own_link)
    expect(phone.page.get_by_role("heading", level=1)).to_have_text("Bob’s seat")
    assert phone.context.request.get(seat).status == 403
    phone.press(phone.button("Continue as Bob"))
    expect(phone.page).not_to_have_url(own_link)
    expect(phone.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    phone.press(phone.key("H"))
    expect(bob.slots.nth(1)).to_have_accessible_name("Slot 2: punch. Take it out.")


def test_a_new_own_link_puts_the_other_browsers_out_at_once(visit: Visit, watcher: Watcher) -> None:
    _, bob, _ = table(visit)
    thief = visit("the thief")
    thief.page.goto(bob.own_link())
    thief.press(thief.button("Continue as Bob"))
    expect(thief.at_table("Bob")).to_contain_text("you")
    watcher.allow("^the thief: .*403")
    bob.page.goto(bob.address)
    bob.unfold("Seat link")
    bob.unfold("New link")
    bob.press(bob.button("Yes, new link"))
    expect(thief.page.get_by_role("heading", level=1)).to_have_text("This is Bob’s seat")
    bob.close_menu()
    expect(bob.at_table("Bob")).to_contain_text("you")


def test_the_invite_of_a_full_table_asks_whether_one_of_these_is_you(visit: Visit) -> None:
    _, bob, invite = table(visit)
    charlie = visit("Charlie", **DESKTOP)
    charlie.page.goto(invite)
    expect(charlie.page.get_by_text("Which one are you?")).to_be_visible()
    expect(charlie.page.get_by_role("link", name="Yes, play on")).to_have_count(0)
    expect(charlie.page.get_by_text("This browser doesn’t know you.")).to_be_visible()
    bob.page.goto(invite)
    bob.page.get_by_role("link", name="Yes, play on").click()
    expect(bob.at_table("Bob")).to_contain_text("you")
    assert urlsplit(bob.page.url).path.endswith("/B/")


def test_a_line_that_was_lost_for_a_while_brings_the_news_when_it_is_back(
    visit: Visit, watcher: Watcher
) -> None:
    alice, bob, _ = table(visit)
    watcher.allow("^Alice: .*(WebSocket connection|ERR_INTERNET_DISCONNECTED)")
    alice.seal(ROUNDS[0][0])
    alice.has_sealed()
    loads = alice.page.evaluate("performance.timeOrigin")
    alice.context.set_offline(True)
    bob.seal(ROUNDS[0][1])
    bob.sees_round(1)
    alice.has_sealed()
    alice.context.set_offline(False)
    alice.sees_round(1)
    assert alice.page.evaluate("performance.timeOrigin") == loads


def test_an_update_that_fails_once_is_asked_for_again(visit: Visit, watcher: Watcher) -> None:
    alice, bob, _ = table(visit)
    watcher.allow("^Alice: .*(503|Response Status Error)")
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if route.request.headers.get("hx-request") and not failed:
            failed.append(route.request.url)
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    alice.page.route("**/m/**", fail_once)
    bob.seal(ROUNDS[0][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    assert failed


def test_where_sockets_never_open_the_page_asks_by_itself(visit: Visit, watcher: Watcher) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    watcher.allow("^Alice: .*WebSocket connection")
    alice.context.route_web_socket("**/*", lambda socket: socket.close())
    alice.is_joined_by(bob)

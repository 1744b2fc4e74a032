"""Without JavaScript everything works by forms, links and reloads."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person


@pytest.fixture
def alice(visit: Visit) -> Person:
    return visit("Alice", java_script_enabled=False, **PHONE)


@pytest.fixture
def bob(visit: Visit) -> Person:
    return visit("Bob", java_script_enabled=False, **DESKTOP)


def test_planning_sealing_and_reopening(alice: Person, bob: Person) -> None:
    bob.sit_down(alice.make_match())
    alice.page.reload()
    alice.choose("F F TL ^ H")
    alice.press(alice.slots.nth(2))
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: free. Fill it next.")
    alice.press(alice.key("v"))
    expect(alice.page.locator("[data-ghost]").first).to_be_attached()
    alice.seal()
    alice.has_sealed("F F v ^ H")
    alice.press(alice.button("Reopen"))
    expect(alice.slots.nth(2)).to_have_accessible_name("Slot 3: back. Take it out.")
    alice.write("H H H H H")
    alice.seal()
    alice.has_sealed("H H H H H")


@pytest.mark.more
def test_drawing_resigning_and_the_rematch(alice: Person, bob: Person) -> None:
    bob.sit_down(alice.make_match())
    alice.page.reload()
    alice.open_menu()
    alice.press(alice.button("Offer a draw"))
    expect(alice.at_table("Alice")).to_contain_text("offers a draw")
    alice.open_menu()
    alice.press(alice.button("Withdraw offer"))
    expect(alice.at_table("Alice")).not_to_contain_text("offers a draw")
    alice.unfold("Resign")
    alice.press(alice.button("Yes, I resign"))
    expect(alice.status).to_contain_text("You lost.")
    alice.press(alice.button("Rematch"))
    expect(alice.page).to_have_url(re.compile("/B/"))


@pytest.mark.more
def test_leaving_calling_off_and_new_links(alice: Person, bob: Person) -> None:
    invite = alice.make_match(players=3)
    bob.sit_down(invite)
    bob.unfold("Give up my seat")
    bob.press(bob.page.get_by_role("button", name="Yes, give it up", exact=True))
    expect(bob.page.get_by_role("heading", level=1)).to_have_text("My games")
    alice.unfold("QR code & new link")
    alice.press(alice.button("New invite link"))
    expect(alice.page.get_by_label("Message to send")).not_to_have_value(re.compile(invite))
    own = alice.own_link()
    alice.unfold("Seat link")
    alice.press(alice.page.get_by_text("New link", exact=True))
    alice.press(alice.button("Yes, new link"))
    expect(alice.page.get_by_role("textbox", name="Seat link:")).not_to_have_value(own)
    alice.unfold("Cancel match")
    alice.press(alice.button("Cancel match"))
    expect(alice.page.get_by_role("listitem").filter(has_text="cancelled")).to_be_visible()


@pytest.mark.more
def test_every_step_of_the_film_is_a_link(alice: Person, bob: Person) -> None:
    bob.sit_down(alice.make_match())
    alice.page.reload()
    alice.seal(ROUNDS[0][0])
    bob.seal(ROUNDS[0][1])
    bob.sees_round(1)
    film = bob.page.get_by_role("navigation", name="Steps of this round")
    film.get_by_role("link", name="Step 2").click()
    expect(film.get_by_role("link", name="Step 2")).to_have_attribute("aria-current", "step")
    expect(bob.page.locator("[data-frame='2']")).to_be_visible()
    expect(bob.happened.get_by_role("listitem").filter(has_text="Alice fires")).to_have_class(
        re.compile("current")
    )
    film.get_by_role("link", name="Step forward").click()
    expect(bob.page.locator("[data-frame='3']")).to_be_visible()
    film.get_by_role("link", name="Step back").click()
    expect(bob.page.locator("[data-frame='2']")).to_be_visible()
    assert bob.page.locator(".frame:visible").count() == 1
    expect(film.get_by_role("button", name="Play")).to_be_hidden()


@pytest.mark.more
def test_a_page_that_waits_reloads_itself_and_one_that_is_planned_on_does_not(
    alice: Person, bob: Person
) -> None:
    bob.sit_down(alice.make_match())
    alice.page.reload()
    refresh = "noscript meta[http-equiv=refresh]"
    assert alice.page.locator("meta[http-equiv=refresh]").count() == 0
    alice.seal(ROUNDS[0][0])
    alice.has_sealed()
    assert alice.page.locator(refresh).get_attribute("content") == "15"


@pytest.mark.more
def test_the_colours_follow_the_system(alice: Person) -> None:
    alice.page.goto("/")
    colours = []
    for theme in ("light", "dark"):
        alice.page.emulate_media(color_scheme=theme)
        colours.append(alice.page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert colours[0] != colours[1]
    expect(alice.button("Switch to")).to_be_hidden()

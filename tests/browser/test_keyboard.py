"""The keyboard alone plays, and always sees where it is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, ROUNDS, Person


def table(visit: Visit) -> tuple[Person, Person]:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    alice.is_joined_by(bob)
    return alice, bob


def tab_to(page: Page, target: Locator) -> None:
    """As often as it takes, within reason; every stop on the way shows that it has the focus."""
    page.wait_for_load_state("load")  # before it, the sheet that draws the focus may be missing
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            continue  # past the last stop, before the first
        assert shows_focus(page), page.evaluate("document.activeElement.outerHTML")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("the Tab key does not get there")


def shows_focus(page: Page) -> bool:
    return bool(
        page.evaluate(
            """() => {
                const style = getComputedStyle(document.activeElement);
                return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            }"""
        )
    )


def test_a_whole_round_from_the_first_page_on(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    page, keys = alice.page, alice.page.keyboard
    page.goto("/")
    tab_to(page, page.get_by_role("link", name="Play a friend"))
    keys.press("Enter")
    expect(page).to_have_url(re.compile("/new/pigs/"))
    tab_to(page, page.get_by_label("Your name"))
    keys.type("Alice")
    keys.press("Enter")
    bob.sit_down(page.get_by_label("Message to send").input_value().split()[-1])
    expect(alice.at_table("Bob")).to_contain_text("planning")

    # Every command by its own sign, where the planner has the focus; Backspace takes the last one out.
    keys.press("Enter")
    page.get_by_role("link", name="Chat").first.focus()
    keys.press("f")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")
    alice.take_keys()
    for sign in ("^", "v", "\\", "/", "t", "l"):
        keys.press(sign)
    expect(alice.slots.nth(4)).to_have_accessible_name("Slot 5: turn left. Take it out.")
    for _ in range(5):
        keys.press("Backspace")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")
    for sign in ("T", "R", "h", "f", "f", "\\"):
        keys.press(sign)
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: turn right. Take it out.")
    expect(alice.slots.nth(4)).to_have_accessible_name("Slot 5: ahead left. Take it out.")
    keys.press("Control+Enter")
    alice.has_sealed()
    bob.seal(ROUNDS[0][1])
    alice.sees_round(1)

    # The film, step by step.
    keys.press("Home")
    shown = page.get_by_role("list").locator("[aria-current=step]")
    keys.press("ArrowLeft")  # stops what plays
    tab_to(page, page.get_by_role("link", name="Step 1"))
    keys.press("Enter")
    expect(shown).to_have_accessible_name("Step 1")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    expect(shown).to_have_accessible_name("Step 3")
    keys.press("ArrowLeft")
    expect(shown).to_have_accessible_name("Step 2")
    keys.press("End")
    expect(shown).to_have_accessible_name("Step 5")
    keys.press("Home")
    expect(page.locator('.frame[data-frame="0"]')).to_be_visible()
    assert shows_focus(page)


@pytest.mark.more
def test_keys_work_where_nothing_has_the_focus_unless_that_is_switched_off(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    alice.is_joined_by(bob)
    page = alice.page
    page.reload()
    page.keyboard.press("f")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    alice.unfold("Keys")
    everywhere = page.get_by_label("Also when nothing has focus")
    expect(everywhere).to_be_checked()  # once its script is there
    everywhere.uncheck()
    page.reload()
    page.keyboard.press("h")
    alice.take_keys()
    page.keyboard.type("tl")
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: turn left. Take it out.")


def test_a_button_keeps_the_focus_while_it_is_used(visit: Visit) -> None:
    alice, _ = table(visit)
    tab_to(alice.page, alice.key("H"))
    for n in range(1, 4):
        alice.page.keyboard.press("Enter")
        expect(alice.slots.nth(n - 1)).to_have_accessible_name(f"Slot {n}: punch. Take it out.")
        expect(alice.key("H")).to_be_focused()
    alice.slots.nth(1).focus()
    alice.page.keyboard.press("Space")
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: free. Fill it next.")
    expect(alice.slots.nth(1)).to_be_focused()
    alice.page.keyboard.press("ArrowRight")
    expect(alice.slots.nth(2)).to_be_focused()
    assert shows_focus(alice.page)


@pytest.mark.more
def test_the_focus_is_never_lost_when_others_change_the_page(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **DESKTOP)
    invite = alice.make_match()
    alice.plan_early()
    tab_to(alice.page, alice.key("F"))
    bob.sit_down(invite)
    expect(alice.at_table("Bob")).to_contain_text("planning")
    expect(alice.key("F")).to_be_focused()
    bob.seal(ROUNDS[0][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    expect(alice.key("F")).to_be_focused()
    # What is pressed is gone afterwards: the title says where one is.
    alice.take_keys()
    alice.page.keyboard.type("fffff")
    expect(alice.seal_button).to_be_enabled()
    alice.seal_button.focus()
    alice.page.keyboard.press("Enter")
    alice.sees_round(1)
    expect(alice.page.get_by_role("heading", level=1)).to_be_focused()
    expect(alice.page.get_by_role("heading", level=1)).to_have_text(re.compile("Round 2"))
    assert shows_focus(alice.page)


@pytest.mark.more
def test_what_is_unfolded_stays_so_when_others_change_the_page(visit: Visit) -> None:
    alice, bob = table(visit)
    alice.open_menu()
    alice.press(alice.page.get_by_role("link", name="Board in words"))
    alice.unfold("Resign")
    bob.seal(ROUNDS[0][1])
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    expect(alice.button("Yes, I resign")).to_be_visible()
    expect(alice.page.get_by_text("You stand on d8")).to_be_visible()
    expect(alice.page.get_by_label("Your program as text")).to_be_hidden()


def test_the_first_tab_leads_past_the_header(visit: Visit) -> None:
    alice = visit("Alice", **DESKTOP)
    alice.page.goto("/")
    alice.page.keyboard.press("Tab")
    expect(alice.page.get_by_role("link", name="Skip to content")).to_be_focused()
    expect(alice.page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    alice.page.keyboard.press("Enter")
    expect(alice.page.get_by_role("main")).to_be_focused()

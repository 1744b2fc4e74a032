"""Sealing too early: what is missing is said beside the button, in the game's own words; the page stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from games.core import Seat
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.people import (
    DESKTOP,
    PHONE,
    STILL,
    Person,
    Watcher,
    sit,
    stands_still,
)
from tests.screenshots.town import Table

pytestmark = pytest.mark.more

MISSING = {
    "pigs": "5 slots are still free.",
    "roboxing": "Move, shoot, or stay.",
    "robosoccer": "Tap a piece that can act.",
    "robble": "Choose an empty square for the stone.",
}
BEFORE = {"robosoccer": 4}
"""Turns that are played before the plan can be empty."""


@pytest.fixture
def table(seated: Seated) -> Callable[[str], Table]:
    def new(game: str) -> Table:
        made = seated(game, "sealed too early")
        made.play(BEFORE.get(game, 0))
        if game == "roboxing":  # a robot built by chance may be unable to move
            for seat in "AB":
                made.seal(Seat(seat), PLAIN)
        return made

    return new


def sit_at_turn(person: Person, table: Table) -> None:
    (seat, *_) = sorted(table.state.to_act())
    sit(person, table, Seat(seat))
    person.page.wait_for_load_state("networkidle")  # the socket tells at once that somebody has sat down
    person.come_to_now()


def seal_button(person: Person) -> Locator:
    return person.page.locator("#plan button[name=seal]")


def test_a_tap_that_did_not_arrive_is_told_and_sent_again(
    visit: Visit, table: Callable[[str], Table], watcher: Watcher
) -> None:
    watcher.allow("ERR_FAILED|htmx:(sendError|afterRequest)")
    ada = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(ada, table("pigs"))
    trouble = ada.page.get_by_role("alert").filter(has_text="No reply yet")
    ada.page.route("**/plan/", lambda route: route.abort(), times=1)
    ada.press(ada.key("F"))
    expect(trouble).to_be_visible()
    expect(ada.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    expect(trouble).to_have_count(0)


@pytest.mark.parametrize("looks", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", MISSING)
def test_what_is_missing_is_said_beside_the_button(
    visit: Visit, table: Callable[[str], Table], game: str, looks: dict[str, Any]
) -> None:
    person = visit("Ada", **looks, **STILL)
    sit_at_turn(person, table(game))
    button = seal_button(person)
    button.scroll_into_view_if_needed()
    before = person.page.evaluate("scrollY")
    button.click(force=True)
    alert = person.page.get_by_role("alert").filter(has_text=MISSING[game])
    expect(alert).to_be_visible()
    assert person.page.evaluate("scrollY") == before
    said, pressed = alert.bounding_box(), button.bounding_box()
    assert said and pressed
    if game == "pigs" and looks is PHONE:  # right over all keys, so that none of them moves
        dock = person.page.locator("#plan .dock").first.bounding_box()
        assert dock and abs(said["y"] + said["height"] - dock["y"]) <= 2
    else:
        assert abs(said["y"] + said["height"] / 2 - pressed["y"] - pressed["height"] / 2) < 200
    assert person.page.evaluate("!!document.activeElement.closest('#plan .slot, #plan .palette, .taps')")
    expect(person.page.locator("#error")).to_have_count(0)


@pytest.mark.parametrize("game", MISSING)
def test_without_javascript_too(
    visit: Visit, watcher: Watcher, table: Callable[[str], Table], game: str
) -> None:
    watcher.allow("status of 422")
    person = visit("Ada", java_script_enabled=False, **PHONE, **STILL)
    sit_at_turn(person, table(game))
    seal_button(person).click(force=True)
    expect(person.page).to_have_url(re.compile("#planner$"))
    expect(person.page.get_by_role("alert")).to_have_text(MISSING[game])


def test_the_message_covers_nothing_of_the_board(visit: Visit, table: Callable[[str], Table]) -> None:
    person = visit("Ada", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True, **STILL)
    sit_at_turn(person, table("pigs"))
    seal_button(person).click(force=True)
    expect(person.page.get_by_role("alert").filter(has_text=MISSING["pigs"])).to_be_visible()
    board = person.page.get_by_role("img", name="The board").bounding_box()
    dock = person.page.locator(".dock").bounding_box()
    assert board and dock and board["y"] + board["height"] <= dock["y"] + 1
    expect(person.page.locator("#plan .missing:visible")).to_have_count(1)


def test_a_button_that_cannot_be_pressed_is_readable_under_the_pointer(
    visit: Visit, table: Callable[[str], Table]
) -> None:
    person = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(person, table("pigs"))
    button = seal_button(person)
    expect(button).to_have_attribute("aria-disabled", "true")
    button.hover(force=True)
    expect(button).to_have_css("background-color", "rgba(0, 0, 0, 0)")


def test_that_all_slots_are_taken_is_said_to_who_taps_a_command_then(
    visit: Visit, table: Callable[[str], Table]
) -> None:
    person = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(person, table("pigs"))
    person.choose("F F F F F")
    said = person.page.locator("#plan-why")
    expect(said).to_have_count(0)
    person.page.locator("#plan .palette [data-sign=H]").click(force=True)
    expect(said).to_have_text("All slots are taken. Empty one first.")
    in_front = said.evaluate(
        """said => {
            const { left, top, width, height } = said.getBoundingClientRect();
            said.style.pointerEvents = "auto";
            return document.elementFromPoint(left + width / 2, top + height / 2) === said;
        }"""
    )
    assert in_front


def test_a_refusal_moves_no_key_under_the_thumb(visit: Visit, table: Callable[[str], Table]) -> None:
    person = visit("Ada", **PHONE, **STILL)
    sit_at_turn(person, table("pigs"))
    key = person.page.locator("#plan .palette [data-sign=F]")
    before = stands_still(key)
    seal_button(person).tap(force=True)
    expect(person.page.locator("#plan-why")).to_be_in_viewport()
    assert stands_still(key) == before

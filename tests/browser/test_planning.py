"""Planning: taps show before their answers come, a refusal says why, replies are planned."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from games.core import Seat
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.people import (
    DESKTOP,
    PHONE,
    SMALL,
    STILL,
    WAITS_ON,
    A,
    B,
    Person,
    Watcher,
    drawn,
    scrolls_sideways,
    seal_button,
    sit,
    sit_at_turn,
    stands_still,
)
from tests.browser.test_robble import square
from tests.receivers import until
from tests.screenshots.town import Table

LETS_GO = """() => {
    const seal = document.querySelector("#plan [name=seal]"), isPressed = () => "pressed" in seal.dataset;
    window.timesLetGo = 0;
    let was = false;
    new MutationObserver(() => {
        if (was && !isPressed() && seal.isConnected) window.timesLetGo += 1;
        was ||= isPressed();
    }).observe(seal, { attributes: true });
}"""
"""Counts how often the button that seals stands there as if nobody had pressed it, after it was."""


class FarAway:
    """Holds what the planner sends, until it is let through."""

    def __init__(self, person: Person) -> None:
        self.page = person.page
        self.held: list[Route] = []
        self.page.route("**/*", self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method == "POST":
            self.held.append(route)
        else:
            route.continue_()

    def answer(self) -> None:
        """Lets the oldest through once it has come."""
        while not self.held:
            self.page.wait_for_timeout(20)
        self.held.pop(0).continue_()


@pytest.fixture
def alice(visit: Visit, seated: Seated) -> Person:
    one = visit("Ada", **PHONE)
    one.page.add_init_script(WAITS_ON)
    sit(one, seated("pigs", "at once"))
    one.come_to_now()
    there = "() => performance.getEntriesByType('resource').some(one => one.name.includes('at_once'))"
    until(lambda: one.page.evaluate(there))
    return one


def looks_ahead(person: Person) -> None:
    """Waits until the page knows what the board would show after each tap that may come next."""
    asked = (
        "() => performance.getEntriesByType('resource').some("
        "one => one.initiatorType === 'fetch' && new URL(one.name).pathname === location.pathname)"
    )
    until(lambda: person.page.evaluate(asked))
    drawn(person.page)


def signs(person: Person) -> list[str]:
    """The pictures in the slots, by the address of their drawing; "" for an empty slot."""
    drawn = "one.querySelector('.icon:not(.slot-mark) use')?.getAttribute('href') ?? ''"
    slots = person.page.locator("#plan .slots [data-slot]")
    found: list[str] = slots.evaluate_all(f"all => all.map(one => {drawn})")
    return found


def test_taps_show_before_their_answers_come_and_a_seal_until_its_envelope_is_there(alice: Person) -> None:
    """Commands, where they lead, and a slot that is emptied: nothing jumps when it is confirmed."""
    looks_ahead(alice)
    far = FarAway(alice)
    alice.press(alice.key("F"))
    ghosts = alice.page.locator("#ghosts")
    expect(ghosts).to_have_attribute("data-unsure", "")
    foreseen = "".join(ghosts.inner_html().split())
    assert "pig-" in foreseen and alice.page.locator("#badges text").text_content()
    far.answer()
    expect(alice.page.locator("#ghosts[data-unsure]")).to_have_count(0)
    assert "".join(ghosts.inner_html().split()) == foreseen
    for sign in ("F", "TR", "TL"):
        alice.press(alice.key(sign))
    unsure = alice.page.locator("#plan [data-unsure]")
    expect(unsure).to_have_count(3)
    before = signs(alice)
    assert all(before[:4]) and not before[4] and before[0] == before[1] != before[2]
    expect(alice.key("TL")).to_have_attribute("data-pressed", "")
    for left in (2, 0):  # the first is under way, and the others go together
        far.answer()
        expect(unsure).to_have_count(left)
        assert signs(alice) == before
    expect(alice.page.locator("[data-pressed]")).to_have_count(0)
    alice.press(alice.slots.nth(1))
    expect(unsure).to_have_count(1)
    assert [bool(one) for one in signs(alice)] == [True, False, True, True, False]
    far.answer()
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: free. Fill it next.")
    assert [bool(one) for one in signs(alice)] == [True, False, True, True, False]
    alice.page.unroute_all()
    for n in (1, 4):
        alice.press(alice.key("F"))
        expect(alice.slots.nth(n)).to_have_attribute("data-sign", "F")
    expect(alice.page.locator("#plan [name=seal]")).not_to_have_attribute("aria-disabled", "true")
    alice.page.evaluate(LETS_GO)
    alice.press(alice.page.locator("#plan [name=seal]"))
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    assert alice.page.evaluate("timesLetGo") == 0


def test_what_was_refused_is_as_it_was(alice: Person, watcher: Watcher) -> None:
    watcher.allow("409")
    alice.press(alice.key("F"))
    expect(alice.slots.first).to_have_attribute("data-sign", "F")
    looks_ahead(alice)
    before = signs(alice), alice.page.locator("#ghosts").inner_html()
    alice.page.route("**/plan/", lambda route: route.fulfill(status=409, body="no"))
    alice.press(alice.key("TL"))
    expect(alice.page.locator("#plan-trouble")).to_be_visible()
    assert (signs(alice), alice.page.locator("#ghosts").inner_html()) == before


@pytest.mark.more
@pytest.mark.parametrize("game", ["robble", "robosoccer"])
def test_a_square_looks_chosen_at_once(visit: Visit, game: str) -> None:
    one = visit("Alice", **PHONE)
    one.page.goto(f"/learn/{game}/")
    far = FarAway(one)
    square = one.page.locator(".taps button:not([aria-disabled])").first
    square.tap()
    expect(one.page.locator(".taps [data-pressed]")).to_have_count(1)
    far.answer()
    expect(one.page.locator(".taps [data-pressed]")).to_have_count(0)


MISSING = {
    "pigs": "5 slots are still free.",
    "roboxing": "Move, shoot, or stay.",
    "robosoccer": "Tap a piece that can act.",
    "robble": "Choose an empty square for the stone.",
}
BEFORE = {"robosoccer": 4}
"""Turns that are played before the plan can be empty."""

TurnOf = Callable[..., Person]


@pytest.fixture
def turn_of(visit: Visit, seated: Seated) -> TurnOf:
    """Seats somebody whose turn it is in a match of that game, with nothing planned."""

    def new(game: str, **looks: Any) -> Person:
        made = seated(game, "sealed too early")
        made.play(BEFORE.get(game, 0))
        if game == "roboxing":  # a robot built by chance may be unable to move
            for seat in "AB":
                made.seal(Seat(seat), PLAIN)
        person = visit("Ada", **looks, **STILL)
        sit_at_turn(person, made)
        return person

    return new


@pytest.mark.more
@pytest.mark.parametrize("looks", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", MISSING)
def test_what_is_missing_is_said_beside_the_button(turn_of: TurnOf, game: str, looks: dict[str, Any]) -> None:
    person = turn_of(game, **looks)
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


@pytest.mark.more
@pytest.mark.parametrize("game", MISSING)
def test_what_is_missing_is_said_without_javascript_too(turn_of: TurnOf, watcher: Watcher, game: str) -> None:
    watcher.allow("status of 422")
    person = turn_of(game, java_script_enabled=False, **PHONE)
    seal_button(person).click(force=True)
    expect(person.page).to_have_url(re.compile("#planner$"))
    expect(person.page.get_by_role("alert")).to_have_text(MISSING[game])


@pytest.mark.more
def test_the_message_covers_nothing_of_the_board_and_moves_no_key(turn_of: TurnOf) -> None:
    person = turn_of("pigs", **SMALL)
    key = person.page.locator("#plan .palette [data-sign=F]")
    before = stands_still(key)
    seal_button(person).tap(force=True)
    expect(person.page.get_by_role("alert").filter(has_text=MISSING["pigs"])).to_be_visible()
    expect(person.page.locator("#plan-why")).to_be_in_viewport()
    assert stands_still(key) == before
    board = person.page.get_by_role("img", name="The board").bounding_box()
    dock = person.page.locator(".dock").bounding_box()
    assert board and dock and board["y"] + board["height"] <= dock["y"] + 1
    expect(person.page.locator("#plan .missing:visible")).to_have_count(1)


@pytest.mark.more
def test_a_button_that_cannot_be_pressed_is_readable_and_says_that_all_slots_are_taken(
    turn_of: TurnOf,
) -> None:
    person = turn_of("pigs", **DESKTOP)
    button = seal_button(person)
    expect(button).to_have_attribute("aria-disabled", "true")
    button.hover(force=True)
    expect(button).to_have_css("background-color", "rgba(0, 0, 0, 0)")
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


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match of Robble: Ada has placed on d4."""
    table = seated("robble", "replies")
    table.seal(A, "d4", 0)
    return table


def lines(table: Table, seat: Seat) -> Any:
    return table._ask("GET", f"/{table.key}/replies", None, seat)["lines"]


def test_replies_are_planned_by_taps_on_a_phone_and_played(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **PHONE, **STILL)
    sit(ada, table, A)
    ada.press(ada.page.get_by_role("link", name="Plan a reply to Ben"))
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays …")
    assert scrolls_sideways(ada.page) <= 0
    ada.press(square(ada, "c4"))
    ada.press(ada.button("If they play this …"))
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays c4, you play …")
    ada.press(square(ada, "d5"))
    ada.press(ada.button("Answer with this"))
    expect(ada.page.get_by_text("Saved.")).to_be_visible()
    assert lines(table, A) == [["c4", "d5"]] and scrolls_sideways(ada.page) <= 0
    ada.press(square(ada, "e6"))
    ada.press(ada.button("If they play this …"))
    ada.press(square(ada, "f3"))
    ada.press(ada.button("Answer with this"))
    expect(ada.page.get_by_text("If they then play e6, you play f3.")).to_be_visible()
    assert lines(table, A) == [["c4", "d5", "e6", "f3"]]
    ada.press(ada.page.get_by_role("link", name="Back to your match"))
    expect(ada.page.get_by_role("heading", name="Your replies")).to_be_visible()
    table.seal(B, "c4", 1)
    expect(ada.page.locator("#live")).to_have_attribute("data-turn", "3")
    assert lines(table, A) == [["e6", "f3"]]
    table.seal(B, "g7", 3)
    expect(ada.page.get_by_text("None of your planned replies fits")).to_be_visible()


@pytest.mark.more
def test_they_are_planned_by_keyboard(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, table, A)
    ada.page.goto(f"/m/{table.key}/A/replies/")
    ada.page.locator(".taps button[tabindex='0']").focus()
    for name, heading in (("c4", "If Ben plays c4, you play …"), ("d5", "After your d5: if Ben plays …")):
        for key in name:
            ada.page.keyboard.press(key)
        expect(square(ada, name)).to_have_attribute("aria-pressed", "true")
        ada.page.keyboard.press("Control+Enter")
        expect(ada.page.get_by_role("heading", level=1)).to_have_text(heading)
        expect(ada.page.get_by_role("heading", level=1)).to_be_focused()
    assert lines(table, A) == [["c4", "d5"]]


@pytest.mark.more
def test_the_page_of_replies_begins_anew_when_something_was_played(visit: Visit, table: Table) -> None:
    ada = sit(visit("Ada", **DESKTOP, **STILL), table, A)
    ada.page.goto(f"/m/{table.key}/A/replies/")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays …")
    table.seal(B, "c4", 1)
    expect(ada.page.locator("#lesson")).to_contain_text("The match has gone on since you opened this page.")
    expect(ada.page.get_by_role("link", name="What was played")).to_be_visible()

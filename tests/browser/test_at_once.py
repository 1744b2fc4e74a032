"""Taps show at once, while their answers are still far away."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import PHONE, WAITS_ON, Person, Watcher, drawn
from tests.receivers import until

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
def alice(visit: Visit) -> Person:
    one = visit("Alice", **PHONE)
    one.page.add_init_script(WAITS_ON)
    one.is_joined_by(visit("Bob"))
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


def test_commands_stand_in_their_slots_before_the_answer_comes(alice: Person) -> None:
    far = FarAway(alice)
    for sign in ("F", "F", "TR"):
        alice.press(alice.key(sign))
    unsure = alice.page.locator("#plan .slots [data-unsure]")
    expect(unsure).to_have_count(3)
    before = signs(alice)
    assert all(before[:3]) and not any(before[3:]) and before[0] == before[1] != before[2]
    expect(alice.key("TR")).to_have_attribute("data-pressed", "")
    for left in (2, 0):  # the first is under way, and the others go together
        far.answer()
        expect(unsure).to_have_count(left)
        assert signs(alice) == before  # nothing comes, goes or jumps when it is confirmed
    expect(alice.page.locator("[data-pressed]")).to_have_count(0)


@pytest.mark.more
def test_where_a_command_leads_is_drawn_before_the_answer_comes(alice: Person) -> None:
    looks_ahead(alice)
    far = FarAway(alice)
    alice.press(alice.key("F"))
    ghosts = alice.page.locator("#ghosts")
    expect(ghosts).to_have_attribute("data-unsure", "")
    before = ghosts.inner_html()
    assert "pig-" in before and alice.page.locator("#badges text").text_content()
    far.answer()
    expect(alice.page.locator("#ghosts[data-unsure]")).to_have_count(0)
    assert "".join(ghosts.inner_html().split()) == "".join(before.split())


@pytest.mark.more
def test_what_was_foreseen_goes_when_it_was_refused(alice: Person, watcher: Watcher) -> None:
    watcher.allow("409")
    looks_ahead(alice)
    before = alice.page.locator("#ghosts").inner_html()
    alice.page.route("**/plan/", lambda route: route.fulfill(status=409, body="no"))
    alice.press(alice.key("F"))
    expect(alice.page.locator("#plan-trouble")).to_be_visible()
    assert alice.page.locator("#ghosts").inner_html() == before


@pytest.mark.more
def test_a_command_that_is_taken_out_leaves_its_slot_at_once(alice: Person) -> None:
    alice.choose("F TL TL TR F")
    far = FarAway(alice)
    alice.press(alice.slots.nth(1))
    expect(alice.page.locator("#plan [data-unsure]")).to_have_count(1)
    assert [bool(one) for one in signs(alice)] == [True, False, True, True, True]
    far.answer()
    expect(alice.page.locator("#plan [data-unsure]")).to_have_count(0)
    assert [bool(one) for one in signs(alice)] == [True, False, True, True, True]


def test_what_was_refused_is_as_it_was(alice: Person, watcher: Watcher) -> None:
    watcher.allow("409")
    alice.press(alice.key("F"))
    expect(alice.slots.first).to_have_attribute("data-sign", "F")
    before = signs(alice)
    alice.page.route("**/plan/", lambda route: route.fulfill(status=409, body="no"))
    alice.press(alice.key("TL"))
    expect(alice.page.locator("#plan-trouble")).to_be_visible()
    assert signs(alice) == before


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


def test_a_seal_looks_pressed_until_its_envelope_is_there(alice: Person) -> None:
    for n in range(5):
        alice.press(alice.key("F"))
        expect(alice.slots.nth(n)).to_have_attribute("data-sign", "F")
    seal = alice.page.locator("#plan [name=seal]")
    expect(seal).not_to_have_attribute("aria-disabled", "true")
    alice.page.evaluate(LETS_GO)
    alice.press(seal)
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    assert alice.page.evaluate("timesLetGo") == 0

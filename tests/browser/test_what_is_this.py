"""A tap on anything drawn says in a sentence what it is, and so does a long press where a tap acts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, STILL, Person, drawn, stands_still

LONG = 700  # milliseconds: longer than any tap


@pytest.fixture
def alice(visit: Visit) -> Person:
    return visit("Alice", **PHONE, **STILL)


def open_page(alice: Person, address: str) -> None:
    """The page with all its scripts: that of what is what comes last."""
    alice.page.goto(address)
    alice.page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.name.includes('/js/what.'))"
    )
    expect(says(alice)).to_be_attached()
    drawn(alice.page)


def says(alice: Person) -> Locator:
    return alice.page.locator("#what-says")


def middle(target: Locator) -> tuple[float, float]:
    target.scroll_into_view_if_needed()
    box = stands_still(target)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tap(alice: Person, target: Locator) -> None:
    alice.page.touchscreen.tap(*middle(target))


def press_long(alice: Person, target: Locator, sentence: str = "") -> None:
    """Until it says that, else as long as usual."""
    x, y = middle(target)
    touch = alice.context.new_cdp_session(alice.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    if sentence:
        expect(says(alice)).to_contain_text(sentence)
    else:
        alice.page.wait_for_timeout(LONG)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_pig_says_what_it_is_until_the_next_tap(alice: Person) -> None:
    open_page(alice, "/learn/pigs/2/")
    enemy = alice.page.locator("#film .frame .piece").nth(1)
    tap(alice, enemy)
    expect(says(alice)).to_have_text(
        "B, h4, west. A pig: it walks, fires and punches the way its snout points."
    )
    expect(says(alice)).to_be_in_viewport(ratio=1)
    alice.press(alice.key("F"))
    expect(says(alice)).to_be_empty()
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    x, y = middle(alice.page.locator("#film .frame .piece").first)
    x -= 40  # a free square
    for again in (middle(enemy), (x, y), None):  # the same tap again, one beside it, a key
        tap(alice, enemy)
        expect(says(alice)).to_contain_text("A pig")
        alice.page.touchscreen.tap(*again) if again else alice.page.keyboard.press("Escape")
        expect(says(alice)).to_be_empty()
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")


@pytest.mark.more
def test_a_slow_tap_on_a_plain_button_is_a_tap(alice: Person) -> None:
    alice.page.goto("/")
    alice.press(alice.page.locator("button[name=game][value=pigs]").first)
    expect(alice.page.locator("#live")).to_have_attribute("data-turn", "0")
    for n, sign in enumerate("FFFFF"):
        alice.press(alice.key(sign))
        expect(alice.slots.nth(n)).to_have_attribute("data-sign", sign)
    press_long(alice, alice.page.locator("#plan button[name=seal]"))
    expect(alice.page.locator("#live")).to_have_attribute("data-turn", "1")


def test_a_long_press_says_what_a_choice_is_and_does_not_choose_it(alice: Person) -> None:
    open_page(alice, "/learn/pigs/5/")
    owed = alice.page.locator(".slot.owed").first
    at = owed.get_attribute("data-slot")
    press_long(alice, owed, "A red X: damage costs this slot. You may choose which")
    assert alice.page.locator(".slot.owed").first.get_attribute("data-slot") == at
    press_long(alice, alice.key("F"), "Fire:")
    expect(says(alice)).to_have_text("Fire: the laser goes straight ahead, at any distance.")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")
    alice.press(owed)
    expect(says(alice)).to_be_empty()
    expect(alice.page.locator(f"button[data-slot='{at}']:not(.owed)")).to_be_visible()


@pytest.mark.more
@pytest.mark.parametrize(
    ("address", "target", "sentence", "is_choice"),
    [
        ("/learn/roboxing/2/", ".frame .piece [href='#bx-lens']", "A laser: it fires to the side", True),
        ("/learn/roboxing/2/", ".frame .piece .bx-name", "A closed robot", False),
        ("/learn/roboxing/2/", ".bx-sheet .bx-cell", "A letter of the other robot", True),
        ("/learn/roboxing/2/", ".bx-pips", "How far you can go", False),
        ("/learn/robosoccer/", ".goal use", "A goal:", False),
        ("/learn/robosoccer/", ".piece [href^='#sc-small-b']", "A small robot", False),
        ("/learn/robosoccer/", ".piece [href^='#sc-big-a']", "A big robot", True),
        ("/learn/robosoccer/", ".gate", "A red line", False),
        ("/learn/robble/2/", ".piece [href^='#rb-stone-w']", "A stone", False),
        ("/learn/robble/4/?order=d4", ".rb-size text", "How many stones this group has", True),
    ],
)
def test_each_game_says_what_its_things_are(
    alice: Person, address: str, target: str, sentence: str, is_choice: bool
) -> None:
    open_page(alice, address)
    plan = alice.page.locator("#plan").inner_html()
    thing = alice.page.locator(f"#lesson {target}").first
    if is_choice:
        press_long(alice, thing, sentence)
    else:
        tap(alice, thing)
    expect(says(alice)).to_contain_text(sentence)
    assert alice.page.locator("#plan").inner_html() == plan


@pytest.mark.more
def test_the_list_shows_each_thing_on_the_board(visit: Visit) -> None:
    alice = visit("Alice", **DESKTOP, **STILL)
    open_page(alice, "/learn/pigs/5/")
    opener = alice.page.get_by_role("link", name="Legend")
    opener.press("Enter")
    listed = alice.page.get_by_role("region", name="Legend").get_by_role("listitem").get_by_role("button")
    expect(alice.page.get_by_role("region", name="Legend")).to_be_focused()
    for _link_button_and_first in range(3):
        alice.page.keyboard.press("Tab")
    expect(listed.first).to_be_focused()
    listed.filter(has_text="A pig: it walks").focus()
    rings = alice.page.locator(".what-ring")
    expect(rings).to_have_count(2)
    expect(listed.filter(has_text="A repair: one point")).to_have_count(0)
    alice.page.keyboard.press("Escape")
    expect(listed).to_have_count(0)
    expect(rings).to_have_count(0)
    expect(opener).to_be_focused()


def test_a_key_says_what_has_the_focus(visit: Visit) -> None:
    alice = visit("Alice", **DESKTOP, **STILL)
    open_page(alice, "/learn/pigs/5/")
    alice.key("F").focus()
    alice.page.keyboard.press("?")
    expect(says(alice)).to_contain_text("Fire: the laser")
    expect(alice.slots.nth(0)).to_have_accessible_name("Slot 1: free. Fill it next.")

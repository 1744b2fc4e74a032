"""A match by screen reader: the announcements, and the number of keys to the first command."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest
from playwright.sync_api import Page, Route, expect

from games import GAMES
from tests.browser.conftest import Seated, Visit
from tests.browser.people import (
    DESKTOP,
    ROUNDS,
    STILL,
    Person,
    sit,
)
from tests.browser.test_refusals import sit_at_turn
from tests.browser.test_robosoccer import A, square
from tests.receivers import until
from tests.screenshots.town import Table

pytestmark = pytest.mark.more


def table(visit: Visit) -> tuple[Person, Person]:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **DESKTOP, **STILL)
    alice.is_joined_by(bob)
    return alice, bob


@pytest.fixture
def pitch(seated: Seated) -> Table:
    return seated("robosoccer", "by ear")


def says(person: Person, words: str) -> None:
    expect(person.page.locator("#says > :last-child")).to_have_text(words)


def test_a_tap_tells_what_it_did_and_nothing_else(visit: Visit) -> None:
    alice, _ = table(visit)
    alice.press(alice.key("^"))
    says(alice, "Slot 1: forward; you go to d7, facing south. 4 slots are still free.")
    alice.press(alice.key("TL"))
    says(alice, "Slot 2: turn left; you face east on d7. 3 slots are still free.")
    alice.press(alice.slots.nth(0))  # what comes of slot 2 is another thing now, but it was not touched
    says(alice, "Slot 1: free. Fill it next. 4 slots are still free.")
    alice.press(alice.key("H"))
    says(alice, "Slot 1: punch; you stand on d8, facing south. 3 slots are still free.")


def test_the_film_s_controls_take_the_planner_s_keys_too(visit: Visit) -> None:
    alice, _ = table(visit)
    alice.page.get_by_role("link", name="Legend").focus()
    alice.page.keyboard.press("h")
    says(alice, "Slot 1: punch; you stand on d8, facing south. 4 slots are still free.")
    alice.page.keyboard.press("!")
    all_of_it = (
        "You stand on d8, face south, and have no damage. Bob stands on e1, faces north, and has no damage."
    )
    expect(alice.page.locator("#says > :last-child")).to_contain_text(all_of_it)
    alice.page.keyboard.press("Shift+Tab")  # to the board's first square with something on it
    square_of_alice = re.compile("^d8: You stand on d8")
    expect(alice.page.locator(":focus")).to_have_accessible_name(square_of_alice)
    alice.page.keyboard.press("ArrowUp")
    says(alice, "d8: You stand on d8, face south, and have no damage")
    expect(alice.page.locator(":focus")).to_have_accessible_name(square_of_alice)


def test_damage_is_not_told_with_every_tap(visit: Visit) -> None:
    alice, bob = table(visit)
    for number in (0, 1):
        alice.seal(ROUNDS[number][0])
        bob.seal(ROUNDS[number][1])
        bob.sees_round(number + 1)
    bob.come_to_now()
    expect(bob.page.get_by_text("Damage takes a slot. Tap the X to move it left.")).to_be_visible()
    bob.press(bob.key("^"))
    expect(bob.page.locator("#says > :last-child")).to_contain_text("Slot 1: forward")
    expect(bob.page.locator("#says > :last-child")).not_to_contain_text("damage")
    bob.press(bob.slots.nth(4))
    expect(bob.page.locator("#says > :last-child")).to_contain_text("damage. Move it to the left.")


def test_a_guess_is_told_as_what_the_other_pig_does(visit: Visit) -> None:
    alice, _ = table(visit)
    alice.press(alice.key("H"))
    alice.press(alice.button("What if?"))
    guessed = alice.page.get_by_role("toolbar", name="Guessed commands")
    alice.press(guessed.get_by_role("button", name="forward", exact=True))
    expect(alice.page.locator("#says > :last-child")).to_have_text(re.compile("^Bob walks forward to e2"))


def test_a_shuffled_line_up_is_told_whole_and_in_order(visit: Visit, pitch: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, pitch, A)
    ada.page.wait_for_load_state("networkidle")  # an update that comes just then would empty what was said
    for _ in range(2):
        ada.press(ada.button("At random"))
        told = re.compile("^a1: .+ b1: .+ c1: .+ d1: .+ e1: .+ f1: [a-z]+ robot. Your six")
        expect(ada.page.locator("#says > :last-child")).to_have_text(told)
    ada.press(square(ada, "b1"))
    says(ada, "Choose the last robot, for b1.")


def test_tab_goes_the_way_the_words_go(visit: Visit) -> None:
    alice, _ = table(visit)
    alice.key("^").focus()
    for name in ("back", "ahead left", "ahead right", "turn left", "turn right", "fire", "punch"):
        alice.page.keyboard.press("Tab")
        expect(alice.page.locator(":focus")).to_have_accessible_name(name)


def test_talk_tells_the_message_and_not_the_clock(visit: Visit) -> None:
    alice, bob = table(visit)
    for person in (alice, bob):
        person.press(person.page.get_by_role("link", name="Chat").first)
        expect(person.page.get_by_label("Your message")).to_be_visible()
    for words in ("Good luck", "And have fun"):
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Send"))
        expect(alice.page.locator("#says > :last-child")).to_have_text(f"Bob: {words}")
    expect(alice.page.get_by_role("log")).to_have_attribute("aria-live", "off")
    expect(bob.page.locator("#says")).not_to_contain_text("Bob:")


def test_a_reaction_is_said_and_leads_back_to_its_button(visit: Visit) -> None:
    alice, bob = table(visit)
    for person, program in ((alice, ROUNDS[0][0]), (bob, ROUNDS[0][1])):
        person.seal(program)
    alice.sees_round(1)
    alice.page.get_by_role("link", name="Step 3", exact=True).focus()
    alice.page.keyboard.press("Enter")
    alice.button("React").focus()
    alice.page.keyboard.press("Enter")
    expect(alice.button("Ha ha!")).to_be_focused()
    alice.page.keyboard.press("Enter")
    says(alice, "Ha ha! Alice")
    expect(alice.button("React")).to_be_focused()


def test_a_slow_list_of_messages_does_not_come_for_one_that_has_gone(visit: Visit) -> None:
    _, bob = table(visit)
    bob.press(bob.page.get_by_role("link", name="Chat").first)
    expect(bob.page.get_by_label("Your message")).to_be_visible()

    def slowly(route: Route) -> None:
        if route.request.headers.get("hx-target") == "said":
            time.sleep(1)
        route.continue_()

    bob.page.route("**/talk/", slowly)
    for words in ("Good luck", "And have fun", "See you"):
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Send"))
        expect(bob.page.get_by_role("log")).to_contain_text(words)
        expect(bob.page.get_by_label("Your message")).to_have_value("")
    bob.page.wait_for_load_state("networkidle")
    expect(bob.page.locator("#said .messages li")).to_have_count(3)


@pytest.fixture(params=list(GAMES))
def planning(request: pytest.FixtureRequest, seated: Seated, visit: Visit) -> Person:
    """Somebody whose turn it is, a few turns into a match of each game."""
    made = seated(request.param, "controls by ear")
    made.play(5)
    person = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(person, made)
    person.page.goto(person.address)
    person.page.wait_for_load_state("networkidle")
    return person


def in_one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def is_told(page: Page, words: str) -> bool:
    """Tell whether an alert says the end of these words: the button's name, or what describes it."""
    alerts = page.get_by_role("alert").filter(visible=True).all_text_contents()
    return any(why and words.endswith(why) for why in map(in_one_line, alerts))


def test_a_button_that_cannot_be_used_says_why_and_sends_nothing(planning: Person) -> None:
    page, sent = planning.page, list[str]()
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    barred = page.locator("#plan button[aria-disabled=true], .taps button[aria-disabled=true]")
    assert barred.count()
    for button in barred.all():
        name, described = button.evaluate(
            "one => [one.ariaLabel ?? one.textContent, one.getAttribute('aria-describedby')]"
        )
        button.evaluate("one => one.focus()")
        page.keyboard.press("Enter")
        words = in_one_line(page.locator(f"#{described}").text_content() if described else name)
        until(partial(is_told, page, words))  # the script that says it may come a moment later
        assert described or re.search(r"[:.] ?\S", words), words  # the name, a colon, and why
    assert not sent


def test_enter_and_letters_do_nothing_outside_the_planner(planning: Person) -> None:
    page, sent = planning.page, list[str]()
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    for outside in (page.get_by_role("link", name="Chat").first, page.locator("#more")):
        outside.focus()
        for key in ("f", "h", "a", "s", "l", "Backspace", "Control+Enter"):
            page.keyboard.press(key)
    planning.enter_as_text()
    field = page.locator("#plan [name=typed]")
    field.focus()
    page.keyboard.press("Control+Enter")
    page.keyboard.type("f")
    expect(planning.page.locator("#plan")).to_be_attached()
    assert not sent


SAID = "[...document.querySelectorAll('#says > *')].map((one) => one.textContent.trim())"


def hears(person: Person, words: str) -> None:
    until(lambda: any(words in said for said in person.page.evaluate(SAID)))


def test_who_comes_seals_and_writes_is_said_once(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **DESKTOP, **STILL)
    link = alice.make_match()
    alice.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    bob.sit_down(link)
    hears(alice, "Bob")
    expect(alice.page.locator("[aria-live=polite]:not(#says), [role=status]")).to_have_count(0)
    alice.page.wait_for_load_state("networkidle")
    alice.seal(ROUNDS[0][0])
    hears(alice, "Sealed. Waiting for Bob.")
    bob.seal(ROUNDS[0][1])
    hears(alice, "Round 2. It’s your turn.")
    bob.page.get_by_role("link", name="Chat").first.click()
    bob.page.get_by_label("Your message").fill("Good luck")
    bob.press(bob.button("Send"))
    hears(alice, "Chat 1 new")

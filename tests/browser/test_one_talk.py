"""Talk on the page of a match and beside it: the field has the focus, and words come by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL, Person, scrolls_sideways
from tests.browser.test_many_windows import laptop_phone_and_bob

pytestmark = pytest.mark.more

HEARD = "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/js/heard.'))"
"""True as soon as the script of the talk is there."""
LOW: dict[str, Any] = {"viewport": {"width": 1280, "height": 600}}


def open_talk(person: Person) -> Locator:
    """Opens the talk, and waits for its script, which comes after the first sight."""
    person.press(person.page.locator("#bubble"))
    field = person.page.locator("#say-text")
    expect(field).to_be_focused()
    while not person.page.evaluate(HEARD):
        person.page.wait_for_timeout(100)
    return field


def is_at_rest(person: Person) -> None:
    expect(person.page.locator(".htmx-request, .htmx-settling, .htmx-swapping")).to_have_count(0)


def say(person: Person, *messages: str) -> None:
    for message in messages:
        person.page.locator("#say-text").fill(message)
        person.press(person.page.locator("#say-it"))
        expect(person.page.locator("#said")).to_contain_text(message)
    is_at_rest(person)


def test_a_word_appears_in_the_open_talk_at_the_reveal_and_nothing_says_saved(visit: Visit) -> None:
    laptop, _, bob = laptop_phone_and_bob(visit)
    bob.open_menu()
    bob.press(bob.page.get_by_role("link", name="Message for the reveal"))
    bob.page.get_by_label("Your message").fill("Surprise!")
    bob.press(bob.button("Save message"))
    kept = bob.page.locator(".with-turn").get_by_text("Your message for the reveal is saved.")
    expect(kept).to_be_visible()
    expect(kept).to_contain_text("Surprise!")
    expect(bob.page.locator("#talk form")).to_have_count(0)
    expect(bob.page.locator("#film svg.board")).to_be_in_viewport()
    expect(bob.page.locator(".with-turn a")).to_be_focused()
    bob.press(bob.key("H"))
    expect(bob.slots.first).to_have_accessible_name("Slot 1: punch. Take it out.")
    expect(kept).to_be_visible()
    bob.press(bob.slots.first)
    laptop.press(laptop.page.locator("#bubble"))
    expect(laptop.page.locator("[name=text]")).to_be_focused()
    laptop.page.keyboard.type("Good evening")
    laptop.press(laptop.button("Send"))
    expect(laptop.page.locator("#said")).to_contain_text("Good evening")
    expect(laptop.page.locator("[name=text]")).to_be_focused()
    expect(laptop.page.locator("#said")).not_to_contain_text("Surprise!")
    laptop.seal(ROUNDS[0][0])
    bob.seal(ROUNDS[0][1])
    bob.sees_round(1)
    laptop.page.locator("#say-it").scroll_into_view_if_needed()
    expect(laptop.page.locator("#said")).to_contain_text("Round 1")
    expect(laptop.page.locator("#said")).to_contain_text("Surprise!")


def test_a_message_and_the_word_of_a_reveal_are_new_in_the_closed_talk_on_a_phone(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE, **STILL), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    bubble, match = alice.page.locator("#bubble"), bob.address
    alice.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(bubble).not_to_be_in_viewport()
    bob.press(bob.page.locator(".page > header").get_by_role("link", name="Chat"))
    bob.page.get_by_label("Your message").fill("Are you there?")
    bob.press(bob.button("Send"))
    expect(bubble).to_contain_text("1")
    expect(bubble).to_be_in_viewport()
    alice.press(bubble)
    expect(alice.page.locator("#said")).to_contain_text("Are you there?")

    bob.page.goto(f"{match}notes/?word")
    bob.page.get_by_label("Your message").fill("Surprise!")
    bob.press(bob.button("Save message"))
    alice.page.goto(alice.address)
    alice.seal(ROUNDS[0][0])
    expect(bubble).to_have_accessible_name("Chat")
    bob.page.goto(match)
    bob.seal(ROUNDS[0][1])
    expect(bubble).to_have_accessible_name("Chat 1 new")


def test_a_field_that_was_left_takes_nobody_away_from_the_reveal(visit: Visit) -> None:
    """The field keeps the focus at a desk, but whoever has scrolled up to the board sees the turn there."""
    laptop, _, bob = laptop_phone_and_bob(visit)
    laptop.page.set_viewport_size(LOW["viewport"])
    laptop.seal(ROUNDS[0][0])
    laptop.press(laptop.page.locator("#bubble"))
    field = laptop.page.locator("#say-text")
    expect(field).to_be_focused()
    is_at_rest(laptop)
    laptop.page.mouse.move(640, 300)
    laptop.page.mouse.wheel(0, -4000)
    expect(field).not_to_be_in_viewport()
    bob.seal(ROUNDS[0][1])
    laptop.sees_round(1)
    expect(laptop.page.locator("#film svg.board")).to_be_in_viewport(ratio=0.5)


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_whoever_writes_goes_on_writing_when_a_round_is_played(visit: Visit, device: dict[str, Any]) -> None:
    alice, bob = visit("Alice", **device), visit("Bob", **STILL)
    bob.sit_down(alice.make_match())
    alice.seal(ROUNDS[0][0])
    field = open_talk(alice)
    alice.page.keyboard.type("Good evening")
    alice.press(alice.button("Send"))
    said = alice.page.locator("#said").get_by_text("Good evening")
    expect(said).to_be_visible()
    field.focus()
    alice.page.keyboard.type("I’m in the mid")
    bob.seal(ROUNDS[0][1])
    expect(alice.page.locator("#live")).to_have_attribute("data-turn", "1")
    expect(alice.page.locator("[data-film][data-number='1']")).to_be_attached()
    is_at_rest(alice)
    alice.page.keyboard.type("dle of a sentence")
    expect(field).to_be_focused()
    expect(field).to_have_value("I’m in the middle of a sentence")
    expect(field).to_be_in_viewport()
    expect(said).to_be_visible()
    # the film waits until its board is seen, as it is at a desk
    watch = alice.page.locator("#revealed button")
    if device is PHONE:
        expect(watch).to_be_visible()
        expect(alice.page.locator("#film.at-first:not(.playing)")).to_be_attached()
        alice.press(watch)
    alice.sees_round(1)
    expect(watch).to_be_hidden()
    expect(field).to_have_value("I’m in the middle of a sentence")


def test_a_talk_that_opens_late_leaves_the_focus_where_somebody_has_moved_on_to(visit: Visit) -> None:
    """Keys would go into a message otherwise, and Ctrl+Enter would send it."""
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    page, sent = alice.page, list[str]()
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    waiting = list[Route]()

    def hold(route: Route) -> None:
        if route.request.headers.get("hx-trigger") == "bubble":
            waiting.append(route)
        else:
            route.continue_()

    page.route("**/talk/", hold)
    field, bubble, more = page.locator("#say-text"), page.locator("#bubble"), page.locator("#more")
    for is_kept in (False, True):
        bubble.focus()
        page.keyboard.press("Enter")
        while not waiting:
            page.wait_for_timeout(50)
        more.focus()
        with page.expect_response("**/talk/"):
            waiting.pop().continue_()
        expect(field).to_be_visible()
        is_at_rest(alice)
        page.keyboard.type("fhas")
        page.keyboard.press("Control+Enter")
        expect(more).to_be_focused()
        expect(field).to_have_value("")
        assert not sent, is_kept
    page.unroute_all()
    page.keyboard.press("Escape")
    bubble.focus()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()


def test_a_message_counts_until_the_open_talk_is_in_sight(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **STILL)
    alice.is_joined_by(bob)
    bubble, said = alice.page.locator("#bubble"), alice.page.locator("#said")
    open_talk(alice).blur()
    alice.page.evaluate("scrollTo(0, 0)")
    top, desk = "one => one.getBoundingClientRect().top", alice.page.locator("#plan .dock")
    expect(desk).to_be_in_viewport(ratio=1)
    assert said.evaluate(top) >= desk.evaluate(top)
    bob.press(bob.page.locator("#bubble"))
    for number, words in enumerate(("Are you there?", "I have sealed."), 1):
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Send"))
        expect(bubble).to_have_accessible_name(f"Chat {number} new")
    expect(said).not_to_contain_text("Are you there?")
    said.evaluate("one => one.scrollIntoView()")
    expect(said).to_contain_text("I have sealed.")
    expect(bubble).to_have_accessible_name("Chat")


@pytest.mark.parametrize("sealed", [True, False], ids=["waiting", "planning"])
def test_what_was_said_stays_in_sight_on_a_phone(visit: Visit, *, sealed: bool) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE, **STILL)
    bob.sit_down(alice.make_match())
    if sealed:
        bob.seal(ROUNDS[0][1])
    bob.press(bob.page.locator("#bubble"))
    field = bob.page.locator("[name=text]")
    expect(field).to_be_focused()
    field.fill("Your turn!")
    bob.press(bob.button("Send"))
    expect(bob.page.locator("#said")).to_contain_text("Your turn!")
    is_at_rest(bob)
    expect(bob.page.locator("#said li").last).to_be_in_viewport()
    expect(field).to_be_in_viewport()
    expect(field).to_be_focused()
    assert bob.page.evaluate("scrollY") > 200


def test_the_desk_makes_room_for_the_form_and_comes_back_with_the_board(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    alice.is_joined_by(bob)
    dock, form = alice.page.locator("#plan .dock"), alice.page.locator("#talk .say")
    expect(dock).to_be_visible()
    field = open_talk(alice)
    expect(dock).not_to_be_visible()
    field.fill("Half a word")
    alice.page.evaluate("scrollTo(0, 0)")
    expect(dock).to_be_visible()
    expect(field).to_have_value("Half a word")
    field.blur()
    for top in (300, 100):
        form.evaluate("(one, top) => scrollBy(0, one.getBoundingClientRect().top - top)", top)
        expect(alice.page.locator("#say-it")).to_be_in_viewport(ratio=1)
        expect(dock).not_to_be_in_viewport()
    form.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 600)")  # it would lie under the desk
    expect(dock).to_be_in_viewport(ratio=1)
    form.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 300)")
    expect(dock).not_to_be_in_viewport()
    alice.slots.first.focus()
    alice.page.keyboard.press("ArrowRight")  # by keyboard it is at hand, with its keys
    expect(dock).to_be_in_viewport(ratio=1)
    expect(alice.key("F")).to_be_visible()
    alice.page.evaluate("document.activeElement.blur()")
    alice.page.evaluate("scrollTo(0, 0)")
    expect(dock).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("device", [PHONE, LOW], ids=["phone", "laptop"])
def test_the_way_to_the_board_stays_in_sight_and_off_the_form(visit: Visit, device: dict[str, Any]) -> None:
    alice, bob = visit("Alice", **device), visit("Bob", **PHONE)
    bob.sit_down(alice.make_match())
    open_talk(alice).blur()
    say(alice, *(f"Message {n}" for n in range(9)))
    way, form = alice.page.locator(".to-board a"), alice.page.locator("#talk .say")
    bring(form, 200)
    expect(alice.page.locator("#talk h2").first).not_to_be_in_viewport()
    expect(way).to_be_in_viewport(ratio=1)
    bring(form, 20)
    box, field = way.bounding_box(), form.bounding_box()
    assert box and field and box["y"] + box["height"] <= field["y"] + 1
    bring(form, 200)
    alice.press(way)
    expect(alice.page.locator("#film .board-sheet")).to_be_in_viewport()


def test_a_message_below_the_edge_counts_until_the_end_of_the_list_is_in_sight(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **PHONE)
    bob.sit_down(alice.make_match())
    open_talk(alice).blur()
    say(alice, *(f"Message {n}" for n in range(9)))
    said, bubble = alice.page.locator("#said"), alice.page.locator("#bubble")
    alice.page.mouse.wheel(0, 1)  # the page keeps the field in its place until somebody scrolls
    # the list's top peeps in
    said.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - innerHeight + 100)")
    bob.press(bob.page.locator("#bubble"))
    say(bob, "Are you there?")
    expect(bubble).to_have_accessible_name("Chat 1 new")
    expect(said).not_to_contain_text("Are you there?")
    alice.page.mouse.wheel(0, 1)
    said.evaluate("one => scrollBy(0, one.getBoundingClientRect().bottom - innerHeight + 100)")
    expect(said).to_contain_text("Are you there?")
    expect(bubble).to_have_accessible_name("Chat")


def test_a_wheel_over_the_messages_scrolls_the_page(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP), visit("Bob", **PHONE)
    bob.sit_down(alice.make_match())
    open_talk(alice).blur()
    say(alice, "Hello")
    alice.page.locator(".heard").hover()
    before = alice.page.evaluate("scrollY")
    alice.page.mouse.wheel(0, -200)
    alice.page.wait_for_function(f"() => scrollY < {before}")


def test_an_update_does_not_take_the_focus_back_to_an_open_talk(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", **PHONE)
    alice.is_joined_by(bob)
    alice.press(alice.page.locator("#bubble"))
    field = alice.page.locator("[name=text]")
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    alice.page.locator("#back").focus()
    while alice.page.evaluate("scrollY"):  # opening the talk may still be scrolling
        alice.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        alice.page.wait_for_timeout(200)
    bob.open_menu()
    bob.press(bob.button("Offer a draw"))
    expect(alice.page.get_by_role("heading", name="Bob offers a draw")).to_be_visible()
    is_at_rest(alice)
    expect(field).not_to_be_focused()
    assert alice.page.evaluate("scrollY") < 100


def bring(form: Locator, top: int) -> None:
    """Scrolls until the form stays so many pixels below the window's edge: an answer may scroll too."""
    form.evaluate(
        """async (one, top) => {
          const far = () => one.getBoundingClientRect().top - top;
          for (let i = 0; i < 20 && Math.abs(far()) > 1; i += 1) {
            scrollBy({ top: far(), behavior: "instant" });
            await new Promise((done) => setTimeout(done, 300));
          }
        }""",
        top,
    )


def talk(person: Person) -> Locator:
    return person.page.locator("#talk")


def says(person: Person, words: str) -> None:
    person.page.get_by_label("Your message").fill(words)
    person.press(person.button("Send"))
    expect(talk(person).get_by_role("listitem").last).to_contain_text(words)


def test_a_private_message_is_answered_in_its_thread_and_taken_back(visit: Visit) -> None:
    alice, bob, cleo = (
        visit("Alice", **PHONE),
        visit("Bob", **DESKTOP),
        visit("Cleo", java_script_enabled=False),
    )
    invite = alice.make_match(3)
    for person in (bob, cleo):
        person.sit_down(invite)
    match = alice.page.url.rpartition("/A/")[0]
    cleo.page.goto(f"{match}/C/talk/")
    cleo.press(cleo.page.locator(".threads").get_by_role("link", name="Alice"))
    cleo.page.get_by_label("Your message").fill("Against Bob?")
    cleo.press(cleo.button("Send to Alice"))
    expect(cleo.button("Send to Alice")).to_be_visible()
    alice.page.goto(f"{match}/A/")
    alice.press(alice.page.locator("#bubble"))
    expect(talk(alice)).to_contain_text("Against Bob?")
    for words in ("I am in", "At d6"):
        alice.page.get_by_label("Your message").fill(words)
        alice.press(alice.button("Send to Cleo"))
        expect(talk(alice)).to_contain_text(words)
    alice.press(alice.button("Undo"))
    expect(talk(alice).get_by_role("listitem")).to_have_count(2)
    expect(alice.page.get_by_label("Your message")).to_have_value("At d6")
    expect(alice.page.get_by_label("Your message")).to_be_focused()
    alice.page.keyboard.type(", then")
    expect(alice.page.get_by_label("Your message")).to_have_value("At d6, then")
    assert scrolls_sideways(alice.page) <= 0
    bob.page.goto(f"{match}/B/talk/")
    expect(bob.button("Send to everyone")).to_be_visible()
    expect(talk(bob)).to_contain_text("No messages yet")
    cleo.page.reload()
    expect(talk(cleo)).to_contain_text("I am in")
    expect(talk(cleo)).not_to_contain_text("At d6")

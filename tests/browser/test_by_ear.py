"""Puzzles, lessons, turns and whole evenings by keys and ears: only what is said is known."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, Route, expect

from games import GAMES
from games.core import Seat
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.ears import Ear, Steps, presses, tab_to_turn
from tests.browser.people import DESKTOP, ROUNDS, STILL, Person, play_rounds, sit, sit_at_turn
from tests.browser.test_robosoccer import SETUP, square
from tests.receivers import until
from tests.screenshots.town import Table


def comes_to_end(ear: Ear) -> None:
    """The second stop of a page leads to what can be done once a match is over."""
    ear.page.reload()
    for key in ("Tab", "Tab"):
        ear.page.keyboard.press(key)
    expect(ear.page.locator(":focus")).to_have_accessible_name("How it ended")
    ear.page.keyboard.press("Enter")
    expect(ear.page.locator(":focus")).to_have_accessible_name("How it ended")
    ear.page.keyboard.press("Tab")
    expect(ear.page.locator(":focus")).to_have_accessible_name("Rematch")


def test_a_step_that_is_asked_for_names_its_turn_once(visit: Visit, table: Table) -> None:
    table.seal(Seat("A"), "F F F F F", 0)
    table.seal(Seat("B"), "H H H H H", 0)
    ear = Ear(sit(visit("Ada", **DESKTOP, **STILL), table))
    ear.listen()
    ear.page.wait_for_timeout(2500)
    ear.press("^Step 3$|^Round 1, Step 3$", "link")
    until(lambda: any("Step 3: " in said for said in ear.said))
    assert ear.said[-1].count("Round 1") == 1, ear.said
    parted = re.compile(r"\s*B\s*,\s*Ben.*,\s*0 of 5 damage\s*,\s*planning")
    expect(ear.person.at_table("Ben")).to_have_text(parted)


TURNS: dict[str, tuple[list[list[str]], Steps, str]] = {
    "pigs": (
        [],
        [("ff", "Slot 2: fire; you stand on d8, .*"), ("hhh", "Slot 5: punch; .* Control[+]Enter: Seal.")],
        "H H H H H",
    ),
    "roboxing": ([[PLAIN, PLAIN]], [("-", r"Stays on \w\d. Control[+]Enter: Seal.")], "-"),
    "robosoccer": (
        [[SETUP[0]], ["", SETUP[1]]],
        [("c2", r"(Your ball is on c2\. )?The ball starts here, .*")],  # it may be there already
        "",
    ),
    "robble": ([], [("d4", "You place a black stone on d4. .* Control[+]Enter: Place on d4.")], ""),
}


@pytest.mark.more
@pytest.mark.parametrize("game", list(TURNS))
def test_what_is_said_of_a_turn(visit: Visit, seated: Seated, game: str) -> None:
    """A turn is sealed, played and over, or waits for the other player: each is said once."""
    before, steps, answer = TURNS[game]
    table = seated(game, "a turn by ear")
    for number, orders in enumerate(before):
        for seat, order in zip("AB", orders, strict=False):
            if order:
                table.seal(Seat(seat), order, number)
    ear = Ear(sit(visit("Ada", **DESKTOP, **STILL), table))
    ear.page.goto(ear.person.address)
    ear.listen()
    expect(ear.page.get_by_role("grid")).to_be_attached()
    tab_to_turn(ear)
    presses(ear, steps)
    ear.page.keyboard.press("Control+Enter")
    until(lambda: any("aiting for Ben." in said for said in ear.said))
    if answer:
        assert ear.said[-1] == "Sealed. Waiting for Ben."
        table.seal(Seat("B"), answer, len(before))
    else:
        assert len([said for said in ear.said if said.startswith("Turn ")]) == 2, (
            ear.said
        )  # the turn, then who waits
    table.resign(Seat("B"))
    until(lambda: any(said.startswith("You won!") for said in ear.said))
    expect(ear.page).to_have_title(re.compile("^You won! · "))
    assert len([said for said in ear.said if "You won!" in said]) == 1, ear.said
    comes_to_end(ear)


def late_updates(page: Page) -> Callable[[], None]:
    """Holds the next update of the page until what is returned is called; turns for the board come late."""
    held: list[Route] = []

    def answer(route: Route) -> None:
        target = route.request.headers.get("hx-target")
        if target == "live" and route.request.method == "GET" and not held:
            held.append(route)
            return
        if target == "film":
            time.sleep(0.5)
        route.continue_()

    page.route(re.compile("/[sm]/"), answer)

    def release() -> None:
        while not held:
            page.wait_for_timeout(50)
        held[0].continue_()

    return release


def test_a_turn_that_comes_as_its_film_ends_is_told_once(visit: Visit, seated: Seated) -> None:
    table = seated("robosoccer", "two films by ear")
    table.seal(Seat("A"), SETUP[0], 0)
    table.seal(Seat("B"), SETUP[1], 1)
    ear = Ear(sit(visit("Ada", **DESKTOP), table))
    ear.page.goto(ear.person.address)
    ear.listen()
    ear.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    table.seal(Seat("A"), SETUP[2], 2)
    expect(ear.page.locator("#film.playing[data-number='3']")).to_be_attached()
    release = late_updates(ear.page)
    table.seal(Seat("B"), SETUP[3], 3)
    expect(ear.page.locator("#film.at-last[data-number='3']")).to_be_attached()
    release()
    expect(ear.page.locator("#film.lingering[data-number='4']")).to_be_attached()
    expect(ear.page.get_by_role("heading", level=1)).to_have_accessible_name("Turn 5 · Ben")
    ear.page.wait_for_timeout(4000)
    told = [said for said in ear.said if re.match(r"Turn \d:", said)]
    assert told == ["Turn 3: You put the ball on c2.", "Turn 4: Ben puts the ball on e7."], ear.said


def test_keys_outside_the_planner_say_once_where_they_work(visit: Visit, seated: Seated) -> None:
    person = sit(visit("Ada", **DESKTOP, **STILL), seated("pigs", "keys by ear"))
    person.press(person.key("H"))  # the film goes to the present
    person.enter_as_text()
    expect(person.page.get_by_label("Your program as text")).to_be_visible()
    ear = Ear(person)
    ear.listen()
    ear.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    chat, more = ear.page.get_by_role("link", name="Chat"), ear.page.get_by_role("link", name="More")
    more.focus()
    for key in ("f", "f", "Control+Enter"):
        ear.page.keyboard.press(key)
    where = "Keys work when a planner button or a board square has focus."
    until(lambda: where in ear.said)
    assert ear.said.count(where) == 1
    ear.page.keyboard.press("Escape")  # Control+Enter has opened the menu
    chat.focus()
    ear.page.keyboard.press("Enter")
    expect(ear.page.get_by_label("Your message")).to_be_focused()
    ear.page.keyboard.press("Escape")
    expect(chat).to_be_focused()
    link = person.own_link()
    assert link.startswith("http")
    person.unfold("Seat link")
    told = len(ear.said)
    ear.press("^Copy: Seat link$")
    until(lambda: len(ear.said) > told)  # in the dialog: what lies behind it is not heard
    person.close_menu()
    expect(ear.page.locator("body > #says")).to_be_attached()
    person.unfold("Resign")
    ear.press("^Yes, I resign$")
    expect(ear.page.get_by_role("heading", name="You lost.")).to_be_focused()


def says(person: Person, words: str | re.Pattern[str]) -> None:
    expect(person.page.locator("#says > :last-child")).to_have_text(words)


@pytest.mark.more
def test_keys_and_taps_tell_what_they_did_and_nothing_else(visit: Visit, seated: Seated) -> None:
    alice = sit(visit("Ada", **DESKTOP, **STILL), seated("pigs", "taps by ear"))
    alice.key("^").focus()
    for name in ("back", "ahead left", "ahead right", "turn left", "turn right", "fire", "punch"):
        alice.page.keyboard.press("Tab")  # goes the way the words go
        expect(alice.page.locator(":focus")).to_have_accessible_name(name)
    alice.page.get_by_role("link", name="Legend").focus()  # the film's controls take the planner's keys too
    alice.page.keyboard.press("h")
    says(alice, "Slot 1: punch; you stand on d8, facing south. 4 slots are still free.")
    alice.page.keyboard.press("!")
    says(alice, re.compile("You stand on d8, face south, and have no damage. Ben stands on e1, faces north"))
    alice.page.keyboard.press("Shift+Tab")  # to the board's first square with something on it
    square_of_alice = re.compile("^d8: You stand on d8")
    expect(alice.page.locator(":focus")).to_have_accessible_name(square_of_alice)
    alice.page.keyboard.press("ArrowUp")
    says(alice, "d8: You stand on d8, face south, and have no damage")
    expect(alice.page.locator(":focus")).to_have_accessible_name(square_of_alice)

    alice.press(alice.slots.nth(0))
    alice.press(alice.key("^"))
    says(alice, "Slot 1: forward; you go to d7, facing south. 4 slots are still free.")
    alice.press(alice.key("TL"))
    says(alice, "Slot 2: turn left; you face east on d7. 3 slots are still free.")
    alice.press(alice.slots.nth(0))  # what comes of slot 2 is another thing now, but it was not touched
    says(alice, "Slot 1: free. Fill it next. 4 slots are still free.")
    alice.press(alice.key("H"))
    says(alice, "Slot 1: punch; you stand on d8, facing south. 3 slots are still free.")
    alice.press(alice.button("What if?"))
    guessed = alice.page.get_by_role("toolbar", name="Guessed commands")
    alice.press(guessed.get_by_role("button", name="forward", exact=True))
    says(alice, re.compile("^Ben walks forward to e2"))


@pytest.mark.more
def test_damage_is_not_told_with_every_tap(visit: Visit, table: Table) -> None:
    play_rounds(table, 0, 1)
    bob = sit(visit("Ben", **DESKTOP, **STILL), table, "B")
    bob.come_to_now()
    expect(bob.page.get_by_text("Damage takes a slot. Tap the X to move it left.")).to_be_visible()
    bob.press(bob.key("^"))
    says(bob, re.compile("Slot 1: forward((?!damage).)*$"))
    bob.press(bob.slots.nth(4))
    says(bob, re.compile("damage. Move it to the left."))


@pytest.mark.more
def test_a_shuffled_line_up_is_told_whole_and_in_order(visit: Visit, seated: Seated) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, seated("robosoccer", "by ear"))
    ada.page.wait_for_load_state("networkidle")  # an update that comes just then would empty what was said
    for _ in range(2):
        ada.press(ada.button("At random"))
        told = re.compile("^a1: .+ b1: .+ c1: .+ d1: .+ e1: .+ f1: [a-z]+ robot. Your six")
        says(ada, told)
    ada.press(square(ada, "b1"))
    says(ada, "Choose the last robot, for b1.")


@pytest.mark.more
def test_talk_tells_the_message_and_not_the_clock_and_a_slow_list_does_not_come_too_late(
    visit: Visit,
) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **DESKTOP, **STILL)
    alice.is_joined_by(bob)
    for person in (alice, bob):
        person.press(person.page.get_by_role("link", name="Chat").first)
        expect(person.page.get_by_label("Your message")).to_be_visible()
    for words in ("Good luck", "And have fun"):
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Send"))
        says(alice, f"Bob: {words}")
    expect(alice.page.get_by_role("log")).to_have_attribute("aria-live", "off")
    expect(alice.page.locator("[aria-live=polite]:not(#says), [role=status]")).to_have_count(0)
    expect(bob.page.locator("#says")).not_to_contain_text("Bob:")

    def slowly(route: Route) -> None:
        if route.request.headers.get("hx-target") == "said":
            time.sleep(1)
        route.continue_()

    bob.page.route("**/talk/", slowly)
    for words in ("See you", "Soon", "Then"):
        bob.page.get_by_label("Your message").fill(words)
        bob.press(bob.button("Send"))
        expect(bob.page.get_by_role("log")).to_contain_text(words)
        expect(bob.page.get_by_label("Your message")).to_have_value("")
    bob.page.wait_for_load_state("networkidle")
    expect(bob.page.locator("#said .messages li")).to_have_count(5)


@pytest.mark.more
def test_a_reaction_is_said_and_leads_back_to_its_button(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **DESKTOP, **STILL)
    alice.is_joined_by(bob)
    for person, program in zip((alice, bob), ROUNDS[0], strict=True):
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


@pytest.mark.more
def test_what_cannot_be_used_says_why_and_sends_nothing_nor_do_keys_outside_the_planner(
    planning: Person,
) -> None:
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
    for outside in (page.get_by_role("link", name="Chat").first, page.locator("#more")):
        outside.focus()
        for key in ("f", "h", "a", "s", "l", "Backspace", "Control+Enter"):
            page.keyboard.press(key)
    planning.enter_as_text()
    page.locator("#plan [name=typed]").focus()
    page.keyboard.press("Control+Enter")
    page.keyboard.type("f")
    expect(page.locator("#plan")).to_be_attached()
    assert not sent

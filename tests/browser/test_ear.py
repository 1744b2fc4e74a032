"""Puzzles, lessons and turns of each game by keys and ears: only what is said is known."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from games.core import Seat
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.ears import Ear
from tests.browser.people import DESKTOP, STILL, sit
from tests.browser.test_robosoccer import SETUP
from tests.receivers import until

Steps = list[tuple[str, str]]
"""Keys, and what is said after the last of them; what waits for a second key is not answered."""

REACHED = r"(Slot 1: free\. Fill it next\.|[a-i]\d: .+|engine .+|laser .+)"
"""The name of the first thing that can be done."""

GOES = r"move {} to .+\. .*"
TASKS: dict[str, tuple[Steps, str]] = {
    "/puzzles/pigs/1/": (
        [
            ("8", "Slot 1: forward; you go to f5, facing north. 4 slots are still free."),
            ("z", "z. 4 slots are still free."),
            ("8", "Slot 2: forward; you go to f6, facing north. 3 slots are still free."),
            ("f", "Slot 3: fire; you stand on f6, facing north. 2 slots are still free."),
            ("f", "Slot 4: fire; you stand on f6, facing north. One slot is still free."),
            ("Control+Enter", "One slot is still free."),
            ("h", "Slot 5: punch; you stand on f6, facing north. Control+Enter: Seal."),
        ],
        "Solved.",
    ),
    "/puzzles/roboxing/3/": (
        [
            ("-", "Stays on g8. Control+Enter: Seal."),
            ("e", "Laser e, south-west: A is in reach. It covers .* Choose a letter for laser e."),
            ("h", "Laser e fires at A’s slot h. Control+Enter: Seal."),
        ],
        "Solved.",
    ),
    "/puzzles/robosoccer/1/": (
        [
            ("c8", "Tap where it goes: move c8 to d8, move c8 to c7, move c8 to b8."),
            ("b8", "Action 1: move c8 to b8. Play it, .* Control[+]Enter: Play this turn."),
            ("b8", "Tap where it goes: push b7 to b6, .* with the ball on a7."),
            (
                "a7",
                "Action 2: switch the robot on b8 with the ball on a7. Goal! Play it. Control[+]Enter: Goal!",
            ),
        ],
        "Solved.",
    ),
    "/puzzles/robble/3/": (
        [
            ("b1", "b1: black stone. Choose an empty square for the stone."),
            ("a1", "You place a black stone on a1. .* Control[+]Enter: Place on a1."),
        ],
        "That doesn’t always win.",
    ),
    "/learn/pigs/1/": (
        [
            ("888", "Slot 3: forward; you go to d5, facing north. 2 slots are still free."),
            ("hh", "Slot 5: punch; you stand on d5, facing north. Control+Enter: Seal."),
        ],
        "Well done.",
    ),
    "/learn/roboxing/1/": (
        [
            ("a", "Engine a: one square north, to c6. 7 of 8 squares are left to move. Control+Enter: Seal."),
            ("a", "Engine a: 2 squares north, to c7. 6 of 8 squares are left to move."),
            ("h", "Engine h: one square east, to d7. 5 of 8 squares are left to move."),
        ],
        "Not quite.",
    ),
    "/learn/robosoccer/1/": (
        [
            ("e3", "Tap where it goes: move e3 to e4, .* e2: the arrow points the other way"),
            ("e4", "Action 1: move e3 to e4. Play it, .* Control[+]Enter: Play this turn."),
        ],
        "Well done.",
    ),
    "/learn/robble/1/": (
        [("c4", "You place a black stone on c4. The white stone on d4 is pushed to e4. .* Place on c4.")],
        "Well done.",
    ),
}


def fits(words: str, said: str) -> bool:
    return said == words or re.fullmatch(words, said) is not None


def come_to_turn(ear: Ear) -> None:
    """The second stop of a page leads to what can be done first."""
    for key in ("Tab", "Tab"):
        ear.page.keyboard.press(key)
    expect(ear.page.locator(":focus")).to_have_accessible_name("Go to your turn")
    ear.page.keyboard.press("Enter")
    expect(ear.page.locator(":focus")).to_have_accessible_name(re.compile(REACHED))


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


def presses(ear: Ear, steps: Steps) -> None:
    """Presses the keys; each is answered by these words alone before the next one is pressed."""
    for keys, words in steps:
        signs = [keys] if "+" in keys else list(keys)
        for sign in signs:
            told = len(ear.said)
            ear.page.keyboard.press(sign)
            is_half = re.fullmatch(r"[a-h]\d", keys) and sign == signs[0]
            if not is_half:
                until(lambda told=told: len(ear.said) > told)  # type: ignore[misc]
        assert fits(words, ear.said[-1]), (keys, words, ear.said)


def opened(visit: Visit, address: str) -> Ear:
    ear = Ear(visit("Ada", **DESKTOP, **STILL))
    ear.page.goto(address)
    ear.listen()
    expect(ear.page.get_by_role("grid")).to_be_attached()
    return ear


def solves(visit: Visit, address: str) -> None:
    """Plays a task: its verdict has the focus, is a heading, and the title begins with it."""
    steps, verdict = TASKS[address]
    ear = opened(visit, address)
    come_to_turn(ear)
    presses(ear, steps)
    ear.page.keyboard.press("Control+Enter")
    heading = ear.page.get_by_role("heading", name=verdict, exact=True)
    expect(heading).to_be_focused()
    expect(ear.page).to_have_title(
        re.compile(f"^{re.escape(verdict)} · .*{'puzzle' if 'puzzles' in address else '1 of'}")
    )


def test_a_puzzle_is_solved_by_ear(visit: Visit) -> None:
    solves(visit, "/puzzles/roboxing/3/")


@pytest.mark.more
@pytest.mark.parametrize("address", [one for one in TASKS if one != "/puzzles/roboxing/3/"])
def test_what_is_said_of_a_task(visit: Visit, address: str) -> None:
    solves(visit, address)


def test_a_hint_is_what_its_page_begins_with(visit: Visit) -> None:
    ear = opened(visit, "/puzzles/robosoccer/9/?order=&again#lesson")
    expect(ear.page.locator(":focus")).to_have_text("The first action begins on a7.")


def test_a_key_that_cannot_be_used_is_told_why(visit: Visit) -> None:
    ear = opened(visit, "/learn/pigs/1/")
    come_to_turn(ear)
    presses(ear, [("Control+Enter", "5 slots are still free.")])
    ear.page.wait_for_timeout(500)
    assert len(ear.said) == 1, ear.said
    presses(ear, TASKS["/learn/pigs/1/"][0])

    def is_refused() -> bool:
        ear.page.keyboard.press("f")  # nothing is refused while taps wait
        return ear.said[-1] == "All slots are taken. Empty one first."

    until(is_refused)


def test_the_name_of_a_laser_says_whom_it_reaches(visit: Visit) -> None:
    ear = opened(visit, "/puzzles/roboxing/3/")
    lasers = [name for name in ear.names("button") if name.startswith("laser ")]
    assert any(name.endswith(": fire. A is in reach.") for name in lasers), lasers


READ = "window.read = []; addEventListener('focusin', ({ target }) => window.read.push(target.outerHTML))"


@pytest.mark.parametrize(("address", "key"), [("/learn/pigs/1/", "f"), ("/learn/robble/1/", "c4")])
def test_an_answer_does_not_read_the_button_again(visit: Visit, address: str, key: str) -> None:
    ear = opened(visit, address)
    ear.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    come_to_turn(ear)
    ear.page.evaluate(READ)
    button = ear.page.evaluate_handle("document.activeElement")
    ear.page.keyboard.type(key)
    until(lambda: ear.said)
    assert button.evaluate("button => button === document.activeElement")
    assert ear.page.evaluate("window.read") == []


def test_a_step_that_is_asked_for_names_its_turn_once(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "a step by ear")
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
    "roboxing": (
        [[PLAIN, PLAIN]],
        [("-", r"Stays on \w\d. Control[+]Enter: Seal.")],
        "-",
    ),
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
    come_to_turn(ear)
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


def test_what_is_typed_stays_in_sight_when_the_film_moves(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "typed beside a film")
    person = sit(visit("Ada", **DESKTOP, **STILL), table)
    person.press(person.key("H"))  # the film goes to the present
    person.enter_as_text()
    expect(person.page.get_by_label("Your program as text")).to_be_visible()


def test_keys_outside_the_planner_say_once_where_they_work(visit: Visit, seated: Seated) -> None:
    ear = Ear(sit(visit("Ada", **DESKTOP, **STILL), seated("pigs", "keys by ear")))
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
    link = ear.person.own_link()
    assert link.startswith("http")
    ear.person.unfold("Seat link")
    told = len(ear.said)
    ear.press("^Copy: Seat link$")
    until(lambda: len(ear.said) > told)  # in the dialog: what lies behind it is not heard
    ear.person.close_menu()
    expect(ear.page.locator("body > #says")).to_be_attached()
    ear.person.unfold("Resign")
    ear.press("^Yes, I resign$")
    expect(ear.page.get_by_role("heading", name="You lost.")).to_be_focused()

"""Robosoccer in the browser: a whole match by keyboard and without JavaScript, and every stage of a turn."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from games.core import Order, play_turn
from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, SMALLEST_PHONE, STILL, A, B, Person, sit
from tests.browser.test_keyboard import tab_to
from tests.games.cases import size
from tests.screenshots.town import Table

SETUP = ("LMSSML", "SMLLMS", "c2", "e7")
# Bob's small robot walks down the right edge, around it, and jumps over Alice's big one onto the goal row; a
# medium one takes the ball to where a diagonal leads there. Alice does little, but enough to be legal.
BOBS = ("f8-f7 f7-f6", "f6-f5 f5-f4", "f4-f3 f3-a3", "a3^a1 e8-f8", "f8-f7 f7-f6", "f6=e7 a1=f6")
PROGRAMS_PLAY = size((1, 2, 3, 4), ())
"""Which of these turns go through the API, so that only the first and the last are tapped."""
ALICES = ("a1-a2", "d1-d2", "d2-d1", "d1-d2", "d2-d1")


@pytest.fixture
def table(seated: Seated) -> Table:
    """Ada and Ben sit at a table of Robosoccer; what they do there before the test goes through the API."""
    return seated("robosoccer", "a table for a test")


def play(table: Table, *orders: Order) -> None:
    for order in orders:
        (seat,) = table.state.to_act()
        table.seal(seat, order)
        *_, table.state = play_turn(table.state, {seat: order})


def square(person: Person, name: str) -> Locator:
    return person.page.locator(f".taps button[value='{name}']")


def turn(person: Person, number: int) -> None:
    expect(person.page.locator("#live")).to_have_attribute("data-turn", str(number))


def squares_of(order: Order) -> list[str]:
    """The squares to tap for an order: for each action the robot, then where it acts."""
    return [name for action in order.split() for name in (action[:2], action[3:])]


def play_it(person: Person) -> None:
    expect(person.button("Play this turn")).to_be_enabled()
    person.press(person.button("Play this turn"))


@pytest.mark.fuzz
def test_a_match_from_the_line_up_to_the_goal(visit: Visit, table: Table) -> None:
    alice = visit("Alice", **DESKTOP, **STILL)
    bob = visit("Bob", java_script_enabled=False, **SMALLEST_PHONE, **STILL)
    sit(alice, table, A)
    sit(bob, table, B)

    # Alice has nothing but her keyboard.
    keys, page = alice.page.keyboard, alice.page
    expect(page.locator("#plan-missing")).to_have_text("Your six robots are in line.")
    alice.take_keys()
    for _robot in "LMSSML":
        keys.press("Backspace")
    expect(page.locator("#plan-missing")).to_have_text("Choose a robot for a1: 6 to go.")
    keys.type("lmss")
    expect(page.locator("#plan-missing")).to_have_text("Choose a robot for e1: 2 to go.")
    keys.press("Backspace")
    keys.type("sml")
    expect(alice.button("Play this turn")).to_be_enabled()
    keys.press("Control+Enter")
    turn(alice, 1)

    # Bob has no JavaScript: each tap loads the page anew, and comes back to the board.
    bob.page.reload()
    bob.come_to_now()
    for name in ("f8", "e8", "d8", "c8", "b8", "a8"):
        bob.press(square(bob, name))
    for robot in ("small", "medium", "big", "big", "medium", "small"):
        bob.press(bob.page.get_by_role("group", name="Robots").get_by_role("button", name=robot))
    bob.press(square(bob, "b8"))
    assert bob.page.url.endswith("#board")
    expect(square(bob, "b8")).to_have_accessible_name("b8: fill this square next")
    bob.press(bob.page.get_by_role("group", name="Robots").get_by_role("button", name="medium"))
    play_it(bob)
    turn(bob, 2)

    turn(alice, 2)
    expect(square(alice, "c2")).to_be_visible()
    ready = page.locator(".taps [aria-pressed=true]")  # a ball lies there for a newcomer
    tab_to(page, ready)
    left, _ball, _right = "abcdef".partition((ready.get_attribute("value") or "")[:1])
    for file in reversed(left):
        keys.press("ArrowLeft")
        expect(square(alice, f"{file}2")).to_be_focused()
    for name in ("b2", "c2"):
        keys.press("ArrowRight")
        expect(square(alice, name)).to_be_focused()
    keys.press("Enter")
    expect(square(alice, "c2")).to_have_attribute("aria-pressed", "true")
    expect(square(alice, "c2")).to_be_focused()
    tab_to(page, alice.button("Play this turn"))
    keys.press("Enter")
    turn(alice, 3)
    bob.page.reload()
    bob.come_to_now()
    bob.press(square(bob, "e7"))
    play_it(bob)
    turn(bob, 4)

    for n, order in enumerate(BOBS):
        if n in PROGRAMS_PLAY:
            table.seal(B, order, 4 + 2 * n)
            table.seal(A, ALICES[n], 5 + 2 * n)
            continue
        bob.page.reload()
        bob.come_to_now()
        tap(bob, order)
        if n == len(ALICES):
            break
        turn(bob, 5 + 2 * n)
        turn(alice, 5 + 2 * n)
        robot, to = squares_of(ALICES[n])
        expect(square(alice, robot)).to_be_visible()
        alice.take_keys()
        keys.type(robot)
        expect(square(alice, robot)).to_have_attribute("aria-pressed", "true")
        keys.type(to)
        expect(alice.button("Play this turn")).to_be_enabled()
        alice.button("Play this turn").focus()
        keys.press("Enter")
        turn(alice, 6 + 2 * n)

    if PROGRAMS_PLAY:  # faster than a film of theirs is watched: she comes back when all is over
        expect(alice.status).to_contain_text("You lost.")
        page.goto(page.url.partition("?")[0])
        page.goto(page.url.partition("?")[0])
    for person in (alice, bob):
        expect(person.status).to_contain_text("You won!" if person is bob else "You lost.")
        scorer = "You have" if person is bob else "Ben has"
        expect(person.happened).to_contain_text(f"Goal! {scorer} the ball on a1.")
    expect(alice.page.locator(".cheer:visible")).to_have_text("Goal!")


def tap(person: Person, order: Order) -> None:
    """Taps a turn, and plays it; a goal has a button of its own."""
    for name in squares_of(order):
        person.press(square(person, name))
    button = person.page.locator("#plan button[name=seal]")
    expect(button).to_be_enabled()
    person.press(button)


@pytest.mark.more
def test_each_action_has_its_own_sign_and_what_is_not_allowed_says_why(visit: Visit, table: Table) -> None:
    play(table, *SETUP)
    bob = sit(visit("Bob", **DESKTOP), table, B)
    bob.come_to_now()
    marks = bob.page.locator(".badges .do:not(.barred)")
    bob.press(square(bob, "f8"))
    expect(square(bob, "f8")).to_have_attribute("aria-pressed", "true")
    expect(marks).to_have_count(2)
    for kind, name in (("move", "f7"), ("switch", "e7")):
        expect(bob.page.locator(f".badges .do.is-{kind}")).to_have_count(1)
        expect(square(bob, name)).to_be_enabled()

    # The first action is drawn, then the second; undone one by one.
    bob.press(square(bob, "f7"))
    expect(bob.page.locator(".badges .planned")).to_have_count(1)
    slots = bob.page.get_by_role("list", name="Your turn").get_by_role("button")
    expect(slots.nth(0)).to_have_accessible_name("Action 1: move f8 to f7. Undo.")
    expect(bob.button("Play this turn")).to_be_enabled()
    bob.press(square(bob, "f7"))
    expect(square(bob, "f8")).to_have_accessible_name(
        "move f7 to f8: A turn may not leave your pieces as they stood at its start."
    )
    square(bob, "f8").click(force=True)
    expect(bob.page.locator(".dock .refused")).to_contain_text("may not leave your pieces as they stood")
    bob.press(square(bob, "f6"))
    expect(bob.page.get_by_role("alert")).to_have_count(0)
    expect(bob.page.locator(".refused")).to_have_count(0)
    expect(bob.page.locator(".badges .number")).to_have_count(2)
    bob.press(bob.page.get_by_role("button", name="Undo", exact=True))
    expect(slots.nth(1)).to_have_accessible_name("Action 2: free.")
    bob.press(slots.nth(0))
    expect(bob.page.locator(".badges .planned")).to_have_count(0)


@pytest.mark.more
def test_the_film_follows_each_piece_and_taps_wait_for_its_end(visit: Visit, table: Table) -> None:
    play(table, *SETUP, *(order for pair in zip(BOBS[:3], ALICES, strict=False) for order in pair), BOBS[3])
    alice = sit(visit("Alice", **DESKTOP), table, A)
    alice.page.goto(alice.page.url.split("?")[0] + f"?at={table.state.turn}.0")
    taps = alice.page.locator("#taps .tap").first
    expect(taps).to_be_hidden()
    expect(alice.page.locator(".frame:visible [data-piece='a3']")).to_have_count(1)
    alice.press(alice.page.get_by_role("link", name="Step forward"))
    jumped = alice.page.locator(".frame:visible [data-piece='a1']")
    expect(jumped).to_have_attribute("data-was", "a3")
    expect(alice.page.locator(".frame:visible .trail.jumped")).to_have_count(1)
    expect(alice.happened.locator(".log .current")).to_contain_text("jumps with the small robot")
    alice.press(alice.page.locator("a.onward"))
    expect(taps).to_be_visible()

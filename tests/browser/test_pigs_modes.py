"""The pigs' other ways to play: continuous feedback by keyboard alone, what if, and eight of them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.looks import FIRST_SIGHT, SMALLEST, THEMES, UPDATE, Faults, Scales, is_font
from tests.browser.people import DESKTOP, PHONE, Person, Watcher, sit
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more


def seal(table: Table, turn: int, **orders: str) -> None:
    for letter, order in orders.items():
        table.seal(Seat(letter), order, turn)


def seat(person: Person, table: Table) -> Page:
    sit(person, table)
    person.page.goto(person.address)
    return person.page


def items(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name=name).get_by_role("listitem")


def test_continuous_feedback_by_keyboard_alone(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "modes", "continuous")
    alice = visit("Alice", **DESKTOP)
    page = seat(alice, table)
    keys = page.keyboard
    expect(page.get_by_text("Three commands to begin with.")).to_be_visible()
    alice.take_keys()
    for key in ("\\", "f", "f"):
        keys.press(key)
    expect(items(page, "Your list").nth(2)).to_contain_text("3")
    expect(page.get_by_role("button", name="Seal")).to_be_enabled()
    keys.press("Control+Enter")
    alice.has_sealed()
    seal(table, 0, B="TL TR F")

    # One more a turn; the list before it is there to see, and cannot be tapped.
    for turn in range(1, 6):
        expect(page.get_by_role("heading", level=1)).to_contain_text(str(turn + 1))
        listed = items(page, "Your list")
        expect(listed).to_have_count(3 if turn < 3 else 4)
        expect(listed.nth(0)).to_contain_text("Slot 1: fire.")
        expect(listed.get_by_role("button")).to_have_count(1)
        if turn >= 3:  # Ben's shot has made it longer
            expect(listed.filter(has_text="A hit put it on the list.")).not_to_have_count(0)
        alice.take_keys()
        keys.press("f")
        expect(listed.last.get_by_role("button")).to_have_accessible_name(
            f"Slot {3 if turn < 3 else 4}: fire. Take it out."
        )
        keys.press("Control+Enter")
        alice.has_sealed() if turn < 5 else None
        if turn == 2:
            expect(items(page, "Your list")).to_have_count(3)
        seal(table, turn, B="TL")
        if turn == 2:  # of Ben's list only the length is known
            bens = alice.happened.get_by_role("row", name="Ben").get_by_role("listitem")
            expect(bens).to_have_text(["secret"] * 4)
            expect(page.locator('[data-piece="B"] .queue text').last).to_have_text("4")
            expect(alice.happened).to_contain_text("your list comes once more")
    expect(alice.status).to_contain_text("You won!")
    expect(alice.happened).to_contain_text("Ben is destroyed!")


def test_a_guess_stays_when_others_change_the_page(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "modes", "standard", seats=3)
    alice = visit("Alice", **DESKTOP)
    page = seat(alice, table)
    alice.press(alice.button("What if?"))
    guess = page.get_by_role("toolbar", name="Guessed commands")
    alice.press(guess.get_by_role("button", name="fire", exact=True))
    expect(page.get_by_role("region", name="What if Ben")).to_contain_text("Ben fires north")
    page.keyboard.press("^")  # with the focus on Ben's sheet, keys write there
    guessed = page.get_by_role("list", name="Guessed program")
    expect(guessed.get_by_role("button").nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")
    seal(table, 0, C="TL TL TL TL TL")
    expect(alice.at_table("Cleo")).to_contain_text("sealed")
    expect(guessed.get_by_role("button").nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")


@pytest.mark.slow
def test_eight_pigs_are_for_everybody_and_light(
    visit: Visit, seated: Seated, site: Server, watcher: Watcher, faults: Faults
) -> None:
    """Weighed as everybody gets it: with DEBUG, htmx brings a script for those who build the site."""
    table = seated("pigs", "modes", "bash", seats=8)
    turn = dict.fromkeys("ABCDEFGH", "^ F TL H /")
    seal(table, 0, **turn)
    alice = visit("Alice", **DESKTOP)
    seat(alice, table)
    fresh = visit("Alice with nothing cached", **DESKTOP)
    fresh.context.add_cookies(alice.context.cookies())  # type: ignore[arg-type]
    scales = Scales(fresh.page)
    with site.beside(DEBUG="0", LIMITS="on") as plain:
        watcher.allow(f"another host: {plain.url}")
        fresh.page.goto(f"{plain.url}/m/{table.key}/A/", wait_until="networkidle")
        weight = scales.total(lambda address: not is_font(address))
        print(f"eight pigs at first sight {weight}\n{scales}")
        assert 0 < weight <= FIRST_SIGHT, scales
        fresh.page.goto("about:blank")
    fresh.page.goto(f"/m/{table.key}/A/", wait_until="networkidle")
    scales.weighed.clear()
    fresh.press(fresh.button("What if?"))
    expect(fresh.page.get_by_role("region", name="What if Ben")).to_be_visible()
    scales.weighed.clear()
    for sign in ("fire", "forward", "punch"):
        guess = fresh.page.get_by_role("toolbar", name="Guessed commands")
        fresh.press(guess.get_by_role("button", name=sign, exact=True))
        expect(fresh.page.locator("[name=guess-B]")).to_have_value(
            {"fire": "F . . . .", "forward": "F ^ . . .", "punch": "F ^ H . ."}[sign]
        )
    print(f"three guesses {scales.total()}\n{scales}")
    assert max(weight for weight, _ in [(w, a) for a, w in scales.weighed]) <= UPDATE, scales
    for theme in THEMES:
        faults.ask_axe(fresh.page, "what if, eight pigs", SMALLEST, theme)
    faults.measure(fresh.page, "what if, eight pigs", SMALLEST)


def test_a_list_is_for_everybody(visit: Visit, seated: Seated, faults: Faults) -> None:
    table = seated("pigs", "modes", "continuous", seats=4)
    seal(table, 0, A="\\ F F", B="TL TR F", C="^ ^ ^", D="F F F")
    seal(table, 1, A="F", B="TL", C="^", D="F")
    seal(table, 2, A="F", B="TL", C="^", D="F")
    alice = visit("Alice", **PHONE)
    page = seat(alice, table)
    faults.look_on_phone(page, "continuous feedback")

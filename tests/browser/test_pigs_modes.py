"""The pigs' other ways to play: continuous feedback by keyboard alone, the ring on a phone, and what if."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import SMALLEST, THEMES, Faults
from tests.browser.people import DESKTOP, PHONE, Person, Watcher
from tests.browser.scales import FIRST_SIGHT, UPDATE, Scales, is_font
from tests.servers import Server

pytestmark = pytest.mark.more

NAMES = (
    "Alice",
    "Bob",
    "Charlotte-Wilhelmina Bl",
    "Dmitri",
    "Eve of the long evenings",
    "Fay",
    "Gus",
    "Hildegard",
)


class Table:
    """A match made and played through the API; who sits at a browser takes the seat by its link."""

    def __init__(self, api: httpx.Client, preset: str, seats: int) -> None:
        self.api = api
        made = self._ask("POST", "", {"game": "pigs", "name": NAMES[0], "preset": preset, "seats": seats})
        self.key, self.tokens = made["match"], {"A": made["token"]}
        for letter, name in zip("BCDEFGH"[: seats - 1], NAMES[1:], strict=False):
            joined = self._ask("POST", f"/{self.key}/seats", {"name": name, "invite": made["invite"]})
            self.tokens[letter] = joined["token"]

    def seal(self, turn: int, **orders: str) -> None:
        for letter, order in orders.items():
            self._ask("PUT", f"/{self.key}/order", {"turn": turn, "order": order}, letter)

    def _ask(self, method: str, path: str, body: Any, letter: str = "") -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[letter]}"} if letter else {}
        answer = self.api.request(method, f"/matches{path}", json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

    def seat(self, person: Person, letter: str = "A") -> Page:
        person.page.goto(f"/s/seat/{self.tokens[letter]}/")
        person.press(person.page.get_by_role("button", name="Continue as"))
        expect(person.page.get_by_role("heading", name="Players")).to_be_visible()
        person.page.goto(f"/m/{self.key}/{letter}/")
        return person.page


@pytest.fixture
def tables(site: Server) -> Iterator[Any]:
    with httpx.Client(base_url=f"{site.url}/api/v1", timeout=60, trust_env=False, verify=False) as api:
        yield lambda preset, seats: Table(api, preset, seats)


def items(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name=name).get_by_role("listitem")


def test_continuous_feedback_by_keyboard_alone(visit: Visit, tables: Any) -> None:
    table = tables("continuous", 2)
    alice = visit("Alice", **DESKTOP)
    page = table.seat(alice)
    keys = page.keyboard
    expect(page.get_by_text("Three commands to begin with.")).to_be_visible()
    alice.take_keys()
    for key in ("\\", "f", "f"):
        keys.press(key)
    expect(items(page, "Your list").nth(2)).to_contain_text("3")
    expect(page.get_by_role("button", name="Seal")).to_be_enabled()
    keys.press("Control+Enter")
    alice.has_sealed()
    table.seal(0, B="TL TR F")

    # One more a turn; the list before it is there to see, and cannot be tapped.
    for turn in range(1, 6):
        expect(page.get_by_role("heading", level=1)).to_contain_text(str(turn + 1))
        listed = items(page, "Your list")
        expect(listed).to_have_count(3 if turn < 3 else 4)
        expect(listed.nth(0)).to_contain_text("Slot 1: fire.")
        expect(listed.get_by_role("button")).to_have_count(1)
        if turn >= 3:  # Bob's shot has made it longer
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
        table.seal(turn, B="TL")
        if turn == 2:  # of Bob's list only the length is known
            bobs = alice.happened.get_by_role("row", name="Bob").get_by_role("listitem")
            expect(bobs).to_have_text(["secret"] * 4)
            expect(page.locator('[data-piece="B"] .queue text').last).to_have_text("4")
            expect(alice.happened).to_contain_text("your list comes once more")
    expect(alice.status).to_contain_text("You won!")
    expect(alice.happened).to_contain_text("Bob is destroyed!")


@pytest.mark.slow
def test_a_ring_of_three_on_a_phone_with_a_guess_thrown_away(visit: Visit, tables: Any) -> None:
    table = tables("bash", 3)
    alice = visit("Alice", **PHONE)
    page = table.seat(alice)

    # What if the pig at the back walks away?
    alice.choose("TR TR F F F")
    alice.press(alice.button("What if?"))
    sheet = page.get_by_role("region", name="What if Bob does this?")
    alice.press(sheet.get_by_role("button", name="Charlotte"))
    sheet = page.get_by_role("region", name="What if Charlotte-Wilhelmina Bl does this?")
    for sign in ("ahead left", "ahead left"):
        alice.press(sheet.get_by_role("button", name=sign, exact=True))
    expect(sheet.get_by_role("listitem").filter(has_text="You fire south and miss.").first).to_be_attached()
    film = page.locator("#film")
    play = film.get_by_role("button", name="Play")
    play.hover(trial=True)  # waits until nothing moves, and nothing lies over it
    assert on_screen(play), "the dock lies over the film's controls"
    alice.press(film.get_by_role("button", name="Step back"))
    expect(film.locator("[data-frame='4']")).to_be_visible()
    alice.press(sheet.get_by_role("button", name="Delete guess"))
    expect(page.get_by_role("region", name="What if Bob does this?")).to_be_visible()
    alice.press(page.get_by_role("button", name="Delete guess"))
    expect(page.get_by_text("this hasn’t happened")).to_have_count(0)
    expect(alice.seal_button).to_be_enabled()

    alice.seal()
    table.seal(0, B="TL TL TL TL TL", C="TL TL TL TL TL")
    alice.sees_round(1)
    alice.seal("F F ^ TL F")
    table.seal(1, B="TL TL TL TL TL", C="X X X TL TL")
    alice.sees_round(2)
    expect(alice.happened).to_contain_text("Charlotte-Wilhelmina Bl is destroyed!")
    expect(alice.at_table("Charlotte")).to_contain_text("out")
    expect(page.locator('[data-piece="C"] use[href="#pig-hulk"]').last).to_be_attached()
    expect(page.locator("a.onward")).to_be_visible()  # the film has begun
    alice.come_to_now()
    alice.press(alice.button("What if?"))
    tabs = page.get_by_role("group", name="Guess another player’s plan").get_by_role("button")
    expect(tabs).to_have_count(1)
    alice.press(alice.button("Back to my plan"))
    alice.seal("F F F F F")
    table.seal(2, B="X TL TL TL TL")
    expect(alice.status).to_contain_text("You won!")


def on_screen(target: Locator) -> bool:
    """Tell whether a finger on its middle would press it."""
    return bool(
        target.evaluate(
            """element => {
                const { left, top, width, height } = element.getBoundingClientRect();
                return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            }"""
        )
    )


def test_what_if_without_javascript(visit: Visit, tables: Any) -> None:
    table = tables("standard", 2)
    alice = visit("Alice", java_script_enabled=False, **PHONE)
    page = table.seat(alice)
    alice.press(alice.key("\\"))
    alice.press(alice.button("What if?"))
    guess = page.get_by_role("toolbar", name="Guessed commands")
    alice.press(guess.get_by_role("button", name="punch", exact=True))
    alice.press(alice.key("F"))
    expect(page.get_by_role("region", name="What if Bob does this?")).to_contain_text(
        "You fire south and hit Bob!"
    )
    alice.press(page.get_by_role("button", name="Step 1"))
    expect(page.locator("[data-frame='1']")).to_be_visible()
    assert page.locator(".frame:visible").count() == 1
    alice.press(alice.button("Delete guess"))
    expect(page.locator("[data-told]")).to_have_count(0)
    expect(alice.slots.nth(1)).to_have_accessible_name("Slot 2: fire. Take it out.")


def test_a_guess_stays_when_others_change_the_page(visit: Visit, tables: Any) -> None:
    table = tables("standard", 3)
    alice = visit("Alice", **DESKTOP)
    page = table.seat(alice)
    alice.press(alice.button("What if?"))
    guess = page.get_by_role("toolbar", name="Guessed commands")
    alice.press(guess.get_by_role("button", name="fire", exact=True))
    expect(page.get_by_role("region", name="What if Bob")).to_contain_text("Bob fires north")
    page.keyboard.press("^")  # with the focus on Bob's sheet, keys write there
    guessed = page.get_by_role("list", name="Guessed program")
    expect(guessed.get_by_role("button").nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")
    table.seal(0, C="TL TL TL TL TL")
    expect(alice.at_table("Charlotte")).to_contain_text("sealed")
    expect(guessed.get_by_role("button").nth(1)).to_have_accessible_name("Slot 2: forward. Take it out.")


@pytest.mark.slow
def test_eight_pigs_are_for_everybody_and_light(
    visit: Visit, tables: Any, site: Server, watcher: Watcher, faults: Faults
) -> None:
    """Weighed as everybody gets it: with DEBUG, htmx brings a script for those who build the site."""
    table = tables("bash", 8)
    turn = dict.fromkeys("ABCDEFGH", "^ F TL H /")
    table.seal(0, **turn)
    alice = visit("Alice", **DESKTOP)
    table.seat(alice)
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
    expect(fresh.page.get_by_role("region", name="What if Bob")).to_be_visible()
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


def test_a_list_is_for_everybody(visit: Visit, tables: Any, faults: Faults) -> None:
    table = tables("continuous", 4)
    table.seal(0, A="\\ F F", B="TL TR F", C="^ ^ ^", D="F F F")
    table.seal(1, A="F", B="TL", C="^", D="F")
    table.seal(2, A="F", B="TL", C="^", D="F")
    alice = visit("Alice", **PHONE)
    page = table.seat(alice)
    faults.look_on_phone(page, "continuous feedback")

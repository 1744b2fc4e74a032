"""Moments to remember: films that are heard and felt, and the strip of a match."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.looks import SMALLEST, Faults
from tests.browser.people import DESKTOP, PHONE, ROUNDS, STILL, Person
from tests.screenshots.town import Table

pytestmark = pytest.mark.more

A, B = Seat("A"), Seat("B")
KEPT = "['sounds', 'vibration'].map((name) => document.cookie.match(`${name}=([^;]*)`)?.[1] ?? '')"
LISTENS = """
window.heard = []; window.felt = [];
document.addEventListener("heard", (event) => window.heard.push(event.detail));
navigator.vibrate = (pattern) => { window.felt.push(pattern); return true; };
"""


@pytest.fixture
def table(seated: Seated) -> Table:
    return seated("pigs", "moments")


def play(table: Table, *numbers: int) -> None:
    for number in numbers:
        for seat, order in zip((A, B), ROUNDS[number], strict=True):
            table.seal(seat, order, number)


def sit(person: Person, table: Table, seat: Seat = A) -> None:
    """Sits down, and waits for what comes."""
    person.page.goto(f"/s/seat/{table.tokens[seat]}/")
    person.press(person.button("Continue as"))
    expect(person.page.get_by_role("heading", name="Players")).to_be_visible()
    person.page.goto(person.address)
    person.page.wait_for_load_state("networkidle")


def switch(person: Person, *names: str) -> None:
    """Switches a wish for films on the page where such wishes are kept."""
    here = person.page.url
    person.page.goto("/me/?settings=1")
    for name in names:
        person.page.get_by_label(name).click()
    person.page.goto(here)
    person.page.wait_for_load_state("networkidle")
    person.page.locator("#film-title").click()  # browsers are silent until somebody has touched the page


def reveal(person: Person, table: Table, number: int) -> None:
    play(table, number)
    expect(person.page.locator(f'[data-film][data-number="{number + 1}"]')).to_be_attached()
    expect(person.page.locator("[data-film].at-last")).to_be_attached()


def test_nobody_hears_anything_who_has_not_asked_for_it(visit: Visit, table: Table) -> None:
    person = visit("Ada", **PHONE)
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    person.page.add_init_script(LISTENS)
    sit(person, table)
    person.page.locator("#film-title").click()
    reveal(person, table, 0)
    assert not [url for url in asked if "senses" in url]
    assert person.page.evaluate("[window.heard, window.felt]") == [[], []]


def test_a_reveal_is_heard_and_felt_by_who_wants_it(visit: Visit, table: Table) -> None:
    person = visit("Ada", **PHONE)
    person.page.add_init_script(LISTENS)
    sit(person, table)
    switch(person, "Sounds", "Vibration")
    reveal(person, table, 0)
    heard = person.page.evaluate("window.heard")
    assert heard == ["reveal", *["strike"] * 5]  # somebody fires or swings in every step
    assert person.page.evaluate("window.felt") == [[35, 70, 35]]
    play(table, 1)
    reveal(person, table, 2)
    assert person.page.evaluate("window.heard.at(-1)") == "end"
    switch(person, "Sounds", "Vibration")  # and off again
    assert person.page.evaluate(KEPT) == ["", ""]


def test_a_button_beside_the_film_switches_both(visit: Visit, table: Table) -> None:
    person = visit("Ada", **PHONE)
    person.page.add_init_script(LISTENS)
    sit(person, table)
    play(table, 0)
    person.open_menu()
    button = person.page.get_by_role("button", name="Sound & vibration")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.focus()
    person.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert person.page.evaluate(KEPT) == ["on", "on"]
    person.close_menu()
    expect(person.page.locator("[data-film].at-last")).to_be_attached()
    reveal(person, table, 1)
    assert "reveal" in person.page.evaluate("window.heard")
    person.open_menu()
    expect(button).to_have_attribute("aria-pressed", "true")  # also after the page has changed
    button.focus()
    person.page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert person.page.evaluate(KEPT) == ["", ""]


def test_nothing_shakes_for_who_wants_less_motion(visit: Visit, table: Table) -> None:
    person = visit("Ada", **PHONE, **STILL)
    person.page.add_init_script(LISTENS)
    sit(person, table)
    switch(person, "Vibration")
    play(table, 0)
    expect(person.page.locator('[data-film][data-number="1"]')).to_be_attached()
    person.page.wait_for_timeout(300)
    assert person.page.evaluate("window.felt") == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_from_the_end_to_the_strip_and_to_the_two_friends(
    visit: Visit, table: Table, scripts: bool, faults: Faults
) -> None:
    play(table, 0, 1, 2)
    ada = visit("Ada", java_script_enabled=scripts, **DESKTOP)
    ben = visit("Ben", java_script_enabled=scripts, **PHONE)
    sit(ada, table)
    sit(ben, table, B)
    for person, other in ((ada, "Ben"), (ben, "Ada")):
        home = person.page.url
        person.page.goto(f"{home}?at=3")
        person.press(person.page.get_by_role("link", name="Comic", exact=True))
        expect(person.page.get_by_role("heading", name="Comic")).to_be_visible()
        assert person.page.locator(".comic > li").count() == 4
        expect(person.page.locator("main")).to_contain_text("Ben is destroyed!")
        shown = person.page.get_by_role("link", name="Share as a picture").get_attribute("href")
        assert person.page.request.get(shown or "").headers["content-type"] == "image/png"
        if scripts:
            faults.look_on_phone(person.page, "comic")
        person.page.goto(f"{home}?at=3")
        if scripts:
            faults.measure(person.page, "over", SMALLEST)
        person.press(person.page.get_by_role("link", name=f"You and {other}"))
        expect(person.page.get_by_role("heading", name=f"You and {other}")).to_be_visible()
        if scripts:
            faults.look_on_phone(person.page, "friend")
    ada.press(ada.button("Rematch:"))
    ada.page.wait_for_url(lambda url: table.key not in url)

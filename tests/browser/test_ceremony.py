"""A seal folds the program into an envelope, at the reveal all open; films are heard and felt; the comic."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Seated, Visit
from tests.browser.looks import SMALLEST, Faults
from tests.browser.people import (
    DESKTOP,
    PHONE,
    ROUNDS,
    STILL,
    B,
    Person,
    play_rounds,
    sit,
    sit_and_see,
    stands_still,
)
from tests.receivers import until
from tests.screenshots.town import Table

pytestmark = pytest.mark.more

WORD = "Here I come!"
SAID = f"Ada: “{WORD}”"
COVER = """() => {
    const first = document.querySelector(".programs tr[class^=side] td");
    return getComputedStyle(first, "::before").content !== "none";
}"""
HEARS = """() => {
    localStorage.setItem("speed", "4");
    window.heard = [];
    const hear = () => {
        const live = document.querySelector("[data-film-live]")?.cloneNode(true);
        for (const shown of live?.querySelectorAll("[aria-hidden=true]") ?? []) shown.remove();
        const words = live?.textContent.replace(/\\s+/g, " ").trim();
        if (words && words !== window.heard.at(-1)) window.heard.push(words);
    };
    const all = { childList: true, subtree: true, characterData: true };
    new MutationObserver(hear).observe(document.body, all);
}"""
GLIDES = """() => {
    window.glided = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) {
        if (this.matches(".programs, .dock, .side > *")) window.glided.push(this.id || this.classList[0]);
        return animate.apply(this, given);
    };
}"""
LIT = """() => {
    window.lit = [];
    document.addEventListener("film:step", () => {
        const column = [...document.querySelectorAll(".programs td.current")];
        window.lit.push(column.map((cell) => cell.cellIndex).join());
    });
}"""


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match of two in its second round."""
    made = seated("pigs", "envelopes")
    play_rounds(made, 0)
    return made


def says_with_it(person: Person) -> None:
    home = person.page.url
    person.page.goto(f"{home}notes/?word")
    person.page.get_by_label("Your message").fill(WORD)
    person.press(person.button("Save message"))
    expect(person.page.get_by_label("Your message")).to_have_value(WORD)
    person.page.goto(home)
    person.page.wait_for_load_state("networkidle")


def test_envelopes_open_words_are_said_once_and_programs_light_up_step_by_step(
    visit: Visit, table: Table
) -> None:
    ada = visit("Ada", **PHONE)
    sit_and_see(ada, table)
    says_with_it(ada)
    ada.page.evaluate(HEARS)
    ada.page.evaluate(LIT)
    play_rounds(table, 1)
    film = ada.page.locator("#film")
    expect(film).to_have_class("sheet at-first playing")
    assert ada.page.evaluate(COVER)
    strip = ada.page.locator(".programs").bounding_box()
    board = ada.page.locator("#film .board-sheet").bounding_box()
    assert strip and board
    assert board["y"] >= 0 and board["y"] + board["height"] <= strip["y"] < PHONE["viewport"]["height"]
    expect(film).to_have_class("sheet at-last lingering")
    assert not ada.page.evaluate(COVER)
    heard = ada.page.evaluate("window.heard")
    assert heard[0] == SAID and [words.split()[1] for words in heard[1:]] == [f"{n}:" for n in range(1, 6)]
    assert ada.page.evaluate("window.lit") == ["", "1,1", "2,2", "3,3", "4,4", "5,5"]


def test_a_sealed_program_goes_into_its_envelope_which_comes_into_sight(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **PHONE)
    sit_and_see(ada, table)
    ada.page.evaluate(
        """() => {
            window.folded = 0;
            const start = document.startViewTransition.bind(document);
            document.startViewTransition = (change) => { window.folded += 1; return start(change); };
        }"""
    )
    ada.seal(ROUNDS[1][0])
    ada.has_sealed()
    expect(ada.page.locator(".envelope .wax")).to_be_in_viewport(ratio=1)
    assert ada.page.evaluate("window.folded") == 1
    expect(ada.page.locator("html")).not_to_have_class("folding")
    ada.press(ada.button("Reopen"))
    expect(ada.slots.first).to_be_visible()
    assert ada.page.evaluate("window.folded") == 1


def test_who_comes_back_finds_closed_envelopes_and_opens_them_by_a_step(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP)
    sit_and_see(ada, table)
    says_with_it(ada)
    home = ada.page.url
    ada.page.goto("/rules/pigs/")
    play_rounds(table, 1)
    ada.page.goto(home)
    page, word = ada.page, ada.page.locator(".programs .word")
    expect(page.locator("#film")).to_have_class("sheet at-first")
    assert page.evaluate(COVER)
    expect(word).not_to_be_visible()
    assert not page.locator(".otherwise").is_visible()  # whether it went as planned is told by the film
    ada.press(page.get_by_role("link", name="Step forward"))
    expect(word).to_be_visible()
    assert not page.evaluate(COVER)
    expect(page.locator(".programs thead [aria-current=step]")).to_have_text("1")


def test_on_a_desk_the_programs_lie_beside_the_board_while_the_film_plays(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP)
    sit_and_see(ada, table)
    ada.page.evaluate(HEARS)
    ada.page.evaluate(GLIDES)
    programs, board = ada.page.locator(".programs"), ada.page.locator("#film .board-sheet")
    below_it = ada.page.locator("#planner")
    play_rounds(table, 1)
    expect(ada.page.locator("#film")).to_have_class("sheet playing")
    beside, film, below = programs.bounding_box(), board.bounding_box(), below_it.bounding_box()
    assert beside and film and below and beside["x"] > film["x"] + film["width"]
    assert beside["y"] + beside["height"] < film["y"] + film["height"]
    assert below["y"] > beside["y"]
    expect(ada.page.locator("#film")).to_have_class("sheet at-last lingering")
    until(lambda: ada.page.evaluate("window.glided.includes('happened')"))
    assert stands_still(below_it)["y"] >= 0
    expect(ada.key("F")).to_be_in_viewport()
    until(lambda: (below_it.bounding_box() or {})["y"] < (programs.bounding_box() or {})["y"])
    ada.press(ada.key("F"))
    expect(ada.slots.first).to_have_accessible_name("Slot 1: fire. Take it out.")
    until(lambda: (below_it.bounding_box() or {})["y"] < (programs.bounding_box() or {})["y"])  # they glide


def test_with_less_motion_everything_is_a_cut(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **PHONE, **STILL)
    sit_and_see(ada, table)
    ada.seal(ROUNDS[1][0])
    ada.has_sealed()
    assert ada.page.evaluate("document.documentElement.className") == ""
    table.seal(B, ROUNDS[1][1], 1)
    expect(ada.page.locator("#film[data-number='2']")).to_be_attached()
    moving = "() => document.getAnimations().filter((one) => one.effect.getTiming().duration > 0).length"
    assert ada.page.evaluate(moving) == 0


def test_without_javascript_the_step_is_marked_and_nothing_is_covered(visit: Visit, table: Table) -> None:
    ada = visit("Ada", java_script_enabled=False, **PHONE)
    sit_and_see(ada, table)
    says_with_it(ada)
    play_rounds(table, 1)
    home = ada.page.url
    for step in (0, 2):
        ada.page.goto(f"{home}?at=2.{step}")
        first = ada.page.locator(".programs tbody tr[class^=side] td").first
        assert first.evaluate("td => getComputedStyle(td, '::before').content") == "none"
        assert first.is_visible()
    expect(ada.page.locator(".programs thead [aria-current=step]")).to_have_text("2")
    expect(ada.page.locator(".programs tbody td.current")).to_have_count(2)
    ada.page.goto(home)
    expect(ada.page.locator(".programs .word")).to_have_text(SAID)


def over_each_other(page: Page, *stack: str) -> bool:
    """Tell whether these stand one above the other, all of them in the window."""
    boxes = [page.locator(one).first.bounding_box() for one in stack]
    edges = [edge for box in boxes if box for edge in (box["y"], box["y"] + box["height"])]
    return len(edges) == 2 * len(stack) and edges == sorted(edges) and edges[0] >= 0


@pytest.mark.parametrize("height", [664, 740])
def test_at_the_end_verdict_board_last_sentence_and_what_next_are_in_sight(
    visit: Visit, table: Table, height: int
) -> None:
    ada = visit("Ada", **{**PHONE, "viewport": {"width": 360, "height": height}})
    sit_and_see(ada, table)
    ada.page.evaluate("localStorage.setItem('speed', '4')")
    play_rounds(table, 1)
    expect(ada.page.locator("#film")).to_have_class("sheet at-last lingering")
    play_rounds(table, 2)
    expect(ada.page.locator("#status")).to_contain_text("You won!")
    expect(ada.page.locator("#film")).to_have_class("sheet at-last lingering")
    said = ada.page.locator("#film-says")
    expect(said).to_contain_text("Ben is destroyed!")
    padding = float(said.evaluate("said => parseFloat(getComputedStyle(said).paddingBottom)"))

    def stands_above_what_next() -> bool:
        box, again = said.bounding_box(), ada.page.locator(".once-more").bounding_box()
        return bool(box and again and box["y"] + box["height"] - padding <= again["y"])

    until(stands_above_what_next)  # it scrolls gently
    until(lambda: over_each_other(ada.page, "#status", "#film .board-sheet", "#happened .programs"))
    at = ada.page.url
    ada.page.touchscreen.tap(180, height - 30)  # where "On to your turn" was after the turn before
    ada.page.wait_for_timeout(500)
    assert ada.page.url == at


def test_a_command_that_leads_to_the_present_stays_under_the_hand(visit: Visit, table: Table) -> None:
    ada = visit("Ada", viewport={"width": 1440, "height": 500})
    sit_and_see(ada, table)
    play_rounds(table, 1)
    ada.come_to_now()
    ada.page.goto(ada.address + "?at=2.1")
    key = ada.key("^")
    key.scroll_into_view_if_needed()
    before = key.bounding_box()
    ada.press(key)
    expect(ada.page.locator("#film")).to_have_class(re.compile("at-last"))
    after = stands_still(key)
    assert before and abs(after["y"] - before["y"]) < 60
    expect(key).to_be_in_viewport()


KEPT = "['sounds', 'vibration'].map((name) => document.cookie.match(`${name}=([^;]*)`)?.[1] ?? '')"
LISTENS = """
window.heard = []; window.felt = [];
document.addEventListener("heard", (event) => window.heard.push(event.detail));
navigator.vibrate = (pattern) => { window.felt.push(pattern); return true; };
"""


@pytest.fixture
def begun(seated: Seated) -> Table:
    return seated("pigs", "moments")


def arrive(person: Person, table: Table) -> None:
    """Sits down, and waits for what comes."""
    sit(person, table)
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
    play_rounds(table, number)
    expect(person.page.locator(f'[data-film][data-number="{number + 1}"]')).to_be_attached()
    expect(person.page.locator("[data-film].at-last")).to_be_attached()


def test_a_reveal_is_heard_and_felt_by_who_wants_it_and_by_nobody_else(visit: Visit, begun: Table) -> None:
    person = visit("Ada", **PHONE)
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    person.page.add_init_script(LISTENS)
    arrive(person, begun)
    person.page.locator("#film-title").click()
    reveal(person, begun, 0)
    assert not [url for url in asked if "senses" in url]
    assert person.page.evaluate("[window.heard, window.felt]") == [[], []]
    switch(person, "Sounds", "Vibration")
    reveal(person, begun, 1)
    heard = person.page.evaluate("window.heard")
    assert heard == ["reveal", *["strike"] * 5]  # somebody fires or swings in every step
    assert person.page.evaluate("window.felt") == [[35, 70, 35]]
    reveal(person, begun, 2)
    assert person.page.evaluate("window.heard.at(-1)") == "end"
    switch(person, "Sounds", "Vibration")  # and off again
    assert person.page.evaluate(KEPT) == ["", ""]


def test_a_button_beside_the_film_switches_both(visit: Visit, begun: Table) -> None:
    person = visit("Ada", **PHONE)
    person.page.add_init_script(LISTENS)
    arrive(person, begun)
    play_rounds(begun, 0)
    person.open_menu()
    button = person.page.get_by_role("button", name="Sound & vibration")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.focus()
    person.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert person.page.evaluate(KEPT) == ["on", "on"]
    person.close_menu()
    expect(person.page.locator("[data-film].at-last")).to_be_attached()
    reveal(person, begun, 1)
    assert "reveal" in person.page.evaluate("window.heard")
    person.open_menu()
    expect(button).to_have_attribute("aria-pressed", "true")  # also after the page has changed
    button.focus()
    person.page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert person.page.evaluate(KEPT) == ["", ""]


def test_nothing_shakes_for_who_wants_less_motion(visit: Visit, begun: Table) -> None:
    person = visit("Ada", **PHONE, **STILL)
    person.page.add_init_script(LISTENS)
    arrive(person, begun)
    switch(person, "Vibration")
    play_rounds(begun, 0)
    expect(person.page.locator('[data-film][data-number="1"]')).to_be_attached()
    person.page.wait_for_timeout(300)
    assert person.page.evaluate("window.felt") == []


def test_from_the_end_to_the_strip_and_to_the_two_friends(visit: Visit, begun: Table, faults: Faults) -> None:
    play_rounds(begun, 0, 1, 2)
    sit(visit("Ben"), begun, "B")
    ada = visit("Ada", **PHONE)
    arrive(ada, begun)
    home = ada.address
    ada.page.goto(f"{home}?at=3")
    ada.press(ada.page.get_by_role("link", name="Comic", exact=True))
    expect(ada.page.get_by_role("heading", name="Comic")).to_be_visible()
    assert ada.page.locator(".comic > li").count() == 4
    expect(ada.page.locator("main")).to_contain_text("Ben is destroyed!")
    shown = ada.page.get_by_role("link", name="Share as a picture").get_attribute("href")
    assert ada.page.request.get(shown or "").headers["content-type"] == "image/png"
    faults.look_on_phone(ada.page, "comic")
    ada.page.goto(f"{home}?at=3")
    faults.measure(ada.page, "over", SMALLEST)
    ada.press(ada.page.get_by_role("link", name="You and Ben"))
    expect(ada.page.get_by_role("heading", name="You and Ben")).to_be_visible()
    faults.look_on_phone(ada.page, "friend")
    ada.press(ada.button("Rematch:"))
    ada.page.wait_for_url(lambda url: begun.key not in url)

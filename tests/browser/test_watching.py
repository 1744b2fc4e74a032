"""Watching: a film that goes through all turns, by buttons, keys, fingers and addresses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, Person

pytestmark = pytest.mark.more

STILL = "TL TL TL TL TL"
SPIN = "TR TR TR TR TR"


def on_the_board(page: Page, turn: int, step: int) -> None:
    expect(page.locator("#film")).to_have_attribute("data-number", str(turn))
    expect(page.locator(f"#film .frame[data-frame='{step}']")).to_be_visible()
    expect(page.get_by_role("heading", name=f"What happened in round {turn}")).to_be_visible()


@pytest.fixture
def played(visit: Visit) -> tuple[Person, Person]:
    """Alice has left the page after sealing; two rounds were played without her looking. Charlie watches."""
    alice, bob = visit("Alice", java_script_enabled=False), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    for program in (STILL, SPIN):
        for person in (alice, bob):
            seal_by_form(person, program)
    return alice, bob


def seal_by_form(person: Person, program: str) -> None:
    """Without looking: the page that comes of it is not seen."""
    page = person.page
    if "/m/" not in page.url:
        raise AssertionError(page.url)
    seat = page.url.partition("?")[0].partition("#")[0]
    turn = page.request.get(f"{seat.rpartition('/')[0].rpartition('/')[0]}/version/")
    assert turn.ok
    page.goto(f"{seat}?at=1.0")
    person.write(program)
    page.goto(f"{seat}?at=1.0")
    person.seal()


HELD_BACK = """tick => {
    document.querySelector(`[data-tick="${tick + 1}"]`).click();
    document.querySelector("[data-back]").click();
    document.querySelector("[data-forward]").click();
    const told = document.querySelector("[data-film-live]");
    return told.textContent && told.getAnimations().some((one) => one.timeline === document.timeline);
}"""


def test_whether_a_shot_hits_is_not_told_before_its_beam_is_seen(visit: Visit) -> None:
    alice, bob = visit("Alice", java_script_enabled=False), visit("Bob", java_script_enabled=False)
    bob.sit_down(alice.make_match())
    for person in (alice, bob):
        seal_by_form(person, "F TL TL TL TL")
    page = watching(visit, (alice, bob), **DESKTOP)
    on_the_board(page, 1, 5)
    assert page.evaluate(HELD_BACK, 0), "step 1 has beams"
    assert not page.evaluate(HELD_BACK, 1), "step 2 has none"


def watching(visit: Visit, played: tuple[Person, Person], **settings: Any) -> Page:
    page = visit("Charlie", **settings).page
    page.goto(played[0].page.url.partition("/A/")[0] + "/")
    return page


@pytest.mark.slow
def test_back_and_forward_lead_through_all_turns(visit: Visit, played: tuple[Person, Person]) -> None:
    page = watching(visit, played, reduced_motion="reduce", **DESKTOP)
    on_the_board(page, 2, 5)
    back, forward = page.get_by_role("link", name="Step back"), page.get_by_role("link", name="Step forward")
    expect(forward).to_be_disabled()
    for step in (4, 3, 2, 1):
        back.click()
        on_the_board(page, 2, step)
    back.click()
    on_the_board(page, 1, 5)
    expect(back).to_be_focused()
    assert page.url.endswith("?at=1.5")
    page.reload()
    on_the_board(page, 1, 5)
    page.keyboard.press("ArrowRight")
    on_the_board(page, 2, 1)
    page.keyboard.press("ArrowLeft")
    on_the_board(page, 1, 5)
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    on_the_board(page, 1, 0)
    expect(back).to_be_disabled()
    page.get_by_role("link", name="Current").click()
    on_the_board(page, 2, 5)
    assert "?" not in page.url


@pytest.mark.slow
def test_play_goes_on_into_the_next_turn_at_the_speed_that_somebody_likes(
    visit: Visit, played: tuple[Person, Person]
) -> None:
    page = watching(visit, played, **DESKTOP)
    page.locator("#more").click()
    page.get_by_label("Speed").select_option("4")
    page.locator("#menu summary", has_text="Turns").first.click()
    page.get_by_text("All rounds").click()
    page.locator("#turns").get_by_role("link", name="1", exact=True).click()
    on_the_board(page, 1, 0)
    page.get_by_role("button", name="Play").click()
    on_the_board(page, 2, 5)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.reload()
    page.locator("#more").click()
    expect(page.get_by_label("Speed")).to_have_value("4")


def test_a_finger_wipes_from_step_to_step_and_what_happened_is_read_aloud(
    visit: Visit, played: tuple[Person, Person]
) -> None:
    page = watching(visit, played, reduced_motion="reduce", **PHONE)
    page.goto(f"{page.url}?at=1.5")
    wipe(page, -150)
    on_the_board(page, 2, 1)
    wipe(page, -150)
    on_the_board(page, 2, 2)
    expect(page.locator("[data-film-live]")).to_contain_text("Alice turns")
    expect(page.locator("[data-film-live]")).to_contain_text(re.compile("^2 |Step 2"))
    wipe(page, 150)
    on_the_board(page, 2, 1)


def wipe(page: Page, by: int) -> None:
    page.evaluate(
        """by => {
            const board = document.querySelector("#film .board-sheet");
            const from = { pointerType: "touch", isPrimary: true, bubbles: true, clientX: 180, clientY: 200 };
            board.dispatchEvent(new PointerEvent("pointerdown", from));
            board.dispatchEvent(new PointerEvent("pointerup", { ...from, clientX: 180 + by }));
        }""",
        by,
    )


def test_who_comes_back_sees_what_is_new_played_and_a_tap_leads_to_the_present(
    visit: Visit, played: tuple[Person, Person]
) -> None:
    alice, bob = played
    back = visit("Alice on her phone", **PHONE)
    back.context.add_cookies(alice.context.cookies())  # type: ignore[arg-type]
    seal_by_form(alice, STILL)
    seal_by_form(bob, STILL)
    back.page.goto(alice.address.partition("#")[0])
    page = back.page
    expect(page.locator(".notice.since")).to_contain_text("since your last visit")
    assert "?at=3." in page.url
    on_the_board(page, 3, 1)  # it plays by itself
    back.come_to_now()
    back.press(back.key("F"))
    expect(back.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    on_the_board(page, 3, 5)
    expect(page.locator("#ghosts [data-ghost]").first).to_be_attached()
    expect(page.locator("#ghosts")).to_have_css("display", "inline")
    page.get_by_role("link", name="Step back").tap()
    expect(page.locator("#ghosts")).to_have_css("display", "none")


def test_neither_the_board_nor_the_films_controls_lie_under_the_dock(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob", java_script_enabled=False)
    alice.is_joined_by(bob)
    alice.seal(STILL)
    alice.has_sealed()
    bob.write(SPIN)
    bob.seal()
    alice.sees_round(1)
    alice.come_to_now()
    expect(alice.slots.first).to_be_visible()
    alice.page.evaluate("scrollTo(0, 0)")
    dock = alice.page.locator(".dock").bounding_box()
    for part in (".board-sheet", "[data-play]", "[data-back]"):
        box = alice.page.locator(f"#film {part}").bounding_box()
        assert dock and box and box["y"] + box["height"] <= dock["y"], (part, box, dock)

"""The first lesson, in a real browser: by finger on a phone, to the match at its end."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from games import newest
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, drawn, scrolls_sideways


@pytest.mark.more
def test_a_lesson_leads_to_a_match(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    page, lesson = alice.page, newest("pigs").lesson
    assert lesson
    page.goto("/learn/pigs/")
    for n, exercise in enumerate(lesson.exercises, 1):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n} of {len(lesson.exercises)}")
        drawn(page)
        assert not scrolls_sideways(page)
        alice.seal(exercise.answer)
        expect(page.locator(".dock .notice").filter(has_text="Well done.")).to_contain_text(
            str(exercise.done)
        )
        if n < len(lesson.exercises):
            alice.press(page.get_by_role("link", name="Next"))
    alice.press(alice.button("Play a bot now"))
    expect(alice.at_table("Guest")).to_be_visible()


@pytest.mark.more
def test_axe_finds_nothing(visit: Visit) -> None:
    page = visit("Alice", **PHONE).page
    for address in ("/learn/pigs/", "/learn/pigs/2/?order=TR+F+F+F+F&played", "/learn/robble/"):
        page.goto(address)
        found = Axe().run(page, options={"preload": False})
        assert not found.violations_count, found.generate_report()


@pytest.mark.more
@pytest.mark.parametrize(
    ("game", "taps"),
    [("robosoccer", "e3 e4"), ("robble", "c4"), ("roboxing", "to_c7 to_e7")],
)
def test_a_tap_shows_on_the_board_of_a_lesson(visit: Visit, game: str, taps: str) -> None:
    """The outcome of a tap is drawn, and the way on is under the thumb."""
    alice = visit("Alice", **PHONE)
    page = alice.page
    page.goto(f"/learn/{game}/")
    for tap in taps.split():
        alice.press(page.locator(f".taps [value='{tap.replace('_', ' ')}']"))
        done = ".taps [aria-pressed='true'], .slots .slot:not(.free), .bx-pip.taken"
        expect(page.locator(done).first).to_be_visible()
    expect(page.locator("#badges [data-ghost], #badges .bx-leg").first).to_be_attached()
    alice.press(page.locator(".dock .primary"))
    expect(page.locator(".dock .notice").filter(has_text="Well done.")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Next")).to_be_in_viewport()


@pytest.mark.more
@pytest.mark.parametrize(("game", "tap"), [("robosoccer", "e3"), ("roboxing", "to c7")])
def test_nothing_moves_under_the_thumb_in_a_lesson(visit: Visit, game: str, tap: str) -> None:
    alice = visit("Alice", viewport={"width": 390, "height": 664}, has_touch=True, is_mobile=True)
    page, board = alice.page, alice.page.locator("#film .board-sheet")
    page.goto(f"/learn/{game}/")
    expect(page.locator("#lesson .lead")).to_be_in_viewport()
    drawn(page)
    before = board.bounding_box()
    square = page.locator(f".taps [value='{tap}']").bounding_box()
    assert square
    page.touchscreen.tap(square["x"] + square["width"] / 2, square["y"] + square["height"] / 2)
    expect(page.locator("#says > :last-child")).not_to_be_empty()
    drawn(page)
    assert board.bounding_box() == before
    expect(page.locator("#lesson .lead")).to_be_in_viewport()


@pytest.mark.more
def test_the_keyboard_keeps_its_place_in_a_lesson(visit: Visit) -> None:
    """A pressed control keeps the focus, and one that cannot be pressed says why."""
    alice = visit("Alice", **DESKTOP)
    page = alice.page
    page.goto("/learn/pigs/2/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    alice.seal_button.click(force=True)
    expect(page.locator(".dock").get_by_role("alert")).to_have_text("5 slots are still free.")
    assert asked == []
    for n in range(1, 5):
        alice.key("F").focus()
        page.keyboard.press("Enter")
        expect(alice.slots.nth(n - 1)).to_have_accessible_name(f"Slot {n}: fire. Take it out.")
        expect(alice.key("F")).to_be_focused()
    page.goto("/learn/roboxing/")
    tap = page.locator(".taps [value='to c7']")
    tap.focus()
    page.keyboard.press("Enter")
    expect(tap).to_have_count(0)
    expect(page.locator(".taps button:focus")).to_have_count(1)


@pytest.mark.more
def test_a_refused_tap_leaves_a_lesson_going(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    page = alice.page
    page.goto("/learn/robosoccer/4/")
    alice.press(page.locator(".taps [value='a5']"))
    expect(page.locator(".taps [value='a5'][aria-pressed]")).to_be_visible()
    page.locator(".taps [value='b5']").tap(force=True)  # it is disabled, and says why
    expect(page.locator(".refused")).to_contain_text("red line")
    alice.press(page.locator(".taps [value='a7']"))
    expect(page.get_by_role("list", name="Your turn")).to_contain_text("a5^a7")

"""The first lesson, in a real browser: by finger on a phone, to the match at its end."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from games import newest
from tests.browser.conftest import Visit
from tests.browser.people import PHONE, scrolls_sideways


def test_a_lesson_leads_to_a_match(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    page, lesson = alice.page, newest("pigs").lesson
    assert lesson
    page.goto("/learn/pigs/")
    for n, exercise in enumerate(lesson.exercises, 1):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{n} of {len(lesson.exercises)}")
        assert not scrolls_sideways(page)
        alice.seal(exercise.answer)
        expect(page.get_by_role("status").filter(has_text="Well done.")).to_contain_text(str(exercise.done))
        if n < len(lesson.exercises):
            alice.press(page.get_by_role("link", name="Next"))
    alice.press(alice.button("Play at once against a bot"))
    expect(alice.at_table("Guest")).to_be_visible()


def test_axe_finds_nothing(visit: Visit) -> None:
    page = visit("Alice", **PHONE).page
    for address in ("/learn/pigs/", "/learn/pigs/2/?order=TR+F+F+F+F&played", "/learn/robble/"):
        page.goto(address)
        found = Axe().run(page)
        assert not found.violations_count, found.generate_report()

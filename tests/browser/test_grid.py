"""The board, square by square: a grid of all squares, by keys alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games import GAMES
from tests.browser.conftest import Seated, Visit
from tests.browser.people import DESKTOP, STILL, Person
from tests.browser.test_refusals import sit_at_turn

SIZES = {"pigs": (8, 8), "robble": (7, 7), "robosoccer": (8, 6), "roboxing": (8, 8)}


@pytest.fixture(params=list(GAMES))
def explorer(request: pytest.FixtureRequest, seated: Seated, visit: Visit) -> tuple[str, Person]:
    """Somebody whose turn it is, a few turns into a match of each game, and the game."""
    made = seated(request.param, "square by square")
    made.play(5)
    person = visit("Ada", **DESKTOP, **STILL)
    sit_at_turn(person, made)
    person.page.goto(person.address)
    expect(person.page.get_by_role("grid")).to_be_attached()
    return request.param, person


def walk(page: Page) -> dict[str, str]:
    """The name of each square, found with arrow keys, Home and End alone, from wherever the focus is."""
    rows, columns = page.get_by_role("row").count(), page.get_by_role("row").first.locator("> *").count()
    page.keyboard.press("Control+Home")
    found: dict[str, str] = {}
    for _ in range(rows):
        page.keyboard.press("Home")
        for _ in range(columns):
            square, name = page.evaluate(NAMED)
            found[square] = name
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    return found


NAMED = """() => {
    const one = document.activeElement;
    return [one.closest("[role=gridcell]").dataset.square, one.getAttribute("aria-label")];
}"""
STANDS = {
    "pigs": r"(stand|stands) on [a-h]\d, (face|faces) (north|east|south|west)",
    "robble": "black stone|white stone",
    "robosoccer": "your ball",
    "roboxing": r"(stand|stands) on",
}
ASKED = {"pigs": "can fire at", "robosoccer": "can go to", "roboxing": "covers", "robble": "Black|White"}


def test_each_square_says_what_stands_there(explorer: tuple[str, Person]) -> None:
    game, person = explorer
    page = person.page
    assert page.locator("[role=grid] [tabindex='0']").count() == 1
    page.locator("[role=grid] [tabindex='0']").focus()
    found = walk(page)
    rows, columns = SIZES[game]
    assert len(found) == rows * columns
    assert all(name.startswith(square) for square, name in found.items()), {
        k: v for k, v in found.items() if not v.startswith(k)
    }
    standing = {square for square, name in found.items() if re.search(STANDS[game], name)}
    assert standing
    if game == "robosoccer":
        assert any("red line to" in name for name in found.values())
        assert any("arrow to" in name for name in found.values())
    page.keyboard.press("Control+Home")
    for square in sorted(standing):
        page.locator(f"[data-square={square}]").evaluate(
            "one => (one.matches('[tabindex]') ? one : one.querySelector('button')).focus()"
        )
        page.keyboard.press("?")
        if re.search(ASKED[game], page.locator("#says").inner_text()):
            return
    raise AssertionError("nobody said what reaches what")

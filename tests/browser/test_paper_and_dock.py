"""A phone's dock: it keeps its height while a turn is planned, and little paper stands below the footer."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Visit
from tests.browser.people import (
    SMALL,
    drawn,
)

pytestmark = pytest.mark.more

HEIGHT = "document.querySelector('#plan .dock').offsetHeight"
PAPER = """() => {
    const footer = document.querySelector(".site-footer").getBoundingClientRect().bottom + scrollY;
    return document.documentElement.scrollHeight - footer - document.querySelector(".dock").offsetHeight;
}"""


def test_robosoccer_s_dock_is_as_high_before_and_after_a_tap(visit: Visit) -> None:
    guest = visit("Guest", **SMALL)
    guest.page.goto("/puzzles/robosoccer/1/")
    drawn(guest.page)
    heights = [guest.page.evaluate(HEIGHT)]
    for number in range(3):
        guest.page.locator("#film .taps button:not([aria-disabled])").nth(number).click()
        drawn(guest.page)
        heights.append(guest.page.evaluate(HEIGHT))
    assert len(set(heights)) == 1, heights


@pytest.mark.parametrize("slug", ["pigs", "robosoccer", "robble"])
def test_little_paper_stands_between_the_footer_and_the_dock(visit: Visit, slug: str) -> None:
    guest = visit("Guest", **SMALL)
    guest.page.goto(f"/puzzles/{slug}/1/")
    drawn(guest.page)
    assert 0 <= guest.page.evaluate(PAPER) <= 80

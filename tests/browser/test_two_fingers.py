"""Two fingers on the board: it zooms, and zoomed in it moves every way, while swipes rest."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import CDPSession, expect

from tests.browser.conftest import Seated, Visit
from tests.browser.people import PHONE, STILL, Person, stands_still
from tests.receivers import until

ZOOM = "visualViewport.scale"
LEFT = "visualViewport.offsetLeft"


@pytest.fixture
def charlie(visit: Visit, seated: Seated) -> Person:
    """Watches a match on a phone, at the second step of a round."""
    table = seated("pigs", "fingers")
    table.play(1)
    charlie = visit("Charlie", **PHONE, **STILL)
    charlie.page.goto(f"/m/{table.key}/?at=1.2")
    expect(charlie.page.locator("#film .board")).to_be_visible()
    charlie.page.locator("#film .board").scroll_into_view_if_needed()
    stands_still(charlie.page.locator("#film .board"))
    return charlie


def middle(charlie: Person) -> tuple[float, float]:
    box = charlie.page.locator("#film .board").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def touches(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    given: list[dict[str, Any]] = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})


def step(charlie: Person) -> str:
    return charlie.page.url.partition("?at=")[2]


def swipe(charlie: Person, far: float) -> None:
    session, (x, y) = charlie.context.new_cdp_session(charlie.page), middle(charlie)
    touches(session, "touchStart", (x, y))
    for n in range(1, 6):
        touches(session, "touchMove", (x + far * n / 5, y))
    touches(session, "touchEnd")
    charlie.page.wait_for_timeout(400)


def test_one_finger_swipes_while_the_page_is_not_zoomed(charlie: Person) -> None:
    assert step(charlie) == "1.2"
    swipe(charlie, -120)
    until(lambda: step(charlie) == "1.3")
    swipe(charlie, 120)
    until(lambda: step(charlie) == "1.2")


@pytest.mark.more
def test_zoomed_in_the_board_moves_sideways_and_no_swipe_plays_the_film(charlie: Person) -> None:
    session, (x, y) = charlie.context.new_cdp_session(charlie.page), middle(charlie)
    session.send("Input.synthesizePinchGesture", {"x": x, "y": y, "scaleFactor": 2.5, "relativeSpeed": 300})
    assert charlie.page.evaluate(ZOOM) > 2
    assert step(charlie) == "1.2"
    charlie.page.wait_for_timeout(300)
    before = charlie.page.evaluate(LEFT)
    swipe(charlie, -120)
    until(lambda: charlie.page.evaluate(LEFT) > before + 20)
    swipe(charlie, 150)
    assert step(charlie) == "1.2"


@pytest.mark.more
def test_a_second_finger_ends_a_swipe(charlie: Person) -> None:
    session, (x, y) = charlie.context.new_cdp_session(charlie.page), middle(charlie)
    touches(session, "touchStart", (x, y))
    touches(session, "touchStart", (x, y), (x, y + 90))
    for n in range(1, 6):  # both at once: the page stays as large as it is
        touches(session, "touchMove", (x - 30 * n, y), (x - 30 * n, y + 90))
    touches(session, "touchEnd", (x - 150, y))
    touches(session, "touchEnd")
    charlie.page.wait_for_timeout(400)
    assert step(charlie) == "1.2"


@pytest.mark.more
def test_a_board_that_is_wider_than_its_frame_scrolls_in_it(visit: Visit, seated: Seated) -> None:
    table = seated("robosoccer", "wide")
    table.play(3)
    charlie = visit("Charlie", **{**PHONE, "viewport": {"width": 150, "height": 600}}, **STILL)
    charlie.page.goto(f"/m/{table.key}/?at=3.1")
    frame = charlie.page.locator("#film .board-sheet")
    frame.scroll_into_view_if_needed()
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    stands_still(frame)
    swipe(charlie, -100)
    until(lambda: frame.evaluate("frame => frame.scrollLeft") > 20)
    assert step(charlie) == "3.1"

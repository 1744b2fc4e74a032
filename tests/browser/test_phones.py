"""On the smallest phone and on a desk: the board keeps its size, and what is needed is in sight."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import CDPSession, expect

from tests.browser.conftest import Seated, Visit
from tests.browser.people import (
    DESKTOP,
    PHONE,
    ROUNDS,
    SMALL,
    SMALLEST_PHONE,
    STILL,
    A,
    B,
    Person,
    drawn,
    play_rounds,
    sit,
    stands_still,
)
from tests.receivers import until
from tests.screenshots.town import Table


@pytest.mark.more
@pytest.mark.parametrize(
    "device", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)], ids=["phone", "desktop"]
)
def test_the_board_never_changes_its_size(visit: Visit, table: Table, device: dict[str, Any]) -> None:
    alice = sit(visit("Ada", **device), table)
    sizes = {"planning": board(alice)}
    alice.choose(ROUNDS[0][0])
    sizes["planned"] = board(alice)
    alice.seal()
    alice.has_sealed()
    sizes["sealed"] = board(alice)
    table.seal(B, ROUNDS[0][1], 0)
    alice.sees_round(1)
    sizes["film"] = board(alice)
    alice.page.goto(f"{alice.address}?at=1.3")
    sizes["a step of the film"] = board(alice)
    table.seal(B, "F F F F X", 1)
    expect(alice.at_table("Ben")).to_contain_text("sealed")
    alice.seal("F F F F F")
    expect(alice.status).to_contain_text("You won!")
    sizes["over"] = board(alice)
    assert len(set(sizes.values())) == 1, sizes


def board(person: Person) -> tuple[int, int]:
    box = person.page.get_by_role("img", name="The board").bounding_box()
    assert box
    return round(box["width"]), round(box["height"])


@pytest.mark.more
def test_the_link_for_friends_is_seen_whole_once_a_match_is_made(visit: Visit) -> None:
    """The planner below it does not scroll it away."""
    alice = visit("Alice", **SMALLEST_PHONE)
    alice.make_match()
    alice.page.wait_for_load_state("networkidle")
    link = alice.page.get_by_label("Message to send")
    expect(link).to_be_in_viewport()
    assert link.evaluate("one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth")
    assert alice.page.evaluate("scrollY") == 0


@pytest.mark.more
@pytest.mark.parametrize("locale", ["en", "de", "es"])
def test_an_offer_is_seen_and_leaves_the_board_where_it_is(visit: Visit, table: Table, locale: str) -> None:
    play_rounds(table, 0)
    alice = sit(visit("Ada", **PHONE), table)
    sit(visit("Ben"), table, B)
    alice.reads(locale)
    alice.page.reload()
    alice.come_to_now()
    drawn(alice.page)
    board = alice.page.locator("#film .board-sheet")
    stood, bar = board.bounding_box(), alice.page.locator(".bar").bounding_box()
    assert bar and bar["height"] < 60, "it takes one row, with the sign that Ben is here"
    table.offer_draw(B)
    told = alice.page.locator("#status a[href='#offer-draw']")
    expect(told).to_be_in_viewport()
    stands = board.bounding_box()
    assert stood and stands and stands["y"] <= stood["y"], "the offer takes the place of a longer sentence"
    told.tap()
    expect(alice.page.locator("#offer-draw")).to_be_in_viewport()


@pytest.mark.more
@pytest.mark.parametrize("screen", [PHONE, {"viewport": {"width": 1280, "height": 800}}])
def test_the_field_of_a_typed_plan_stays_where_it_is(visit: Visit, screen: dict[str, Any]) -> None:
    alice = visit("Alice", **screen)
    alice.make_match()
    alice.enter_as_text()
    field = alice.page.get_by_label("Your program as text")
    field.fill("F F TL ^ H")
    field.scroll_into_view_if_needed()
    before = stands_still(field)
    field.press("Enter")
    expect(alice.page.locator(".plan-words li")).to_have_count(5)
    expect(field).to_be_focused()
    after = stands_still(field)
    assert abs(after["y"] - before["y"]) < 5


ZOOM = "visualViewport.scale"
LEFT = "visualViewport.offsetLeft"


@pytest.fixture
def charlie(visit: Visit, table: Table) -> Person:
    """Watches a match on a phone, at the second step of a round."""
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


@pytest.mark.more
def test_a_phone_shows_who_has_sealed_and_then_the_board_and_whom_one_waits_for(
    visit: Visit, table: Table
) -> None:
    ada = visit("Ada", **SMALL, **STILL, color_scheme="dark")
    sit(ada, table, A)
    sealed = ada.page.locator("#players").get_by_text("sealed", exact=True)
    expect(sealed).to_have_count(0)
    table.seal(B, "H H H H H", 0)
    expect(ada.status).to_contain_text("Ben has sealed.")
    expect(sealed).to_be_visible()
    ada.seal("\\ F H H H")
    ada.page.locator("#plan [data-onward]").tap()
    ada.seal("F F H H H")
    expect(ada.status).to_contain_text("Waiting for Ben")
    expect(ada.status).to_be_in_viewport()
    assert ada.page.evaluate("scrollY") == 0


@pytest.mark.more
def test_what_a_thing_is_goes_with_the_position_that_it_was_about(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, table, A)
    table.seal(A, "\\ F H H H", 0)
    expect(ada.status).to_contain_text("Waiting for Ben")
    box = ada.page.locator("#film .board-sheet").bounding_box()
    assert box
    ada.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says = ada.page.locator("#what-says")
    expect(says).not_to_have_class("what-says visually-hidden")
    table.seal(B, "H H H H H", 0)
    expect(says).to_have_class("what-says visually-hidden")

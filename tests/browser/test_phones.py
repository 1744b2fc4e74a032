"""On the smallest phone and on a desk: the board keeps its size, and what is needed is in sight."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person, drawn, stands_still

pytestmark = pytest.mark.more


@pytest.mark.slow
def test_all_that_is_folded_away_fits_can_be_touched_and_has_nothing_for_axe(
    visit: Visit, faults: Faults
) -> None:
    alice, bob = visit("Alice", viewport={"width": 320, "height": 640}, has_touch=True), visit("Bob")
    bob.sit_down(alice.make_match())
    alice.choose(ROUNDS[0][0])
    for summary in alice.page.locator("summary:visible").all():
        if (box := summary.bounding_box()) and box["height"] > 1:  # a lower one is for the ear
            summary.click()
    faults.look(alice.page, "all unfolded")


@pytest.mark.parametrize(
    "device", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)], ids=["phone", "desktop"]
)
def test_the_board_never_changes_its_size(visit: Visit, device: dict[str, Any]) -> None:
    alice, bob = visit("Alice", **device), visit("Bob", **DESKTOP)
    alice.is_joined_by(bob)
    sizes = {"planning": board(alice)}
    alice.choose(ROUNDS[0][0])
    sizes["planned"] = board(alice)
    alice.seal()
    alice.has_sealed()
    sizes["sealed"] = board(alice)
    bob.seal(ROUNDS[0][1])
    alice.sees_round(1)
    sizes["film"] = board(alice)
    alice.page.goto(f"{alice.page.url}?at=1.3")
    sizes["a step of the film"] = board(alice)
    bob.seal("F F F F X")
    bob.has_sealed()
    expect(alice.at_table("Bob")).to_contain_text("sealed")
    alice.seal("F F F F F")
    expect(alice.status).to_contain_text("You won!")
    sizes["over"] = board(alice)
    assert len(set(sizes.values())) == 1, sizes


def board(person: Person) -> tuple[int, int]:
    box = person.page.get_by_role("img", name="The board").bounding_box()
    assert box
    return round(box["width"]), round(box["height"])


@pytest.mark.parametrize("slug", ["pigs", "roboxing", "robble"])
def test_the_tail_of_a_g_under_the_board_is_not_cut(visit: Visit, slug: str) -> None:
    alice = visit("Alice", **PHONE)
    alice.page.goto(f"/new/{slug}/")
    alice.page.get_by_label("Your name").fill("Alice")
    alice.press(alice.page.locator(".make-bar .primary"))
    expect(alice.page.locator("#live")).to_be_attached()
    drawn(alice.page)  # before its styles are there, a drawing has another size
    below = alice.page.locator("svg.board:visible").first.evaluate(
        """board => {
            const letters = [...board.querySelectorAll(".files text")];
            const letter = letters.find((one) => one.textContent.includes("g"));
            return letter.getBoundingClientRect().bottom - board.getBoundingClientRect().bottom;
        }"""
    )  # in one go: the page may be scrolling to the board
    assert below <= 0


def test_the_link_for_friends_is_in_sight_once_a_match_is_made(visit: Visit) -> None:
    """The planner below it does not scroll it away."""
    alice = visit("Alice", **PHONE)
    alice.make_match()
    alice.page.wait_for_load_state("networkidle")
    expect(alice.page.get_by_label("Message to send")).to_be_in_viewport()
    assert alice.page.evaluate("scrollY") == 0


@pytest.mark.parametrize("locale", ["en", "de", "es"])
def test_an_offer_is_seen_and_leaves_the_board_where_it_is(visit: Visit, locale: str) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob")
    bob.sit_down(alice.make_match())
    for person, order in zip((alice, bob), ROUNDS[0], strict=True):
        person.seal(order)
    bob.come_to_now()
    alice.page.context.add_cookies([{"name": "django_language", "value": locale, "url": alice.page.url}])
    alice.page.reload()
    alice.come_to_now()
    drawn(alice.page)
    board = alice.page.locator("#film .board-sheet")
    stood, bar = board.bounding_box(), alice.page.locator(".bar").bounding_box()
    assert bar and bar["height"] < 60, "it takes one row, with the sign that Bob is here"
    bob.open_menu()
    bob.press(bob.button("Offer a draw"))
    told = alice.page.locator("#status a[href='#offer-draw']")
    expect(told).to_be_in_viewport()
    stands = board.bounding_box()
    assert stood and stands and stands["y"] <= stood["y"], "the offer takes the place of a longer sentence"
    told.tap()
    expect(alice.page.locator("#offer-draw")).to_be_in_viewport()


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

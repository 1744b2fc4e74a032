"""Every page on the smallest phone, on a desk and enlarged: nothing sideways, nothing small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person, Watcher, drawn, stands_still
from tests.servers import Server

pytestmark = pytest.mark.more

Look = Callable[[Page, str], None]


@pytest.fixture
def plain(site: Server) -> Iterator[Server]:
    """The same site as everybody else sees it: with DEBUG, Django has its own page for what is not there."""
    with site.beside(DEBUG="0", LIMITS="on") as running:
        yield running


def every_state(visit: Visit, watcher: Watcher, plain: Server, look: Look, **settings: Any) -> None:
    """Shows each kind of page, in each state of a match, to `look`."""
    watcher.allow("^Alice: .*(403|404)")
    watcher.allow(f"another host: {plain.url}")
    alice, bob = visit("Alice", **settings), visit("Bob", java_script_enabled=False)
    page = alice.page

    def see(path: str, name: str) -> None:
        page.goto(path)
        look(page, name)

    see("/", "home")
    see("/mine/", "no games yet")
    see("/rules/pigs/", "rules")
    see(f"{plain.url}/nothing-here/", "not found")
    invite = alice.make_match()
    seat = page.url
    match = seat.rpartition("/A/")[0] + "/"
    look(page, "open, before anybody sat down")
    own_link = page.get_by_label("Seat link:").input_value()
    see(own_link, "own link")
    see(match, "watching before the start")
    stranger = visit("Alice", **settings)
    stranger.page.goto(invite)
    look(stranger.page, "invite")
    stranger.page.goto(seat)
    look(stranger.page, "somebody else's seat")
    bob.sit_down(invite)
    stranger.page.goto(invite)
    look(stranger.page, "invite to a full table")
    page.goto(seat)
    alice.choose(ROUNDS[0][0])
    look(page, "planning, complete")
    alice.seal()
    alice.has_sealed()
    look(page, "sealed")
    bob.seal(ROUNDS[0][1])
    bob.sees_round(1)
    see(f"{seat}?at=1.2", "film")
    see("/mine/", "my games")
    page.goto(seat)
    alice.seal(ROUNDS[1][0])
    alice.has_sealed()
    bob.seal(ROUNDS[1][1])
    bob.sees_round(2)
    see(f"{seat}?at=2.5", "planning with damage")
    alice.come_to_now()
    page.get_by_role("button", name="damage. Move it").first.click()
    expect(alice.slots.nth(3)).to_have_accessible_name("Slot 4: free. Fill it next.")
    for summary in page.locator("summary:visible").all():
        summary.click()
    look(page, "all unfolded")
    bob.seal(ROUNDS[2][1])
    bob.has_sealed()
    alice.write(ROUNDS[2][0])
    alice.seal()
    alice.sees_round(3)
    expect(alice.status).to_contain_text("You won!")
    look(page, "over")
    see(match, "watched when it is over")


@pytest.mark.slow
def test_every_page_fits_can_be_touched_and_has_nothing_for_axe(
    visit: Visit, watcher: Watcher, plain: Server
) -> None:
    """At 320 pixels, on a desk, and on the same desk enlarged to 200 %; on paper and on blueprint."""
    faults = Faults()

    every_state(visit, watcher, plain, faults.look, viewport={"width": 320, "height": 640}, has_touch=True)
    assert not faults.found, "\n".join(faults.found)


@pytest.mark.parametrize(
    "device", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.slow)], ids=["phone", "desktop"]
)
def test_the_board_never_changes_its_size(visit: Visit, device: dict[str, Any]) -> None:
    alice, bob = visit("Alice", **device), visit("Bob", **DESKTOP)
    bob.sit_down(alice.make_match())
    expect(alice.at_table("Bob")).to_contain_text("planning")
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


def test_an_offer_is_seen_on_the_way_from_the_film_to_the_planner(visit: Visit) -> None:
    alice, bob = visit("Alice", **PHONE), visit("Bob")
    bob.sit_down(alice.make_match())
    for person, order in zip((alice, bob), ROUNDS[0], strict=True):
        person.seal(order)
    bob.come_to_now()
    bob.open_menu()
    bob.press(bob.button("Offer a draw"))
    offer = alice.page.get_by_role("heading", name="Bob offers a draw")
    expect(offer).to_be_attached()
    alice.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    alice.page.locator("a.onward").tap()
    expect(offer).to_be_in_viewport()


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

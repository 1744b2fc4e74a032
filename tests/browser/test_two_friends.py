"""Two friends see each other's moves on an evening: one on a small phone, one on a laptop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.people import (
    DESKTOP,
    SMALL,
    STILL,
    Person,
    sit,
)
from tests.screenshots.town import Table

pytestmark = pytest.mark.more

A, B = Seat("A"), Seat("B")
SHOTS = os.environ.get("SHOTS", "")
INK = "(one) => [getComputedStyle(one).color, getComputedStyle(document.body).color]"


def play(table: Table, seat: Seat, turn: int, order: str) -> None:
    answer = table.api.put(
        f"/matches/{table.key}/order",
        json={"turn": turn, "order": order},
        headers={"Authorization": f"Bearer {table.tokens[seat]}"},
    )
    assert answer.status_code == 200, answer.text


def shoot(person: Person, name: str) -> None:
    if SHOTS:
        person.page.screenshot(path=Path(SHOTS) / f"{name}.png")


def test_a_phone_shows_who_has_sealed_and_then_the_board_and_whom_one_waits_for(
    visit: Visit, seated: Seated
) -> None:
    table = seated("pigs", "friends")
    ada = visit("Ada", **SMALL, **STILL, color_scheme="dark")
    sit(ada, table, A)
    sealed = ada.page.locator("#players").get_by_text("sealed", exact=True)
    expect(sealed).to_have_count(0)
    play(table, B, 0, "H H H H H")
    expect(ada.status).to_contain_text("Ben has sealed.")
    expect(sealed).to_be_visible()
    shoot(ada, "sealed")
    ada.seal("\\ F H H H")
    ada.page.locator("#plan [data-onward]").tap()
    ada.seal("F F H H H")
    expect(ada.status).to_contain_text("Waiting for Ben")
    expect(ada.status).to_be_in_viewport()
    assert ada.page.evaluate("scrollY") == 0
    shoot(ada, "waiting")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_name_of_ones_colour_can_be_read(visit: Visit, seated: Seated, scheme: str) -> None:
    """Black stands on a dark page, and White on a light one."""
    table = seated("robble", "friends")
    for seat in (A, B):
        person = visit(seat, **DESKTOP, **STILL, color_scheme=scheme)
        sit(person, table, seat)
        own, ink = person.page.locator(".own-side").evaluate(INK)
        assert own == ink
        shoot(person, f"{scheme}-{seat}")


def test_the_page_of_replies_begins_anew_when_something_was_played(visit: Visit, seated: Seated) -> None:
    table = seated("robble", "friends")
    play(table, A, 0, "d4")
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, table, A)
    ada.page.goto(f"/m/{table.key}/A/replies/")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays …")
    play(table, B, 1, "c4")
    expect(ada.page.locator("#lesson")).to_contain_text("The match has gone on since you opened this page.")
    expect(ada.page.get_by_role("link", name="What was played")).to_be_visible()
    shoot(ada, "replies")


def test_what_a_thing_is_goes_with_the_position_that_it_was_about(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "friends")
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, table, A)
    play(table, A, 0, "\\ F H H H")
    expect(ada.status).to_contain_text("Waiting for Ben")
    box = ada.page.locator("#film .board-sheet").bounding_box()
    assert box
    ada.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    says = ada.page.locator("#what-says")
    expect(says).not_to_have_class("what-says visually-hidden")
    play(table, B, 0, "H H H H H")
    expect(says).to_have_class("what-says visually-hidden")


def test_asking_to_call_it_off_says_so_at_the_top(visit: Visit, seated: Seated) -> None:
    ada = visit("Ada", **SMALL, **STILL)
    sit(ada, seated("robosoccer", "friends"), A)
    ada.unfold("Cancel match")
    ada.press(ada.button("Ask to cancel"))
    expect(ada.status).to_contain_text("You’ve asked to cancel the match.")
    expect(ada.status.locator("b")).to_be_in_viewport()
    expect(ada.status).not_to_contain_text("sealed")  # nothing is sealed where one plays after the other
    shoot(ada, "off")

"""The film tells how a round went and how the match ended, and nothing on the page tells it before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, ROUNDS, Person
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

A, B = Seat("A"), Seat("B")


@pytest.fixture
def table(site: Server) -> Iterator[Table]:
    made = Table(site.url, "pigs", "how it ends")
    made.sit_down()
    yield made
    made.api.close()


def play(table: Table, *numbers: int) -> None:
    for number in numbers:
        for seat, order in zip((A, B), ROUNDS[number], strict=True):
            table.seal(seat, order, number)


def sit(person: Person, table: Table) -> None:
    """Sits down, and has seen everything that was played."""
    person.page.goto(f"/s/seat/{table.tokens[A]}/")
    person.press(person.button("sit down here"))
    expect(person.page.get_by_role("heading", name="At the table")).to_be_visible()
    person.page.goto(person.page.url.partition("?")[0])
    person.page.goto(person.page.url.partition("?")[0])
    expect(person.page.locator("[data-film].at-last")).to_be_attached()
    person.page.wait_for_load_state("networkidle")


def tells_nothing(person: Person) -> None:
    expect(person.page.get_by_text("How did it end?")).to_be_visible()
    expect(person.status).not_to_be_visible()
    assert "wins" not in person.page.title()
    for word in ("won", "lost"):
        assert not person.table.get_by_text(word, exact=True).is_visible()
    if person.scripts:  # without them nothing would show the sentences later
        assert not person.page.get_by_text("Ben is destroyed", exact=False).first.is_visible()
    assert not person.page.get_by_role("heading", name="Once more?").is_visible()


def tells_all(person: Person) -> None:
    expect(person.status).to_be_visible()
    expect(person.status).to_have_text("Ada wins.")
    expect(person.page).to_have_title("Ada wins. · Robo Battle Pigs · Robosite")
    expect(person.table.get_by_text("won", exact=True)).to_be_visible()
    expect(person.page.get_by_role("heading", name="Once more?")).to_be_visible()
    assert not person.page.get_by_text("How did it end?").is_visible()


@pytest.mark.parametrize("looks", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_last_round_is_watched_before_its_end_is_told(
    visit: Visit, table: Table, looks: dict[str, Any]
) -> None:
    play(table, 0, 1)
    person = visit("Ada", **looks)
    sit(person, table)
    play(table, 2)
    expect(person.page.locator("[data-film].playing")).to_be_attached()
    tells_nothing(person)
    expect(person.page.locator("[data-film].at-last")).to_be_attached()
    tells_all(person)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_who_comes_back_to_a_match_that_is_over_watches_its_end_first(
    visit: Visit, table: Table, scripts: bool
) -> None:
    play(table, 0, 1)
    person = visit("Ada", java_script_enabled=scripts, **DESKTOP)
    sit(person, table)
    address = person.page.url
    person.page.goto("/rules/pigs/")
    play(table, 2)
    person.page.goto(address)
    tells_nothing(person)
    person.press(person.page.get_by_role("link", name="How did it end?"))
    tells_all(person)


def test_the_slots_tell_nothing_of_the_damage_that_is_about_to_be_shown(visit: Visit, table: Table) -> None:
    play(table, 0)
    person = visit("Ada", **DESKTOP)
    sit(person, table)
    play(table, 1)
    expect(person.page.locator("[data-film][data-fresh]")).to_be_attached()
    assert not person.slots.first.is_visible()
    assert not person.page.locator(".programs .cell-mark").last.is_visible()
    person.press(person.page.get_by_role("link", name="On to your turn"))
    expect(person.slots.first).to_be_visible()
    expect(person.page.locator(".programs .cell-mark").last).to_be_visible()

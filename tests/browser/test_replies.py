"""Replies planned in a browser: by taps on a phone, without JavaScript, and by keyboard; then played."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.looks import DESK, ENLARGED, SMALLEST, Faults
from tests.browser.people import (
    DESKTOP,
    PHONE,
    STILL,
    Person,
    scrolls_sideways,
    sit,
)
from tests.screenshots.town import Table
from tests.servers import Server

A, B = Seat("A"), Seat("B")
SHOTS = os.environ.get("SHOTS", "")


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match of Robble: Ada has placed on d4."""
    table = seated("robble", "replies")
    play(table, A, 0, "d4")
    return table


def play(table: Table, seat: Seat, turn: int, order: str) -> None:
    answer = table.api.put(
        f"/matches/{table.key}/order",
        json={"turn": turn, "order": order},
        headers={"Authorization": f"Bearer {table.tokens[seat]}"},
    )
    assert answer.status_code == 200, answer.text


def lines(table: Table, seat: Seat) -> Any:
    token = {"Authorization": f"Bearer {table.tokens[seat]}"}
    return table.api.get(f"/matches/{table.key}/replies", headers=token).json()["lines"]


def square(person: Person, name: str) -> Locator:
    squares = person.page.locator("#taps")
    return squares.get_by_role("button", name=re.compile(f"^{name}:"))


def shoot(person: Person, name: str) -> None:
    if SHOTS:
        person.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


def test_replies_are_planned_by_taps_on_a_phone_and_played(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **PHONE, **STILL)
    sit(ada, table, A)
    shoot(ada, "waiting")
    ada.press(ada.page.get_by_role("link", name="Plan a reply to Ben"))
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays …")
    assert scrolls_sideways(ada.page) <= 0
    shoot(ada, "first")
    ada.press(square(ada, "c4"))
    shoot(ada, "tapped")
    ada.press(ada.button("If they play this …"))
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("If Ben plays c4, you play …")
    ada.press(square(ada, "d5"))
    shoot(ada, "answer")
    ada.press(ada.button("Answer with this"))
    expect(ada.page.get_by_text("Saved.")).to_be_visible()
    shoot(ada, "saved")
    assert lines(table, A) == [["c4", "d5"]] and scrolls_sideways(ada.page) <= 0
    ada.press(square(ada, "e6"))
    ada.press(ada.button("If they play this …"))
    ada.press(square(ada, "f3"))
    ada.press(ada.button("Answer with this"))
    expect(ada.page.get_by_text("If they then play e6, you play f3.")).to_be_visible()
    assert lines(table, A) == [["c4", "d5", "e6", "f3"]]
    ada.press(ada.page.get_by_role("link", name="Back to your match"))
    expect(ada.page.get_by_role("heading", name="Your replies")).to_be_visible()
    shoot(ada, "kept")
    play(table, B, 1, "c4")
    expect(ada.page.locator("#live")).to_have_attribute("data-turn", "3")
    shoot(ada, "played")
    assert lines(table, A) == [["e6", "f3"]]
    play(table, B, 3, "g7")
    expect(ada.page.get_by_text("None of your planned replies fits")).to_be_visible()
    shoot(ada, "dropped")


@pytest.mark.more
def test_they_are_planned_by_keyboard(visit: Visit, table: Table) -> None:
    ada = visit("Ada", **DESKTOP, **STILL)
    sit(ada, table, A)
    ada.page.goto(f"/m/{table.key}/A/replies/")
    shoot(ada, "desktop")
    ada.page.locator(".taps button[tabindex='0']").focus()
    for name, heading in (("c4", "If Ben plays c4, you play …"), ("d5", "After your d5: if Ben plays …")):
        for key in name:
            ada.page.keyboard.press(key)
        expect(square(ada, name)).to_have_attribute("aria-pressed", "true")
        ada.page.keyboard.press("Control+Enter")
        expect(ada.page.get_by_role("heading", level=1)).to_have_text(heading)
        expect(ada.page.get_by_role("heading", level=1)).to_be_focused()
    assert lines(table, A) == [["c4", "d5"]]


@pytest.mark.more
def test_they_are_planned_without_javascript(visit: Visit, table: Table) -> None:
    ada = visit("Ada", java_script_enabled=False, **DESKTOP, **STILL)
    sit(ada, table, A)
    ada.page.goto(f"/m/{table.key}/A/replies/")
    for name, label in (("c4", "If they play this …"), ("d5", "Answer with this")):
        square(ada, name).click()
        ada.button(label).click()
    expect(ada.page.get_by_text("Saved.")).to_be_visible()
    shoot(ada, "plain")
    assert lines(table, A) == [["c4", "d5"]]
    ada.page.get_by_role("button", name="Remove all").click()
    assert lines(table, A) == []


@pytest.mark.more
def test_the_other_sees_the_answer_with_their_own_turn(visit: Visit, table: Table) -> None:
    token = {"Authorization": f"Bearer {table.tokens[A]}"}
    kept = table.api.put(
        f"/matches/{table.key}/replies", json={"turn": 1, "lines": [["c4", "d5"]]}, headers=token
    )
    assert kept.status_code == 204, kept.text
    ben = visit("Ben", **PHONE, **STILL)
    sit(ben, table, B)
    expect(ben.page.locator("#plan")).to_be_attached()
    ben.page.goto(f"/m/{table.key}/B/")  # the first stone is no news any more
    ben.press(square(ben, "c4"))
    ben.press(ben.button("Place on c4"))
    expect(ben.page.locator("#live")).to_have_attribute("data-turn", "3")
    expect(ben.status).to_contain_text("It’s your turn")
    shoot(ben, "answered")
    ben.page.goto(f"/m/{table.key}/B/?at=3.1")
    expect(ben.page.get_by_text("Ada places a black stone on d5.").first).to_be_attached()
    shoot(ben, "answered-again")


@pytest.mark.more
@pytest.mark.parametrize("game", ["robble", "robosoccer"])
def test_the_page_is_for_everybody(visit: Visit, site: Server, game: str, faults: Faults) -> None:
    """In three languages and sizes: nothing for axe, nothing sideways, nothing too small for a finger."""
    table = Table(site.url, game, "replies")
    table.sit_down()
    ben = visit("Ben", **STILL)
    sit(ben, table, B)
    for language in ("en", "es", "de"):
        ben.page.set_extra_http_headers({"Accept-Language": language})
        ben.page.goto(f"/m/{table.key}/B/replies/")
        for size in (SMALLEST, ENLARGED, DESK):
            faults.ask_axe(ben.page, f"{game} {language}", size, "light")
            faults.measure(ben.page, f"{game} {language}", size)
    shoot(ben, game)
    table.api.close()

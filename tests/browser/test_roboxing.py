"""Roboxing in the browser: a whole fight from the workbench to the knock-out, and what stands on its pages.

Both robots stay as they are built first: lasers in the corners, engines b, d, f and h on the sides. From a
corner, one of the lasers covers the whole ring, so Ada hits whatever Ben does.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from games import newest
from games.core import Seat
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, SMALLEST_PHONE, STILL, Person, drawn, sit
from tests.browser.test_keyboard import tab_to
from tests.games.cases import size
from tests.screenshots.town import Table
from tests.servers import Server

ACROSS = {"a1": "c", "h1": "a", "a8": "i", "h8": "g"}
"""The plain robot's laser that covers the whole ring from a corner, by the corner."""
AWAY = {"a1": "g", "h1": "i", "a8": "a", "h8": "c"}
"""The laser that looks out of the ring there."""
PROGRAMS_PLAY = size((2, 3), ())
"""Which turns go through the API, so that only the first and the last are played by hand."""
INWARDS = {"a1": "b", "h1": "b", "a8": "h", "h8": "h"}
"""The engine that leaves the corner along the file."""


@pytest.fixture
def table(seated: Seated) -> Table:
    return seated("roboxing", "a fight")


def corner(table: Table, seat: str) -> str:
    return str(table.state.position().split(f"{seat}1@")[1][:2])


def own(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Your engines and lasers")


def sheet(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Damage sheet")


def seal(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("^Seal"))


def sealed(person: Person) -> None:
    expect(person.page.get_by_role("heading", name="Sealed", exact=True)).to_be_visible()


def build_the_plain_robot(person: Person) -> None:
    """In place of the robot that stands ready for a newcomer."""
    expect(person.page.get_by_text("Your robot is ready.")).to_be_visible()
    person.enter_as_text()
    person.page.locator("#typed").fill(PLAIN)
    person.press(person.button("Apply"))
    expect(person.page.locator("#typed")).to_have_value("")
    person.page.evaluate("scrollTo(0, 0)")  # on a phone the workbench comes with the board
    expect(person.page.get_by_role("button", name="north: engine b. Pick it up.")).to_be_visible()


def pick_up_and_put_down(person: Person) -> None:
    for name in ("Pick it up", "Put it down again"):
        person.press(person.page.get_by_role("button", name=f"north: engine b. {name}."))
    expect(person.page.get_by_role("button", name="north: engine b. Pick it up.")).to_be_visible()


@pytest.mark.fuzz
def test_ada_by_keyboard_knocks_ben_out_who_has_no_javascript(visit: Visit, table: Table) -> None:
    ada = sit(visit("Ada", **DESKTOP, **STILL), table, "A")
    ben = sit(visit("Ben", java_script_enabled=False, **SMALLEST_PHONE), table, "B")
    charlie = visit("Charlie", **PHONE, **STILL)
    charlie.page.goto(f"/m/{table.key}/")
    page, keys = ada.page, ada.page.keyboard
    ours, theirs = corner(table, "A"), corner(table, "B")

    # The workbench: a letter picks its slot up, another trades with it, Backspace puts down.
    build_the_plain_robot(ada)
    ada.take_keys()
    keys.press("b")
    expect(page.get_by_role("button", name="north: engine b. Put it down again.")).to_be_visible()
    expect(page.locator("#plan").get_by_text("You hold engine b, north.")).to_be_visible()
    keys.press("Backspace")
    expect(page.locator("#plan").get_by_text("Tap a slot to change it.")).to_be_visible()
    keys.press("Control+Enter")
    sealed(ada)
    build_the_plain_robot(ben)
    pick_up_and_put_down(ben)
    ben.press(seal(ben.page))
    expect(page.locator("#live")).to_have_attribute("data-turn", "1")

    # Four shots at four engines. Ben goes to and fro, and shoots over the ropes.
    for n, target in enumerate("dfbh", start=1):
        if n in PROGRAMS_PLAY:
            table.seal(Seat("A"), f"- {ACROSS[ours]} {target}", n)
            table.seal(Seat("B"), f"- {AWAY[theirs]} a", n)
            ben.page.reload()
            for reader in (ada, charlie):  # whoever is two turns behind begins with the first of them
                expect(reader.page.get_by_text(f"What happened in turn {n + 1}")).to_be_visible()
            continue
        ada.come_to_now()
        tab_to(page, own(page).get_by_role("button", name=f"laser {ACROSS[ours]}"))
        keys.press("Enter")
        expect(own(page).get_by_role("button", name="don’t fire")).to_have_count(1)
        tab_to(page, sheet(page).get_by_role("button", name=f"aim at Ben’s slot {target}"))
        keys.press("Space")
        expect(sheet(page).get_by_role("button", name=f"Ben’s slot {target}: don’t aim")).to_be_visible()
        expect(page.locator("[data-ghost='A1'] .bx-zone").first).to_be_attached()
        keys.press("Control+Enter")
        sealed(ada)
        expect(page.get_by_text(f"Laser {ACROSS[ours]} fires at Ben’s slot {target}.").first).to_be_visible()
        ben.come_to_now()
        way = own(ben.page).get_by_role("button", name=f"engine {INWARDS[theirs]}")
        if n == 1:
            ben.press(way)
        else:
            ben.press(ben.button("Stay"))
        ben.press(own(ben.page).get_by_role("button", name=f"laser {AWAY[theirs]}"))
        expect(seal(ben.page)).to_have_attribute("aria-disabled", "true")
        ben.press(sheet(ben.page).get_by_role("button", name="aim at Ada’s slot a"))
        ben.press(seal(ben.page))
        for reader in (ada, ben, charlie):
            expect(reader.page.get_by_text(f"What happened in turn {n + 1}")).to_be_visible()
            happened = reader.page.get_by_role("region", name="What happened")
            hit = {"Ada": "You fire", "Ben": f"at your slot {target} and hits!"}
            expect(happened).to_contain_text(hit.get(reader.name, f"at Ben’s slot {target} and hits!"))
            expect(happened.get_by_role("row", name="Ben")).to_contain_text(f"laser {AWAY[theirs]} at a")
        if n == 1:
            noted = sheet(page).get_by_role("button", name=f"Ben’s slot {INWARDS[theirs]}")
            looks = {"b": "north", "h": "south"}[INWARDS[theirs]]
            expect(noted).to_have_accessible_name(
                f"aim at Ben’s slot {INWARDS[theirs]}. "
                f"Slot {INWARDS[theirs]} is an engine and points {looks}."
            )

    for reader in (ada, ben, charlie):
        ends = {"Ada": "You won!", "Ben": "You lost."}.get(reader.name, "Ada won.")
        expect(reader.status).to_contain_text(ends)
        opened = reader.page.locator(".xray > section")
        expect(opened).to_have_count(2)
        expect(opened.nth(1).locator("svg[role=img]")).to_have_attribute("aria-label", re.compile("^Ben: "))
        expect(opened.nth(1).locator(".is-right").first).to_contain_text("hit: ")
        fell = "You’re knocked out" if reader is ben else "Ben is knocked out"
        expect(reader.page.get_by_role("region", name="What happened")).to_contain_text(fell)
    # The film: before, after the moves, after the shots; now everybody sees how both were built.
    frames = charlie.page.locator(".frame")
    expect(frames).to_have_count(3)
    assert frames.nth(2).locator("[data-piece='B1'] .bx-letter").count() == 0
    assert frames.nth(1).locator("[data-piece='B1'] .bx-letter").count() == 9 - 3
    charlie.page.goto(f"/m/{table.key}/?at=2.1")
    expect(charlie.page.locator("[data-frame='1']")).to_be_visible()


@pytest.mark.more
def test_the_desk_shows_what_comes_of_an_order(visit: Visit, table: Table) -> None:
    """A phone: taps on the board and on the slots, the booster, the danger zone, and back."""
    ada = sit(visit("Ada", **PHONE), table, "A")
    page, ours = ada.page, corner(table, "A")
    table.seal(Seat("B"), "(a)b(c)/d[e]f/(g)h(i)")
    build_the_plain_robot(ada)
    pick_up_and_put_down(ada)
    ada.press(seal(page))
    expect(page.get_by_text("What happened in turn 1")).to_be_visible()
    ada.come_to_now()
    engine = own(page).get_by_role("button", name=f"engine {INWARDS[ours]}")
    expect(engine).to_be_visible()
    for moved in range(1, 6):
        ada.press(engine)
        expect(page.get_by_text(f"{moved} of 8 squares moved.")).to_be_attached()
    expect(page.get_by_role("img", name="The board")).to_be_in_viewport(ratio=0.5)
    expect(page.get_by_text("Booster spent: lasers reach 4")).to_be_visible()
    ada.press(page.get_by_role("button", name="Undo"))
    expect(page.get_by_text("One laser fires: its reach is 4, or 8 with the booster.")).to_be_visible()
    ada.press(own(page).get_by_role("button", name="laser a"))
    expect(page.locator("#plan-missing")).to_have_text("Choose a letter for laser a.")
    expect(page.locator("[data-ghost='A1'] .bx-zone").first).to_be_attached()
    ada.press(ada.button("Stay"))
    expect(page.locator(".bx-leg")).to_have_count(0)
    tap = page.locator("#taps").get_by_role("button").first
    to = (tap.get_attribute("value") or "").removeprefix("to ")
    ada.press(tap)
    expect(page.locator(".bx-leg")).to_have_count(1)
    expect(page.locator(".plan-words")).to_contain_text(f"to {to}.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "options"), [("tag-team", {}), ("arena", {}), ("free-centre", {"width": 5, "height": 15})]
)
def test_rings_and_teams_of_every_size(
    visit: Visit, site: Server, preset: str, options: dict[str, int], faults: Faults
) -> None:
    """Nothing for axe, nothing sideways, nothing too small: on the bench and at the desk."""
    table = Table(site.url, "roboxing", preset, preset, options)
    table.sit_down()
    ada = sit(visit("Ada", **SMALLEST_PHONE), table, "A")
    ada.press(ada.button("Shuffle everything"))
    faults.look(ada.page, f"{preset}, building")
    table.play(2)
    table.api.close()
    ada.page.reload()
    ada.come_to_now()
    expect(own(ada.page)).to_be_visible()
    robots = newest("roboxing").presets[preset].options.get("robots", 1)
    if robots > 1:
        second = ada.page.get_by_role("button", name="Robot 2", exact=True)
        ada.press(second)
        expect(second).to_have_attribute("aria-pressed", "true")
        enemy = ada.page.get_by_role("button", name="Ben’s robot 2", exact=True)
        ada.press(enemy)
        expect(enemy).to_have_attribute("aria-pressed", "true")
    faults.look(ada.page, f"{preset}, planning")


@pytest.mark.more
@pytest.mark.parametrize("preset", ["standard", "melee", "tag-team"])
def test_the_desk_takes_half_of_the_narrowest_phone_at_most(visit: Visit, site: Server, preset: str) -> None:
    """In three languages, on the bench and in the fight, where a laser or letter in hand adds no line."""
    table = Table(site.url, "roboxing", preset, preset)
    table.sit_down()
    ada = sit(visit("Ada", **SMALLEST_PHONE, **STILL), table, "A")
    page, heights = ada.page, []

    def look() -> None:
        drawn(page)
        box = page.locator("#plan .dock").bounding_box()
        assert box
        heights.append(box["height"])

    for turns in (0, 1, 1):
        table.play(turns)
        for locale in ("en", "de", "es"):
            ada.reads(locale)
            page.goto(ada.address)
            ada.come_to_now()
            look()
            for tapped in (
                (".bx-body [aria-pressed=false]", ".bx-sheet :not([aria-disabled])") if turns else ()
            ):
                with page.expect_response(lambda answer: answer.url.endswith("/plan/")):
                    page.locator(tapped).first.evaluate("one => one.click()")
                look()
            assert max(heights) <= 320, (turns, locale, heights)
            assert not turns or max(heights) - min(heights) < 1, (locale, heights)
            heights.clear()
    table.api.close()

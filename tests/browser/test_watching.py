"""Watching: a film that goes through all turns, by buttons, keys, fingers and addresses; the review on it."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.ears import Ear
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, STILL, sit_and_see
from tests.receivers import until
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

STAY = "TL TL TL TL TL"
SPIN = "TR TR TR TR TR"


def on_the_board(page: Page, turn: int, step: int) -> None:
    expect(page.locator("#film")).to_have_attribute("data-number", str(turn))
    expect(page.locator(f"#film .frame[data-frame='{step}']")).to_be_visible()
    expect(page.get_by_role("heading", name=f"What happened in round {turn}")).to_be_visible()


@pytest.fixture
def table(seated: Seated) -> Table:
    """A match of which two rounds are played."""
    made = seated("pigs", "watching")
    for number, program in enumerate((STAY, SPIN)):
        play(made, number, program)
    return made


def play(table: Table, number: int, program: str) -> None:
    for seat in "AB":
        table.seal(Seat(seat), program, number)


def watching(visit: Visit, table: Table, **settings: Any) -> Page:
    page: Page = visit("Charlie", **settings).page
    page.goto(f"/m/{table.key}/")
    return page


HELD_BACK = """tick => {
    document.querySelector(`[data-tick="${tick + 1}"]`).click();
    document.querySelector("[data-back]").click();
    document.querySelector("[data-forward]").click();
    const told = document.querySelector("[data-film-live]");
    return told.textContent && told.getAnimations().some((one) => one.timeline === document.timeline);
}"""


def test_whether_a_shot_hits_is_not_told_before_its_beam_is_seen(visit: Visit, seated: Seated) -> None:
    table = seated("pigs", "beams")
    play(table, 0, "F TL TL TL TL")
    page = watching(visit, table, **DESKTOP)
    on_the_board(page, 1, 5)
    assert page.evaluate(HELD_BACK, 0), "step 1 has beams"
    assert not page.evaluate(HELD_BACK, 1), "step 2 has none"


@pytest.mark.slow
def test_back_and_forward_lead_through_all_turns(visit: Visit, table: Table) -> None:
    page = watching(visit, table, reduced_motion="reduce", **DESKTOP)
    on_the_board(page, 2, 5)
    back, forward = page.get_by_role("link", name="Step back"), page.get_by_role("link", name="Step forward")
    expect(forward).to_be_disabled()
    for step in (4, 3, 2, 1):
        back.click()
        on_the_board(page, 2, step)
    back.click()
    on_the_board(page, 1, 5)
    expect(back).to_be_focused()
    assert page.url.endswith("?at=1.5")
    page.reload()
    on_the_board(page, 1, 5)
    page.keyboard.press("ArrowRight")
    on_the_board(page, 2, 1)
    page.keyboard.press("ArrowLeft")
    on_the_board(page, 1, 5)
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    on_the_board(page, 1, 0)
    expect(back).to_be_disabled()
    page.get_by_role("link", name="Current").click()
    on_the_board(page, 2, 5)
    assert "?" not in page.url


@pytest.mark.slow
def test_play_goes_on_into_the_next_turn_at_the_speed_that_somebody_likes(visit: Visit, table: Table) -> None:
    page = watching(visit, table, **DESKTOP)
    page.locator("#more").click()
    page.get_by_label("Speed").select_option("4")
    page.locator("#menu summary", has_text="Turns").first.click()
    page.get_by_text("All rounds").click()
    page.locator("#turns").get_by_role("link", name="1", exact=True).click()
    on_the_board(page, 1, 0)
    page.get_by_role("button", name="Play").click()
    on_the_board(page, 2, 5)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.reload()
    page.locator("#more").click()
    expect(page.get_by_label("Speed")).to_have_value("4")


def test_who_comes_back_sees_what_is_new_played_and_a_tap_leads_to_the_present(
    visit: Visit, table: Table
) -> None:
    back = visit("Ada", **PHONE)
    sit_and_see(back, table)
    home, page = back.address, back.page
    page.goto("/rules/pigs/")
    play(table, 2, STAY)
    page.goto(home)
    expect(page.locator(".notice.since")).to_contain_text("since your last visit")
    assert "?at=3." in page.url
    on_the_board(page, 3, 1)  # it plays by itself
    back.come_to_now()
    back.press(back.key("F"))
    expect(back.slots.nth(0)).to_have_accessible_name("Slot 1: fire. Take it out.")
    on_the_board(page, 3, 5)
    expect(page.locator("#ghosts [data-ghost]").first).to_be_attached()
    expect(page.locator("#ghosts")).to_have_css("display", "inline")
    page.get_by_role("link", name="Step back").tap()
    expect(page.locator("#ghosts")).to_have_css("display", "none")


def test_neither_the_board_nor_the_films_controls_lie_under_the_dock(visit: Visit, table: Table) -> None:
    alice = visit("Ada", **PHONE)
    sit_and_see(alice, table)
    alice.seal(STAY)
    alice.has_sealed()
    table.seal(Seat("B"), SPIN, 2)
    alice.sees_round(3)
    alice.come_to_now()
    expect(alice.slots.first).to_be_visible()
    alice.page.evaluate("scrollTo(0, 0)")
    dock = alice.page.locator(".dock").bounding_box()
    for part in (".board-sheet", "[data-play]", "[data-back]"):
        box = alice.page.locator(f"#film {part}").bounding_box()
        assert dock and box and box["y"] + box["height"] <= dock["y"], (part, box, dock)


ROUNDS = (("\\ F F F F", "TL TL TL TL TL"), ("F F F F F", "X X X X TL"))
"""Ada hits Ben four times, and then until he is destroyed: each round costs Ben something."""


@pytest.fixture(scope="module")
def reviewed(browser: Browser, site: Server) -> str:
    """The address of such a match, once its review is made."""
    table = Table(site.url, "pigs", "review on film")
    with closing(table.api):
        table.sit_down()
        for turn, programs in enumerate(ROUNDS):
            for seat, program in zip("AB", programs, strict=True):
                table.seal(Seat(seat), program, turn)
    page = browser.new_page(base_url=site.url)
    page.goto(f"/m/{table.key}/review/")
    expect(page.get_by_text("All rounds in a table")).to_be_visible(timeout=60_000)
    page.close()
    return f"/m/{table.key}/"


def ghosts(page: Page) -> int:
    return page.locator("#film .board > .ghosts [data-ghost]:visible").count()


def test_marks_lead_to_ghosts_and_back(visit: Visit, reviewed: str) -> None:
    page = visit("Charlie", **DESKTOP, **STILL).page
    page.goto(reviewed)
    assert ghosts(page) == 0
    page.get_by_text("All rounds", exact=True).click()
    page.get_by_role("link", name=re.compile(r"^1\s?, could have gone .*\d hits better for Ben$")).click()
    film = page.locator("#film")
    expect(film).to_have_attribute("data-better", "B")
    assert ghosts(page) > 0 and page.url.endswith("?at=1.0&better=B")
    page.get_by_role("link", name="Step forward").click()
    expect(film.locator(".frame[data-frame='1']")).to_be_visible()
    assert ghosts(page) > 0 and page.url.endswith("?at=1.1&better=B")
    page.get_by_role("link", name="Step back").click()  # to the position that the better one was for
    expect(film.locator(".frame[data-frame='0']")).to_be_visible()
    page.reload()
    assert ghosts(page) > 0
    toggle = page.locator("#better-B")
    expect(toggle).to_have_text("Hide from board")
    toggle.click()
    expect(toggle).to_have_text("Show on the board")
    expect(toggle).to_be_focused()
    assert ghosts(page) == 0
    page.locator("#cost-forward").click()
    expect(film).to_have_attribute("data-number", "2")
    page.get_by_role("link", name="Play on as Ben").click()
    expect(page.get_by_role("heading", name="Play on from here")).to_be_visible()
    expect(page.get_by_role("spinbutton")).to_have_value("2")


def test_robble_s_count_follows_the_film_of_its_review(visit: Visit, seated: Seated) -> None:
    table = seated("robble", "count on film", "small")
    table.play(3)
    table.resign(Seat("B"))
    page = visit("Zoe", **DESKTOP, **STILL).page
    page.goto(f"/m/{table.key}/review/?turn=3")
    film = page.locator(".turn .watch")
    expect(film).to_be_visible(timeout=60_000)
    for step in ("0", "1"):
        if step != "0":
            film.get_by_role("link", name="Step forward").click()
        expect(film.locator(f".frame[data-frame='{step}']")).to_be_visible()
        expect(film.locator(".rb-standing:visible")).to_have_attribute("data-words", step)


def test_the_film_and_the_review_look_right_everywhere(visit: Visit, reviewed: str, faults: Faults) -> None:
    page = visit("Charlie", **PHONE, **STILL).page
    for more in ("?at=1.0", "?at=1.0&better=B", "?at=2.0"):
        page.goto(f"{reviewed}{more}")
        page.get_by_text("All rounds", exact=True).click()
        faults.look(page, more)
    for more in ("", "?watch=1.B&at=2", "?watch=2.B&played&at=1"):
        page.goto(f"{reviewed}review/{more}")
        faults.look(page, f"review {more}")


def test_the_review_itself_plays_what_would_have_happened(visit: Visit, reviewed: str) -> None:
    page = visit("Charlie", **PHONE, **STILL).page
    page.goto(f"{reviewed}review/")
    film = page.locator(".turn .watch")
    expect(film.locator(".frame[data-frame='0']")).to_be_visible()
    assert film.locator(".board > .ghosts [data-ghost]:visible").count() > 0
    film.get_by_role("link", name="Watch").tap()
    expect(film.locator(".frame[data-frame='1']")).to_be_visible(timeout=10_000)
    expect(film.locator(".log li.current")).to_have_count(1)
    assert page.evaluate("document.querySelector('.turn').getBoundingClientRect().top") >= 0
    film.get_by_role("link", name="What happened").tap()
    expect(film).to_have_attribute("aria-label", "What happened")
    expect(film.get_by_role("link", name="What happened")).to_be_focused()
    page.get_by_role("link", name="Next round").tap()
    expect(page.locator("#turn-title")).to_contain_text("Round 2")
    expect(page.locator("#turn-onward")).to_have_attribute("aria-disabled", "true")
    film.get_by_role("link", name="Watch").tap()
    expect(film.locator(".frame[data-frame='1']")).to_be_visible(timeout=10_000)
    page.locator(".turn .programs [href='#cmd-fire']").first.locator("..").tap()
    expect(page.locator("#what-says")).to_contain_text("laser")
    page.get_by_text("How it works").tap()
    page.get_by_role("link", name="Legend").tap()
    expect(page.get_by_role("region", name="Legend")).to_be_visible()


def test_the_review_says_which_turn_came_and_what_its_film_shows(visit: Visit, reviewed: str) -> None:
    ear = Ear(visit("Charlie", **DESKTOP, **STILL))
    ear.page.goto(f"{reviewed}review/")
    ear.listen()
    ear.press("^Watch$", "link")
    until(lambda: any(re.match(r"What was better for \w+: ", said) for said in ear.said))
    ear.press("^Next round$", "link")  # the last one: the way to it is gone
    expect(ear.page.get_by_role("heading", name="Round 2")).to_be_focused()
    ear.page.get_by_role("link", name="Back to the match").focus()
    ear.page.locator("#turn-before").evaluate("one => one.click()")
    until(lambda: re.match(r"Round 1 could have gone .* better for Ben: \w+", ear.said[-1]))

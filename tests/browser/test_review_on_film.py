"""The review on the film of a finished match: marks and ghosts, with a script and without."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from games.core import Seat
from tests.browser.conftest import Seated, Visit
from tests.browser.ears import Ear
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, STILL
from tests.receivers import until

pytestmark = pytest.mark.more

ROUNDS = (("\\ F F F F", "TL TL TL TL TL"), ("F F F F F", "X X X X TL"))
"""Ada hits Ben four times, and then until he is destroyed: each round costs Ben something."""


@pytest.fixture
def reviewed(visit: Visit, seated: Seated) -> str:
    """The address of such a match, once its review is made."""
    table = seated("pigs", "review on film")
    for turn, programs in enumerate(ROUNDS):
        for seat, program in zip("AB", programs, strict=True):
            table.seal(Seat(seat), program, turn)
    page = visit("Zoe", **DESKTOP).page
    page.goto(f"/m/{table.key}/review/")
    expect(page.get_by_text("All rounds in a table")).to_be_visible(timeout=60_000)
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


def test_without_a_script(visit: Visit, reviewed: str) -> None:
    page = visit("Charlie", java_script_enabled=False, **PHONE).page
    page.goto(f"{reviewed}?at=1.3")
    assert ghosts(page) == 0
    page.locator("#better-B").click()
    page.wait_for_url("**?at=1.0&better=B")
    assert ghosts(page) > 0
    page.locator("#better-B").click()
    page.wait_for_url("**?at=1.0")
    assert ghosts(page) == 0


def test_robble_s_count_follows_the_film_of_its_review(visit: Visit, seated: Seated) -> None:
    table = seated("robble", "count on film", "small")
    table.play(3)
    table.resign(Seat("B"))
    page = visit("Zoe", **DESKTOP, **STILL).page
    page.goto(f"/m/{table.key}/review/?turn=3")
    film = page.locator(".turn .watch")
    expect(film).to_be_visible(timeout=60_000)
    for step in ("0", "1"):
        expect(film.locator(f".frame[data-frame='{step}']")).to_be_visible()
        expect(film.locator(".rb-standing:visible")).to_have_attribute("data-words", step)
        film.get_by_role("link", name="Step forward").click()


def test_it_looks_right_everywhere(visit: Visit, reviewed: str, faults: Faults) -> None:
    page = visit("Charlie", **PHONE, **STILL).page
    for more in ("?at=1.0", "?at=1.0&better=B", "?at=2.0"):
        page.goto(f"{reviewed}{more}")
        page.get_by_text("All rounds", exact=True).click()
        faults.look(page, more)


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


def test_the_review_s_film_needs_no_script(visit: Visit, reviewed: str) -> None:
    page = visit("Charlie", java_script_enabled=False, **PHONE).page
    page.goto(f"{reviewed}review/")
    page.locator(".turn").get_by_role("link", name="What happened").click()
    page.locator(".turn").get_by_role("link", name="Step forward").click()
    assert page.url.endswith("&played&at=1#turn")
    expect(page.locator(".turn .frame[data-frame='1']")).to_be_visible()
    page.get_by_role("link", name="Next round").click()
    assert page.url.endswith("?turn=2#turn")
    page.locator(".turn").get_by_role("link", name="Watch").click()
    expect(page.locator(".turn .watch[data-film] .frame[data-frame='0']")).to_be_visible()


def test_a_tap_says_what_a_sign_is(visit: Visit, reviewed: str) -> None:
    page = visit("Charlie", **PHONE, **STILL).page
    page.goto(f"{reviewed}review/")
    page.locator(".turn .programs [href='#cmd-fire']").first.locator("..").tap()
    expect(page.locator("#what-says")).to_contain_text("laser")
    page.get_by_text("How it works").tap()
    page.get_by_role("link", name="Legend").tap()
    expect(page.get_by_role("region", name="Legend")).to_be_visible()


def test_the_review_looks_right_on_a_phone(visit: Visit, reviewed: str, faults: Faults) -> None:
    page = visit("Charlie", **PHONE, **STILL).page
    for more in ("", "?watch=1.B&at=2", "?watch=2.B&played&at=1"):
        page.goto(f"{reviewed}review/{more}")
        faults.look(page, f"review {more}")

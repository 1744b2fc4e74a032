"""On a small phone matches, lessons, puzzles and films open at their top, with all that belongs to them."""

from __future__ import annotations

import re
from contextlib import closing, suppress
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from games import GAMES, newest
from games.core import Seat
from tests.browser.conftest import Visit
from tests.browser.people import SMALL, STILL, Person, drawn
from tests.faults.programs import Site
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more

LETTERS = 26
"""Pixels: what the desk may cover of a board, the letters of its files."""
MEASURE = """() => {
    const boxes = (selector) =>
        [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
    const box = (selector) => boxes(selector).find((one) => one.width && one.height);
    const [heading, board, dock] = ["#film-title", "#film .board-sheet", ".dock"].map(box);
    const fixed = [...document.querySelectorAll("#happened .programs, .dock, #film-says")]
        .filter((one) => getComputedStyle(one).position === "fixed");
    return {
        heading: heading.top, goal: box(".goal")?.top ?? 0, board: board.bottom, width: board.width,
        place: board.top + scrollY,
        dock: dock?.top ?? 0, play: box("[data-play]")?.bottom ?? 0,
        lowest: Math.min(...fixed.map((one) => one.getBoundingClientRect().top)),
    };
}"""


def opens_at_its_top(page: Page) -> float:
    """Heading, goal and board are seen over the desk; returns the board's width."""
    page.wait_for_load_state("networkidle")
    at = page.evaluate(MEASURE)
    assert at["heading"] >= 0 and at["goal"] >= 0, at
    assert at["board"] - LETTERS <= at["dock"], at
    return float(at["width"])


def place_of_board(page: Page) -> float:
    """How far below the top of the page it stands, wherever that is scrolled to."""
    drawn(page)
    return float(page.evaluate(MEASURE)["place"])


def hear_all(page: Page) -> None:
    """Taps a newcomer's speech bubbles away, one after the other where they come so."""
    got_it = page.locator("#bubbles strong")
    while got_it.count():
        with suppress(TimeoutError):  # an answer may take it away right then
            got_it.tap(timeout=5_000)
        page.wait_for_timeout(200)


def plan(person: Person, slug: str) -> None:
    page = person.page
    if slug == "pigs":
        for key in (1, 3, 7, 3, 7):  # forward, fire, punch
            page.locator("#plan .palette .key").nth(key).tap()
    elif slug == "robble":
        page.locator("#film .taps button:not([aria-disabled])").nth(10).tap()
    else:
        page.locator("#plan [data-all], #plan .bx-stay").first.tap()


@pytest.mark.parametrize("slug", GAMES)
def test_it_fits_in_the_first_turn_in_the_film_and_in_the_next_turn(visit: Visit, slug: str) -> None:
    guest = visit("Guest", **SMALL, **STILL)
    guest.page.goto(f"/rules/{slug}/")
    guest.button("Play now").tap()
    expect(guest.page.locator("#bubbles")).to_be_visible()
    width, place = opens_at_its_top(guest.page), place_of_board(guest.page)
    hear_all(guest.page)
    assert opens_at_its_top(guest.page) == width
    plan(guest, slug)
    assert opens_at_its_top(guest.page) == width
    assert place_of_board(guest.page) == place
    button = guest.page.locator("#plan .dock .primary:not([aria-disabled])").last
    expect(button).to_be_enabled()
    button.tap()
    expect(guest.page.locator("#live")).not_to_have_attribute("data-turn", "0")
    expect(guest.page.locator(".dock").first).to_be_visible()  # once the bot has played
    guest.page.goto(f"{guest.page.url.partition('?')[0]}?at=1.1")
    film = guest.page.evaluate(MEASURE)
    assert film["heading"] >= 0 and film["play"] <= film["lowest"], film
    assert film["place"] == place
    title = guest.page.locator("#film-title")
    assert re.match(r"(Round|Turn) 1 ", title.inner_text())
    for _ in range(3 if slug == "pigs" else 0):
        guest.page.locator("#film [data-forward]").tap()
        moved = abs(guest.page.evaluate(MEASURE)["lowest"] - film["lowest"])
        assert moved < 4, "the panel keeps its height, but for a line in handwriting"
    # a finger would have the browser fetch the link early, and the network would not come to rest
    guest.page.locator(".onward").first.evaluate("link => link.click()")
    expect(guest.page.locator("#plan .dock .primary").last).to_be_visible()
    assert re.match(r"(Round|Turn) [23] ", title.inner_text())
    assert abs(opens_at_its_top(guest.page) - width) < 1
    assert place_of_board(guest.page) == place


@pytest.mark.parametrize("slug", GAMES)
def test_the_board_keeps_its_place_in_a_friends_match_with_a_deadline(
    visit: Visit, site: Server, slug: str
) -> None:
    """On the narrowest phone, in German, which has the longest lines; to the eye one line stands above it."""
    guest = visit("Ben", **{**SMALL, "viewport": {"width": 320, "height": 640}}, locale="de", **STILL)
    table = Table(site.url, slug, "place", more={"deadline_hours": 24, "late": "claim"})
    guest.page.goto(f"/s/invite/{table.invite}/")
    guest.page.locator("[name=name]").fill("Ben")
    guest.press(guest.page.locator("main form .primary"))
    places = []

    def comes_to_plan() -> None:
        ada_plays(table)
        expect(guest.page.locator("#live[data-stage=planning]")).to_be_attached()
        places.append(place_of_board(guest.page))
        guest.come_to_now()
        hear_all(guest.page)
        places.append(place_of_board(guest.page))

    with closing(table.api):
        comes_to_plan()
        plan(guest, slug)
        guest.page.locator("#plan .dock .primary:not([aria-disabled])").last.tap()
        expect(guest.page.locator("#live[data-stage=waiting]")).to_be_attached()
        places.append(place_of_board(guest.page))
        comes_to_plan()
    assert len(set(places)) == 1, places


def ada_plays(table: Table) -> None:
    """Ada seals an order, if she is the only one who owes one."""
    ada, at = Seat("A"), f"/matches/{table.key}"
    her = {"Authorization": f"Bearer {table.tokens[ada]}"}
    match = table.api.get(at, params={"legal": 1}, headers=her).json()
    if match["to_act"] == ["A"]:
        order = (match["legal"] or [table.state.view(ada).sample(ada, table.rng)])[0]
        table.seal(ada, order, match["turn"])


@pytest.mark.parametrize("slug", GAMES)
def test_a_film_fits_while_one_waits_in_a_league_with_a_deadline(
    visit: Visit, site: Server, slug: str
) -> None:
    """A league's match says the most above its board: its deadline, the reserve, and the league."""
    with Site(site.url) as programs:
        league = programs.league(3, game=slug, deadline_hours=2, name="Spring of friends")
        programs.start(league)
        token = league.tokens[programs.fixtures(league)[0]["seats"]["A"]]
    guest = visit("Ann", **SMALL, **STILL)
    guest.page.goto(f"/s/place/{token}/")
    with guest.page.expect_navigation():
        guest.press(guest.page.locator("main form button").first)
    guest.page.goto("/mine/")
    guest.page.get_by_role("link", name=re.compile("^Next ·")).click()
    expect(guest.page.locator("#plan")).to_be_visible()
    hear_all(guest.page)
    plan(guest, slug)
    guest.page.locator("#plan .dock .primary:not([aria-disabled])").last.tap()
    expect(guest.page.locator("#status")).to_contain_text("Waiting for")
    if guest.page.locator("#live").get_attribute("data-turn") != "0":
        guest.page.goto(f"{guest.page.url.partition('?')[0]}?at=1.1")
        film = guest.page.evaluate(MEASURE)
        assert film["heading"] >= 0 and film["play"] <= film["lowest"], film


@pytest.mark.parametrize("slug", GAMES)
def test_lessons_and_puzzles_fit_with_a_hint_and_with_their_film(visit: Visit, slug: str) -> None:
    page, lesson = visit("Guest", **SMALL, **STILL).page, newest(slug).lesson
    assert lesson
    for at, exercise in enumerate(lesson.exercises, 1):
        page.goto(f"/learn/{slug}/{at}/")
        opens_at_its_top(page)
        assert page.evaluate("scrollY") == 0
        page.goto(f"/learn/{slug}/{at}/?order={quote(exercise.answer)}&played#verdict")
        opens_at_its_top(page)
        film = page.evaluate(MEASURE)
        assert film["play"] <= film["dock"], film
    for address in (f"/puzzles/{slug}/1/", f"/puzzles/{slug}/2/?again#lesson"):
        page.goto(address)
        opens_at_its_top(page)

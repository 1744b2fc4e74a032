"""Pages beside the match: nothing for axe in both themes, nothing sideways, nothing too small to touch."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import expect

from games import GAMES, newest
from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import (
    DESKTOP,
    PHONE,
    STILL,
    sit,
)
from tests.browser.test_series_and_import import make
from tests.screenshots.town import Table
from tests.servers import Server

pytestmark = pytest.mark.more


@pytest.mark.parametrize("slug", GAMES)
def test_what_explains_a_game(visit: Visit, faults: Faults, slug: str) -> None:
    game, person = newest(slug), visit("Ada", **PHONE, **STILL)
    second = next(lesson for lesson in game.lessons if lesson.key)
    first = f"/learn/{slug}/{second.key}/1/"
    played = f"{first}?order={quote_plus(second.exercises[0].answer)}&played"
    addresses = [f"/rules/{slug}/figures/", first, played]
    addresses += [f"/rules/{slug}/examples/{example.key}/?at=2" for example in game.examples]
    for address in addresses:
        answer = person.page.goto(address)
        assert answer and answer.ok, address
        faults.look_on_phone(person.page, address)


@pytest.mark.parametrize("slug", GAMES)
def test_a_game_on_paper_before_it_is_printed_and_as_printed(visit: Visit, faults: Faults, slug: str) -> None:
    person = visit("Ada", **DESKTOP)
    person.page.goto(f"/rules/{slug}/paper/")
    faults.look_on_phone(person.page, f"paper of {slug}")
    person.page.emulate_media(media="print")
    faults.ask_axe(person.page, f"{slug} as printed", (800, 1100), "dark")
    # the leaves have titles of their own
    faults.found = [fault for fault in faults.found if "page-has-heading-one" not in fault]


def test_my_games_and_results(visit: Visit, site: Server, faults: Faults) -> None:
    person = visit("Ada", **PHONE, **STILL)
    for game in GAMES:
        table = Table(site.url, game, f"my games {game}")
        table.sit_down()
        table.play(3)
        if game in ("robble", "pigs"):
            table.finish()
        sit(person, table)
        table.api.close()
    for address in ("/mine/", "/me/"):
        person.page.goto(address)
        for summary in person.page.locator("main summary:visible").all():
            summary.click()
        faults.look_on_phone(person.page, address)


def test_import_and_a_refused_one(visit: Visit, watcher: Any, faults: Faults) -> None:
    watcher.allow("422")
    person = visit("Ada", **PHONE, **STILL)
    person.page.goto("/import/")
    faults.look_on_phone(person.page, "import")
    person.page.get_by_label("Match file (JSON)").fill("{}")
    person.press(person.button("Check and show"))
    expect(person.page.get_by_role("alert")).to_be_visible()
    faults.look_on_phone(person.page, "a refused import")


def test_a_board_of_ones_own(visit: Visit, faults: Faults) -> None:
    person = visit("Ada", **PHONE, **STILL)
    person.page.goto("/new/robosoccer/?preset=custom")
    person.press(person.button("Draw a board"))
    expect(person.page.get_by_role("group", name="Your own board")).to_be_visible()
    faults.look_on_phone(person.page, "own board")


def test_a_series(visit: Visit, faults: Faults) -> None:
    ada, ben = visit("Ada", **PHONE, **STILL), visit("Ben", **PHONE, **STILL)
    ben.sit_down(make(ada, "Best of three"))
    faults.look_on_phone(ben.page, "a match of a series")
    ben.page.reload()
    ben.unfold("Resign")
    ben.press(ben.button("Yes, I resign"))
    expect(ben.button("Next match")).to_be_visible()
    faults.look_on_phone(ben.page, "between two matches of a series")

"""Open tables, a series and pages beside the match: they work, and have nothing for axe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote_plus, urlsplit

import pytest
from playwright.sync_api import Page, expect

from games import GAMES, newest
from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, SMALL, STILL, Person, Watcher
from tests.servers import Server


@pytest.mark.more
@pytest.mark.parametrize("slug", GAMES)
def test_what_explains_a_game(visit: Visit, faults: Faults, slug: str) -> None:
    game, person = newest(slug), visit("Ada", **PHONE, **STILL)
    second = next(lesson for lesson in game.lessons if lesson.key)
    first = f"/learn/{slug}/{second.key}/1/"
    played = f"{first}?order={quote_plus(second.exercises[0].answer)}&played"
    addresses = [first, played]
    addresses += [f"/rules/{slug}/examples/{example.key}/?at=2" for example in game.examples]
    for address in addresses:
        answer = person.page.goto(address)
        assert answer and answer.ok, address
        faults.look_on_phone(person.page, address)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("data"), OPEN_TABLES="1") as server:
        yield server


@pytest.fixture
def stranger(visit: Visit, tables: Server, watcher: Watcher) -> Callable[..., Page]:
    """Makes visitors of the site that has open tables."""
    watcher.host = urlsplit(tables.url).netloc
    return lambda **given: visit("stranger", base_url=tables.url, **SMALL, **given).page


def open_one(page: Page, name: str, game: str = "robble") -> None:
    """A new open table with twelve hours for a turn, and a week in reserve."""
    page.goto(f"/new/{game}/")
    page.get_by_label("Your name").fill(name)
    page.get_by_text("Open to anyone").check()
    page.locator("details.rest > summary").click()
    page.get_by_text("More options", exact=True).filter(visible=True).click()
    page.get_by_label("12 hours").first.check()
    page.get_by_role("group", name="Extra time").get_by_label("1 week").check()
    page.locator(".make-bar .primary").click()
    expect(page.get_by_text("This is an open table")).to_be_visible()


def test_two_strangers_meet_by_keyboard(stranger: Callable[..., Page]) -> None:
    ann, ben = stranger(), stranger()
    open_one(ann, "Ann")
    ben.goto("/")
    ben.get_by_role("link", name="Open tables").focus()
    ben.keyboard.press("Enter")
    entry = ben.get_by_role("listitem").filter(has_text="Players: Ann. One free seat.")
    sit = entry.get_by_role("link", name="Join")
    expect(sit).to_have_accessible_description("Robble: Standard")
    sit.focus()
    ben.keyboard.press("Enter")
    ben.get_by_label("Your name").focus()
    ben.keyboard.type("Ben")
    ben.keyboard.press("Enter")
    ben.wait_for_url("**/m/*/B/")
    expect(ann.locator("#status")).to_contain_text("12 hours for this turn, then your extra time: 7 days.")


@pytest.mark.more
def test_the_pages_of_open_tables_look_right(stranger: Callable[..., Page], faults: Faults) -> None:
    ann, ben = stranger(), stranger()
    open_one(ann, "Ann", "pigs")
    ben.goto("/tables/")
    faults.look(ben, "open tables")
    ben.get_by_role("listitem").filter(has_text="Ann").get_by_role("link", name="Join").first.click()
    expect(ben.get_by_role("heading", level=1)).to_have_text("Open table: Robo Battle Pigs")
    faults.look(ben, "an open table")


def make(person: Person, series: str) -> str:
    """Makes a match of a series by its page; the link for the other player."""
    person.page.goto("/new/pigs/")
    person.page.get_by_label("Your name").fill(person.name)
    person.unfold("1 week per turn")
    person.page.get_by_role("radio", name=series).check()
    person.press(person.page.locator(".make-bar .primary"))
    return person.page.get_by_label("Message to send").input_value().split()[-1]


def resign(person: Person) -> None:
    person.page.reload()
    person.unfold("Resign")
    person.press(person.button("Yes, I resign"))
    expect(person.status).to_contain_text("You lost.")


@pytest.mark.more
def test_a_series_on_a_phone(visit: Visit, faults: Faults) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **PHONE, **STILL)
    bob.sit_down(make(alice, "Best of three"))
    faults.look_on_phone(bob.page, "a match of a series")
    resign(bob)
    expect(bob.page.locator(".series-score")).to_have_text("Bob 0 : 1 Alice, after 1 of 3.")
    faults.look_on_phone(bob.page, "between two matches of a series")
    bob.press(bob.button("Next match"))
    expect(bob.page).to_have_url(re.compile("/A/"))
    expect(bob.page.locator(".series")).to_contain_text("Match 2 of 3. So far: Bob 0 : 1 Alice.")
    alice.page.goto("/mine/")
    expect(alice.page.get_by_role("listitem").filter(has_text="Bob").first).to_contain_text("your turn")
    resign(bob)
    expect(bob.page.locator(".series-end .series-score")).to_have_text(
        "Alice has won the series: Bob 0 : 2 Alice."
    )
    expect(bob.button("New series")).to_be_visible()

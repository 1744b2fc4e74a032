"""A series goes on by one tap, a pair begins at once, a record is pasted: on a phone and without scripts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, STILL, Person, scrolls_sideways

RECORD: dict[str, Any] = {
    "format": "robosite/1",
    "game": "robble",
    "seats": ["A", "B"],
    "turns": [{"A": "d4"}, {"B": "swap"}, {"A": "d5"}],
    "names": {"A": "Ada", "B": "Ben"},
}


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


def series_of_three(alice: Person, bob: Person) -> None:
    bob.sit_down(make(alice, "Best of three"))
    resign(bob)
    expect(bob.page.locator(".series-score")).to_have_text("Bob 0 : 1 Alice, after 1 of 3.")
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


@pytest.mark.more
def test_a_series_on_a_phone(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **PHONE, **STILL)
    series_of_three(alice, bob)
    assert not scrolls_sideways(bob.page)


@pytest.mark.more
def test_a_series_without_javascript(visit: Visit) -> None:
    series_of_three(*(visit(name, java_script_enabled=False, **PHONE) for name in ("Alice", "Bob")))


@pytest.mark.more
def test_a_pair_is_there_at_once(visit: Visit) -> None:
    alice, bob = visit("Alice", **DESKTOP, **STILL), visit("Bob", **PHONE, **STILL)
    bob.sit_down(make(alice, "Two at once"))
    expect(bob.page).to_have_url(re.compile("/B/"))
    bob.press(bob.page.get_by_role("link", name="The other match"))
    expect(bob.page).to_have_url(re.compile("/A/"))
    resign(bob)
    expect(bob.page.locator(".series-score")).to_have_text("Bob 0 : 1 Alice, after 1 of 2.")


@pytest.mark.more
@pytest.mark.parametrize("scripts", [True, False])
def test_a_record_is_pasted(visit: Visit, watcher: Any, scripts: bool) -> None:
    watcher.allow("422")
    ada = visit("Ada", java_script_enabled=scripts, **PHONE)
    ada.page.goto("/import/")
    box = ada.page.get_by_label("Match file (JSON)")
    box.fill(json.dumps({**RECORD, "turns": [*RECORD["turns"], {"B": "d5"}]}))
    ada.press(ada.button("Check and show"))
    expect(ada.page.get_by_role("alert")).to_contain_text("Turn 4, seat B:")
    box.fill(json.dumps(RECORD))
    ada.press(ada.button("Check and show"))
    expect(ada.page).to_have_url(re.compile("/m/"))
    expect(ada.page.get_by_text("This match wasn’t played here")).to_be_visible()
    expect(ada.status).to_contain_text("The match file ends here")
    ada.page.goto(f"{ada.page.url}?at=1.1")
    expect(ada.page.get_by_role("heading", name="What happened in turn 1")).to_be_visible()


@pytest.mark.more
def test_figures_can_be_read(visit: Visit) -> None:
    ada = visit("Ada", **PHONE)
    ada.page.goto("/rules/robble/")
    ada.press(ada.page.get_by_role("link", name="Match stats"))
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("Robble: stats")
    expect(ada.page.get_by_role("rowheader", name="Black").first).to_be_visible()
    assert not scrolls_sideways(ada.page)

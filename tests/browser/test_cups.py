"""A cup of five by its pages alone, from its link to its winner: on a phone, without JavaScript, and what a
screen reader says of its bracket; axe looks at it on a phone and on a desk.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.ears import Ear
from tests.browser.looks import Faults
from tests.browser.test_leagues import (
    NAMES,
    PHONE,
    button,
    by_hand,
    invite_on,
    more_of,
    name_it,
    play,
    resign_everywhere,
)

pytestmark = pytest.mark.more

PLAYERS = (*NAMES, "Emil")


def start(pages: dict[str, Page]) -> str:
    """Makes and starts a cup of these players; its address."""
    ada = pages["Ada"]
    ada.goto("/l/new/")
    name_it(ada, "Cup of friends")
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_role("radio", name="Cup").check()
    play(ada, "robble/small")
    button(ada, "Create cup").click()
    invite = invite_on(ada)
    for name in PLAYERS[1:]:
        pages[name].goto(invite)
        pages[name].get_by_label("Your name").fill(name)
        button(pages[name], "Join the cup").click()
    ada.reload()
    button(ada, "Start with 5").click()
    return ada.url


def test_a_cup_of_five_without_javascript(visit: Visit) -> None:
    settings = {**PHONE, "java_script_enabled": False}
    pages = {name: visit(name, **settings).page for name in PLAYERS}
    cup = start(pages)
    for _ in range(len(PLAYERS) - 1):
        for page in pages.values():
            page.goto(cup)
            if page.locator(".mine a.going").count():
                resign_everywhere(page, cup, by_hand)
                break
    ada = pages["Ada"]
    ada.goto(cup)
    expect(ada.get_by_text("The cup is over:")).to_be_visible()
    for page in pages.values():
        page.goto(cup)
    assert sum(page.get_by_text("You have won").count() for page in pages.values()) == 1
    more_of(ada, by_hand)
    ada.get_by_text("Possible ranks").click()
    places = ada.get_by_role("region", name="Possible ranks").get_by_role("row").all_inner_texts()
    assert [row.split()[0] for row in places[1:]] == ["1", "2", "3", "3", "5"]


def test_a_cup_is_for_everybody(visit: Visit) -> None:
    ears = {name: Ear(visit(name, **PHONE)) for name in PLAYERS}
    faults = Faults()
    cup = start({name: ear.page for name, ear in ears.items()})
    waiting = None
    for ear in ears.values():
        ear.page.goto(cup)
        if "you’re waiting for the winner of" in ear.snapshot():
            waiting = ear
    assert waiting
    waiting.hears('region "Quarter-finals"')
    faults.look(waiting.page, "playing")
    waiting.page.goto("/l/new/")
    faults.look(waiting.page, "new")
    assert not faults.found, "\n".join(faults.found)

"""A whole match of Robble on a small board: Alice on a phone, Bob without JavaScript; and by keyboard."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from games import newest
from games.core import Seat
from games.robble import RobbleState
from tests.browser.conftest import Seated, Visit
from tests.browser.people import PHONE, STILL, Person, scrolls_sideways, sit
from tests.games.cases import size
from tests.receivers import until
from tests.screenshots.town import Table

# Bob swaps, so that he plays Black and Alice, who placed first, White from then on.
TURNS = "e5 swap e3 a2 c4 b1 a1 d4 b5 e2 b2 a4 a5 c3 d1 d3 c2 e1 d2 b4 c3 a4 b5 a5 d1 e1 d2 e2 e1 d1 e1"

PROGRAMS_PLAY = size(range(3, len(TURNS.split()) - 3), ())
"""Which of these turns go through the API, so that only the first and the last are tapped."""

NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}


@pytest.fixture
def table(seated: Seated) -> Table:
    return seated("robble", "a small board", "small")


def square(person: Person, name: str) -> Locator:
    """The button over an empty square; its name goes on with what would come of it."""
    squares = person.page.locator("#taps")
    return squares.get_by_role("button", name=re.compile(f"^{name}:"))


def stones(person: Person) -> dict[str, str]:
    """The stones in the picture that is shown, by square."""
    pieces = person.page.locator(".frame:not([display=none]) .piece:not([data-piece^=off])")
    told = pieces.evaluate_all("all => all.map((one) => [one.dataset.piece, one.classList.value.slice(-1)])")
    return dict(told)


def lies(state: RobbleState) -> dict[str, str]:
    return {piece.square: piece.side for piece in state.drawing()["pieces"]}


def come_to_now(person: Person) -> None:
    """To the present position. It may be shown already, or the film may play to there by itself."""
    if person.page.locator("[data-film]:not(.at-last)").count():
        person.page.goto(person.page.url.partition("#")[0].partition("?")[0])
        now = person.page.get_by_role("link", name="Current")
        if now.count() and now.is_visible():
            with suppress(TimeoutError):  # the film may come to its end right then
                person.press_before_it_goes(now)
    expect(person.page.locator("[data-film].at-last")).to_be_attached()


def play(person: Person, order: str, state: RobbleState) -> None:
    if person.context.pages and not person.touch:
        person.page.reload()  # without JavaScript nothing comes by itself
    expect(person.status).to_contain_text("It’s your turn")
    come_to_now(person)
    until(lambda: stones(person) == lies(state))
    if order == "swap":
        person.press(person.button("Swap colours: take Black"))
        person.press(person.page.get_by_role("button", name="Swap colours", exact=True))
        is_done(person)
        return
    person.press(square(person, order))
    expect(square(person, order)).to_have_attribute("aria-pressed", "true")
    (seat,) = state.to_act()
    planned = {ghost.kind for ghost in state.plan(Seat(seat), order).ghosts}  # type: ignore[attr-defined]
    for kind in planned:
        expect(person.page.locator(f"[data-ghost={kind}]").first).to_be_attached()
    person.press(person.button(f"Place on {order}"))
    is_done(person)


def is_done(person: Person) -> None:
    """The site has the turn: whoever loads a page from now on sees it."""
    expect(person.status).not_to_contain_text("It’s your turn")


@pytest.mark.fuzz
def test_a_whole_match_with_a_swap(visit: Visit, table: Table) -> None:
    alice = sit(visit("Ada", **PHONE, **STILL), table)
    bob = sit(visit("Ben", java_script_enabled=False, **NARROW, **STILL), table, "B")
    game = newest("robble")
    state: Any = game.state.start(game.read_options({"size": 5}), 2, {})
    for number, order in enumerate(TURNS.split()):
        (letter,) = state.to_act()
        if number in PROGRAMS_PLAY:
            table.seal(letter, order, number)
        else:
            play(alice if letter == "A" else bob, order, state)
        *_, state = state.play({letter: order})
        if number == 1:
            expect(alice.at_table("Ada").locator(".plate")).to_have_class(re.compile("side-w"))
            assert scrolls_sideways(bob.page) <= 0 and scrolls_sideways(alice.page) <= 0
    assert state.ended and state.ended.scores == {"A": 0, "B": 1}
    bob.page.reload()
    for reader in (alice, bob):
        ends = "You won!" if reader is bob else "You lost."
        expect(reader.status).to_contain_text(ends)
        wins = "You win" if reader is bob else "Ben wins"
        expect(reader.happened).to_contain_text(f"The board is full. {wins}")
    come_to_now(bob)
    until(lambda: stones(bob) == lies(state))

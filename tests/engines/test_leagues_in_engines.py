"""A league from its link to its final table, by its pages alone, on telephones, in each engine."""

from __future__ import annotations

import time

import pytest

from tests.engines.conftest import Visit
from tests.engines.guests import Guest
from tests.engines.windows import PHONE

NAMES = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fatima", "Gil", "Hanna")
TITLE = "Spring of friends"
ROWS = """(selector) => [...document.querySelectorAll(`${selector} tbody tr`)].map((row) => [row.cells[0],
  row.cells[1], row.querySelector(".points")].map((cell) => cell.innerText.trim()).join(" "))"""
WIDER = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => one.cloneNode().outerHTML)"""
"""The elements that reach out of the window, if the page scrolls sideways."""

IS_THERE = "(selector) => document.readyState === 'complete' && Boolean(document.querySelector(selector))"
"""A page with such an element is loaded: what comes later moves nothing away from under a finger."""

IS_OPEN = """(words) => [...document.querySelectorAll("details[open] > summary")].some((one) =>
  one.textContent.includes(words))"""


def look(guest: Guest, what: str) -> None:
    """No page of a league is wider than the window."""
    guest.until(IS_THERE, "main")
    wider = guest.window.evaluate(WIDER)
    assert not wider, f"{what}: {guest.address()} {wider[:20]}"


def make(guest: Guest) -> str:
    guest.window.goto(guest.site)
    guest.press("main a", "Leagues and cups")
    guest.until(IS_THERE, ".plays")
    unfold(guest, "Change")
    guest.write("Name of the league or cup", TITLE)
    guest.write("Your name", guest.name)
    unfold(guest, "More variants")
    guest.press(".plays label", "Small")
    guest.press("button", "Create league")
    guest.sees("h1", TITLE)
    return str(guest.window.evaluate("() => document.querySelector('#invite-message').value")).split()[-1]


def unfold(guest: Guest, words: str) -> None:
    """Taps until it is open, as a hand does: while a page settles, a tap may meet what stood there before."""
    while not guest.window.evaluate(IS_OPEN, words):
        guest.press("summary", words)
        time.sleep(0.3)


def resign(guest: Guest, league: str) -> None:
    """Goes from the league's page to a match that goes on, and gives it up."""
    guest.window.goto(league)
    guest.press(".mine a.going")
    guest.until(IS_THERE, "#live")
    guest.press("#more")
    unfold(guest, "Resign")
    guest.press("button", "Yes, I resign")
    guest.sees("#status", "You lost")


@pytest.mark.more
@pytest.mark.timeout(1800)
def test_a_league_of_eight_on_telephones(visit: Visit) -> None:
    """The first of each two by the alphabet wins, as the other resigns.

    It takes minutes: `make test-more` plays it, and tests/browser has leagues in Chromium.
    """
    guests = {name: visit(name, PHONE) for name in NAMES}
    ada, ben = guests["Ada"], guests["Ben"]
    invite = make(ada)
    look(ada, "made")
    for name in NAMES[1:]:
        guests[name].window.goto(invite)
        look(guests[name], f"invite for {name}")
        guests[name].write("Your name", name)
        guests[name].press("button", "Join the league")
        guests[name].sees("main", "starts it")
    look(ben, "joined")
    league = ada.address()
    ada.window.goto(league)
    look(ada, "full")
    ada.press("button", f"Start with {len(NAMES)}")
    ada.sees("main", "Your turn against")
    look(ada, "started")
    for at, name in reversed(list(enumerate(NAMES[1:], 1))):
        for _ in range(at):
            resign(guests[name], league)
        guests[name].press("a", f"Back to {TITLE}")
        guests[name].sees("h1", TITLE)
        look(guests[name], f"lost by {name}")
    rows = [f"{at + 1} {name} {len(NAMES) - 1 - at}" for at, name in enumerate(NAMES)]
    for guest in guests.values():
        guest.window.goto(league)
        guest.sees(".notice", "The league is over.")
        assert guest.window.evaluate(ROWS, ".cross") == rows
        look(guest, f"over for {guest.name}")

"""A league from its link to its final table, by its pages alone, on telephones, in each engine."""

from __future__ import annotations

import time

import pytest

from games.core import Seat
from tests.engines.conftest import Visit
from tests.engines.guests import Guest
from tests.engines.shadow import Shadow
from tests.engines.windows import PHONE
from tests.servers import Server

NAMES = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fatima", "Gil", "Hanna")
TITLE = "Spring of friends"
OWN = ".mine a.going"
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


def open_match(guest: Guest, league: str, against: str = "") -> None:
    """Goes from the league's page to a match, or to the one against somebody."""
    guest.window.goto(league)
    guest.press(OWN, against)
    guest.until(IS_THERE, "#live")


def unfold(guest: Guest, words: str) -> None:
    """Taps until it is open, as a hand does: while a page settles, a tap may meet what stood there before."""
    while not guest.window.evaluate(IS_OPEN, words):
        guest.press("summary", words)
        time.sleep(0.3)


def resign(guest: Guest) -> None:
    guest.press("#more", "")
    unfold(guest, "Resign")
    guest.press("button", "Yes, I resign")
    guest.sees("#status", "You lost")


def play(league: str, guests: tuple[Guest, Guest], site: Server) -> str:
    """Plays the match between two to its end; returns the winner's name, or "" for a draw."""
    for guest, other in zip(guests, reversed(guests), strict=True):
        open_match(guest, league, other.name)
    by_seat = {Seat(guest.seat[1]): guest for guest in guests}
    match = Shadow(site.url, guests[0].seat[0], seed="a league")
    turn = 0
    while (outcome := match.state.outcome()) is None:
        (seat,) = match.state.to_act()
        plan(by_seat[seat], match, seat)
        match.play()
        turn += 1
        for guest in guests:
            guest.until("(turn) => Number(document.querySelector('#live').dataset.turn) >= turn", turn)
    for guest in guests:
        guest.sees("main", f"Back to {TITLE}")
    assert match.on_the_site() == match.played
    return next((by_seat[seat].name for seat, score in outcome.scores.items() if score == 1), "")


def plan(guest: Guest, match: Shadow, seat: Seat) -> None:
    """Plays a turn, once the film of the last one is over."""
    guest.until("() => document.querySelector('[data-film].at-last:not(.playing)')")
    if guest.has("a.onward", "Go to your turn"):
        guest.press("a.onward", "Go to your turn")
    guest.choose(*match.taps(seat, guest.ready()))
    guest.seal()


def final_rows(points: dict[str, float]) -> list[str]:
    """The rows of a table in which nobody but two who drew are level."""
    rows, rank = [], 0
    ordered = sorted(points, key=lambda name: -points[name])
    for at, name in enumerate(ordered):
        if not at or points[name] < points[ordered[at - 1]]:
            rank = at + 1
        whole, half = divmod(points[name], 1)
        rows.append(f"{rank} {name} {int(whole)}{'½' if half else ''}")
    return rows


@pytest.mark.more
@pytest.mark.timeout(1800)
def test_a_league_of_eight_on_telephones(visit: Visit, site: Server) -> None:
    """The best of each two by the alphabet wins, as the other resigns, but for two who play to the end.

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
    for at, name in reversed(list(enumerate(NAMES[2:], 2))):
        for _ in range(at):
            open_match(guests[name], league)
            resign(guests[name])
        guests[name].press("a", f"Back to {TITLE}")
        guests[name].sees("h1", TITLE)
        look(guests[name], f"lost by {name}")
    winner = play(league, (ada, ben), site)
    points = {name: float(len(NAMES) - 1 - at) for at, name in enumerate(NAMES)}
    points["Ada"] = points["Ben"] = float(len(NAMES) - 2)
    for name in (ada.name, ben.name):
        points[name] += 0.5 if not winner else name == winner
    for guest in guests.values():
        guest.window.goto(league)
        guest.sees(".notice", "The league is over.")
        assert guest.window.evaluate(ROWS, ".cross") == final_rows(points)
        look(guest, f"over for {guest.name}")

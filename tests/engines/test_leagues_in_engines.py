"""The pages of a league on telephones, in each engine."""

from __future__ import annotations

import pytest

from tests.engines.conftest import Visit
from tests.engines.guests import Guest
from tests.engines.windows import PHONE
from tests.faults.programs import Site
from tests.servers import Server

ROWS = """(selector) => [...document.querySelectorAll(`${selector} tbody tr`)].map((row) => [row.cells[0],
  row.cells[1], row.querySelector(".points")].map((cell) => cell.innerText.trim()).join(" "))"""
WIDER = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth)
    .map((one) => one.cloneNode().outerHTML)"""
"""The elements that reach out of the window, if the page scrolls sideways."""
IS_THERE = "(selector) => document.readyState === 'complete' && Boolean(document.querySelector(selector))"
PLAYERS = 8


def look(guest: Guest, address: str = "") -> None:
    """No page of a league is wider than the window."""
    if address:
        guest.window.goto(f"{guest.site}{address}")
    guest.until(IS_THERE, "main")
    wider = guest.window.evaluate(WIDER)
    assert not wider, f"{guest.address()} {wider[:20]}"


@pytest.mark.more
def test_the_pages_of_a_league_of_eight_fit_a_telephone(visit: Visit, site: Server) -> None:
    """tests/browser plays leagues by hand, in Chromium. Here the one who sat down first wins each match."""
    ada = visit("Ada", PHONE)
    look(ada, "/l/new/")
    with Site(site.url) as programs:
        league = programs.league(PLAYERS - 1)
        home = f"/l/{league.key}/"
        look(ada, f"/s/league/{league.invite}/")
        ada.write("Your name", "Emil")
        ada.press("button", "Join the league")
        ada.sees("main", "starts it")
        look(ada)
        assert programs.start(league).is_success
        look(ada, home)
        ada.sees("main", "Your turn against")
        for at, match in enumerate(matches := programs.fixtures(league)):
            if at == len(matches) // 2:
                look(ada, home)
            loser = max(match["seats"].values())
            if loser == PLAYERS:
                ada.window.goto(f"{ada.site}/m/{match['match']}/")
                ada.press("#more")
                ada.press("summary", "Resign")
                ada.press("button", "Yes, I resign")
                ada.sees("#status", "You lost")
                continue
            token = league.tokens[loser]
            assert programs.ask("POST", f"matches/{match['match']}/resign", token=token).is_success
    look(ada, home)
    ada.sees(".notice", "The league is over.")
    rows = ada.window.evaluate(ROWS, ".cross")
    assert [row.split()[0] for row in rows] == [str(n) for n in range(1, PLAYERS + 1)]
    assert [row.split()[-1] for row in rows] == [str(n) for n in reversed(range(PLAYERS))]
    assert rows[-1].split()[1] == "Emil"

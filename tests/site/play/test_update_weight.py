"""The bytes of an update in each game: the answer to a tap, to a seal, and what an open page fetches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest

from games import GAMES
from games.core import Seat as Letter
from games.core import State
from robosite.matches import flow
from robosite.matches.history import state_of
from tests.browser.scales import PADDING, UPDATE
from tests.games.sizes import size
from tests.site.browsers import Answer, Browser, Table, sit_down
from tests.site.promises import keeps_the_promises

TURNS, MOST_TAPS = size(3, 12), 12
STATUS_LINE = len("HTTP/1.1 200 OK\r\n\r\n")
UNDO = ("back", "clear")
KEPT = re.compile(r'data-kept="(\w+)"')
A, B = Letter("A"), Letter("B")
HEAVIER = {"roboxing": 6_600}
"""Its planner says what each laser covers, and what each letter of the other robot has shown."""


class Weighed(NamedTuple):
    what: str
    bytes: int


def weigh(what: str, answer: Answer) -> Weighed:
    """The bytes of its headers and its body as they are sent, without the padding that is there by chance."""
    assert answer.status_code == 200, answer
    body = answer.content
    padding = body.index(b"\0", 10) - 10 if "Content-Encoding" in answer.headers else 0
    head = sum(len(name) + len(value) + len(": \r\n") for name, value in answer.headers.items())
    cookies = sum(len(one.output()) + len("\r\n") for one in answer.cookies.values())
    return Weighed(what, STATUS_LINE + head + cookies + len(body) - padding)


class Player:
    """An open page at a seat, in this language; it says which parts it has, as live.js does."""

    def __init__(self, browser: Browser, table: Table, letter: Letter, language: str) -> None:
        self.browser, self.table, self.letter = browser, table, letter
        self.headers = {"HX-Request": "true", "Accept-Encoding": "gzip", "Accept-Language": language}
        self.taps = 0
        page = browser.get(self.path, headers={"Accept-Language": language}).content.decode()
        self.headers["Robosite-Parts"] = " ".join(KEPT.findall(page))

    @property
    def path(self) -> str:
        return self.table.seat(self.letter).get_absolute_url()

    def looks(self) -> Answer:
        return self.browser.get(self.path, headers={**self.headers, "HX-Target": "live"})

    def looks_plainly(self) -> Answer:
        headers = {name: value for name, value in self.headers.items() if name != "Accept-Encoding"}
        return self.browser.get(self.path, headers={**headers, "HX-Target": "live"})

    def posts(self, **given: str) -> Answer:
        seat = self.table.seat(self.letter)
        shown: dict[str, Any] = {"turn": seat.match.turn, "taken_back": 0, "tab": "abc"}
        headers = {**self.headers, "HX-Target": "plan"}
        return self.browser.post(f"{self.path}plan/", {**shown, **given}, headers=headers)

    def plans(self, view: State, rng: Random) -> Iterator[Answer]:
        """Taps by chance, until the order is whole."""
        for n in range(MOST_TAPS):
            seat = self.table.seat(self.letter)
            plan = view.plan(self.letter, flow.draft_of(seat.match, seat))
            ways = [one.key for one in plan.choices if one.allowed and not one.draws and one.key not in UNDO]
            if not ways or (n and plan.missing is None):
                return
            self.taps += 1
            yield self.posts(choose=rng.choice(ways), once=f"abc.{self.taps}")


def played(table: Table, players: dict[Letter, Player]) -> Iterator[Weighed]:
    """Plays a few turns by chance, with a look at both pages after each seal."""
    rng = Random(1)
    for _ in range(TURNS):
        match = table.match
        if match.status != match.Status.PLAYING:
            return
        for letter in sorted(flow.owing(match)):
            one, view = players[letter], state_of(match).view(letter)
            yield from (weigh("tap", answer) for answer in one.plans(view, rng))
            yield weigh("seal", one.posts(seal="1", typed=view.sample(letter, rng)))
            yield weigh("update", players[B if letter == A else A].looks())


@pytest.mark.integration
@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("game", GAMES)
def test_an_update_of_a_match_of_two(
    alice: Browser, bob: Browser, charlie: Browser, game: str, language: str
) -> None:
    table = sit_down(alice, bob, charlie, game)
    browsers = {A: alice, B: bob}
    players = {letter: Player(one, table, letter, language) for letter, one in browsers.items()}
    weighed = list(played(table, players))
    for what in ("tap", "seal", "update"):
        all_ = sorted(one.bytes for one in weighed if one.what == what)
        print(f"{game} {language} {what}: {all_[len(all_) // 2]} in the median, {all_[-1]} at most")
    assert max(one.bytes for one in weighed) <= HEAVIER.get(game, UPDATE - PADDING)


def test_an_update_has_no_headers_for_pages_and_its_page_has(table: Table) -> None:
    path = table.a.get_absolute_url()
    update = table.alice.get(path, headers={"HX-Request": "true", "HX-Target": "live"})
    keeps_the_promises(update, path, htmx=True)
    assert not {"Vary", "X-Frame-Options", "Content-Language"} & {*update.headers}
    keeps_the_promises(table.alice.get(path), path)

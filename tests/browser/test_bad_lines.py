"""Matches through lines that fail in each way: nothing is lost or sent twice, and pages say what is so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error

from games import GAMES
from games.core import Order, Seat, play_turn
from games.roboxing.robot import PLAIN
from tests.browser.conftest import Seated, Visit
from tests.browser.people import ROUNDS, SMALL, STILL, A, B, Person, Watcher
from tests.browser.test_robble import TURNS
from tests.browser.test_robosoccer import ALICES, BOBS, SETUP
from tests.browser.test_roboxing import ACROSS, AWAY
from tests.browser.truth import Player
from tests.proxy import HANGING, Fault, Proxy
from tests.screenshots.town import Table
from tests.servers import Server

DESK = {"viewport": {"width": 1280, "height": 800}}
NOISE = r"ERR_|WebSocket|Failed to load resource|htmx:|Response Status Error Code|signal is aborted"
"""The errors that a browser reports for a line that fails."""
RESET = (Fault.LOST, Fault.UNANSWERED)


def script(table: Table) -> list[dict[Seat, Order] | Order]:
    """The orders of a whole match of that game, a turn each; of one order, by whoever is to act."""
    match table.state.__class__.__module__.split(".")[1]:
        case "pigs":
            return [{A: alices, B: bobs} for alices, bobs in ROUNDS]
        case "robble":
            return [*TURNS.split()]
        case "robosoccer":
            late = [order for n, order in enumerate(BOBS) for order in (order, *ALICES[n : n + 1])]
            return [*SETUP, *late]
    corners = {seat: table.state.position().split(f"{seat}1@")[1][:2] for seat in (A, B)}
    shots = [{A: f"- {ACROSS[corners[A]]} {at}", B: f"- {AWAY[corners[B]]} a"} for at in "dfbh"]
    return [{A: PLAIN, B: PLAIN}, *shots]


OPTIONS: dict[str, dict[str, Any]] = {"robble": {"size": 5}}


class Line:
    """One way in which a line is bad, from the first page of a match to its last."""

    def begin(self, proxy: Proxy) -> None:
        """Before anybody sits down."""

    def turn(self, proxy: Proxy, number: int) -> None:
        """Before a turn that is played on the pages."""

    def told(self, readers: list[Player], proxy: Proxy) -> None:
        """At the end: what pages must have said."""


class Slow(Line):
    def begin(self, proxy: Proxy) -> None:
        proxy.delay, proxy.jitter = 0.1, 0.2


class Failing(Line):
    """One of three requests fails: taps, seals, messages, what pages fetch; whole pages, unless it hangs."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults

    def begin(self, proxy: Proxy) -> None:
        proxy.breaks(*self.faults, path=r"/(plan|talk)/$")
        proxy.breaks(*self.faults, method="GET", path=r"/[AB]/$|/version/$|/talk/$")
        if not set(self.faults) & set(HANGING):
            proxy.breaks(*self.faults, path=r"/(take|accept)/$", goes=True)
            proxy.breaks(*self.faults, method="GET", path=r"/[AB]/$", goes=True)

    def told(self, readers: list[Player], proxy: Proxy) -> None:
        """Taps and messages were lost, and pages said so; browsers send again themselves what was reset."""
        read = set().union(*(one.read for one in readers))
        assert proxy.broken()
        for path, said in (("/plan/$", "trouble"), ("/talk/$", "unsent")):
            if any(one.method == "POST" and one.fault not in RESET for one in proxy.broken(path)):
                assert said in read, (path, read)


class Roaming(Line):
    """The browser's address changes with every few requests, and between IPv4 and IPv6."""

    def begin(self, proxy: Proxy) -> None:
        rng = Random(proxy.seed)
        proxy.addresses = tuple(
            f"198.51.100.{rng.randrange(1, 255)}" if n % 2 else f"2001:db8:{n:x}::{rng.randrange(1, 99)}"
            for n in range(40)
        )


class Dropping(Line):
    """All sockets of pages are lost again and again, in the middle of each turn."""

    def turn(self, proxy: Proxy, number: int) -> None:
        proxy.drop_sockets()


class Silent(Line):
    """Once, nothing passes the sockets any more, and nobody is told."""

    def turn(self, proxy: Proxy, number: int) -> None:
        if number == 0:
            proxy.silence_sockets()


class Refusing(Line):
    """No socket can be had."""

    def begin(self, proxy: Proxy) -> None:
        proxy.refuses_sockets = True

    def told(self, readers: list[Player], proxy: Proxy) -> None:
        assert all("line" in one.read for one in readers)


class Unopened(Line):
    """Sockets are asked for, and neither open nor fail."""

    def begin(self, proxy: Proxy) -> None:
        proxy.hangs_sockets = True

    def told(self, readers: list[Player], proxy: Proxy) -> None:
        assert all("line" in one.read for one in readers)


LINES = {
    "slow": Slow(),
    "lost": Failing(Fault.LOST),
    "unanswered": Failing(Fault.UNANSWERED),
    "cut": Failing(Fault.CUT),
    "hanging": Failing(Fault.HANGS),
    "hanging-unanswered": Failing(Fault.HANGS_UNANSWERED),
    "stalling": Failing(Fault.STALLS),
    "gateway": Failing(Fault.BAD_GATEWAY, Fault.UNAVAILABLE, Fault.TIMEOUT),
    "mixed": Failing(Fault.LOST, Fault.UNANSWERED, Fault.CUT, Fault.BAD_GATEWAY),
    "roaming": Roaming(),
    "socket-lost": Dropping(),
    "socket-silent": Silent(),
    "socket-refused": Refusing(),
    "socket-unopened": Unopened(),
}


def goes(person: Person, address: str) -> None:
    """Opens a page as people do: once more, if it does not come."""
    for _ in range(4):
        try:
            answer = person.page.goto(address)
        except Error:
            continue
        if answer and answer.ok:
            return
    raise AssertionError(f"{address} does not come")


def sit_down(person: Person, link: str, button: str) -> None:
    """By a link, through the line: whoever gets no answer opens the link once more."""
    for _ in range(4):
        goes(person, link)
        pressed = person.button(button)
        if not pressed.count():
            person.page.locator("a[href*='/m/']").first.click()
        else:
            name = person.page.get_by_label("Your name")
            if name.count():
                name.fill(person.name)
            person.press(pressed)
        try:
            person.page.wait_for_url(re.compile(r"/m/\w+/[AB]/"), timeout=5_000)
            person.page.locator("#live").wait_for(timeout=5_000)
        except Error:
            continue
        return
    raise AssertionError(f"{person.name} does not come to sit")


def by_hand(turns: list[dict[Seat, Order] | Order]) -> set[int]:
    """The first turn of each player and the last are played on the pages, the others by the API."""
    some = 2 if isinstance(turns[0], str) else 1
    return {*range(some), *range(len(turns) - some, len(turns))}


def cases() -> list[Any]:
    """Each way in which a line is bad with each game: one game in make test-more, all in make test-all."""
    games, made = list(GAMES), []
    for n, kind in enumerate(LINES):
        for slug in games:
            often = slug == games[n % 4] and kind != "hanging"  # which takes minutes: make lines
            made.append(pytest.param(kind, slug, marks=pytest.mark.more if often else pytest.mark.slow))
    return made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The site behind a proxy that it trusts, with its limits."""
    data = tmp_path_factory.mktemp("bad-lines")
    with Server(data, TRUSTED_PROXIES="127.0.0.1", LIMITS="on") as running:
        yield running


def goes_by(watcher: Watcher, proxy: Proxy) -> None:
    watcher.host = urlsplit(proxy.url).netloc
    watcher.allow(NOISE)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("kind", "slug"), cases())
def test_a_whole_match(visit: Visit, site: Server, watcher: Watcher, kind: str, slug: str) -> None:
    line = LINES[kind]
    with ExitStack() as stack:
        proxy = stack.enter_context(Proxy(site.port, f"{kind} {slug}"))
        goes_by(watcher, proxy)
        proxy.addresses = (f"192.0.2.{1 + list(LINES).index(kind) * 4 + list(GAMES).index(slug)}",)
        table = Table(site.url, slug, kind, options=OPTIONS.get(slug))
        stack.enter_context(closing(table.api))
        table.api.headers["X-Forwarded-For"] = proxy.addresses[0]
        line.begin(proxy)
        alice = Player(visit("Ada", base_url=proxy.url, **SMALL, **STILL), A, table, site)
        bob = Player(visit("Ben", base_url=proxy.url, **DESK, **STILL), B, table, site)
        sit_down(alice.person, f"/s/seat/{table.tokens[A]}/", "Continue as")
        sit_down(bob.person, f"/s/invite/{table.invite}/", "Join")
        own_link = bob.person.own_link()
        table.tokens[B] = own_link.rstrip("/").rpartition("/")[2]
        # until the page hears that the other has come, it keeps the planner folded
        alice.comes_to(lambda page, there: alice.page.locator("#plan").is_visible(), "about to plan")
        play_it(table, {A: alice, B: bob}, proxy, line)


def play_it(table: Table, players: dict[Seat, Player], proxy: Proxy, line: Line) -> None:
    turns = script(table)
    for number, turn in enumerate(turns):
        orders = dict.fromkeys(table.state.to_act(), turn) if isinstance(turn, str) else turn
        hand = number in by_hand(turns)
        if hand:
            line.turn(proxy, number)
        for seat, order in orders.items():
            if hand:
                players[seat].plan(order)
                players[seat].seal()
            else:
                table.seal(seat, order, number)
        if number == 0:
            players[A].says("Good luck!")
            players[B].hears("Good luck!")
            players[B].says("And to you.")
        state = table.state
        real = {seat: state.view(seat).check(seat, order) for seat, order in orders.items()}
        *_, table.state = play_turn(state, real)
    for player in players.values():
        player.comes_to(lambda page, there: page["over"] and there["status"] == "over", "at the end")
    line.told(list(players.values()), proxy)
    proxy.heals()
    for player in players.values():
        player.comes_to(lambda page, there: not page["line"], "connected again")
    record = table.api.get(f"/matches/{table.key}/record").json()
    assert len(record["turns"]) == len(turns)
    assert players[A].messages() == ["Good luck!", "And to you."]


@pytest.mark.more
def test_a_message_that_is_sent_while_others_are_fetched_is_said(
    visit: Visit, site: Server, seated: Seated, watcher: Watcher
) -> None:
    table = seated("pigs", "talk")
    with Proxy(site.port) as proxy:
        goes_by(watcher, proxy)
        ada = Player(visit("Ada", base_url=proxy.url, **DESK, **STILL), A, table, site)
        sit_down(ada.person, f"/s/seat/{table.tokens[A]}/", "Continue as")
        ada.says("One.")
        proxy.delay = 0.5
        ada.page.evaluate("for (const n of [1, 2]) htmx.trigger(document.body, 'said')")
        ada.says("Two.")

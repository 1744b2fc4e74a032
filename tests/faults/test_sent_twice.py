"""Forms that real browsers send twice: at once to two processes, and again after the answer was lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.faults.programs import TOKEN, Browser, Site, at_once
from tests.games.cases import size
from tests.servers import Server

pytestmark = pytest.mark.fuzz

TRIES = size(3, 8)
COPIES = size(5, 14)


@dataclass
class Tab:
    """A browser's cookies, at a server."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, data: dict[str, Any] | None = None) -> httpx.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with Browser(self.url) as one:
            answer = one.request(method, path, data=data, headers={"Cookie": cookie})
        self.cookies |= dict(answer.cookies)
        return answer

    def form(self, page: str) -> dict[str, str]:
        return {"csrfmiddlewaretoken": TOKEN.findall(self.ask("GET", page).text)[0]}


def all_of(tab: Tab) -> set[str]:
    """The matches and leagues of My games."""
    found = re.findall(r"/([ml])/(\w{12})/", tab.ask("GET", "/mine/").text)
    return {f"/{kind}/{key}/" for kind, key in found}


Form = tuple[str, dict[str, Any]]
"""A form's address and its content."""


def both_sent(servers: tuple[Server, Server], tab: Tab, *forms: Form) -> tuple[list[Tab], list[str]]:
    """Two browsers with the cookies of one, each answered by a process of its own, and where these led."""
    tabs = [Tab(server.url, dict(tab.cookies)) for server in servers]
    answers = at_once(2, lambda n: tabs[n].ask("POST", *forms[n]))
    assert [answer.status_code for answer in answers] == [302, 302]
    return tabs, [str(answer.headers["Location"]) for answer in answers]


MAKING: dict[str, Form] = {
    "/new/pigs/": ("/matches/", {"game": "pigs", "seats": 3, "name": "Zoe"}),
    "/": ("/play/", {"game": "pigs", "player": "random"}),
}
MORE = [
    pytest.param(page, known, marks=pytest.mark.more) for page, known in (("/new/pigs/", False), ("/", True))
]


@pytest.mark.parametrize(("page", "known"), [("/new/pigs/", True), ("/", False), *MORE])
def test_two_taps_at_once_make_one_match(servers: tuple[Server, Server], page: str, known: bool) -> None:
    """Whichever answer the browser takes, it holds that seat, and all that it had before."""
    path, given = MAKING[page]
    for _ in range(TRIES):
        tab = Tab(servers[0].url)
        if known:
            tab.ask("POST", *filled(tab.url, tab, "make"))
        before = all_of(tab) if known else set()
        form = (path, {**given, **tab.form(page)})
        tabs, led_to = both_sent(servers, tab, form, form)
        assert len(before) == known and len(set(led_to)) == 1
        first, second = map(all_of, tabs)
        assert first == second and len(first - before) == 1 and before <= first


def test_two_taps_at_once_take_one_seat(servers: tuple[Server, Server]) -> None:
    for _ in range(TRIES):
        alice, bob = Tab(servers[0].url), Tab(servers[0].url)
        made = alice.ask(
            "POST", "/matches/", {"game": "pigs", "seats": 4, "name": "Zoe", **alice.form("/new/pigs/")}
        )
        page = alice.ask("GET", made.headers["Location"]).text
        invite = re.findall(r"/s/invite/[^/\"]+/", page)[0]
        form = (f"{invite}accept/", {"name": "Bob", **bob.form(invite)})
        tabs, led_to = both_sent(servers, bob, form, form)
        assert len(set(led_to)) == 1 and [len(all_of(one)) for one in tabs] == [1, 1]
        record = alice.ask("GET", f"/api/v1/matches/{made.headers['Location'].split('/')[2]}").json()
        assert [seat and seat["name"] for seat in record["seats"].values()] == ["Zoe", "Bob", None, None]


def in_either_order(before: Tab, tabs: list[Tab]) -> list[Tab]:
    """The browser after both answers, whose cookies arrived in either order."""
    given = [dict(one.cookies.items() - before.cookies.items()) for one in tabs]
    return [Tab(before.url, before.cookies | one | other) for one, other in (given, given[::-1])]


def invited(url: str, kind: str) -> str:
    """The page of an invite to a new match or league of somebody else."""
    with Site(url) as site:
        if kind == "match":
            made = site.ask("POST", "matches", {"game": "pigs", "name": "Zoe", "seats": 4})
            return f"/s/invite/{made.json()['invite']}/"
        terms = {"name": "Twice", "game": "pigs", "organiser": "Zoe", "places": 6}
        return f"/s/league/{site.ask('POST', 'leagues', terms).json()['invite']}/"


TWO_PAGES = ("league", "league"), ("match", "league"), ("make", "match")


def filled(url: str, tab: Tab, kind: str) -> Form:
    """A form of a page that this browser has open: to make a match, or to join one, or a league."""
    if kind == "make":
        return "/matches/", {"game": "pigs", "seats": 2, "name": "Bob", **tab.form("/new/pigs/")}
    page = invited(url, kind)
    verb = "accept" if kind == "match" else "join"
    return f"{page}{verb}/", {"name": "Bob", **tab.form(page)}


@pytest.mark.parametrize(
    ("kinds", "known"),
    [
        *((kinds, False) for kinds in TWO_PAGES),
        *((kinds, True) for kinds in TWO_PAGES[1:]),
        pytest.param(TWO_PAGES[0], True, marks=pytest.mark.more),
    ],
)
def test_two_pages_sent_at_once_have_one_guest(
    servers: tuple[Server, Server], kinds: tuple[str, str], known: bool
) -> None:
    """Whichever answer comes last, the browser has what both led to, and what a new guest had before."""
    for _ in range(COPIES):
        bob = Tab(servers[0].url)
        before = {bob.ask("POST", *filled(bob.url, bob, "make")).headers["Location"][:16]} if known else set()
        tabs, led_to = both_sent(servers, bob, *(filled(bob.url, bob, kind) for kind in kinds))
        for one in in_either_order(bob, tabs):
            assert all_of(one) >= before | {place[:16] for place in led_to}


def test_a_page_sent_twice_at_once_joins_one_league_as_one_guest(servers: tuple[Server, Server]) -> None:
    """From two copies of the invite's page: the browser keeps its place, whichever answer comes last."""
    for _ in range(COPIES):
        bob = Tab(servers[0].url)
        path, given = filled(bob.url, bob, "league")
        tabs = [Tab(server.url, dict(bob.cookies)) for server in servers]
        forms = [given, given | tabs[1].form(path.removesuffix("join/"))]

        def send(n: int, tabs: list[Tab] = tabs, path: str = path, forms: list[Any] = forms) -> int:
            return tabs[n].ask("POST", path, forms[n]).status_code

        assert min(at_once(2, send)) == 302
        first, second = map(all_of, in_either_order(bob, tabs))
        assert first == second and len(first) == 1

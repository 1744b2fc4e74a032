"""Forms that real browsers send twice: at once to two processes, and again after the answer was lost."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any

import httpx
import pytest

from tests.faults.programs import PATIENCE
from tests.games.sizes import size
from tests.servers import Server

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w{64})"')
TRIES = size(3, 8)


@dataclass
class Tab:
    """A browser's cookies, at a server."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, data: dict[str, Any] | None = None) -> httpx.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False, verify=False) as one:
            answer = one.request(method, path, data=data, headers={"Cookie": cookie})
        self.cookies |= dict(answer.cookies)
        return answer

    def form(self, page: str) -> dict[str, str]:
        return {"csrfmiddlewaretoken": TOKEN.findall(self.ask("GET", page).text)[0]}


def matches_of(tab: Tab) -> set[str]:
    return set(re.findall(r"/m/(\w{12})/", tab.ask("GET", "/mine/").text))


def sent_at_once(servers: tuple[Server, Server], tab: Tab, path: str, data: dict[str, Any]) -> list[Tab]:
    """Two browsers with the cookies of one, each with the answer that it got: from a process each."""
    ready = Barrier(2)
    tabs = [Tab(server.url, dict(tab.cookies)) for server in servers]

    def send(one: Tab) -> str:
        ready.wait(PATIENCE)
        answer = one.ask("POST", path, data)
        assert answer.status_code == 302, answer.text
        return str(answer.headers["Location"])

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(send, tabs)
    assert first == second
    return tabs


MAKING: dict[str, tuple[str, dict[str, Any]]] = {
    "/new/pigs/": ("/matches/", {"game": "pigs", "seats": 3, "name": "Zoe"}),
    "/": ("/play/", {"game": "pigs", "player": "random"}),
}


MAKERS = [("/new/pigs/", True), ("/", False)]
"""A page, and whether its guest is known already."""
OTHER_MAKERS = [pytest.param(page, not known, marks=pytest.mark.more) for page, known in MAKERS]


@pytest.mark.parametrize(("page", "known"), [*MAKERS, *OTHER_MAKERS])
def test_two_taps_at_once_make_one_match(servers: tuple[Server, Server], page: str, known: bool) -> None:
    """Whichever answer the browser takes, it holds that seat, and all that it had before."""
    path, given = MAKING[page]
    for _ in range(TRIES):
        tab = Tab(servers[0].url)
        before: set[str] = set()
        if known:
            tab.ask(
                "POST", "/matches/", {"game": "pigs", "seats": 2, "name": "Zoe", **tab.form("/new/pigs/")}
            )
            before = matches_of(tab)
            assert len(before) == 1
        tabs = sent_at_once(servers, tab, path, {**given, **tab.form(page)})
        for one in tabs:
            assert len(matches_of(one) - before) == 1 and before <= matches_of(one)
        assert matches_of(tabs[0]) == matches_of(tabs[1])


def test_two_taps_at_once_take_one_seat(servers: tuple[Server, Server]) -> None:
    for _ in range(TRIES):
        alice, bob = Tab(servers[0].url), Tab(servers[0].url)
        made = alice.ask(
            "POST", "/matches/", {"game": "pigs", "seats": 4, "name": "Zoe", **alice.form("/new/pigs/")}
        )
        page = alice.ask("GET", made.headers["Location"]).text
        invite = re.findall(r"/s/invite/[^/\"]+/", page)[0]
        tabs = sent_at_once(servers, bob, f"{invite}accept/", {"name": "Bob", **bob.form(invite)})
        for one in tabs:
            assert len(matches_of(one)) == 1
        record = alice.ask("GET", f"/api/v1/matches/{made.headers['Location'].split('/')[2]}").json()
        assert [seat and seat["name"] for seat in record["seats"].values()] == ["Zoe", "Bob", None, None]


def test_a_form_whose_answer_was_lost_is_sent_again(servers: tuple[Server, Server]) -> None:
    """To the other process, as when one was replaced by a newer one meanwhile; Back and again as well."""
    tab = Tab(servers[0].url)
    given = {"game": "robble", "seats": 2, "name": "Zoe", **tab.form("/new/robble/")}
    lost = Tab(servers[0].url, dict(tab.cookies)).ask("POST", "/matches/", given)
    tab.url = servers[1].url
    again = tab.ask("POST", "/matches/", given)
    back = tab.ask("POST", "/matches/", given)
    assert lost.headers["Location"] == again.headers["Location"] == back.headers["Location"]
    page = tab.ask("GET", back.headers["Location"])
    assert page.status_code == 200 and "/s/invite/" in page.text, "the links came with the later answers too"
    changed = tab.ask("POST", "/matches/", given | {"deadline": "24"})
    assert changed.headers["Location"] != back.headers["Location"] and len(matches_of(tab)) == 2

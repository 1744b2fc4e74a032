"""Programs that play over the JSON API, for tests of many at once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any, Self

import httpx

from tests.servers import Server

FIRST = "TL ^ TR v ^"
OTHER = "^ ^ v v /"
PATIENCE = 60.0
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w{64})"')


@dataclass(frozen=True)
class Match:
    """A match of two: its key, and each seat's token."""

    key: str
    tokens: dict[str, str]


@dataclass(frozen=True)
class League:
    """A league: its key, its invite, its organiser's token, and the tokens of its places."""

    key: str
    invite: str
    organiser: str
    tokens: dict[int, str]


class Site:
    """A server as programs see it. One for each thread."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=f"{url}/api/v1/", timeout=PATIENCE, trust_env=False, verify=False)

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *fault: object) -> None:
        self.client.close()

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, path, json=body, headers=headers)

    def make(self, game: str = "pigs", **given: Any) -> Match:
        """A match on whose seats Alice and Bob sit, or Alice and the bots that are asked for."""
        made = self.ask("POST", "matches", {"game": game, "name": "Alice", **given})
        assert made.status_code == 201, made.text
        match = Match(made.json()["match"], {"A": made.json()["token"]})
        if "bots" not in given:
            told = {"name": "Bob", "invite": made.json()["invite"]}
            joined = self.ask("POST", f"matches/{match.key}/seats", told)
            assert joined.status_code == 201, joined.text
            match.tokens["B"] = joined.json()["token"]
        return match

    def league(self, players: int, **terms: Any) -> League:
        made = self.ask("POST", "leagues", {"name": "Spring", "game": "pigs", "organiser": "Ada", **terms})
        assert made.status_code == 201, made.text
        told = made.json()
        league = League(told["league"], told["invite"], told["organiser_token"], {1: told["token"]})
        for number in range(2, players + 1):
            taken = self.join(league, f"Dora {number}")
            assert taken.status_code == 201, taken.text
            league.tokens[taken.json()["place"]] = taken.json()["token"]
        return league

    def join(self, league: League, name: str) -> httpx.Response:
        return self.ask("POST", f"leagues/{league.key}/places", {"name": name, "invite": league.invite})

    def start(self, league: League) -> httpx.Response:
        return self.ask("POST", f"leagues/{league.key}/start", token=league.organiser)

    def fixtures(self, league: League, *, begun: bool = True) -> list[dict[str, Any]]:
        """All matches of the league: once each has `begun`, which the clock sees to, or as they are."""
        end = time.monotonic() + PATIENCE
        while True:
            found: list[dict[str, Any]] = []
            after: str | None = "0"
            while after is not None:
                page = self.ask("GET", f"leagues/{league.key}/matches?after={after}").json()
                found, after = found + page["matches"], page["next"]
            if not begun or all(one["match"] for one in found) or time.monotonic() > end:
                return found
            time.sleep(0.1)

    def play_season(self, league: League) -> None:
        """Starts it; in each match B resigns, and then it is over."""
        assert self.start(league).status_code == 200
        for one in self.fixtures(league):
            answer = self.ask(
                "POST", f"matches/{one['match']}/resign", token=league.tokens[one["seats"]["B"]]
            )
            assert answer.status_code == 200, answer.text
        assert self.ask("GET", f"leagues/{league.key}").json()["status"] == "over"

    def seal(self, match: Match, seat: str, order: str, turn: int = 0) -> httpx.Response:
        body = {"turn": turn, "order": order}
        return self.ask("PUT", f"matches/{match.key}/order", body, match.tokens[seat])

    def reopen(self, match: Match, seat: str, turn: int = 0) -> httpx.Response:
        return self.ask("DELETE", f"matches/{match.key}/order?turn={turn}", token=match.tokens[seat])

    def see(self, match: Match, seat: str = "") -> dict[str, Any]:
        answer = self.ask("GET", f"matches/{match.key}", token=match.tokens[seat] if seat else "")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def record(self, match: Match) -> dict[str, Any]:
        answer = self.ask("GET", f"matches/{match.key}/record")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


class PatientSite(Site):
    """Asks again, as `Retry-After` says, for what a busy site has not done."""

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> httpx.Response:
        end = time.monotonic() + PATIENCE / 2  # others wait for this one
        while True:
            answer = super().ask(method, path, body, token)
            pause = int(answer.headers.get("Retry-After", 0)) if answer.status_code == 503 else 0
            if not pause or time.monotonic() + pause > end:
                return answer
            time.sleep(pause)


def at_once(count: int, does: Callable[[int], Any]) -> list[Any]:
    """The results of so many threads that call this at the same instant, each with its number."""
    line = Barrier(count)

    def do(number: int) -> Any:
        line.wait(PATIENCE)
        return does(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(do, range(count)))


def both(servers: tuple[Server, Server], *deeds: Callable[[Site], httpx.Response]) -> list[httpx.Response]:
    """The answers to deeds done at the same instant, half of them at one server and half at the other."""

    def do(number: int) -> httpx.Response:
        with PatientSite(servers[number % 2].url) as site:
            return deeds[number](site)

    return at_once(len(deeds), do)


class Browser(httpx.Client):
    """A browser without JavaScript, with cookies of its own."""

    def __init__(self, url: str, **more: Any) -> None:
        super().__init__(base_url=url, timeout=PATIENCE, trust_env=False, verify=False, **more)

    def fill_in(self, to: str, page: str, **fields: Any) -> httpx.Response:
        """Sends a form as a page has it: with its own masked token."""
        token = TOKEN.search(self.get(page).text)
        assert token, page
        return self.post(to, data={**fields, "csrfmiddlewaretoken": token[1]}, headers={"Referer": to})


class Window(Browser):
    """A browser at the seat that a link opens."""

    def __init__(self, url: str, match: Match, seat: str) -> None:
        super().__init__(url, follow_redirects=True)
        self.address = f"/m/{match.key}/{seat}/"
        self.link = f"/s/seat/{match.tokens[seat]}/"

    def __enter__(self) -> Self:
        super().__enter__()
        self.fill_in(f"{self.link}take/", self.link)
        return self

    def do(self, what: str, **given: str) -> httpx.Response:
        given["csrfmiddlewaretoken"] = self.cookies["csrftoken"]
        return self.post(f"{self.address}{what}/", data=given)

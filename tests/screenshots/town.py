"""The matches that are photographed: a few tables of each game, played through the API of a real server."""

from __future__ import annotations

import re
from contextlib import closing
from random import Random
from typing import Any

import httpx

from games import newest
from games.core import Order, Seat, State, play_turn
from tests.servers import Server, manage

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Fritz", "Gus", "Hanna")
STAFF = {"username": "staff", "password": "look at the pictures"}
MIDDLE = 9
"""How many turns the tables in the middle of a match have played."""
MOST = 400
"""A match that is not over after so many turns is resigned."""


class Table:
    """A match as its players know it: all of them are the same hand here, with the same dice in every run."""

    def __init__(
        self, url: str, game: str, seed: str, preset: str = "", options: dict[str, Any] | None = None
    ) -> None:
        self.api = httpx.Client(base_url=f"{url}/api/v1", timeout=60, trust_env=False)
        self.rng = Random(seed)
        preset = preset or next(iter(newest(game).presets))
        asked = {"game": game, "name": NAMES[0], "preset": preset, "options": options or {}}
        made = self._ask("POST", "", asked)
        self.key, self.invite = made["match"], made["invite"]
        self.tokens = {Seat("A"): made["token"]}
        match = self._ask("GET", f"/{self.key}")
        kind = newest(game)
        count = len(match["seats"])
        self.state: State = kind.state.start(kind.read_options(match["options"]), count, match["setup"])
        self.films: list[int] = []

    def sit_down(self) -> None:
        for letter, name in list(zip(self.state.seats, NAMES, strict=False))[1:]:
            joined = self._ask("POST", f"/{self.key}/seats", {"name": name, "invite": self.invite})
            self.tokens[letter] = joined["token"]

    def play(self, turns: int) -> None:
        """That many turns, or till the end."""
        for _ in range(turns):
            if self.state.outcome():
                return
            orders = {
                seat: self.state.view(seat).sample(seat, self.rng) for seat in sorted(self.state.to_act())
            }
            for seat, order in orders.items():
                self.seal(seat, order)
            positions = list(play_turn(self.state, orders))
            self.films.append(len(positions))
            self.state = positions[-1]

    def seal(self, seat: Seat, order: Order) -> None:
        self._ask("PUT", f"/{self.key}/order", {"turn": self.state.turn, "order": order}, seat)

    def wait_for_ben(self) -> None:
        """Ada has done what she can: who is still to come is somebody else."""
        while Seat("A") in self.state.to_act():
            if len(self.state.to_act()) > 1:
                self.seal(Seat("A"), self.state.view(Seat("A")).sample(Seat("A"), self.rng))
                return
            self.play(1)

    def plan_for_ada(self) -> None:
        """It is Ada's turn, and she has begun to plan."""
        ada = Seat("A")
        while ada not in self.state.to_act():
            self.play(1)
        view, text = self.state.view(ada), ""
        for _ in range(12):
            plan = view.plan(ada, text)
            ways = [c.leads_to for c in plan.choices if c.allowed and len(c.leads_to) > len(text)]
            if plan.missing is None or not ways:
                break
            after = self.rng.choice(ways)
            if view.plan(ada, after).missing is None and text:
                break  # one step before it is whole
            text = after
        self._ask("PUT", f"/{self.key}/draft", {"turn": self.state.turn, "order": text}, ada)

    def finish(self) -> None:
        self.play(MOST - self.state.turn)
        if not self.state.outcome():
            self._ask("POST", f"/{self.key}/resign", {}, Seat("B"))

    @property
    def step(self) -> str:
        """A step in the middle of the last turn, as addresses write it."""
        return f"{len(self.films)}.{(self.films[-1] + 1) // 2}" if self.films else ""

    def _ask(self, method: str, path: str, body: Any = None, seat: Seat | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[seat]}"} if seat else {}
        answer = self.api.request(method, f"/matches{path}", json=body, headers=headers)
        assert answer.is_success, (method, path, body, answer.text)
        return answer.json() if answer.content else None


def build(
    server: Server, games: list[str], wanted: set[str]
) -> tuple[dict[str, dict[str, str]], dict[str, Any]]:
    """What the addresses of each game's pages need, and everybody's cookies (for Playwright)."""
    places = {}
    with _browser(server) as ada, _browser(server) as staff:
        for game in games:
            places[game] = _settle(server, game, wanted, ada)
        _sign_in(server, staff)
        return places, {"Ada": _cookies(server, ada), "Zoe": [], "staff": _cookies(server, staff)}


def _settle(server: Server, game: str, wanted: set[str], ada: httpx.Client) -> dict[str, str]:
    """The tables of one game, with Ada's browser at hers."""
    tables = {name: Table(server.url, game, f"{game} {name}") for name in sorted(wanted)}
    for name, table in tables.items():
        with closing(table.api):
            STATES[name](table)
    for name in wanted - {"elsewhere"}:
        _take(ada, tables[name].tokens[Seat("A")])
        ada.get(f"/m/{tables[name].key}/A/")  # so that what happened is no news in any picture
    place = {"game": game}
    for name, table in tables.items():
        place |= {
            name: table.key,
            f"{name}_invite": table.invite,
            f"{name}_link": table.tokens[Seat("A")],
            f"{name}_step": table.step,
        }
    return place


def _open(table: Table) -> None:
    pass


def _opening(table: Table) -> None:
    table.sit_down()


def _planning(table: Table) -> None:
    table.sit_down()
    table.play(MIDDLE)
    table.plan_for_ada()


def _sealed(table: Table) -> None:
    table.sit_down()
    table.play(MIDDLE - 2)
    table.wait_for_ben()


def _over(table: Table) -> None:
    table.sit_down()
    table.finish()


STATES = {
    "open": _open,
    "opening": _opening,
    "planning": _planning,
    "sealed": _sealed,
    "over": _over,
    "elsewhere": _opening,
}


def _browser(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=60, trust_env=False, follow_redirects=True)


def _take(browser: httpx.Client, link: str) -> None:
    """Sits down by a seat's own link."""
    page = browser.get(f"/s/seat/{link}/")
    _send(browser, page, f"/s/seat/{link}/take/", {})


def _send(browser: httpx.Client, page: httpx.Response, to: str, data: dict[str, str]) -> None:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert token, page.text
    answer = browser.post(to, data={**data, "csrfmiddlewaretoken": token[1]}, headers={"Referer": to})
    assert answer.is_success, answer.text


def _sign_in(server: Server, browser: httpx.Client) -> None:
    """The browser is staff's from now on."""
    env = {**server.env, "DJANGO_SUPERUSER_PASSWORD": STAFF["password"]}
    manage("createsuperuser", "--no-input", "--username", "staff", "--email", "", env=env)
    _send(browser, browser.get("/admin/login/"), "/admin/login/?next=/admin/", STAFF)


def _cookies(server: Server, browser: httpx.Client) -> list[dict[str, Any]]:
    return [
        {"name": cookie.name, "value": cookie.value, "url": server.url, "httpOnly": True}
        for cookie in browser.cookies.jar
    ]

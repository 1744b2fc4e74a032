"""Matches to measure at: two sit down by their links, and play by the page or by the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import dumps
from random import Random
from urllib.parse import urlencode

from games import newest
from games.core import Order, Seat, Setup, play_turn
from tests.bench.load import Connection, request
from tests.faults.programs import Browser, Site, Window

GAME = "pigs"
PLAYED, LONG = 8, 40
"""The number of turns played in a match whose page is measured, and in a long one."""
MANY = 300
"""The number of matches of a guest who has very many."""
Turns = Sequence[Mapping[Seat, Order]]


@dataclass(slots=True)
class Player:
    """Somebody at a seat or at none: the browser's cookies, and the seat's token for the API."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    match: str = ""
    page: str = ""
    token: str = ""

    @property
    def api_match(self) -> str:
        return f"/api/v1/matches/{self.match.split('/')[2]}"

    def headers(self, *, htmx: bool = False) -> dict[str, str]:
        """The headers of a browser's request. `htmx`: asked by a script of the page, for its live part."""
        cookies = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        sent = {"Cookie": cookies, "Accept-Encoding": "gzip"}
        return {**sent, "HX-Request": "true", "X-CSRFToken": self.cookies["csrftoken"]} if htmx else sent

    def get(self, path: str = "", *, htmx: bool = False) -> bytes:
        """The request for a page: one's own seat, or `path`."""
        return request(self.port, "GET", path or self.page, self.headers(htmx=htmx))

    def plan(self, turn: int, **given: str) -> bytes:
        """A form of the planner, as a page with scripts sends it."""
        sent = self.headers(htmx=True) | {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode({**given, "turn": turn, "tab": "bench"}).encode()
        return request(self.port, "POST", f"{self.page}plan/", sent, body)

    def seal(self, turn: int, order: Order) -> bytes:
        return self.plan(turn, seal="1", typed=order)

    def api(self, method: str, path: str, data: object = None) -> bytes:
        sent = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "gzip"}
        if data is None:
            return request(self.port, method, path, sent)
        sent["Content-Type"] = "application/json"
        return request(self.port, method, path, sent, dumps(data).encode())


@dataclass(slots=True)
class Table:
    """A match of two, begun; `turns` are the orders that are going to be played."""

    players: dict[Seat, Player]
    turns: Turns
    played: int = 0

    def next_turn(self) -> tuple[int, Mapping[Seat, Order]]:
        self.played += 1
        return self.played - 1, self.turns[self.played - 1]

    def seals(self, turns: int, *, api: bool = False) -> Iterator[bytes]:
        """The seals of the next turns, one after another: every second one reveals."""
        for _ in range(turns):
            turn, orders = self.next_turn()
            for seat, order in orders.items():
                one = self.players[seat]
                sealed = {"turn": turn, "order": order}
                yield one.api("PUT", f"{one.api_match}/order", sealed) if api else one.seal(turn, order)


def long_turns(count: int, seed: int, game: str, setup: Setup) -> Turns:
    """The orders of a random match of two that has not ended after `count` turns."""
    options = newest(game).read_options({})
    for attempt in range(500):
        rng = Random(seed * 1000 + attempt)
        state = newest(game).state.start(options, 2, setup)
        turns: list[dict[Seat, Order]] = []
        while state.outcome() is None and len(turns) < count:
            turns.append({seat: state.sample(seat, rng) for seat in sorted(state.to_act())})
            *_, state = play_turn(state, turns[-1])
        if state.outcome() is None:
            return turns
    raise ValueError(f"No random match lasted {count} turns.")


async def tables(
    port: int, count: int, played: int, planned: int, *, api: bool = False, game: str = GAME
) -> list[Table]:
    """Makes that many tables, each with some turns played, and orders for `planned` more."""
    return [await _table(port, seed, played, planned, api, game) for seed in range(count)]


async def _table(port: int, seed: int, played: int, planned: int, api: bool, game: str) -> Table:
    url, players = f"http://127.0.0.1:{port}", {}
    with Site(url) as site:
        match = site.make(game)
        turns = long_turns(played + planned, seed, game, site.see(match)["setup"])
    for letter, token in match.tokens.items():
        with Window(url, match, letter) as at:
            at.get(at.address)
            players[Seat(letter)] = Player(port, dict(at.cookies), f"/m/{match.key}/", at.address, token)
    table = Table(players, turns)
    async with Connection(port) as line:
        for raw in table.seals(played, api=api):
            await line.answered(raw)
    return table


def guest(port: int, matches: int = 0) -> Player:
    """A guest with so many matches that all wait for him: he plays them alone, at one device."""
    with Browser(f"http://127.0.0.1:{port}") as client:
        client.get("/")
        form = {"name": "Ada", "game": "pigs", "seats": "2", "with": "here", "here": "Ben"}
        for _ in range(matches):
            sent = {**form, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
            assert client.post("/matches/", data=sent).status_code == 302
        return Player(port, dict(client.cookies))

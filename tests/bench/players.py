"""Matches to measure at: made, joined and played through the pages, as browsers do it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import dumps, loads
from random import Random
from typing import cast
from urllib.parse import quote, urlencode

from games import newest
from games.core import Order, Seat, Setup, play_turn
from tests.bench.load import Answer, Connection, request

GAME = "pigs"
MANY = 300
"""The number of matches of a guest who has very many."""
Turns = Sequence[Mapping[Seat, Order]]


@dataclass(slots=True)
class Player:
    """Somebody at a seat: the browser's cookies, and the seat's token for the API."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    page: str = ""
    token: str = ""

    @property
    def match(self) -> str:
        return self.page[:-2]

    @property
    def api_match(self) -> str:
        return f"/api/v1/matches/{self.match.split('/')[2]}"

    def headers(self, *, htmx: bool = False, gzip: bool = True) -> dict[str, str]:
        """The headers of a browser's request. `htmx`: asked by a script of the page, for its live part."""
        sent = {"Cookie": "; ".join(f"{key}={value}" for key, value in self.cookies.items())}
        if gzip:
            sent["Accept-Encoding"] = "gzip"
        if htmx:
            sent |= {"HX-Request": "true", "X-CSRFToken": self.cookies["csrftoken"]}
        return sent

    def get(self, path: str = "", *, htmx: bool = False, gzip: bool = True) -> bytes:
        """The request for a page: one's own seat, or `path`."""
        return request(self.port, "GET", path or self.page, self.headers(htmx=htmx, gzip=gzip))

    def post(self, path: str, values: Mapping[str, str], *, htmx: bool = False) -> bytes:
        sent = self.headers(htmx=htmx) | {"Content-Type": "application/x-www-form-urlencoded"}
        if not htmx:
            values = {**values, "csrfmiddlewaretoken": self.cookies["csrftoken"]}
        return request(self.port, "POST", path, sent, urlencode(values).encode())

    def seal(self, turn: int, order: Order) -> bytes:
        """The big button of the seat page, pressed where scripts run."""
        values = {"seal": "1", "typed": order, "turn": str(turn), "tab": "bench"}
        return self.post(f"{self.page}plan/", values, htmx=True)

    def tap(self, turn: int, choice: str) -> bytes:
        values = {"choose": choice, "turn": str(turn), "tab": "bench"}
        return self.post(f"{self.page}plan/", values, htmx=True)

    def api(self, method: str, path: str, data: object = None) -> bytes:
        sent = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "gzip"}
        if data is None:
            return request(self.port, method, path, sent)
        return request(
            self.port, method, path, sent | {"Content-Type": "application/json"}, dumps(data).encode()
        )

    async def ask(self, connection: Connection, raw: bytes, status: int = 200) -> Answer:
        """The answer, which must be `status`; its cookies are kept."""
        answer = await connection.ask(raw)
        for name, value in answer.headers:
            if name == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        if answer.status != status:
            raise ValueError(
                f"{raw[:80]!r} was answered {answer.status}, not {status}: {answer.body[:500]!r}"
            )
        return answer


@dataclass(slots=True)
class Table:
    """A match of two, begun; `turns` are the orders that are going to be played."""

    players: dict[Seat, Player]
    turns: Turns
    played: int = 0

    def next_turn(self) -> tuple[int, Mapping[Seat, Order]]:
        self.played += 1
        return self.played - 1, self.turns[self.played - 1]

    def form_seals(self, turns: int) -> Iterator[bytes]:
        """The seals of the next turns by the page's form, one after another: every second one reveals."""
        for _ in range(turns):
            turn, orders = self.next_turn()
            for seat, order in orders.items():
                yield self.players[seat].seal(turn, order)

    def api_seals(self, turns: int) -> Iterator[bytes]:
        for _ in range(turns):
            turn, orders = self.next_turn()
            for seat, order in orders.items():
                sealed = {"turn": turn, "order": order}
                player = self.players[seat]
                yield player.api("PUT", f"{player.api_match}/order", sealed)


def long_turns(count: int, seed: int, game: str = GAME, setup: Setup | None = None) -> Turns:
    """The orders of a random match of two that has not ended after `count` turns."""
    options = newest(game).read_options({})
    for attempt in range(500):
        rng = Random(seed * 1000 + attempt)
        state = newest(game).state.start(options, 2, setup or {})
        turns: list[dict[Seat, Order]] = []
        while state.outcome() is None and len(turns) < count:
            turns.append({seat: state.sample(seat, rng) for seat in sorted(state.to_act())})
            *_, state = play_turn(state, turns[-1])
        if state.outcome() is None:
            return turns
    raise ValueError(f"No random match lasted {count} turns.")


async def sit_down(port: int, game: str = GAME) -> Table:
    ada, ben = Player(port), Player(port)
    async with Connection(port) as line:
        await ada.ask(line, ada.get("/"))
        form = {"name": "Ada", "game": game, "seats": "2", "preset": "standard"}
        made = await ada.ask(line, ada.post("/matches/", form), 302)
        page = await _own_page(line, ada, made)
        invite = _found(r"/s/invite/([\w-]+)/", page)
        await ben.ask(line, ben.get(f"/s/invite/{invite}/"))
        sat = await ben.ask(line, ben.post(f"/s/invite/{invite}/accept/", {"name": "Ben"}), 302)
        await _own_page(line, ben, sat)
    return Table({Seat("A"): ada, Seat("B"): ben}, [])


async def _own_page(line: Connection, player: Player, to: Answer) -> str:
    """Goes where it is sent, and finds in the menu there the secret of the seat's own link."""
    player.page = quote(to.header("location").partition("?")[0])
    page = (await player.ask(line, player.get(gzip=False))).body.decode()
    menu = (await player.ask(line, player.get(f"{player.page}more/", gzip=False))).body.decode()
    player.token = _found(r"/s/seat/([\w-]+)/", menu)
    return page


async def _setup(table: Table) -> Setup:
    player = table.players[Seat("A")]
    async with Connection(player.port) as line:
        answer = await line.ask(request(player.port, "GET", player.api_match))
    return cast(Setup, loads(answer.body)["setup"])


def _found(pattern: str, page: str) -> str:
    found = re.search(pattern, page)
    if found is None:
        raise ValueError(f"The page has no {pattern}.")
    return found[1]


async def play(table: Table, turns: int, *, api: bool = False) -> None:
    async with Connection(table.players[Seat("A")].port) as line:
        for raw in table.api_seals(turns) if api else table.form_seals(turns):
            await line.answered(raw)


async def tables(
    port: int, count: int, played: int, planned: int, *, api: bool = False, game: str = GAME
) -> list[Table]:
    """Makes that many tables, each with some turns played, and orders for `planned` more."""
    made = []
    for seed in range(count):
        table = await sit_down(port, game)
        table.turns = long_turns(played + planned, seed, game, await _setup(table))
        await play(table, played, api=api)
        made.append(table)
    return made


async def guest_with(port: int, matches: int) -> Player:
    """A guest with so many matches that all wait for him: he plays them alone, at one device."""
    guest = Player(port)
    async with Connection(port) as line:
        await guest.ask(line, guest.get("/"))
        form = {"name": "Ada", "game": "pigs", "seats": "2", "with": "here", "here": "Ben"}
        for _ in range(matches):
            made = await guest.ask(line, guest.post("/matches/", form), 302)
        guest.page = made.header("location")
    return guest

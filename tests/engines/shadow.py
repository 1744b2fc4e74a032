"""A match as its players know it, beside the one on the site: what may be tapped, and what comes of it."""

from __future__ import annotations

from random import Random
from typing import Any

import httpx

from games import newest
from games.core import Order, Plan, Seat, State, play_turn

MOST = 16
"""The most taps of a turn that is planned by chance."""

UNDO = ("back", "clear")


class Shadow:
    def __init__(self, site: str, key: str, seed: str) -> None:
        self.rng = Random(seed)
        self._address = f"{site}/api/v1/matches/{key}"
        match = self._ask()
        game = newest(match["game"])
        self.state: State = game.state.start(
            game.read_options(match["options"]), len(match["seats"]), match["setup"]
        )
        self.orders: dict[Seat, Order] = {}
        self.played: list[dict[Seat, Order]] = []

    def _ask(self) -> dict[str, Any]:
        answer = httpx.get(self._address, timeout=60, trust_env=False, verify=False)
        return dict(answer.raise_for_status().json())

    def taps(self, seat: Seat, ready: Order) -> list[str]:
        """Choices of the planner that lead to a whole order, which `play` takes together with the others'."""
        view, tries = self.state.view(seat), 0
        while not (found := self._walk(view, seat, ready)):
            tries += 1
            assert tries < 10_000, "No whole order was found."
        keys, self.orders[seat] = found
        return keys

    def _walk(self, view: State, seat: Seat, ready: Order) -> tuple[list[str], Order] | None:
        plan: Plan = view.plan(seat, ready)
        keys: list[str] = []
        while len(keys) < MOST:
            if keys and plan.missing is None:
                return keys, view.check(seat, plan.order)
            ways = [one for one in plan.choices if one.allowed and not one.draws and one.key not in UNDO]
            if not ways:
                break
            choice = self.rng.choice(ways)
            keys.append(choice.key)
            plan = view.plan(seat, choice.leads_to)
        return None

    def play(self) -> int:
        """Plays the turn that everybody has an order for; returns how many steps its film has."""
        film = list(play_turn(self.state, self.orders))
        self.played.append(self.orders)
        self.state, self.orders = film[-1], {}
        return len(film)

    def on_the_site(self) -> list[dict[Seat, Order]]:
        """The orders of all turns that the site has revealed."""
        return list(self._ask()["turns"])

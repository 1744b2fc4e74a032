"""The most that a better search could win: a clairvoyant among medium bots.

`python -m tests.bench.ceiling pigs standard 4 40` plays 40 matches of four. The clairvoyant's seat rotates;
it knows the position and the others' orders of the turn, and takes the best of its own as medium judges.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from random import Random

from games import newest, search
from games.core import DRAW, Order, Seat, State, play_turn
from games.players import PATIENCE, is_stuck
from games.players.ladder import interval

ORDERS = 1_500
"""The clairvoyant's own orders that are tried, by lot."""


def answer(state: State, seat: Seat, others: Mapping[Seat, Order], rng: Random) -> Order:
    """Returns the best found order of a seat against the orders that the others are going to play."""

    def worth(own: Order) -> float:
        *_, after = state.play({**others, seat: own})
        return after.evaluate(seat)

    return max(state.ideas(seat, rng, ORDERS), key=worth)


def points(slug: str, preset: str, seats: int, number: int) -> float:
    """Returns the clairvoyant's points in one match; equals would get 1 / seats."""
    game, rng = newest(slug), Random(f"{slug} {preset} {seats} {number}")
    options = game.read_options(game.presets[preset].options)
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    own = state.seats[number % seats]
    while (outcome := state.outcome()) is None:
        if state.turn >= PATIENCE or is_stuck(state):
            orders = dict.fromkeys(state.still_in(), DRAW)
        else:
            orders = {seat: search.order(state.view(seat), seat, rng) for seat in sorted(state.to_act())}
            if own in orders and not (
                slug == "roboxing" and not state.turn
            ):  # robots are built as medium does
                others = {seat: order for seat, order in orders.items() if seat != own}
                orders[own] = answer(state, own, others, rng)
        *_, state = play_turn(state, orders)
    return outcome.scores[own]


def main() -> None:
    slug, preset, seats, matches = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    got = 0.0
    for number in range(matches):
        got += points(slug, preset, seats, number)
        low, high = interval(got / (number + 1), number + 1)
        print(f"{slug} {preset} {seats}: {got:g} of {number + 1} ({low:.0%} to {high:.0%})", flush=True)


if __name__ == "__main__":
    main()

"""The hasty bot, which tries a few orders against sampled orders of the others and takes the best.

The bot plays far worse than the quick bot, but about a hundred times as fast, so that `make balance` can play
thousands of matches of every preset. Like all bots, it sees only the view of its seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from games.core import DRAW, Game, Order, Seat, State, play_turn
from games.figures import Finished

IDEAS, TRIALS = 5, 1
"""IDEAS is the number of orders that are tried, TRIALS the number of situations in which each is tried.

A situation is a possible position with a sampled order of each other seat.
"""
IDLE, MOST = 60, 240
"""The numbers of turns after which the bots of `play` agree to a draw.

IDLE counts turns without a lasting change, MOST all turns.
"""


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best of a few orders, at most IDEAS, each tried against random orders of the other seats.

    If there is only one possible order, returns this order without a trial.
    """
    ideas = view.ideas(seat, rng, IDEAS)[:IDEAS]
    if len(ideas) == 1:
        return ideas[0]
    rng.shuffle(ideas)
    situations = [_sample_situation(view, seat, rng) for _ in range(TRIALS if len(view.to_act()) > 1 else 1)]
    return max(
        ideas,
        key=lambda idea: sum(
            _value_after(world, {**others, seat: idea}, seat) for world, others in situations
        ),
    )


def _sample_situation(view: State, seat: Seat, rng: Random) -> tuple[State, dict[Seat, Order]]:
    world = view.determinize(rng)
    return world, {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}


def _value_after(world: State, orders: Mapping[Seat, Order], seat: Seat) -> float:
    *_, position_after = world.play(orders)
    return position_after.evaluate(seat)


def usual_seats(game: Game, preset: str) -> int:
    """Returns the number of players that a preset proposes.

    The number is the preset's `usual` or, if that is 0, the lowest number of players of the preset.
    """
    return game.presets[preset].usual or game.presets[preset].seats[0]


def play(game: Game, preset: str, rng: Random) -> Finished:
    """Plays a whole match of a preset between hasty bots; returns the facts that statistics count."""
    options, count = game.read_options(game.presets[preset].options), usual_seats(game, preset)
    state = game.state.start(options, count, game.draw(options, count, rng, {}))
    sides_before = {seat: state.side(seat) for seat in state.seats}
    while (outcome := state.outcome()) is None:
        if state.turn >= MOST or state.turns_without_change() >= IDLE:
            orders = dict.fromkeys(state.still_in(), DRAW)
        else:
            orders = {seat: order(state.view(seat), seat, rng) for seat in sorted(state.to_act())}
        *_, state = play_turn(state, orders)
    sides_after = {seat: state.side(seat) for seat in state.seats}
    return Finished(outcome, state.turn, sides_after, sides_before != sides_after)

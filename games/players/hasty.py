"""A careless player, a hundred times as fast as the quick bot: for `make balance`, puzzles and late seats."""

from random import Random

from games.core import DRAW, Game, Order, Seat, State, after_turn, play_turn
from games.figures import Finished

IDEAS, TRIALS = 5, 1
"""The number of orders that are tried, and of situations with sampled orders in which each is tried."""
IDLE, MOST = 60, 240
"""Turns without a lasting change, and turns in all, after which the players of `play` agree to a draw."""


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best of a few orders, at most IDEAS, each tried against random orders of the others."""
    ideas = view.ideas(seat, rng, IDEAS)[:IDEAS]
    if len(ideas) == 1:
        return ideas[0]
    rng.shuffle(ideas)
    situations = [_sample_situation(view, seat, rng) for _ in range(TRIALS if len(view.to_act()) > 1 else 1)]
    return max(
        ideas,
        key=lambda idea: sum(
            after_turn(world, {**others, seat: idea}).evaluate(seat) for world, others in situations
        ),
    )


def _sample_situation(view: State, seat: Seat, rng: Random) -> tuple[State, dict[Seat, Order]]:
    world = view.determinize(rng)
    return world, {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}


def usual_seats(game: Game, preset: str) -> int:
    return game.presets[preset].usual or game.presets[preset].seats[0]


def play(game: Game, preset: str, rng: Random) -> Finished:
    """Plays a whole match of a preset between careless players; returns the facts that statistics count."""
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

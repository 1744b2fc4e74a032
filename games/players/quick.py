"""The quick player: tries many orders against what others might do, one turn ahead, and takes the best.

How long it thinks is bounded by work, not by a clock, so it answers the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from games.core import Order, Seat, State

MOST = 320
"""The most orders that are looked at; fewer where many pieces act at once, or where one is judged turns
later."""
WORK, WORK_AHEAD = 1_920, 1_000
"""The bounds on what is tried first where all act at once: orders times pieces, and that times turns."""
WORLDS = 12
"""The number of worlds drawn that fit a view."""
STAGES = ((4, 4), (12, 4), (24, 4))
"""The number of samples against which each remaining order is tried, and the part that stays: one in so
many."""
FINALISTS = 8
"""The number of orders that are judged by the best reply to them, where all is open and one acts at a
time."""
REPLIES = 240
DRIFTS, LENGTH = 12, 24
"""The number of times that each of these is played on by chance, and the number of turns."""
AHEAD = 5
"""The most turns after which an order that stays secret is judged."""
CONTENT = 0.02
"""The advantage over an even share beyond which it plays on rather than draw."""

Trial = tuple[State, Mapping[Seat, Order]]


def order(view: State, seat: Seat, rng: Random) -> Order:
    """The order that comes out best."""
    if view.to_act() == {seat} and view.determinize(rng) == view:
        return in_turn(view, seat, _ideas(view, seat, rng, MOST), rng)
    return _at_once(view, seat, rng)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Tell whether the program is content with a draw: it does not judge itself ahead."""
    hopes = [world.evaluate(seat) for world in view.worlds(rng, WORLDS)]
    return sum(hopes) / WORLDS <= 1 / len(view.still_in()) + CONTENT


def _ideas(view: State, seat: Seat, rng: Random, most: int) -> list[Order]:
    ideas = view.ideas(seat, rng, most)
    rng.shuffle(ideas)  # of equals the first is taken
    return ideas


def in_turn(
    state: State,
    seat: Seat,
    ideas: list[Order],
    rng: Random,
    *,
    finalists: int = FINALISTS,
    drifts: int = DRIFTS,
) -> Order:
    """The best order where nothing is hidden and nobody else acts, so that each order has one result.

    The best `finalists` are judged by the best reply to them, and by playing on at random `drifts` times.
    """
    after = {idea: _played(state, {seat: idea}) for idea in ideas}
    best = sorted(ideas, key=lambda idea: -after[idea].evaluate(seat))[:finalists]
    return max(
        best, key=lambda idea: _replied(after[idea], seat, rng) + _drifted(after[idea], seat, rng, drifts)
    )


def _replied(state: State, seat: Seat, rng: Random) -> float:
    """The worth to `seat` after the worst reply, if one other player is to act; else that of the position."""
    acting = state.to_act()
    if len(acting) != 1 or seat in acting:
        return state.evaluate(seat)
    (other,) = acting
    replies = state.ideas(other, rng, REPLIES)
    return min(_played(state, {other: reply}).evaluate(seat) for reply in replies)


def _drifted(state: State, seat: Seat, rng: Random, times: int) -> float:
    """A position's average worth to `seat` after a while of random play, over so many `times`."""
    hopes = 0.0
    for _ in range(times):
        drift = state
        for _ in range(LENGTH):
            if drift.ended:
                break
            drift = _played(drift, {who: drift.sample(who, rng) for who in drift.to_act()})
        hopes += drift.evaluate(seat)
    return hopes / times


def _at_once(view: State, seat: Seat, rng: Random) -> Order:
    """The best order where others act at once or hide something: those that do worse in samples drop out."""
    worlds = view.worlds(rng, WORLDS)
    ideas = _ideas(view, seat, rng, _most(worlds[0], seat, rng))
    hopes = dict.fromkeys(ideas, 0.0)
    for tries, part in STAGES:
        trials = [_trial(rng.choice(worlds), seat, rng) for _ in range(tries)]
        for idea in ideas:
            hopes[idea] += sum(_tried(world, {**others, seat: idea}, seat, rng) for world, others in trials)
        ideas = sorted(ideas, key=lambda idea: -hopes[idea])[: max(1, len(ideas) // part)]
    return ideas[0]


def _most(world: State, seat: Seat, rng: Random) -> int:
    """The number of orders to try: fewer if more pieces act, or if an order is judged several turns later."""
    world, others = _trial(world, seat, rng)
    played = _judged(world, {**others, seat: world.sample(seat, rng)}, seat, rng)
    turns = played.turn - world.turn
    work = WORK if turns <= 1 else WORK_AHEAD // turns
    return max(1, min(MOST // max(1, turns), work // world.pieces()))


def _trial(world: State, seat: Seat, rng: Random) -> Trial:
    """The world, with a sampled order for every other seat that acts."""
    return world, {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}


def _tried(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> float:
    """The value for `seat` of the position after these orders."""
    return _judged(world, orders, seat, rng).evaluate(seat)


def _judged(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> State:
    """The position that these orders are judged by: a few turns later if the order of `seat` stays secret."""
    state = _played(world, orders)
    for _ in range(AHEAD):
        if state.ended or not state.conceals(world.turn, seat):
            break
        state = _played(state, {who: state.sample(who, rng) for who in sorted(state.to_act())})
    return state


def _played(state: State, orders: Mapping[Seat, Order]) -> State:
    *_, last = state.play(orders)
    return last

"""The quick bot, which tries many orders against sampled orders of the others and takes the best.

An order is usually judged by the position after the turn. An order that stays hidden is judged some turns
later. Where nothing is hidden and nobody else acts in the turn, the best orders are judged by the opponent's
best reply and by playouts. The number of trials is limited, not the time, so the bot gives the same answer on
every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from games.core import Order, Seat, State

MOST = 320
"""The maximum number of orders that are tried.

Fewer are tried if many pieces act at once, or if an order is judged only several turns later.
"""
WORK, WORK_AHEAD = 1_920, 1_000
"""Limits of the first stage, where others act at once or something is hidden.

WORK limits the number of orders times the number of pieces. If orders are judged several turns later,
WORK_AHEAD limits the product of orders, pieces and turns.
"""
WORLDS = 12
"""The number of complete positions consistent with the view (worlds) that are drawn."""
STAGES = ((4, 4), (12, 4), (24, 4))
"""The stages of elimination, each as a pair of numbers.

The first is the number of samples that each remaining order is tried against. The second divides the number
of remaining orders after the stage.
"""
FINALISTS = 8
"""The number of best orders that are judged by the opponent's best reply and by playouts.

This is done only where nothing is hidden and nobody else acts in the turn.
"""
REPLIES = 240
PLAYOUTS, LENGTH = 12, 24
"""The number of random playouts of each finalist, and the most turns of each playout."""
AHEAD = 5
"""The maximum number of turns that are played after an order that stays hidden.

The order is judged by the position after these turns.
"""
CONTENT = 0.02
"""The advantage, as a share of the point, beyond which the bot plays on instead of accepting a draw.

The advantage is measured from an even share.
"""

Situation = tuple[State, Mapping[Seat, Order]]


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the order that is judged best."""
    if view.to_act() == {seat} and view.determinize(rng) == view:
        return in_turn(view, seat, _ideas(view, seat, rng, MOST), rng)
    return _at_once(view, seat, rng)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Tell whether the bot would accept a draw: it would unless it is ahead by more than CONTENT."""
    hopes = [world.evaluate(seat) for world in view.worlds(rng, WORLDS)]
    return sum(hopes) / WORLDS <= 1 / len(view.still_in()) + CONTENT


def _ideas(view: State, seat: Seat, rng: Random, most: int) -> list[Order]:
    ideas = view.ideas(seat, rng, most)
    rng.shuffle(ideas)  # equal ones are chosen at random: the first is taken
    return ideas


def in_turn(
    state: State,
    seat: Seat,
    ideas: list[Order],
    rng: Random,
    *,
    finalists: int = FINALISTS,
    playouts: int = PLAYOUTS,
) -> Order:
    """Returns the best of `ideas` where nothing is hidden and nobody else acts in the turn.

    The `finalists` orders with the best immediate results are compared by the sum of two values: the value
    after the opponent's best reply, and the average of `playouts` random playouts.
    """
    positions_after = {idea: _played(state, {seat: idea}) for idea in ideas}
    best = sorted(ideas, key=lambda idea: -positions_after[idea].evaluate(seat))[:finalists]
    return max(
        best,
        key=lambda idea: (
            _replied(positions_after[idea], seat, rng)
            + _playout_mean(positions_after[idea], seat, rng, playouts)
        ),
    )


def _replied(state: State, seat: Seat, rng: Random) -> float:
    """The value for `seat` after the worst reply for `seat`, among up to REPLIES that are tried.

    If the next turn is not that of a single other seat, the result is the value of the position itself.
    """
    acting = state.to_act()
    if len(acting) != 1 or seat in acting:
        return state.evaluate(seat)
    (other,) = acting
    replies = state.ideas(other, rng, REPLIES)
    return min(_played(state, {other: reply}).evaluate(seat) for reply in replies)


def _playout_mean(state: State, seat: Seat, rng: Random, times: int) -> float:
    """The average value for `seat` after up to LENGTH turns of random play, over `times` playouts."""
    hopes = 0.0
    for _ in range(times):
        playout = state
        for _ in range(LENGTH):
            if playout.ended:
                break
            playout = _played(playout, {who: playout.sample(who, rng) for who in playout.to_act()})
        hopes += playout.evaluate(seat)
    return hopes / times


def _at_once(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best order where others act at once or hide something; worse ones drop out in stages."""
    worlds = view.worlds(rng, WORLDS)
    ideas = _ideas(view, seat, rng, _most(worlds[0], seat, rng))
    hopes = dict.fromkeys(ideas, 0.0)
    for tries, part in STAGES:
        situations = [_sample_situation(rng.choice(worlds), seat, rng) for _ in range(tries)]
        for idea in ideas:
            hopes[idea] += sum(
                _value_after(world, {**others, seat: idea}, seat, rng) for world, others in situations
            )
        ideas = sorted(ideas, key=lambda idea: -hopes[idea])[: max(1, len(ideas) // part)]
    return ideas[0]


def _most(world: State, seat: Seat, rng: Random) -> int:
    """The number of orders to try: fewer if more pieces act, or if an order is judged several turns later."""
    world, others = _sample_situation(world, seat, rng)
    played = _position_to_judge(world, {**others, seat: world.sample(seat, rng)}, seat, rng)
    turns = played.turn - world.turn
    work = WORK if turns <= 1 else WORK_AHEAD // turns
    return max(1, min(MOST // max(1, turns), work // world.pieces()))


def _sample_situation(world: State, seat: Seat, rng: Random) -> Situation:
    """Returns the world, and a sampled order for each other seat that acts."""
    return world, {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}


def _value_after(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> float:
    """The value for `seat` of the position by which these orders are judged."""
    return _position_to_judge(world, orders, seat, rng).evaluate(seat)


def _position_to_judge(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> State:
    """Returns the position by which these orders are judged.

    It is the position after the turn with these orders. If the order of `seat` is then still hidden, random
    play goes on until it is known, for AHEAD turns at most, and the last position counts.
    """
    state = _played(world, orders)
    for _ in range(AHEAD):
        if state.ended or not state.conceals(world.turn, seat):
            break
        state = _played(state, {who: state.sample(who, rng) for who in sorted(state.to_act())})
    return state


def _played(state: State, orders: Mapping[Seat, Order]) -> State:
    *_, last = state.play(orders)
    return last

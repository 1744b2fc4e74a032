"""The quick bot, which tries many orders against sampled orders of the others and takes the best.

An order is usually judged by the position after the turn. An order that stays hidden is judged some turns
later. In a turn in which nothing is hidden and only the bot's seat acts, the best orders are judged by the
opponent's best reply and by random playouts. The number of trials is limited, not the time, so the bot gives
the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from games.core import Order, Seat, State

MOST = 320
"""The maximum number of orders that are tried.

Fewer orders are tried if many pieces act at the same time, or if an order can be judged only several turns
later.
"""
WORK, WORK_AHEAD = 1_920, 1_000
"""Limits on the number of orders in the first stage, for turns in which others act or something is hidden.

The number of orders times the number of pieces is at most WORK. If orders are judged several turns later, the
product of orders, pieces and turns is at most WORK_AHEAD.
"""
WORLDS = 12
"""The number of complete positions consistent with the view (worlds) that are drawn."""
STAGES = ((4, 4), (12, 4), (24, 4))
"""The stages of elimination, each as a pair of numbers.

The first is the number of samples against which each remaining order is tried. After the stage, the number of
remaining orders is divided by the second.
"""
FINALISTS = 8
"""The number of best orders that are judged by the opponent's best reply and by playouts.

Orders are judged in this way only in turns in which nothing is hidden and nobody else acts.
"""
REPLIES = 240
PLAYOUTS, LENGTH = 12, 24
"""PLAYOUTS is the number of random playouts of each finalist, LENGTH their maximum number of turns."""
AHEAD = 5
"""The maximum number of turns that are played after an order that stays hidden.

The order is judged by the position after these turns, or by the first position that reveals the order.
"""
CONTENT = 0.02
"""The advantage, as a share of the point, beyond which the bot does not accept a draw.

The advantage is the difference from an even share of the point.
"""

Situation = tuple[State, Mapping[Seat, Order]]


def order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the order that the bot judges best."""
    if view.to_act() == {seat} and view.determinize(rng) == view:
        return best_in_sequential_turn(view, seat, _ideas(view, seat, rng, MOST), rng)
    return _at_once(view, seat, rng)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Returns True if the bot, on `seat`, would accept a draw.

    The bot accepts if its expected share of the match's point is at most an even share plus the constant
    CONTENT.
    """
    hopes = [world.evaluate(seat) for world in view.worlds(rng, WORLDS)]
    return sum(hopes) / WORLDS <= 1 / len(view.still_in()) + CONTENT


def _ideas(view: State, seat: Seat, rng: Random, most: int) -> list[Order]:
    ideas = view.ideas(seat, rng, most)
    rng.shuffle(ideas)  # equal ones are chosen at random: the first is taken
    return ideas


def best_in_sequential_turn(
    state: State,
    seat: Seat,
    ideas: list[Order],
    rng: Random,
    *,
    finalists: int = FINALISTS,
    playouts: int = PLAYOUTS,
) -> Order:
    """Returns the best order in `ideas`, for a turn in which nothing is hidden and no other seat acts.

    The `finalists` orders with the best immediate results are compared by the sum of two values: the value
    after the opponent's best reply, and the average value of `playouts` random playouts.
    """
    positions_after = {idea: _played(state, {seat: idea}) for idea in ideas}
    best = sorted(ideas, key=lambda idea: -positions_after[idea].evaluate(seat))[:finalists]
    return max(
        best,
        key=lambda idea: (
            _value_after_reply(positions_after[idea], seat, rng)
            + _playout_mean(positions_after[idea], seat, rng, playouts)
        ),
    )


def _value_after_reply(state: State, seat: Seat, rng: Random) -> float:
    """Returns the value to `seat` of the position after the other seat's best reply (the worst for `seat`).

    At most REPLIES replies are tried. If the next turn does not belong to one other seat alone, returns the
    value of the position itself.
    """
    acting = state.to_act()
    if len(acting) != 1 or seat in acting:
        return state.evaluate(seat)
    (other,) = acting
    replies = state.ideas(other, rng, REPLIES)
    return min(_played(state, {other: reply}).evaluate(seat) for reply in replies)


def _playout_mean(state: State, seat: Seat, rng: Random, times: int) -> float:
    """Returns the average value to `seat` after `times` playouts, each of at most LENGTH random turns."""
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
    """Returns the best order for a turn in which other seats act too, or something is hidden.

    Many orders are tried in random situations that fit the view, and worse orders are dropped in stages.
    """
    worlds = view.worlds(rng, WORLDS)
    ideas = _ideas(view, seat, rng, _ideas_to_try(worlds[0], seat, rng))
    hopes = dict.fromkeys(ideas, 0.0)
    for tries, part in STAGES:
        situations = [_sample_situation(rng.choice(worlds), seat, rng) for _ in range(tries)]
        for idea in ideas:
            hopes[idea] += sum(
                _value_after(world, {**others, seat: idea}, seat, rng) for world, others in situations
            )
        ideas = sorted(ideas, key=lambda idea: -hopes[idea])[: max(1, len(ideas) // part)]
    return ideas[0]


def _ideas_to_try(world: State, seat: Seat, rng: Random) -> int:
    """Returns the number of orders to try, so that the work stays within a limit.

    The number is smaller if more pieces act, or if an order can be judged only several turns later.
    """
    world, others = _sample_situation(world, seat, rng)
    played = _position_to_judge(world, {**others, seat: world.sample(seat, rng)}, seat, rng)
    turns = played.turn - world.turn
    work = WORK if turns <= 1 else WORK_AHEAD // turns
    return max(1, min(MOST // max(1, turns), work // world.pieces()))


def _sample_situation(world: State, seat: Seat, rng: Random) -> Situation:
    """Returns `world`, a complete position, and a random order of each other seat that acts in it."""
    return world, {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}


def _value_after(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> float:
    """Returns the value to `seat` of playing `orders` in `world`, a complete position.

    The value is that of the position after the turn or, if the order stays hidden, of a position some turns
    later.
    """
    return _position_to_judge(world, orders, seat, rng).evaluate(seat)


def _position_to_judge(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> State:
    """Returns the position by which `orders`, played in `world`, are judged: usually that after the turn.

    If the order of `seat` is still hidden in that position, random turns are played until the order is
    revealed, the match ends, or AHEAD turns have been played. The position after these turns is then
    returned.
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

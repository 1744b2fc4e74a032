"""The search of easy and medium bots, which try orders against sampled orders of the others.

An order is judged by the position after the turn; one that stays hidden, some turns later. Where nothing is
hidden and nobody else acts, the best are judged by the best reply and by random playouts. The trials are
limited (`Effort`), not the time, so a bot gives the same answer on every machine.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from games.core import Order, Seat, State, after_turn

WORK, WORK_AHEAD = 1_920, 1_000
"""Limits on the orders tried at first × moving pieces; WORK_AHEAD: × turns too, if judged turns later."""
LENGTH = 24
"""The maximum number of turns of a random playout."""
AHEAD = 5
"""The most turns played after an order that stays hidden, if it is not revealed before."""
CONTENT = 0.02
"""The advantage over an even share of the point beyond which the bot does not accept a draw."""

Situation = tuple[State, Mapping[Seat, Order]]


class OutOfWork(Exception):
    """Raised by a search that has done the maximum amount of work."""


class Effort(NamedTuple):
    ideas: int
    """The most orders that are tried; fewer if many pieces act, or if they can be judged only later."""
    stages: Sequence[tuple[int, int]]
    """By stage: the samples against which each order is tried, and the divisor of the orders kept after."""
    finalists: int
    """The best orders to judge by replies and playouts, where nothing is hidden and nobody else acts."""
    replies: int
    playouts: int
    worlds: int
    """The number of complete positions consistent with the view (worlds) that are drawn."""
    evaluate: Callable[[State, Seat], float]
    """The estimate of positions where several act at once."""


EASY = Effort(
    ideas=60,
    stages=((2, 4), (4, 4)),
    finalists=2,
    replies=60,
    playouts=3,
    worlds=1,
    evaluate=lambda state, seat: state.evaluate(seat),
)
MEDIUM = Effort(
    ideas=320,
    stages=((4, 4), (12, 4), (24, 4)),
    finalists=8,
    replies=240,
    playouts=12,
    worlds=12,
    evaluate=lambda state, seat: state.evaluate_closely(seat),
)


def order(view: State, seat: Seat, rng: Random, effort: Effort = MEDIUM) -> Order:
    if view.to_act() == {seat} and view.determinize(rng) == view:
        ideas = _ideas(view, seat, rng, effort.ideas)
        return best_in_sequential_turn(view, seat, ideas, rng, effort)
    return _at_once(view, seat, rng, effort)


def is_content(view: State, seat: Seat, rng: Random) -> bool:
    """Returns True if the bot expects at most CONTENT more than an even share: it then accepts a draw."""
    hopes = [world.evaluate(seat) for world in view.worlds(rng, MEDIUM.worlds)]
    return sum(hopes) / MEDIUM.worlds <= 1 / len(view.still_in()) + CONTENT


def _ideas(view: State, seat: Seat, rng: Random, most: int) -> list[Order]:
    ideas = view.ideas(seat, rng, most)
    rng.shuffle(ideas)  # equal ones are chosen at random: the first is taken
    return ideas


def best_in_sequential_turn(
    state: State,
    seat: Seat,
    ideas: list[Order],
    rng: Random,
    effort: Effort = MEDIUM,
) -> Order:
    """Returns the best order where nothing is hidden and nobody else acts, by replies and playouts."""
    positions_after = {idea: after_turn(state, {seat: idea}) for idea in ideas}
    best = sorted(ideas, key=lambda idea: -positions_after[idea].evaluate(seat))[: effort.finalists]
    return max(
        best,
        key=lambda idea: (
            _value_after_reply(positions_after[idea], seat, rng, effort.replies)
            + _playout_mean(positions_after[idea], seat, rng, effort.playouts)
        ),
    )


def _value_after_reply(state: State, seat: Seat, rng: Random, most: int) -> float:
    """Returns the value after the best reply; of the position itself if not just one seat acts."""
    acting = state.to_act()
    if len(acting) != 1 or seat in acting:
        return state.evaluate(seat)
    (other,) = acting
    replies = state.ideas(other, rng, most)
    return min(after_turn(state, {other: reply}).evaluate(seat) for reply in replies)


def _playout_mean(state: State, seat: Seat, rng: Random, times: int) -> float:
    hopes = 0.0
    for _ in range(times):
        playout = state
        for _ in range(LENGTH):
            if playout.ended:
                break
            playout = after_turn(playout, {who: playout.sample(who, rng) for who in playout.to_act()})
        hopes += playout.evaluate(seat)
    return hopes / times


def _at_once(view: State, seat: Seat, rng: Random, effort: Effort) -> Order:
    """Returns the best order by trials in random situations that fit the view; each stage drops the worst."""
    # always as many to choose from: so the dice are the same where nothing is hidden
    worlds = view.worlds(rng, effort.worlds) * (MEDIUM.worlds // effort.worlds)
    ideas = _ideas(view, seat, rng, _ideas_to_try(worlds[0], seat, rng, effort.ideas))
    hopes = dict.fromkeys(ideas, 0.0)
    for tries, part in effort.stages:
        situations = [_sample_situation(rng.choice(worlds), seat, rng) for _ in range(tries)]
        for idea in ideas:
            hopes[idea] += sum(
                effort.evaluate(_position_to_judge(world, {**others, seat: idea}, seat, rng), seat)
                for world, others in situations
            )
        ideas = sorted(ideas, key=lambda idea: -hopes[idea])[: max(1, len(ideas) // part)]
    return ideas[0]


HASTY_IDEAS = 5
"""The maximum number of orders that `hasty_order` tries."""


def hasty_order(view: State, seat: Seat, rng: Random) -> Order:
    """Returns the best of a few orders, each tried against random orders of the others in one situation.

    It takes a hundredth of the time of `order`: for `make balance`, puzzles and late seats.
    """
    ideas = view.ideas(seat, rng, HASTY_IDEAS)[:HASTY_IDEAS]
    if len(ideas) == 1:
        return ideas[0]
    rng.shuffle(ideas)
    world = view.determinize(rng)
    others = {other: world.sample(other, rng) for other in sorted(world.to_act() - {seat})}
    return max(ideas, key=lambda idea: after_turn(world, {**others, seat: idea}).evaluate(seat))


def _ideas_to_try(world: State, seat: Seat, rng: Random, most: int) -> int:
    world, others = _sample_situation(world, seat, rng)
    played = _position_to_judge(world, {**others, seat: world.sample(seat, rng)}, seat, rng)
    turns = played.turn - world.turn
    work = WORK if turns <= 1 else WORK_AHEAD // turns
    return max(1, min(most // max(1, turns), work // world.pieces()))


def _sample_situation(world: State, seat: Seat, rng: Random) -> Situation:
    return world, {other: world.expected(other, rng) for other in sorted(world.to_act() - {seat})}


def _position_to_judge(world: State, orders: Mapping[Seat, Order], seat: Seat, rng: Random) -> State:
    state = after_turn(world, orders)
    for _ in range(AHEAD):
        if state.ended or not state.conceals(world.turn, seat):
            break
        state = after_turn(state, {who: state.sample(who, rng) for who in sorted(state.to_act())})
    return state

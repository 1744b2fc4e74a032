"""The payoff of a round to a pig among any number: hits landed less taken, and LAST for the end."""

from collections.abc import Mapping

from games.core import Order, Seat
from games.pigs.bot.duel import LAST
from games.pigs.rules import PLACES, Position
from games.pigs.steps import ATTACKS, HULK, REPAIR, STEPS, struck


def hits(position: Position, orders: Mapping[Seat, Order]) -> dict[Seat, tuple[int, int]]:
    """Returns the hits of each seat's pig in the round, as (landed, taken)."""
    landed, taken = [0] * len(position.seats), [0] * len(position.seats)
    through = position.options.laser == "through"
    for position_after in position.play(orders):
        cause = position_after.cause
        assert cause
        for i, command in enumerate(cause.commands):
            for j in struck(i, command, position_after.poses, cause.damage, through=through):
                landed[i] += 1
                taken[j] += 1
    return {seat: (landed[PLACES[seat]], taken[PLACES[seat]]) for seat in position.seats}


def payoff(position: Position, seat: Seat, orders: Mapping[Seat, Order]) -> float:
    """Returns the payoff of the round to the seat's pig, in hits landed less taken."""
    return sum([gained(position_after, seat) for position_after in position.play(orders)])


def gained(position_after: Position, seat: Seat) -> float:
    """Returns what the step that led to a position brought the seat's pig."""
    cause, own = position_after.cause, PLACES[seat]
    assert cause
    command = cause.commands[own]
    value = _ending(position_after, seat) if position_after.ended else 0.0
    if not command:
        return value
    through, poses = position_after.options.laser == "through", position_after.poses
    value += len(struck(own, command, poses, cause.damage, through=through))
    value -= sum(
        struck(i, one, poses, cause.damage, through=through).count(own)
        for i, one in enumerate(cause.commands)
        if one in ATTACKS
    )
    value += command == REPAIR and cause.step == STEPS - 1
    fell = position_after.damage[own] == HULK
    return value - LAST * (fell and not position_after.ended)


def _ending(position_after: Position, seat: Seat) -> float:
    """Returns LAST for a sole winner, minus LAST / (seats - 1) for a loser; sharers lie between."""
    assert position_after.ended
    seats = len(position_after.seats)
    return LAST * (seats * position_after.ended.scores[seat] - 1) / (seats - 1)

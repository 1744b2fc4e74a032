"""The planner of a turn: building the robots in the first turn, and the fight in all others."""

from __future__ import annotations

from collections.abc import Mapping

from games.core import Order, Plan, Seat, Sentence
from games.roboxing import building, fight
from games.roboxing.rules import Position


def plan(state: Position, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
    if seat not in state.to_act():
        return Plan(partial, (), Sentence("There is nothing for you to order."), ())
    if not state.layouts:
        return building.plan(state, seat, partial)
    if any(state.layouts[i] is None for i in state.robots(seat)):
        return Plan(partial, (), Sentence("These robots are not yours to order."), ())
    return fight.plan(state, seat, partial, guesses)

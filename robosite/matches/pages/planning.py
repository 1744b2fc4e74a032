"""An unfinished order: its plan, and the reading of typed text."""

from __future__ import annotations

from collections.abc import Mapping

from games.core import IllegalOrder, Order, Plan, State
from games.core import Seat as Letter
from robosite.matches.models import Seat


def show_plan(state: State, seat: Seat, text: str, guesses: Mapping[Letter, Order] | None = None) -> Plan:
    return state.view(seat.at).plan(seat.at, text, guesses)


def readable(view: State, seat: Letter, typed: Order) -> Order:
    """The typed order, if the game can read it; else IllegalOrder, so that it does not replace the draft."""
    plan = view.plan(seat, typed)
    if not plan.missing or not typed.strip():
        return typed
    empty = view.plan(seat, "")
    if plan.order == empty.order and str(plan.missing) != str(empty.missing):
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed

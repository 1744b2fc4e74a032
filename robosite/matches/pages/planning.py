"""An unfinished order: its plan, and the reading of typed text."""

from __future__ import annotations

from collections.abc import Mapping

from games.core import IllegalOrder, Order, Plan, State
from games.core import Seat as Letter
from robosite.bounded_cache import BoundedCache
from robosite.matches.models import Seat

PLANS = 128
"""So many plans a process keeps: a tap begins with the plan that the answer to the one before has shown."""

_plans: BoundedCache[tuple[type[State], State, Letter, str], Plan] = BoundedCache(PLANS)


def show_plan(state: State, seat: Seat, text: str, guesses: Mapping[Letter, Order] | None = None) -> Plan:
    """What comes of an unfinished order, as far as its seat may know."""
    view = state.view(seat.at)
    if guesses:
        return view.plan(seat.at, text, guesses)
    known = (type(view), view, seat.at, text)  # all that a plan follows from
    plan = _plans.get(known)
    if plan is None:
        plan = _plans[known] = view.plan(seat.at, text)
    return plan


def readable(view: State, seat: Letter, typed: Order) -> Order:
    """The typed order, if the game can read it; else IllegalOrder, so that it does not replace the draft."""
    plan = view.plan(seat, typed)
    if not plan.missing or not typed.strip():
        return typed
    empty = view.plan(seat, "")
    if plan.order == empty.order and str(plan.missing) != str(empty.missing):
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed

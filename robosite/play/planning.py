"""An unfinished order: its plan, and the reading of typed text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import SystemRandom
from typing import NamedTuple

from django.http import QueryDict

from games.core import IllegalOrder, Order, Plan, State
from games.core import Seat as Letter
from robosite.matches.models import Seat
from robosite.web.caches import BoundedCache

HOW_FAR = "Robosite-Taps"
"""The header that tells a page which of its numbered taps are in the draft."""
MOST_TAPS = 16
"""The most taps that one request makes."""
MOST_AHEAD = 32
"""The most plans that are made ahead of a tap."""
PLANS = 128
"""So many plans a process keeps: a tap begins with the plan that the answer to the one before has shown."""

_plans: BoundedCache[tuple[int, int, type[State], State, Letter, str], Plan] = BoundedCache(PLANS)


def show_plan(state: State, seat: Seat, text: str, guesses: Mapping[Letter, Order] | None = None) -> Plan:
    """The plan that an unfinished order gives, as far as its seat may know."""
    view = state.view(seat.at)
    if guesses:
        return view.plan(seat.at, text, guesses)
    # All that a plan follows from, and whose it is: else the time it takes would tell of others' drafts.
    known = (seat.pk, seat.sitting, type(view), view, seat.at, text)
    plan = _plans.get(known)
    if plan is None:
        plan = _plans[known] = view.plan(seat.at, text)
    return plan


def look_ahead(state: State, seat: Seat, text: Order) -> list[tuple[str, Plan]]:
    """Each choice that may be made next, with the plan after it; none where there are many.

    Choices by chance are left out: nobody knows what comes of them.
    """
    plan = show_plan(state, seat, text)
    known = [choice for choice in plan.choices if choice.allowed and not choice.draws]
    if len(known) > MOST_AHEAD:
        return []
    return [(choice.key, show_plan(state, seat, choice.leads_to)) for choice in known]


class Tapped(NamedTuple):
    """An unfinished order after some taps: how many of them are in it, and why the next one is not."""

    text: Order
    taken: int
    refusal: IllegalOrder | None


def choose_all(plan_of: Callable[[Order], Plan], text: Order, keys: Sequence[str]) -> Tapped:
    """Makes these choices one after the other, up to the first that cannot be had, or to MOST_TAPS."""
    for taken, key in enumerate(keys[:MOST_TAPS]):
        try:
            text = plan_of(text).choose(key, SystemRandom())
        except IllegalOrder as refusal:
            return Tapped(text, taken, refusal)
    return Tapped(text, len(keys[:MOST_TAPS]), None)


def keys_of(post: Mapping[str, str]) -> list[str]:
    """The choices that a form brings, in their order: one by its button, and those that a page adds to it."""
    if "choose" not in post:
        return []
    return [post["choose"], *(post.getlist("then") if isinstance(post, QueryDict) else ())]


def readable(view: State, seat: Letter, typed: Order) -> Order:
    """The typed order, if the game can read it; otherwise raises IllegalOrder, and the draft stays."""
    plan = view.plan(seat, typed)
    if not plan.missing or not typed.strip():
        return typed
    empty = view.plan(seat, "")
    if plan.order == empty.order and str(plan.missing) != str(empty.missing):
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed

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
"""The most whole plans that are made ahead of a tap."""
MOST_GLIMPSES = 96
"""The most of those with which a game is quick (`State.glimpse`)."""
PLANS = 128
"""The number of plans that a process keeps: a tap starts from the plan that the previous answer showed."""

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


class Ahead(NamedTuple):
    """The plan after each choice that may be made next, by its key, for `all_turn` or for one plan."""

    plans: dict[str, Plan]
    all_turn: bool


def look_ahead(state: State, seat: Seat, text: Order) -> Ahead:
    """The plan after each choice that may be made next, or a glimpse of it; none where there are many.

    Choices by chance are left out: nobody knows what comes of them.
    """
    plan, view = show_plan(state, seat, text), state.view(seat.at)
    known = {choice.key: choice.leads_to for choice in plan.choices if choice.allowed and not choice.draws}
    seen = {key: view.glimpse(seat.at, known[key]) for key in list(known)[:MOST_GLIMPSES]}
    glimpses = {key: glimpse for key, glimpse in seen.items() if glimpse}
    if glimpses or len(known) > MOST_AHEAD:
        return Ahead(glimpses, all_turn=True)
    return Ahead({key: show_plan(state, seat, order) for key, order in known.items()}, all_turn=False)


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

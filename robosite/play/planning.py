"""Unfinished orders: their plans, the plans after possible choices, and the parsing of typed text."""

from collections.abc import Callable, Mapping, Sequence
from random import SystemRandom
from typing import NamedTuple

from django.http import QueryDict

from games.core import IllegalOrder, Order, Plan, State
from games.core import Seat as Letter
from robosite.matches.models import Seat
from robosite.web.caches import once_made

TAPS_HEADER = "Robosite-Taps"
"""The response header that tells a page the number of its last tap that is in the draft."""
MOST_TAPS = 16
MOST_AHEAD = 32
"""If there are more choices, no plans are computed before the next tap."""
MOST_GLIMPSES = 96
"""The most glimpses (cheap plans, `State.glimpse`) that are computed before the next tap."""
SIZE = 20_000
"""The size of a plan, as the cache counts it."""


def show_plan(state: State, seat: Seat, text: str, guesses: Mapping[Letter, Order] | None = None) -> Plan:
    """The plan for an unfinished order, from what the seat may know alone; cached if there are no guesses."""
    view = state.view(seat.at)
    if guesses:
        return view.plan(seat.at, text, guesses)
    # Everything that a plan depends on, and its owner: else response times would reveal others' drafts.
    known = ("plan", seat.pk, seat.sitting, type(view), view, seat.at, text)
    return once_made(known, lambda: view.plan(seat.at, text), lambda _plan: SIZE)


class Ahead(NamedTuple):
    """The plan after each choice that may come next; valid until the next tap or, if `all_turn`, all turn."""

    plans: dict[str, Plan]
    all_turn: bool


def look_ahead(state: State, seat: Seat, text: Order) -> Ahead:
    """Returns the plans, or a game's cheaper glimpses, after each allowed choice without chance."""
    plan, view = show_plan(state, seat, text), state.view(seat.at)
    known = {choice.key: choice.leads_to for choice in plan.choices if choice.allowed and not choice.draws}
    seen = {key: view.glimpse(seat.at, known[key]) for key in list(known)[:MOST_GLIMPSES]}
    glimpses = {key: glimpse for key, glimpse in seen.items() if glimpse}
    if glimpses or len(known) > MOST_AHEAD:
        return Ahead(glimpses, all_turn=True)
    return Ahead({key: show_plan(state, seat, order) for key, order in known.items()}, all_turn=False)


class Tapped(NamedTuple):
    """An unfinished order after `taken` taps; `former`: the order before, if the last tap replaced a part."""

    text: Order
    taken: int
    refusal: IllegalOrder | None
    former: Order | None


def choose_all(plan_of: Callable[[Order], Plan], text: Order, keys: Sequence[str]) -> Tapped:
    """Adds the choices `keys` to an unfinished order, at most MOST_TAPS, until one is refused."""
    former = None
    for taken, key in enumerate(keys[:MOST_TAPS]):
        try:
            plan = plan_of(text)
            chosen = plan.choose(key, SystemRandom())
        except IllegalOrder as refusal:
            return Tapped(text, taken, refusal, former)
        former = text if any(choice.key == key and choice.replaces for choice in plan.choices) else None
        text = chosen
    return Tapped(text, len(keys[:MOST_TAPS]), None, former)


def keys_of(post: Mapping[str, str]) -> list[str]:
    """The keys of the choices (taps) that a form sends, the first tap first."""
    if "choose" not in post:
        return []
    return [post["choose"], *(post.getlist("then") if isinstance(post, QueryDict) else ())]


def readable(view: State, seat: Letter, typed: Order) -> Order:
    """Returns `typed` if it is empty or the game can read a part of it; otherwise raises IllegalOrder."""
    plan = view.plan(seat, typed)
    if not plan.missing or not typed.strip():
        return typed
    empty = view.plan(seat, "")
    if plan.order == empty.order and str(plan.missing) != str(empty.missing):
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed

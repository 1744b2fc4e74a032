"""Guesses of others' orders, which the planner plays together with the player's own plan (“what if”).

Guesses exist only in the page's form: each request sends them, and its response returns them. Guesses are
stored in no row, session, URL or log, so nobody else can ever learn of them; reloading the page discards
them. The page has a guess sheet for each opponent, on which the player plans the opponent's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import SystemRandom
from typing import Any

from games.core import Order, Plan, State, tell
from games.core import Seat as Letter
from robosite.play.film import Step

BUTTONS = ("look", "guess", "throw", "step")
"""The names of the buttons on guess sheets.

They open or fold a sheet, make a choice in the open sheet, discard a guess, and show a step of the result.
"""


@dataclass(frozen=True, slots=True)
class Guesses:
    """A player's guesses of what the opponents order: `orders` maps opponents to guessed orders.

    `opened` is the opponent whose guess the page shows for editing, or None.
    """

    orders: Mapping[Letter, Order]
    opened: Letter | None = None


NONE = Guesses({})


def is_about(post: Mapping[str, str]) -> bool:
    """Returns True if a button for guessing an opponent's order sent the form."""
    return any(button in post for button in BUTTONS)


def parse_guesses(view: State, seat: Letter, post: Mapping[str, str]) -> Guesses:
    """Parses the guesses of others' orders in a form, and applies the button that was pressed.

    `seat` is the seat of the player who guesses, and `view` is the position as `seat` may see it. Raises
    IllegalOrder for a choice that is not possible.
    """
    if not is_about(post) and not any(name.startswith("guess-") for name in post):
        return NONE
    guessable = view.plan(seat, "").guessable
    given = {at: post[f"guess-{at}"] for at in guessable if f"guess-{at}" in post}
    # A text that is too long counts as none.
    orders = {at: text if len(text) <= view.max_order_length(at) else "" for at, text in given.items()}
    guesses = Guesses(orders, _named(post.get("sheet"), tuple(orders)))
    if "look" in post:
        return _open(guesses, _named(post["look"], guessable))
    if "throw" in post:
        return _throw(guesses, _named(post["throw"], guessable))
    if "guess" in post and guesses.opened:
        plan = view.guessing(guesses.opened, orders.get(guesses.opened, ""))
        chosen = plan.choose(post["guess"], SystemRandom())
        return replace(guesses, orders={**orders, guesses.opened: chosen})
    return guesses


def _named(letter: str | None, guessable: tuple[Letter, ...]) -> Letter | None:
    return next((at for at in guessable if at == letter), None)


def _open(guesses: Guesses, at: Letter | None) -> Guesses:
    return Guesses({at: "", **guesses.orders} if at else guesses.orders, at)


def _throw(guesses: Guesses, at: Letter | None) -> Guesses:
    left = {other: order for other, order in guesses.orders.items() if other != at}
    return Guesses(left, next(iter(left), None) if guesses.opened else None)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The tab on which a player guesses one opponent's order.

    `order` is the guessed order; None if nothing is guessed. `opened` tells whether the tab is open.
    """

    seat: Letter
    side: str
    order: Order | None
    opened: bool


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The tabs on which a player guesses opponents' orders, and the film (the steps) of the guessed turn.

    `opened` is the opponent whose tab is open, or None. `plan` is the planner on that tab, or None.
    """

    sheets: list[Sheet]
    opened: Letter | None
    plan: Plan | None
    steps: list[Step]

    @property
    def shown(self) -> int:
        return next(step.number for step in self.steps if step.shown)

    @property
    def last(self) -> int:
        return self.steps[-1].number


def show(view: State, plan: Plan, guesses: Guesses, step: int) -> WhatIf | None:
    """The tabs for guessing opponents' orders, and the turn as guessed; None if there are no guesses.

    `plan` is the plan of the player's own order, made with the guesses. The page shows the guessed turn at
    step `step`, or at the last step if there is no such step.
    """
    if not guesses.orders:
        return None
    return WhatIf(
        [Sheet(at, view.side(at), guesses.orders.get(at), at == guesses.opened) for at in plan.guessable],
        guesses.opened,
        view.guessing(guesses.opened, guesses.orders[guesses.opened]) if guesses.opened else None,
        _film(plan.film or (view,), step),
    )


def _film(views: tuple[State, ...], step: int) -> list[Step]:
    shown = step if 0 <= step < len(views) else len(views) - 1
    return [
        Step(
            n,
            shown=n == shown,
            drawing=_drawn(view, n),
            sentences=[tell(view, event) for event in view.events] if n else [],
            words=[],
            tick=True,
        )
        for n, view in enumerate(views)
    ]


def _drawn(view: State, n: int) -> dict[str, Any]:
    """Draws `view`, a position of the guessed turn; `n` is its index in the turn."""
    return view.drawing() if n else {**view.drawing(), "effects": []}

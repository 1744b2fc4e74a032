"""Guesses of others' orders, which the planner plays together with the player's own plan (“what if”).

Guesses exist only in the page's form: each request sends them, and its response returns them. They are stored
in no row, session, URL or log, so nobody else can ever learn of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import SystemRandom

from games.core import Order, Plan, State
from games.core import Seat as Letter
from robosite.play.film import Step, film_of

BUTTONS = ("look", "guess", "throw", "step")
"""The names of buttons: to open or fold a sheet, choose on it, discard a guess, show a step of the result."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """A player's guesses of opponents' orders; `opened` is the opponent whose sheet is open, or None."""

    orders: Mapping[Letter, Order]
    opened: Letter | None = None


NONE = Guesses({})


def is_about(post: Mapping[str, str]) -> bool:
    return any(button in post for button in BUTTONS)


def parse_guesses(view: State, seat: Letter, post: Mapping[str, str]) -> Guesses:
    """Reads the guesses in a form, and applies the button pressed; raises IllegalOrder."""
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
        thrown = _named(post["throw"], guessable)
        left = {other: order for other, order in guesses.orders.items() if other != thrown}
        return Guesses(left, next(iter(left), None) if guesses.opened else None)
    if "guess" in post and guesses.opened:
        plan = view.guessing(guesses.opened, orders.get(guesses.opened, ""))
        chosen = plan.choose(post["guess"], SystemRandom())
        return replace(guesses, orders={**orders, guesses.opened: chosen})
    return guesses


def _named(letter: str | None, guessable: tuple[Letter, ...]) -> Letter | None:
    return next((at for at in guessable if at == letter), None)


def _open(guesses: Guesses, at: Letter | None) -> Guesses:
    return Guesses({at: "", **guesses.orders} if at else guesses.orders, at)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The tab on which a player guesses one opponent's order; `order` is None if nothing is guessed."""

    seat: Letter
    side: str
    order: Order | None
    opened: bool


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The tabs of guesses, the planner on the `opened` one, and the steps of the guessed turn."""

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
    """The tabs for guesses and the turn as guessed, at `step` or its end; None if there are no guesses."""
    if not guesses.orders:
        return None
    film = film_of(plan.film or (view,), None, at=step if step >= 0 else None, uncovered=True)
    return WhatIf(
        [Sheet(at, view.side(at), guesses.orders.get(at), at == guesses.opened) for at in plan.guessable],
        guesses.opened,
        view.guessing(guesses.opened, guesses.orders[guesses.opened]) if guesses.opened else None,
        film.steps,
    )

"""A plan: the result of an unfinished order, and what may come next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from games.core.sentences import IllegalOrder, Order, Seat, Sentence

if TYPE_CHECKING:
    from games.core.state import State


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may be done next in an unfinished order: a sign, a square, a slot.

    `leads_to` is the unfinished order after it. If the rules forbid it now, `why` says so and `leads_to` is
    the order as it was. `sign` is how people write it, `icon` the symbol that is drawn for it. If the result
    depends on chance, `draws` makes the order with dice that nobody can foresee; `leads_to` is then only an
    example, the same for everybody.
    """

    key: str
    name: Sentence
    leads_to: Order
    sign: str = ""
    icon: str = ""
    why: Sentence | None = None
    draws: Callable[[Random], Order] | None = field(default=None, repr=False, compare=False)

    @property
    def allowed(self) -> bool:
        return self.why is None


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of an unfinished order, what may come next, and what is still missing.

    A game adds what its planner draws (slots, ghosts, reach) in a subclass.
    """

    order: Order
    choices: tuple[Choice, ...]
    missing: Sentence | None
    words: tuple[Sentence, ...]
    guessable: tuple[Seat, ...] = ()
    """The seats whose orders may be guessed beside this one (what if)."""
    film: tuple[State, ...] = ()
    """The positions from this one on that the order and the guesses lead to, for the board; empty without
    guesses."""

    def choose(self, key: str, rng: Random | None = None) -> Order:
        """The unfinished order after the choice `key`; raises IllegalOrder if that choice is not allowed now.

        `rng` decides the result of a choice that depends on chance; without it, the result is the example.
        """
        for choice in self.choices:
            if choice.key == key:
                if choice.why:
                    raise IllegalOrder(choice.why.template, **choice.why.facts)
                return choice.draws(rng) if choice.draws and rng else choice.leads_to
        raise IllegalOrder("There is no choice “{key}” here.", key=key)


class Otherwise(NamedTuple):
    """A turn's first departure from a player's plan: its place in the film (None if none), and a sentence.

    `planned`: by position of the film, what the board draws of the plan where it differs from the film.
    """

    at: int | None
    sentence: Sentence
    planned: Mapping[int, Any]

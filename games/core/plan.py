"""Plans: the result of an unfinished order, the choices for its next part, and departures from a plan."""

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
    """A candidate for the next part of an unfinished order, such as a command, a square or a slot.

    `leads_to` is the order with this choice; if `why` forbids the choice, the order is unchanged. Where
    chance decides, `draws` makes the order, and `leads_to` is an example, the same for everybody.
    `replaces` is True if it takes the place of several parts, so that the planner offers to undo it.
    """

    key: str
    name: Sentence
    leads_to: Order
    sign: str = ""
    icon: str = ""
    why: Sentence | None = None
    draws: Callable[[Random], Order] | None = field(default=None, repr=False, compare=False)
    replaces: bool = False

    @property
    def allowed(self) -> bool:
        return self.why is None


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of an unfinished order: the choices for its next part, and words on it so far.

    `missing` is a sentence on why it cannot be sealed yet. A game's subclass has what its planner draws.
    """

    order: Order
    choices: tuple[Choice, ...]
    missing: Sentence | None
    words: tuple[Sentence, ...]
    guessable: tuple[Seat, ...] = ()
    """The seats whose orders the player may guess, to see the result together with this plan (what if)."""
    film: tuple[State, ...] = ()
    """The positions that result from the order and the guesses; () without guesses."""

    def choose(self, key: str, rng: Random | None = None) -> Order:
        """Returns the order with the choice `key` added; raises IllegalOrder for a forbidden one."""
        for choice in self.choices:
            if choice.key == key:
                if choice.why:
                    raise IllegalOrder(choice.why.template, **choice.why.facts)
                return choice.draws(rng) if choice.draws and rng else choice.leads_to
        raise IllegalOrder("There is no choice “{key}” here.", key=key)


class Departure(NamedTuple):
    """The first index in a turn's film that departs from the plan, or None; `planned`: pictures by index."""

    at: int | None
    sentence: Sentence
    planned: Mapping[int, Any]

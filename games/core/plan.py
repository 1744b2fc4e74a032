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
    """One candidate for the next part of an unfinished order, such as a command, a square or a slot.

    `leads_to` is the unfinished order with this choice added. `sign` is the choice in the game's notation,
    and `icon` is the name of its drawn symbol. If the rules forbid the choice at this point, `why` is the
    reason, and `leads_to` is the order unchanged.

    `draws` is None unless the result of the choice depends on chance. In that case, `draws` is a function
    that makes the order with a given random generator. `leads_to` is then an example of such an order, the
    same for everybody.
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
    """The result of an unfinished order: the choices for its next part, and words that describe it so far.

    `missing` is a sentence on the part that the order still lacks, or on the reason why the order is refused;
    None if the order is complete. Each game has a subclass with the data that its planner draws.
    """

    order: Order
    choices: tuple[Choice, ...]
    missing: Sentence | None
    words: tuple[Sentence, ...]
    guessable: tuple[Seat, ...] = ()
    """The seats whose orders the player may guess, to see the result together with this plan (what if)."""
    film: tuple[State, ...] = ()
    """The positions that result from the order and the guesses, beginning with the present position.

    The film is empty if there are no guesses.
    """

    def choose(self, key: str, rng: Random | None = None) -> Order:
        """Returns the unfinished order with the choice `key` added.

        Raises IllegalOrder if there is no such choice or if the rules forbid the choice at this point. `rng`
        decides the result of a choice that depends on chance; without `rng`, the result is the example of the
        choice.
        """
        for choice in self.choices:
            if choice.key == key:
                if choice.why:
                    raise IllegalOrder(choice.why.template, **choice.why.facts)
                return choice.draws(rng) if choice.draws and rng else choice.leads_to
        raise IllegalOrder("There is no choice “{key}” here.", key=key)


class Departure(NamedTuple):
    """The first point at which a played turn departed from a player's plan.

    The film of a turn is the list of its positions. `at` is the index of the first departure in the film;
    None if the turn went as planned. `sentence` describes the departure. `planned` maps indexes in the film
    to the drawing data of the plan; it has only the indexes at which the plan differs from the film.
    """

    at: int | None
    sentence: Sentence
    planned: Mapping[int, Any]

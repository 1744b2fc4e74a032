"""The data of a review of one played turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from games.core.sentences import Order, Seat


class Judged(NamedTuple):
    """A player's order in a turn, compared with the best answer to the others' orders.

    `value` is the value of the player's order for the player, and `best_value` is the value of the best
    answer, both in the unit of the review. `landed` and `taken` are the numbers of hits that the player
    landed and suffered; 0 if the unit is not hits. `sure` is True if the best answer wins for certain and the
    played order did not. `with_knowledge_then` is the same comparison, but based only on the player's
    knowledge at the time; None if there is no such comparison.
    """

    order: Order
    value: float
    best: Order
    best_value: float
    landed: int = 0
    """The number of hits that the player's order landed on others; 0 if the unit is not hits."""
    taken: int = 0
    sure: bool = False
    with_knowledge_then: Judged | None = None

    @property
    def regret(self) -> float:
        """The value that the player lost by not choosing the best answer to the others' orders."""
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's mixed strategy in a near-equilibrium: the probability of each order (`mix`).

    `value` is the seat's expected value. `gap` is the value of the seat's best response to the others'
    mixes, minus `value`.
    """

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a played turn.

    `judged` maps each seat that acted to its order, compared with the best answer. `mixes` maps each such
    seat to its mixed strategy in a near-equilibrium; {} if no equilibrium was computed.
    """

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]

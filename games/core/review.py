"""The data of a review of one played turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from games.core.sentences import Order, Seat


class Judged(NamedTuple):
    """The value of a player's order in a turn, and the value of the best answer to the others' orders.

    Both values are the player's own, in the unit of the review. `sure`: the best answer wins for certain, and
    the played order did not. `then`, if given, is the same judgment based only on what the player could know
    at the time.
    """

    order: Order
    value: float
    best: Order
    best_value: float
    landed: int = 0
    """The number of hits that the player's order landed on others, where the unit is hits."""
    taken: int = 0
    sure: bool = False
    then: Judged | None = None

    @property
    def regret(self) -> float:
        """The loss in value compared with the best answer, which needed knowledge of the others' orders."""
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's mixed strategy in a near-equilibrium: each order's probability, the mix's value, its gap.

    The gap is the gain of the seat's best response, against the others' mixes, over its own mix.
    """

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a played turn: each order with the best answer, and each seat's near-equilibrium mix.

    `mixes` is empty where no equilibrium is computed.
    """

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]

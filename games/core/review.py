"""The review of a played turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from games.core.sentences import Order, Seat


class Judged(NamedTuple):
    """The value of a player's order in a turn, and that of the best answer to the others' orders.

    Both are in the unit of the review, for the player itself. `sure`: the best answer wins for certain, and
    the order did not. `then` is the same judged by what the player could know at the time, if that was less.
    """

    order: Order
    value: float
    best: Order
    best_value: float
    landed: int = 0
    """Hits that the player's order landed on others."""
    taken: int = 0
    sure: bool = False
    then: Judged | None = None

    @property
    def regret(self) -> float:
        """The cost of the order compared with the best one; nobody could know the others' orders."""
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's part of a near-equilibrium: the probability of each order, the mix's value, and its gap.

    The gap is what the seat's best answer to the others' mixes gains over its own mix.
    """

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a played turn: each order beside its best answer, and each seat's near-equilibrium mix.

    `mixes` is empty where no equilibrium is computed.
    """

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]

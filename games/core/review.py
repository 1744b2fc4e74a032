"""The data of a review of one played turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from games.core.sentences import Order, Seat

HITS, SHARE = "hits", "share"
"""The units of a review: hits, or shares of the match's point."""


class Judged(NamedTuple):
    """A player's order compared with the best answer to the others' orders, in the review's unit.

    `sure` is True if the best answer wins for certain and the played order did not.
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
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's mixed strategy in a near-equilibrium; `gap` is what its best response gains over `value`."""

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a played turn: each order judged and, where one was computed, an equilibrium's mixes."""

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]

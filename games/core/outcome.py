"""The outcome of a match (`Outcome`), a player's progress during it, and the review of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.core.sentences import Order, Seat, Sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """Each seat's share of the match's one point, and the reason for the end (docs/record.md)."""

    scores: Mapping[Seat, float]
    reason: str

    def __hash__(self) -> int:
        return hash((frozenset(self.scores.items()), self.reason))

    @classmethod
    def shared(cls, winners: Set[Seat], seats: tuple[Seat, ...], reason: str) -> Outcome:
        """Creates an outcome in which `winners` share the point equally and everybody else gets 0."""
        share = 1 / len(winners)
        share = int(share) if share == 1 else share
        return cls({seat: share if seat in winners else 0 for seat in seats}, reason)

    def as_json(self) -> dict[str, Any]:
        return {"scores": dict(self.scores), "reason": self.reason}


class Progress(NamedTuple):
    """A player's progress in a race or towards elimination: `reached` of `goal` units."""

    reached: int
    goal: int
    says: Sentence
    icon: str = "star"
    """The name of the symbol drawn once for each unit reached; "" if the sentence alone is clearer."""


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
    """The order judged by what could be known or expected before the turn."""
    in_reach: tuple[Seat, ...] = ()
    """The seats that the player could have hit in at most two steps, had they stayed; () with two players."""

    @property
    def regret(self) -> float:
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's mixed strategy in a near-equilibrium; `gap` is the most that a program gains over `value`.

    For two players it is the most of all programs, for more only of those that were tried.
    """

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a played turn: each order judged and, where one was computed, an equilibrium's mixes."""

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]

"""The outcome of a match, and the progress of a player."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.core.sentences import Seat, Sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a match: each seat's share of one point, and why (a word of docs/record.md)."""

    scores: Mapping[Seat, float]
    reason: str

    def __hash__(self) -> int:
        return hash((frozenset(self.scores.items()), self.reason))

    @classmethod
    def shared(cls, winners: Set[Seat], seats: tuple[Seat, ...], reason: str) -> Outcome:
        """The point shared equally by `winners`; all others get nothing."""
        share = 1 / len(winners)
        share = int(share) if share == 1 else share
        return cls({seat: share if seat in winners else 0 for seat in seats}, reason)

    def as_json(self) -> dict[str, Any]:
        return {"scores": dict(self.scores), "reason": self.reason}


class Tally(NamedTuple):
    """A player's progress in a race, or towards elimination: `reached` of `goal`, and the same in words."""

    reached: int
    goal: int
    says: Sentence
    icon: str = "star"
    """The symbol that stands for one; "" where words say it better."""

"""The outcome of a match (`Outcome`), and a player's progress during it (`Progress`)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.core.sentences import Seat, Sentence


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
    """A player's progress in a race or towards elimination, in units."""

    reached: int
    goal: int
    says: Sentence
    icon: str = "star"
    """The name of the symbol drawn once for each unit reached; "" if the sentence alone is clearer."""

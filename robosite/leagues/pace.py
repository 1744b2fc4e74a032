"""The days that a league takes at its pace, by its rounds and the usual length of its matches."""

from __future__ import annotations

from typing import NamedTuple

from robosite.leagues.pairing import days_needed
from robosite.matches.figures import balance


def usual_turns(slug: str, rules: int, preset: str, seats: int = 2) -> int:
    """The median number of turns of a match of this preset between programs; 0 if it is not known.

    If none was played by so many, that of tables of the next size.
    """
    kinds = [kind for kind in balance() if (kind.game, kind.rules, kind.preset) == (slug, rules, preset)]
    kind = min(kinds, key=lambda one: abs(one.seats - seats), default=None)
    return balance()[kind].length(0.5) if kind else 0


class Pace(NamedTuple):
    """The pace of a league with up to `most` places, whose matches take so many `turns`."""

    most: int
    legs: int
    every_days: int | None
    deadline_hours: float
    turns: int
    table_seats: int

    @property
    def for_rounds(self) -> float:
        """The number of days that its rounds need."""
        return days_needed(self.most, self.legs, self.every_days, self.deadline_hours, self.table_seats)

    @property
    def for_turns(self) -> float:
        """The number of days that a match needs."""
        return self.turns * self.deadline_hours / 24

    @property
    def least_days(self) -> float:
        """The least number of days: that of the rounds, or of the matches."""
        return max(self.for_rounds, self.for_turns)

    @property
    def days_to_play(self) -> float:
        """The number of days until the matches are over, those of the last round too."""
        if self.every_days is None:
            return self.least_days
        return max(self.least_days, self.for_rounds - self.every_days + self.for_turns)

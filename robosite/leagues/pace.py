"""The number of days that a league needs, computed from its rounds and the usual length of its matches."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from django.utils.translation import gettext as _

from robosite.leagues.pairing import days_needed
from robosite.matches.figures import balance


def usual_turns(slug: str, rules: int, preset: str, seats: int = 2) -> int:
    """The median number of turns of a match of this preset between programs; 0 if it is not known.

    If this number of seats was not measured, the nearest number that was measured is used.
    """
    kinds = [kind for kind in balance() if (kind.game, kind.rules, kind.preset) == (slug, rules, preset)]
    kind = min(kinds, key=lambda one: abs(one.seats - seats), default=None)
    return balance()[kind].length(0.5) if kind else 0


class Pace(NamedTuple):
    """The pace of a league with up to `most` places, whose matches usually take `turns` turns.

    A cup needs the time of such a league for each of its rounds, which are its `stages`.
    """

    most: int
    legs: int
    every_days: int | None
    deadline_hours: float
    turns: int
    table_seats: int
    stages: int = 1

    @property
    def for_rounds(self) -> float:
        """The days that the rounds need, from the first to the end of the last."""
        return days_needed(self.most, self.legs, self.every_days, self.deadline_hours, self.table_seats)

    @property
    def for_turns(self) -> float:
        """The days that one match needs."""
        return self.turns * self.deadline_hours / 24

    @property
    def least_days(self) -> float:
        """The least number of days: that of the rounds or that of one match, whichever is more."""
        return self.stages * max(self.for_rounds, self.for_turns)

    @property
    def days_to_play(self) -> float:
        """The number of days until all matches are over, including those of the last round."""
        if self.every_days is None:
            return self.least_days
        return self.stages * max(
            self.for_rounds, self.for_turns, self.for_rounds - self.every_days + self.for_turns
        )

    def why_too_short(self, days: float) -> str:
        """A sentence that says why this many days are too few; "" if they are enough."""
        if self.every_days and days < self.for_rounds:
            return _("So many rounds need {days} days.").format(days=ceil(self.for_rounds))
        if days >= self.least_days:
            return ""
        text = _("Such a match often takes {turns} turns: at this pace the league may need {days} days.")
        if self.stages > 1:
            text = _("Such a match often takes {turns} turns: at this pace {n} rounds may need {days} days.")
        return text.format(turns=self.turns, n=self.stages, days=ceil(self.days_to_play))

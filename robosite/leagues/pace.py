"""The number of days that a league needs, from its rounds and the usual length of its matches."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from django.utils.translation import gettext as _

from robosite.leagues.pairing import days_needed
from robosite.matches.figures import balance


def usual_turns(slug: str, rules: int, preset: str, seats: int = 2) -> int:
    """Returns the median number of turns in matches between bots with this preset; 0 if it is not known.

    `slug` is the game's, and `rules` the version of its rules. If matches with this number of seats were not
    measured, the figure for the nearest number of seats is used.
    """
    kinds = [kind for kind in balance() if (kind.game, kind.rules, kind.preset) == (slug, rules, preset)]
    kind = min(kinds, key=lambda one: abs(one.seats - seats), default=None)
    return balance()[kind].length(0.5) if kind else 0


class Pace(NamedTuple):
    """The terms of a league or cup from which its duration follows.

    `most` is the maximum number of participants, and `turns` the usual number of turns of a match. `legs` is
    the number of times that all rounds are played. `every_days` is the number of days from one round to the
    next, or None if all matches begin at once. `deadline_hours` is the time for a turn. `cup_rounds` is the
    number of rounds of a cup, each of which needs as much time as a league; it is 1 for a league.
    """

    most: int
    legs: int
    every_days: int | None
    deadline_hours: float
    turns: int
    table_seats: int
    cup_rounds: int = 1

    @property
    def for_rounds(self) -> float:
        """The number of days that the rounds need, from the start of the first to the end of the last round.

        If all matches begin at once, as they do in a round of a cup, it is the time for one turn.
        """
        return days_needed(self.most, self.legs, self.every_days, self.deadline_hours, self.table_seats)

    @property
    def for_turns(self) -> float:
        """The number of days that one match of usual length needs."""
        return self.turns * self.deadline_hours / 24

    @property
    def least_days(self) -> float:
        """The minimum number of days that the league must last.

        This is the larger of `for_rounds` and `for_turns`; in a cup, it is multiplied by the number of
        rounds.
        """
        return self.cup_rounds * max(self.for_rounds, self.for_turns)

    @property
    def days_to_play(self) -> float:
        """The number of days until all matches are over, including those that begin in the last round."""
        if self.every_days is None:
            return self.least_days
        return self.cup_rounds * max(
            self.for_rounds, self.for_turns, self.for_rounds - self.every_days + self.for_turns
        )

    def why_too_short(self, days: float) -> str:
        """Returns a sentence that says why `days` are too few for the league; "" if they are enough."""
        if self.every_days and days < self.for_rounds:
            return _("So many rounds need {days} days.").format(days=ceil(self.for_rounds))
        if days >= self.least_days:
            return ""
        text = _("Such a match often takes {turns} turns: at this pace the league may need {days} days.")
        if self.cup_rounds > 1:
            text = _("Such a match often takes {turns} turns: at this pace {n} rounds may need {days} days.")
        return text.format(turns=self.turns, n=self.cup_rounds, days=ceil(self.days_to_play))

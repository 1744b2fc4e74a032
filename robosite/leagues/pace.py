"""The days that a league takes at its pace, by its rounds and the usual length of its matches."""

from __future__ import annotations

from robosite.leagues.pairing import days_needed
from robosite.matches.figures import balance


def usual_turns(slug: str, rules: int, preset: str) -> int:
    """The median number of turns of a match of this preset between programs; 0 if it is not known.

    If none was played by two, that of tables of another size.
    """
    kinds = [kind for kind in balance() if (kind.game, kind.rules, kind.preset) == (slug, rules, preset)]
    kind = min(kinds, key=lambda one: one.seats, default=None)
    return balance()[kind].length(0.5) if kind else 0


def least_days(most: int, legs: int, every_days: int | None, deadline_hours: float, turns: int) -> float:
    """The least number of days for so many places: that of the rounds, or of matches of so many turns."""
    return max(days_needed(most, legs, every_days, deadline_hours), turns * deadline_hours / 24)


def days_to_play(most: int, legs: int, every_days: int | None, deadline_hours: float, turns: int) -> float:
    """The number of days until matches of so many turns are over, those of the last round too."""
    least = least_days(most, legs, every_days, deadline_hours, turns)
    if every_days is None:
        return least
    last_begins = days_needed(most, legs, every_days, deadline_hours) - every_days
    return max(least, last_begins + turns * deadline_hours / 24)

"""How long a league takes at its pace: its rounds, and the usual number of turns of its matches."""

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


def days_to_play(most: int, legs: int, every_days: int | None, deadline_hours: float, turns: int) -> float:
    """The number of days in which up to so many places play matches of so many turns, each at the deadline."""
    needed = days_needed(most, legs, every_days, deadline_hours)
    before_last = (needed - every_days) if every_days else 0.0
    return max(needed, before_last + turns * deadline_hours / 24)


"""Sentences about players who left a match because they resigned or ran out of time.

In both cases, the record has the order `resign`.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.core import Event, Sentence, State, tell
from games.core import Seat as Letter
from robosite.matches import reading
from robosite.matches.models import DEADLINE, Match


def timed_out(match: Match) -> dict[Letter, str]:
    """Maps each seat whose player ran out of time to the letter of the seat whose player ended the wait."""
    return {seat.at: seat.timed_out for seat in reading.seats_of(match) if seat.timed_out}


def tell_event(state: State, event: Event, late: Mapping[Letter, str]) -> Sentence:
    """The sentence about an event that led to `state`; who is in `late` (`timed_out`) “ran out of time”."""
    ended_by = late.get(Letter(event["by"])) if event["kind"] == "resigned" else None
    if not ended_by:
        return tell(state, event)
    if ended_by == DEADLINE:
        return Sentence("{by} ran out of time.", by=Letter(event["by"]))
    return Sentence(
        "{by} ran out of time, and {other} stopped waiting.", by=Letter(event["by"]), other=Letter(ended_by)
    )

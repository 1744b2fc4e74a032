"""The clock, moved by hand: what tests and benchmarks do in place of the process that watches the time."""

from __future__ import annotations

from robosite.matches.clock import due_matches, move_on

ALL = 10**6


def tick() -> int:
    """Moves on all matches whose time is up, without a rest between them; says how many."""
    matches = due_matches(ALL)
    for match in matches:
        move_on(match)
    return len(matches)

"""Seals that arrive in the instant in which a reserve runs out, while the clock looks and the other claims.

A program of its own, since it needs another database. Each match is decided by one of the two; it prints what
came of all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from time import sleep
from typing import Any

import django

from tests.faults.outcomes import at_once

MATCHES = 24
SPREAD = timedelta(milliseconds=120)
"""The seals arrive this long before the reserve is gone, to as long after it."""
AHEAD = timedelta(milliseconds=500)


def is_done(at: datetime, deed: Callable[[], Any]) -> bool:
    """Does it at that moment; False if it was refused."""
    from django.utils import timezone

    from robosite.matches import flow

    sleep(max((at - timezone.now()).total_seconds(), 0))
    with suppress(flow.Refused):
        deed()
        return True
    return False


def decide(number: int) -> Iterator[str]:
    """A match in which Ann seals when her reserve runs out; a sentence for each fault."""
    from django.utils import timezone

    from games import newest
    from robosite.matches import flow
    from robosite.matches.models import Match
    from robosite.matches.time import timekeeping

    game, rule = newest("pigs"), ("forfeit", "fill", "claim")[number % 3]
    options = game.read_options({"ends": "last_standing"})
    match, ann, invite = flow.create(game, options, 2, "Ann", deadline_hours=1, reserve_hours=1, late=rule)
    ben = flow.join(match, "Ben", invite=invite)
    flow.seal(ben.seat, 0, "TL TL TL TL TL")
    then = timezone.now() + AHEAD
    Match.objects.filter(pk=match.pk).update(due=then, deadline=then)

    def look_and_claim() -> None:
        flow.apply_due(Match.objects.get(pk=match.pk))
        flow.claim(ben.seat, ann.seat)

    arrives = then + SPREAD * (2 * number / MATCHES - 1)
    deeds = [(arrives, lambda: flow.seal(ann.seat, 0, "TR TR TR TR TR")), (then, look_and_claim)]
    sealed, claimed = at_once(2, lambda who: is_done(*deeds[who]))
    match.refresh_from_db()
    left = timekeeping.reserves_of(match).of(ann.seat.at).rest
    kept = ann.seat.programs.filter(turn=0, by="").exclude(seal="").exists()
    if sealed != kept or (sealed and claimed):
        yield f"{rule}: sealed {sealed}, kept {kept}, claimed {claimed}"
    if not timedelta() <= left <= AHEAD:
        yield f"{rule}: {left} is left"
    if match.turn != 1:
        yield f"{rule}: {match.turn} turns were played"


def main() -> list[str]:
    django.setup()
    return [fault for number in range(MATCHES) for fault in decide(number)]


if __name__ == "__main__":
    print(json.dumps(main()))

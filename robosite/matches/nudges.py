"""A friendly nudge: who waits reminds those who owe an order, once a day in each match."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.deadlines import DAY
from robosite.matches.holidays import away
from robosite.matches.models import Match, Nudge, Seat


def nudge(seat: Seat) -> None:
    with flow.door(seat.match) as match:
        present = timezone.now()
        if match.status != Match.Status.PLAYING:
            raise flow.Refused("This match does not go on.")
        if not awaited(flow.standing(match), seat.at, present):
            raise flow.Refused("There is nobody to nudge now.")
        if has_nudged(seat, present):
            raise flow.Refused("You have nudged already today. Once a day is friendly.")
        Nudge.objects.create(seat=seat, turn=match.turn, at=present)
        flow.changed(match)


def awaited(now: flow.Standing, you: Letter, present: datetime) -> list[Letter]:
    """Whom `you` may nudge: who owes, is no program and not on holiday, while it owes nothing itself."""
    match, owing = now.match, now.owing
    if match.status != Match.Status.PLAYING or match.paused or you in owing or not owing:
        return []
    gone = away(match, present)
    return [seat.at for seat in now.seats if seat.at in owing and not seat.is_bot and seat.at not in gone]


def may_nudge(now: flow.Standing, seat: Seat) -> bool:
    """Whether there is somebody to nudge, and this seat has not done so today."""
    present = timezone.now()
    return bool(awaited(now, seat.at, present)) and not has_nudged(seat, present)


def has_nudged(seat: Seat, present: datetime) -> bool:
    """Whether the seat has nudged in the last 24 hours."""
    return Nudge.objects.filter(seat=seat, at__gt=present - DAY).exists()

"""Nudges: a player who waits reminds those who owe an order, at most once a day in each match."""

from datetime import datetime, timedelta

from django.utils import timezone

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow.holidays import away
from robosite.matches.models import Match, MatchFlag, Nudge, Seat
from robosite.matches.time.calendar import DAY

PATIENCE = timedelta(hours=1)
"""The time since the last change of a match after which its page offers a nudge, if nobody is late."""


def nudge(seat: Seat) -> None:
    """Reminds the players who still owe an order, on behalf of `seat`, at most once in 24 hours."""
    with flow.locked_seat(seat) as match:
        moment = timezone.now()
        if match.status != Match.Status.PLAYING:
            raise flow.Refused("This match has stopped.")
        if not awaited(flow.standing_of(match), seat.at, moment):
            raise flow.Refused("There’s no one to nudge now.")
        if has_nudged(match, seat, moment):
            raise flow.Refused("You have already nudged today. Once a day is enough.")
        match.set_flag(MatchFlag.NUDGES)
        Nudge.objects.create(seat=seat, turn=match.turn, at=moment)
        flow.mark_changed(match)


def awaited(standing: flow.Standing, you: Letter, moment: datetime) -> list[Letter]:
    """The seats that `you`, who owe nothing, may remind now: people who owe and are not on holiday."""
    match, owing = standing.match, standing.owing
    if match.status != Match.Status.PLAYING or match.paused or you in owing or not owing:
        return []
    gone = away(match, moment)
    return [
        seat.at for seat in standing.seats if seat.at in owing and not seat.is_bot and seat.at not in gone
    ]


def may_nudge(standing: flow.Standing, seat: Seat) -> bool:
    moment = timezone.now()
    if moment - standing.match.changed_at < PATIENCE and not standing.late:
        return False
    return bool(awaited(standing, seat.at, moment)) and not has_nudged(standing.match, seat, moment)


def nudged_by(match: Match, you: Letter) -> list[Letter]:
    """The seats that have reminded `you`, who owe an order, to play the present turn."""
    nudges = Nudge.objects.filter(seat__match=match, turn=match.turn).exclude(seat__letter=you)
    letters = set(nudges.values_list("seat__letter", flat=True)) if match.may_have(MatchFlag.NUDGES) else ()
    return [Letter(letter) for letter in sorted(letters)]


def has_nudged(match: Match, seat: Seat, moment: datetime) -> bool:
    """Returns True if the seat has nudged in the 24 hours before `moment`."""
    recent = Nudge.objects.filter(seat=seat, at__gt=moment - DAY)
    return match.may_have(MatchFlag.NUDGES) and recent.exists()

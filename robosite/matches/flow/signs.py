"""Signs that players give each other without text: nudges, and reactions to steps of turns that were played.

A player who waits may nudge those who owe an order, once a day in each match.
"""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_noop as _

from games.core import Seat as Letter
from robosite.matches import flow, locks
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.pauses import away
from robosite.matches.flow.sittings import confirm_seat
from robosite.matches.flow.turn import mark_changed
from robosite.matches.history import film
from robosite.matches.live import push
from robosite.matches.models import Match, MatchFlag, Nudge, Seat
from robosite.matches.site_models import Reaction
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


REACTIONS = {
    "haha": _("Ha ha!"),
    "wow": _("Wow!"),
    "ouch": _("Ouch!"),
    "love": _("Lovely!"),
    "bravo": _("Bravo!"),
    "boom": _("Boom!"),
}


def react(seat: Seat, turn: int, step: int, sign: str) -> None:
    """Stores `sign` as the seat's reaction to a step, in place of an earlier one; with "", deletes that."""
    with locks.locked(seat.match_id) as match:
        confirm_seat(seat)
        if not (0 <= turn < match.turn and 1 <= step < len(film(match, turn))):
            raise Refused("This step isn’t there any more.")
        if sign:
            Reaction.objects.update_or_create(seat=seat, turn=turn, step=step, defaults={"sign": sign})
        else:
            Reaction.objects.filter(seat=seat, turn=turn, step=step).delete()
        match.set_flag(MatchFlag.REACTIONS)
        mark_changed(match)
        match.save(update_fields=["version"])
        push.changed(match)
    seat.match = match


def reactions_of(match: Match, turn: int | None = None) -> list[tuple[int, int, str, str]]:
    """The turn, step, seat and sign of all reactions in a match, or in one of its turns, in this order."""
    if not match.may_have(MatchFlag.REACTIONS):
        return []
    found = Reaction.objects.filter(seat__match=match).order_by("turn", "step", "seat__letter")
    found = found if turn is None else found.filter(turn=turn)
    return list(found.values_list("turn", "step", "seat__letter", "sign"))

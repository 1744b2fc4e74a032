"""Putting out a player who has taken a seat and sealed nothing there, for the creator of the match."""

from collections.abc import Iterable

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.flow.errors import Refused
from robosite.matches.flow.series import other_of_pair
from robosite.matches.flow.sittings import vacate
from robosite.matches.flow.turn import abort
from robosite.matches.live import push
from robosite.matches.models import GOING_ON, Match, MatchFlag, Program, Seat


def put_out(host: Seat, at: str) -> None:
    """Frees the seat `at`, whose player has sealed nothing, with its link, for the creator's seat `host`.

    A match that has begun is open again, at its first turn: orders sealed for it stay, and turns played
    without the seat are taken back.
    """
    with flow.locked_match(host.match) as match:
        flow.confirm_seat(host)
        if not host.host:
            raise Refused("Only the creator of the match can remove someone.")
        if at not in may_put_out(host, match, match.seats.all()):
            raise Refused("Only someone who has sealed nothing yet can be removed.")
        if match.status == Match.Status.PLAYING:
            _open_again(match)
        seat = match.seats.get(letter=at)
        vacate(seat)
        push.seat_changed(seat)
        flow.mark_changed(match)


def may_put_out(host: Seat, match: Match, seats: Iterable[Seat]) -> list[Letter]:
    """The seats of people who have sealed nothing, which the creator's seat `host` may put out; else none."""
    later = match.series and match.series["number"] > 1
    if not host.host or match.status not in GOING_ON or match.is_binding or later:
        return []
    others = [one for one in seats if one.taken and not one.host and not one.is_bot]
    if match.may_have(MatchFlag.TAKEN_OVER) or not others:
        return []
    sealed = Program.objects.filter(seat__in=others, by="").exclude(seal="").values_list("seat", flat=True)
    return [one.at for one in others if one.pk not in {*sealed}]


def _open_again(match: Match) -> None:
    if match.turn:
        takeback.rewind(match, 0)
    if match.series and (other := other_of_pair(match)):
        with flow.locked_match(other) as second:
            abort(second)
    match.status, match.reserves = Match.Status.OPEN, None
    match.open_since = match.left = match.deadline = match.due = None
    match.overdue = False

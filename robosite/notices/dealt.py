"""Notices that have been dealt with: nobody needs to be told of them any more."""

from __future__ import annotations

from robosite.matches import flow
from robosite.matches.models import Asking, Match
from robosite.notices.models import Kind, Notice

OF_A_TURN = (Kind.TURN, Kind.DEADLINE, Kind.NUDGE)
"""These wait for an order: they are dealt with once the seat owes none for that turn any more."""


def turn_of(match: Match, turn: int) -> str:
    """A turn as facts name it: its number comes again once it was taken back."""
    return f"{turn}.{match.taken_back}"


def is_done(match: Match, standing: flow.Standing, notice: Notice) -> bool:
    """Whether nobody needs to be told of this any more."""
    if notice.kind in OF_A_TURN:
        owes = match.status == Match.Status.PLAYING and notice.seat.at in standing.owing
        return not (owes and notice.fact.split()[0] == turn_of(match, match.turn))
    if notice.kind == Kind.REVEALED:
        return match.turn != notice.turn + 1 or notice.seat.at in standing.sealed
    if notice.kind == Kind.ASKED:
        pk, _space, yes = notice.fact.partition(" ")
        asking = Asking.objects.filter(pk=int(pk)).first()
        return not (asking and asking.stands and bool(yes) == (asking.answer == Asking.Answer.YES))
    if notice.kind == Kind.MESSAGE:  # marked when the seat says something itself
        return notice.done_at is not None
    if notice.kind == Kind.SAT:
        return match.turn > 0 or match.status == Match.Status.ABORTED
    return False

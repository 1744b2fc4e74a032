"""What players propose to each other, as data: a draw, calling off, taking a turn back, a pause."""

from __future__ import annotations

from robosite.api import schemas
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.models import Match, Seat

KINDS: dict[flow.Ending, schemas.ProposalKind] = {flow.Ending.DRAW: "draw", flow.Ending.OFF: "call-off"}


def standing_kinds(match: Match, own: Seat) -> list[schemas.ProposalKind]:
    """What the others at the table propose now; replays nothing, for lists."""
    if match.status != Match.Status.PLAYING:
        return []
    others = [seat for seat in match.seats.all() if seat.pk != own.pk and seat.taken]
    found = [
        kind for ending, kind in KINDS.items() if any(flow.stands(seat, match, ending) for seat in others)
    ]
    if takeback.asking(match, others):
        found.append("take-back")
    if not match.paused and any(seat.wants_pause for seat in others):
        found.append("pause")
    return found

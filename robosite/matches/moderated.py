"""What a moderator does to a match or a seat, each through the match's door (closing is `flow.close`)."""

from __future__ import annotations

from robosite.matches import flow, push
from robosite.matches.models import Match, Seat
from robosite.people.names import RefusedName, clean_name


def rename(seat: Seat, name: str = "") -> str:
    """Gives who sits there another name, and returns it; “Player A” and so on if none is given that fits."""
    with flow.door(seat.match) as match:
        seat.refresh_from_db()
        others = [other.name for other in match.seats.all() if other.taken and other.pk != seat.pk]
        for given in filter(None, (name, f"Player {seat.letter}", f"Player {seat.letter} {seat.pk}")):
            try:
                seat.name = clean_name(given, others)
                break
            except RefusedName:
                continue
        seat.save(update_fields=["name"])
        if match.opened_by and match.opened_by not in (other.name for other in match.seats.all()):
            match.opened_by = ""
        flow.changed(match)
    return seat.name


def revoke(seat: Seat) -> None:
    """The seat's link opens nothing any more, and every browser that sat there is out.

    What was sealed stays as it is. Nobody gets a link by it: who sat there may ask the table for the seat.
    """
    with flow.door(seat.match) as match:
        Seat.objects.filter(pk=seat.pk).update(link_hash="")
        seat.holds.all().delete()
        flow.changed(match)
    push.seat_changed(seat)


def unlist(match: Match) -> None:
    """The table is no open one any more: only who has its invite sits down."""
    with flow.door(match) as locked:
        locked.listed = False
        flow.changed(locked)


def list_again(match: Match) -> None:
    with flow.door(match) as locked:
        if locked.status == Match.Status.OPEN:
            locked.listed = True
            flow.changed(locked)

"""Changes of a match or a seat by a moderator, each inside the match's lock; `flow.close` closes a match."""

from django.utils import timezone

from robosite.matches import flow
from robosite.matches.live import push
from robosite.matches.models import Match, Seat
from robosite.people.names import RefusedName, clean_name, player_name


def rename(seat: Seat, name: str = "") -> str:
    """Renames the seat's player, like “Player A” if `name` is not allowed; returns that, "" if free."""
    with flow.locked_match(seat.match) as match:
        seat.refresh_from_db()
        if not seat.taken:
            return ""
        others = [other.name for other in match.seats.all() if other.taken and other.pk != seat.pk]
        try:
            seat.name = clean_name(name, others)
        except RefusedName:
            seat.name = player_name(seat.letter, others)
        seat.save(update_fields=["name"])
        if match.opened_by and match.opened_by not in (other.name for other in match.seats.all()):
            match.opened_by = ""
        flow.mark_changed(match)
    return seat.name


def revoke(seat: Seat) -> None:
    """Disables the seat's link and ends all holds on it; sealed orders stay, and one may ask for it."""
    with flow.locked_match(seat.match) as match:
        seat.refresh_from_db()
        flow.reseat(seat, link_hash="")
        flow.mark_changed(match)
    push.seat_changed(seat)


def unlist(match: Match) -> None:
    with flow.locked_match(match) as locked:
        locked.listed = False
        flow.mark_changed(locked)


def list_again(match: Match) -> None:
    with flow.locked_match(match) as locked:
        if locked.status == Match.Status.OPEN:
            locked.listed, locked.listed_at = True, timezone.now()
            flow.mark_changed(locked)

"""The people a guest may ask for another match: those of the guest's last matches of a game."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.people.models import Guest

LOOKED = 12
"""The number of a guest's last matches of a game in which others are looked for."""
MOST = 3
"""The most people that are offered."""


class Invitable(NamedTuple):
    """Somebody who can be asked for another match of a game: the name, and one's own seat in the last one."""

    name: str
    seat: Seat


def invitable(guest: Guest, slug: str) -> list[Invitable]:
    """The people with whom the guest last played that game, only the two of them, without a rematch yet."""
    after = Match.objects.filter(rematch_of=OuterRef("match"))
    seats = Seat.objects.filter(held_by(guest), ~Exists(after), match__status=Match.Status.OVER)
    seats = seats.filter(match__game_slug=slug, match__imported=False).select_related("match")
    own = {seat.match_id: seat for seat in seats.order_by("-match__changed_at", "-pk")[:LOOKED]}
    known = Hold.objects.filter(seat__match__in=own, guest__leaving_at=None).exclude(guest=guest)
    known = known.filter(seat__kind=Seat.Kind.HUMAN).select_related("seat").order_by("pk")
    others: dict[int, list[Hold]] = {}
    for hold in known:
        others.setdefault(hold.seat.match_id, []).append(hold)
    found: dict[int, Invitable] = {}
    for match, seat in own.items():
        if len({hold.seat_id for hold in others.get(match, ())}) == 1:
            hold = others[match][0]
            found.setdefault(hold.guest_id, Invitable(hold.seat.shown_name, seat))
    return list(found.values())[:MOST]

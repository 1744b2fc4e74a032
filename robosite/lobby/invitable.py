"""Finds the people whom a guest may ask for another match: opponents in the guest's last matches."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from robosite.matches.flow.series import is_under_way
from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.people.models import Guest

LOOKED = 200
"""The maximum number of a guest's seats that are searched, the latest finished matches first."""


class Invitable(NamedTuple):
    """A person whom a guest may invite, and the guest's own `seat` in a match that the two have finished."""

    name: str
    seat: Seat

    @property
    def value(self) -> str:
        return f"{self.seat.match.key}/{self.seat.letter}"


def invitable(guest: Guest, slug: str) -> list[Invitable]:
    """The people with whom the guest has finished a match of two without a rematch; those in `slug` first."""
    after = Match.objects.filter(rematch_of=OuterRef("match"))
    crowd = Seat.objects.filter(match=OuterRef("match"), letter="C")
    seats = Seat.objects.filter(
        held_by(guest), ~Exists(after), ~Exists(crowd), match__status=Match.Status.OVER
    )
    seats = seats.filter(match__imported=False).select_related("match")
    last = seats.order_by("-match__changed_at", "-pk")[:LOOKED]
    own = {seat.match_id: seat for seat in sorted(last, key=lambda seat: seat.match.game_slug != slug)}
    known = Hold.objects.filter(seat__match__in=own, guest__leaving_at=None).exclude(guest=guest)
    known = known.filter(seat__kind=Seat.Kind.HUMAN).select_related("seat").order_by("pk")
    known = known.exclude(seat__in=own.values())  # the same seat in another browser
    others = {hold.seat.match_id: hold for hold in reversed(known)}
    found: dict[int, Invitable] = {}
    for match, seat in own.items():
        other = others.get(match)
        if other and other.guest_id not in found and not is_under_way(seat.match):
            found[other.guest_id] = Invitable(other.seat.shown_name, seat)
    return list(found.values())

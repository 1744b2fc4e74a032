"""Finds the people whom a guest may ask for another match: opponents in the guest's last matches."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from robosite.matches.flow.series import is_under_way
from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.people.models import Guest

LOOKED = 24
"""The maximum number of a guest's seats that are searched, the latest finished matches first."""
MOST = 3
"""The maximum number of people who are offered."""


class Invitable(NamedTuple):
    """A person whom a guest may ask for another match.

    `seat` is the guest's own seat in a match that the two have finished.
    """

    name: str
    seat: Seat


def invitable(guest: Guest, slug: str) -> list[Invitable]:
    """The guest's opponents in recent matches who may be asked for another match; MOST limits their number.

    Of finished matches without a rematch and with exactly one other person. Opponents in the game `slug` come
    first, those in other games only if the match `can_change_games`.
    """
    after = Match.objects.filter(rematch_of=OuterRef("match"))
    seats = Seat.objects.filter(held_by(guest), ~Exists(after), match__status=Match.Status.OVER)
    seats = seats.filter(match__imported=False).select_related("match")
    last = seats.order_by("-match__changed_at", "-pk")[:LOOKED]
    own = {seat.match_id: seat for seat in sorted(last, key=lambda seat: seat.match.game_slug != slug)}
    known = Hold.objects.filter(seat__match__in=own, guest__leaving_at=None).exclude(guest=guest)
    known = known.filter(seat__kind=Seat.Kind.HUMAN).select_related("seat").order_by("pk")
    others: dict[int, list[Hold]] = {}
    for hold in known:
        others.setdefault(hold.seat.match_id, []).append(hold)
    found: dict[int, Invitable] = {}
    for match, seat in own.items():
        there = others.get(match, [])
        same = seat.match.game_slug == slug
        if len({hold.seat_id for hold in there}) == 1 and (same or can_change_games(seat.match)):
            found.setdefault(there[0].guest_id, Invitable(there[0].seat.shown_name, seat))
    return list(found.values())[:MOST]


def can_change_games(match: Match) -> bool:
    """Returns True if the match's players may be asked for a match of another game instead of a rematch."""
    return not match.is_binding and not is_under_way(match)

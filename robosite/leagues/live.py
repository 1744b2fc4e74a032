"""Notifies open pages of what is new in a league."""

from __future__ import annotations

from robosite.leagues.models import League, PlaceHold
from robosite.matches.live import push


def notify_pages(league: League) -> None:
    """Notifies the open pages of a league's players and its organiser that the league has changed."""
    holds = PlaceHold.objects.filter(place__league=league, place__gone=False)
    guests = [*holds.values_list("guest", flat=True), league.organiser_id]
    push.league_changed(guest for guest in guests if guest)

"""Actions of moderators on leagues: closing a league, renaming it, renaming its places."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q
from django.utils import timezone

from robosite.leagues.flow.endings import call_off_some
from robosite.leagues.flow.joining import names_in
from robosite.leagues.flow.league_lock import locked_league
from robosite.leagues.models import COLUMNS, Fixture, League, Place
from robosite.leagues.terms import name_code
from robosite.matches.flow import arbiter
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name


def close(league: League) -> None:
    """Ends a league on behalf of a moderator; does nothing if the league is over."""
    arbiter.give_time_back()
    with locked_league(league.pk) as fresh:
        if fresh.status == League.Status.OVER:
            return
        fresh.status, fresh.over_at, fresh.closed = League.Status.OVER, timezone.now(), True
        fresh.invite_hash, fresh.next_round_at = "", None
        fresh.save()
        call_off_some(fresh)
    league.refresh_from_db()


def rename(league: League, name: str) -> None:
    """Renames a league on behalf of a moderator, unless `name` is its name already."""
    with locked_league(league.pk) as fresh:
        if fresh.name != name:
            fresh.name, fresh.taken_name = name, name_code(fresh.name)
            fresh.save(update_fields=["name", "taken_name"])


def rename_places(old: Collection[str], name: str, *, guest: Guest | None, seats: Collection[int]) -> None:
    """Renames participants of leagues after a moderator has taken away a player's names."""
    at_seats = Fixture.objects.filter(match__seats__in=seats)
    pairs = {pk for table in at_seats.values_list(*COLUMNS) for pk in table if pk}
    own = Q(pk__in=pairs) | Q(holders__guest=guest) if guest else Q(pk__in=pairs)
    for place in Place.objects.filter(own, name__in=old).distinct().order_by("league", "number"):
        with locked_league(place.league_id) as league:
            try:
                place.name = clean_name(name, names_in(league, without=place.pk))
            except RefusedName:
                place.name = f"Player {place.number}"
            place.save(update_fields=["name"])

"""A guest's leagues where the lobby shows their matches: one entry in My games, and links to places."""

from __future__ import annotations

from collections import Counter

from robosite.leagues import flow
from robosite.leagues.models import Fixture, League, PlaceHold, seating, titled
from robosite.lobby.game_lists import ListedMatch
from robosite.lobby.invitations import NewLink
from robosite.lobby.my_games import Grouped, GroupOfMatches
from robosite.matches.models import Seat
from robosite.people.models import Guest, GuestExtra
from robosite.web.paths import path_of


def grouped(guest: Guest, games: list[ListedMatch]) -> Grouped:
    """The leagues of a guest that are not over, and which of these matches belong to them."""
    if not guest.may_have(GuestExtra.PLACES):
        return Grouped([], set())
    held = PlaceHold.objects.filter(guest=guest, place__gone=False)
    rows = held.exclude(place__league__status=League.Status.OVER).order_by("-place__league")
    columns = ("place", "place__league", *(f"place__league__{one}" for one in ("key", "name", "season")))
    found = list(rows.values_list(*columns))
    if not found:
        return Grouped([], set())
    leagues = {pk: (key, titled(name, season)) for _place, pk, key, name, season in found}
    places = [place for place, *_league in found]
    pairs = Fixture.objects.filter(seating(places), league__in=leagues).exclude(match=None)
    league_of = dict(pairs.values_list("match", "league"))
    waits = Counter(league_of[game.pk] for game in games if game.waits and game.pk in league_of)
    groups = [GroupOfMatches(name, path_of("league", key), waits[pk]) for pk, (key, name) in leagues.items()]
    return Grouped(sorted(groups, key=lambda group: -group.waits), set(league_of))


def new_seat_link(seat: Seat, guest: Guest) -> NewLink | None:
    """A new link to the place of a seat in a match of a league; None for any other seat."""
    if not seat.match.is_binding:
        return None
    place, secret = flow.new_link_at(seat, guest)
    return NewLink(secret, f"place/{place.league.key}", f"{place.league.get_absolute_url()}#own-link")

"""A guest's leagues where the lobby shows their matches: one entry in My games, and links to places.

Those that are over have a list of their own, the last of which My games shows too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from robosite.leagues import flow
from robosite.leagues.models import Fixture, League, PlaceHold, seating, titled
from robosite.lobby.game_lists import NAMES, ListedMatch
from robosite.lobby.invitations import NewLink
from robosite.lobby.my_games import FinishedGroup, Grouped, GroupOfMatches
from robosite.matches.models import Seat
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest, GuestExtra
from robosite.play.decorators import Request
from robosite.web.http import private
from robosite.web.paths import path_of

LATEST = 3
"""The number of finished leagues that My games shows."""
PER_PAGE = 30
"""The number of them on a page of their own."""


def grouped(guest: Guest, games: list[ListedMatch]) -> Grouped:
    """The leagues of a guest that are not over, which of these matches belong to them, and the last that are
    over."""
    if not guest.may_have(GuestExtra.PLACES):
        return Grouped([], set())
    over = [_as_finished(league) for league in finished_of(guest)[: LATEST + 1]]
    more = path_of("finished-leagues") if len(over) > LATEST else ""
    groups, matches = _going_on(guest, games)
    return Grouped(groups, matches, over[:LATEST], more)


def _going_on(guest: Guest, games: list[ListedMatch]) -> tuple[list[GroupOfMatches], set[int]]:
    held = PlaceHold.objects.filter(guest=guest, place__gone=False)
    rows = held.exclude(place__league__status=League.Status.OVER).order_by("-place__league")
    names = ("key", "name", "season", "format")
    columns = ("place", "place__league", *(f"place__league__{one}" for one in names))
    found = list(rows.values_list(*columns))
    if not found:
        return [], set()
    leagues = {
        pk: (key, titled(name, season, cup=kind == League.Format.CUP))
        for _place, pk, key, name, season, kind in found
    }
    places = [place for place, *_league in found]
    pairs = Fixture.objects.filter(seating(places), league__in=leagues).exclude(match=None)
    league_of = dict(pairs.values_list("match", "league"))
    waits = Counter(league_of[game.pk] for game in games if game.waits and game.pk in league_of)
    groups = [GroupOfMatches(name, path_of("league", key), waits[pk]) for pk, (key, name) in leagues.items()]
    return sorted(groups, key=lambda group: -group.waits), set(league_of)


def finished_of(guest: Guest) -> QuerySet[League]:
    """The leagues that are over in which a guest has a place, the last one first."""
    held = PlaceHold.objects.filter(guest=guest, place__gone=False).values("place__league")
    return League.objects.filter(pk__in=held, status=League.Status.OVER).order_by("-over_at", "-pk")


def _as_finished(league: League) -> FinishedGroup:
    address = path_of("league", league.key)
    return FinishedGroup(league.title, address, NAMES[league.game_slug], league.over_at)


@require_safe
@private
def finished(request: Request) -> HttpResponse:
    """The page of all leagues that are over in which the reader has a place."""
    guest = current_guest(request)
    leagues: Any = finished_of(guest) if guest and guest.may_have(GuestExtra.PLACES) else ()
    page = Paginator(leagues, PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "finished": [_as_finished(league) for league in page]}
    return render(request, "leagues/finished.html", context)


def new_seat_link(seat: Seat, guest: Guest) -> NewLink | None:
    """A new link to the place of a seat in a match of a league; None for any other seat."""
    if not seat.match.is_binding:
        return None
    place, secret = flow.new_link_at(seat, guest)
    return NewLink(secret, f"place/{place.league.key}", f"{place.league.get_absolute_url()}#own-link")

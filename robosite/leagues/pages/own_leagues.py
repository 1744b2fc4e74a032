"""A guest's leagues for the page “My games”, the page of finished leagues, and new links to places."""

from collections import Counter
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from robosite.engine.prepared import moment_of, prepared
from robosite.leagues import flow, league_talk
from robosite.leagues.arithmetic.bracket import NOBODY
from robosite.leagues.league_standings import standings_of
from robosite.leagues.models import VACANT, Fixture, League, Place, PlaceHold
from robosite.lobby.game_lists import NAMES, ListedMatch
from robosite.lobby.invitations import NewLink
from robosite.lobby.my_games import Grouped, GroupOfMatches
from robosite.matches.models import Seat
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest, GuestFlag
from robosite.play.decorators import Request
from robosite.play.waiting import Question
from robosite.web.caches import once_made
from robosite.web.http import path_of, private

LATEST = 3
"""The maximum number of finished leagues that My games shows."""
SHELF = 3
"""The maximum number of won leagues and cups that a guest's own page shows."""
LOOKED_AT = 20
"""The number of latest finished leagues among which won ones are searched."""
PER_PAGE = 30
"""The number of leagues on each page of the list of finished leagues."""
SIZE = 100
"""The size, in characters, with which the cache counts a league's winners."""


def grouped(guest: Guest, games: list[ListedMatch]) -> Grouped:
    """Returns a guest's leagues for “My games”, and the matches that are shown only within a league."""
    if not guest.may_have(GuestFlag.PLACES):
        return Grouped([], set())
    over = [_as_finished(league) for league in finished_of(guest)[: LATEST + 1]]
    more = path_of("finished-leagues") if len(over) > LATEST else ""
    places = _own_places(guest)
    awaited = [GroupOfMatches(*_title_way_and_game(one), asks=True) for one in _awaited(guest)]
    if not places:
        return Grouped(awaited, set(), over[:LATEST], more)
    of_these = Fixture.objects.filter(match__in=[game.pk for game in games])
    pairs = of_these.filter(league__in={one.league_id for one in places})
    league_of = dict(pairs.values_list("match", "league"))
    going_on = [one for one in places if one.league.status != League.Status.OVER]
    groups = _going_on(going_on, [game for game in games if game.pk in league_of], league_of)
    still = {one.league_id for one in going_on}
    apart = {
        game.pk
        for game in games
        if league_of.get(game.pk) in still
        or (game.pk in league_of and not game.wants_answer and not game.unread)
    }
    return Grouped([*awaited, *groups], apart, over[:LATEST], more)


def questions(guest: Guest) -> list[Question]:
    """Returns the seasons to come that ask a guest to take part, and to which they have not answered."""
    if not guest.may_have(GuestFlag.PLACES):
        return []
    seasons = [*_asking.rows(guest.pk), *_awaited(guest)]
    return [Question(*_title_way_and_game(one)) for one in seasons]


def _awaited(guest: Guest) -> list[League]:
    """Returns the leagues in which a guest has waited for a place, and can have one now."""
    if not guest.may_have(GuestFlag.WAITS):
        return []
    vacant = Exists(Place.objects.filter(VACANT, league=OuterRef("pk"), kind=Seat.Kind.HUMAN))
    can_enter = Q(status=League.Status.OPEN) | Q(vacant, status=League.Status.PLAYING)
    return list(League.objects.filter(can_enter, waiting__guest=guest).order_by("-pk"))


@prepared(int)
def _asking(guest: int) -> QuerySet[League]:
    unanswered = Place.objects.filter(holders__guest=guest, gone=False, kind=Seat.Kind.HUMAN, stays_at=None)
    asked = unanswered.exclude(came_row=None)
    return League.objects.filter(pk__in=asked.values("league"), status=League.Status.OPEN).order_by("-pk")


def _title_way_and_game(league: League) -> tuple[str, str, str]:
    return league.title, path_of("league", league.key), NAMES[league.game_slug]


def of_same_league(key: str) -> set[int]:
    same = Fixture.objects.filter(league__fixtures__match__key=key).exclude(match=None)
    return set(same.values_list("match", flat=True))


def _own_places(guest: Guest) -> list[Any]:
    """Returns a guest's places, the newest first, with the number of `unread` messages, or None."""
    unread = Case(
        When(league__status=League.Status.OVER, then=None),
        When(removed=True, then=None),
        default=league_talk.unread_at_places(guest.pk),
    )
    rows = Place.objects.filter(holders__guest=guest, gone=False).annotate(unread=unread)
    of_league = (f"league__{one}" for one in ("status", "key", "name", "season", "format", "game_slug"))
    rows = rows.select_related("league").only("kind", "came_row", "stays_at", *of_league)
    return list(rows.order_by("-league"))


def _going_on(places: list[Any], games: list[ListedMatch], league_of: dict[int, int]) -> list[GroupOfMatches]:
    waits = Counter(league_of[game.pk] for game in games if game.wants_answer)
    unread = Counter(league_of[game.pk] for game in games if game.unread)
    timed = [game for game in games if game.waits and game.deadline]
    deadlines = {league_of[game.pk]: moment_of(game.deadline) for game in reversed(timed)}
    groups = [
        GroupOfMatches(
            *_title_way_and_game(one.league),
            waits[one.league_id],
            (one.unread or 0) + unread[one.league_id],
            not_begun=one.league.status == League.Status.OPEN,
            asks=one.league.status == League.Status.OPEN and one.is_asked,
            deadline=deadlines.get(one.league_id),
        )
        for one in places
    ]
    return sorted(groups, key=lambda group: (not group.asks, -group.waits, -group.unread))


def finished_of(guest: Guest) -> QuerySet[League]:
    """Returns the finished leagues in which a guest has taken part, the one that ended last first."""
    held = PlaceHold.objects.filter(guest=guest, place__gone=False).values("place__league")
    return League.objects.filter(pk__in=held, status=League.Status.OVER).order_by("-over_at", "-pk")


def won_by(guest: Guest) -> list[GroupOfMatches]:
    """Returns the leagues and cups that a guest has won lately, the last first, at most SHELF."""
    if not guest.may_have(GuestFlag.PLACES):
        return []
    lately = list(finished_of(guest).filter(closed=False).exclude(started_at=None)[:LOOKED_AT])
    held = Place.objects.filter(holders__guest=guest, league__in=lately, gone=False)
    own = dict(held.values_list("league", "number"))
    return [_as_finished(league) for league in lately if own.get(league.pk) in _winners(league)][:SHELF]


def _winners(league: League) -> frozenset[int]:
    """Returns the place numbers of those who came first in a league that is over, or have won a cup."""

    def winners() -> frozenset[Any]:
        standings = standings_of(league)
        if league.kind.knocks_out:
            return frozenset({standings.bracket.winner}) - {None, NOBODY}
        rows = standings.table["divisions"][0]["rows"]
        return frozenset(row["place"] for row in rows if row["rank"] == 1 and row["points"])

    return once_made(("won", league.key, league.version), winners, lambda _winners: SIZE)


def _as_finished(league: League) -> GroupOfMatches:
    return GroupOfMatches(*_title_way_and_game(league), over_at=league.over_at)


@require_safe
@private
def finished(request: Request) -> HttpResponse:
    """The list of all finished leagues in which the reader took part, with PER_PAGE leagues on a page."""
    guest = current_guest(request)
    leagues: Any = finished_of(guest) if guest and guest.may_have(GuestFlag.PLACES) else ()
    page = Paginator(leagues, PER_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "finished": [_as_finished(league) for league in page]}
    return render(request, "leagues/finished.html", context)


def new_seat_link(seat: Seat, guest: Guest) -> NewLink | None:
    """Makes a new secret link to the league place of a seat; None if its match is not part of a league."""
    if not seat.match.is_binding:
        return None
    place, secret = flow.new_link_at(seat, guest)
    page = f"{place.league.get_absolute_url()}?more=own-link#own-link"
    return NewLink(secret, f"place/{place.league.key}", page)

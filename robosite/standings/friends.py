"""The page about two friends: their score, a streak, their best moment, running matches and a rematch.

The URL names a seat of a finished match in which the reader had another, so only the two can see it.
"""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal
from urllib.parse import urlencode

from django.db.models import F, OuterRef, Q, Subquery
from django.http import HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games import GAMES, newest
from games.core import Game
from robosite.lobby.game_lists import game_list
from robosite.lobby.my_games import games_of
from robosite.matches import flow
from robosite.matches.flow.series import is_under_way
from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request, private, seat_page, secret
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.share.comic import Moment, best_moment
from robosite.standings.results import Score, ScoreLine, rows_of, score_lines, seats_of_friends, unseen_ends
from robosite.web.http import or_404
from robosite.web.written_names import Name

LATELY = 50
"""The number of latest matches searched for a streak, a possible rematch and the best moment."""
SEEN = 3
"""The number of latest matches searched for the best moment."""
RUNNING = 10

Result = Literal["won", "lost", "drawn", "together"]


@dataclass(frozen=True, slots=True)
class Between:
    """The history of a reader and a friend; the reader's latest `streak` matches had the same `result`."""

    name: str
    lines: list[ScoreLine]
    score: Score
    result: Result
    streak: int
    unseen: int
    """The number of these matches whose end the reader has not watched."""
    matches: list[int]
    """The primary keys of the latest matches, the latest first; at most LATELY."""


def between(guest: Guest, friend: int) -> Between | None:
    """The history of the guest's finished matches with `friend` (a primary key); None without one."""
    seats = seats_of_friends(guest).filter(friend=friend)
    last = seats.order_by("-match__changed_at", "-pk").values_list("match", "name", "own", "theirs")[:LATELY]
    found = list(last)
    if not found:
        return None
    lines = score_lines(rows_of(seats))
    results = [_result(own, theirs) for _match, _name, own, theirs in found]
    return Between(
        name=next((name for _match, name, _own, _theirs in found if name), ""),
        lines=lines,
        score=sum((line.score for line in lines), Score(0, 0, 0)),
        result=results[0],
        streak=len(list(takewhile(lambda one: one == results[0], results))),
        unseen=unseen_ends(guest, seats.order_by().values("match")),
        matches=list(dict.fromkeys(match for match, *_rest in found)),
    )


def _result(own: float, theirs: float) -> Result:
    if own == theirs:
        return "drawn" if own else "together"
    return "won" if own > theirs else "lost"


def friend_at(guest: Guest, key: str, letter: str) -> int | None:
    """The first guest (primary key) at another person's seat of a finished match of the guest; or None."""
    own = Hold.objects.filter(guest=guest, seat__match__key=key).values("seat__match")
    there = Hold.objects.filter(
        seat__match__in=own,
        seat__letter=letter,
        seat__kind=Seat.Kind.HUMAN,
        seat__match__status=Match.Status.OVER,
        guest__leaving_at=None,
    )
    first = there.order_by("pk").values_list("guest", flat=True).first()
    return None if first == guest.pk else first


def seen_to_the_end(guest: Guest, matches: list[int]) -> list[int]:
    """Selects the matches (primary keys) whose last turn the guest has watched; keeps their order."""
    seen = Hold.objects.filter(guest=guest, seat__match__in=matches, seen_turn__gte=F("seat__match__turn"))
    known = set(seen.values_list("seat__match", flat=True))
    return [match for match in matches if match in known]


def moment_of(matches: list[int]) -> Moment | None:
    """The best step of the latest SEEN of these matches, or None."""
    found = Match.objects.in_bulk(matches[:SEEN])
    return best_moment([found[pk] for pk in matches[:SEEN] if pk in found])


def rematch_data(guest: Guest, matches: list[int]) -> dict[str, Any] | None:
    """Template data for a rematch after one of these matches (primary keys); None if none is possible.

    `seat` is the guest's in the latest such match; `there`: its rematch exists already. From the seat
    `inviting`, or None, the guest can invite to `others`, further games.
    """
    after = Match.objects.filter(rematch_of=OuterRef("match"))
    seats = Seat.objects.filter(held_by(guest), match__in=matches).select_related("match")
    seats = seats.annotate(
        after=Subquery(after.values("status")[:1]), after_slug=Subquery(after.values("game_slug")[:1])
    )
    seats = seats.filter(Q(after=None) | Q(after__in=flow.GOING_ON))
    found = list(seats.order_by("-match__changed_at", "-match", "letter", "pk"))
    if not found:
        return None
    seat = found[0]
    inviting = next((one for one in found if one.after is None and not is_under_way(one.match)), None)
    others = _games_like(inviting.match) if inviting else []
    shown = seat.after_slug or seat.match.game_slug
    return {
        "seat": seat,
        "there": seat.after is not None,
        "inviting": inviting,
        "others": [game for game in others if game.slug != shown],
    }


def _games_like(match: Match) -> list[Game]:
    size = match.seats.count()
    games = [newest(slug) for slug in GAMES]
    return [
        game
        for game in games
        if game.slug == match.game_slug or size in next(iter(game.presets.values())).seats
    ]


def context_of_two(guest: Guest, key: str, letter: str) -> dict[str, Any] | None:
    """The template context of the page about the guest and another player of a match; None without one."""
    other = friend_at(guest, key, letter)
    both = between(guest, other) if other else None
    if other is None or both is None:
        return None
    running = Match.objects.filter(
        pk__in=Hold.objects.filter(guest=other).values("seat__match"), status__in=flow.GOING_ON
    )
    going_on = games_of(guest, running)[:RUNNING]
    moment = moment_of(seen_to_the_end(guest, both.matches))
    shown = game_list(going_on, present=moment.match.game_slug if moment else "")
    context = {
        **BOARD,
        "both": both,
        "own": Name(guest.name),
        "shown": shown,
        "again": rematch_data(guest, both.matches),
        "panel": None,
        "styles": shown.styles,
    }
    if moment:
        match = moment.match
        context |= {
            "panel": moment.panel,
            "names": moment.names,
            "moment": match,
            "film_at": match.get_absolute_url(),
            "drawn": templates_of(match.game_slug),
            "styles": list(dict.fromkeys([*shown.styles, *filter(None, [style_of(match.game_slug)])])),
        }
    return context


@require_safe
@private
def results(request: Request) -> HttpResponse:
    """The page about the reader and the player at `&seat=` of the match `?with=`; else redirects to You."""
    guest = current_guest(request)
    key, letter = request.GET.get("with", ""), request.GET.get("seat", "")
    if not letter:
        return HttpResponsePermanentRedirect(f"{reverse('me')}?{request.GET.urlencode()}".rstrip("?"))
    two = or_404(context_of_two(guest, key, letter) if guest else None)
    return render(request, "standings/friend.html", two)


@require_safe
@private
def friend(request: Request, key: str, letter: str) -> HttpResponse:
    """Redirects from the former URL of the page about two friends."""
    return HttpResponsePermanentRedirect(f"{reverse('results')}?{urlencode({'with': key, 'seat': letter})}")


@require_safe
@seat_page
@secret
def results_here(request: Request, seat: Seat) -> HttpResponse:
    """Redirects from the former URL of the results in a match to You."""
    return HttpResponsePermanentRedirect(f"{reverse('me')}?{urlencode({'with': seat.match.key})}")

"""The evening page of a league whose turns are played at one hour of the day: the films of the turns.

All open pages show the same film at the same step, by the site's clock. Later readers can play the films from
the beginning. The films show only what a watcher may see.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.core import Seat as Letter
from robosite.leagues import flow
from robosite.leagues.models import League
from robosite.leagues.pages.league_page import league_with
from robosite.matches.flow import apply_due
from robosite.matches.history import read_ahead
from robosite.matches.models import Match, Program
from robosite.matches.reading import with_seats
from robosite.play.decorators import Request, number, private
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import show_film
from robosite.share.comic import names_in

LEAD = timedelta(minutes=1)
"""The time from the hour to the first film, in which turns are played and readers open the page."""
SLOT = {"turns": timedelta(seconds=8)}
USUAL_SLOT = timedelta(seconds=16)
"""The time for each film of a game whose manner (`Game.manner`) is not a key of SLOT."""
BROUGHT_UP = 8
"""The maximum number of matches whose due turns are played by one request for the page."""
MOST_TURNS = 2_000
"""The maximum number of turns that are replayed for the film of one request."""


@dataclass(frozen=True, slots=True)
class Evening:
    """The films of one evening's turns, played at the time `at`; each gets the time `slot`."""

    at: datetime
    matches: Sequence[Match]
    slot: timedelta

    @property
    def begins(self) -> datetime:
        return self.at + LEAD

    def film_at(self, now: datetime) -> int | None:
        """Returns the index, from 0, of the film that runs at `now`; None before and after the films."""
        at = (now - self.begins) // self.slot
        return at if 0 <= at < len(self.matches) else None

    def is_over(self, now: datetime) -> bool:
        return now >= self.begins + self.slot * len(self.matches)


def evening_of(league: League) -> Evening | None:
    """Returns the films of the latest turns, played together, that watchers may see; None without any."""
    played = Match.objects.filter(fixture__league=league, watched=True, revealed_turn__lt=F("turn"))
    last = played.order_by("-revealed_at").values_list("revealed_at", flat=True).first()
    if last is None:
        return None
    matches = played.filter(revealed_at=last).order_by("fixture__division", "fixture__round", "fixture")
    slot = SLOT.get(league.game.manner, USUAL_SLOT)
    return Evening(last, with_seats(list(matches)), slot)


@require_safe
@private
def tonight(request: Request, key: str) -> HttpResponse:
    """The page of a league's latest evening of turns, with a film (a turn shown step by step).

    `?film=` counts from 1; without it, the running film is shown, or the first one. An htmx request gets only
    the film. 404 if there is no such film, or if the league has no hour.
    """
    league = flow.brought_up(league_with(key))
    if not league.reveal_at:
        raise Http404
    now = timezone.now()
    due = Match.objects.filter(fixture__league=league, status=Match.Status.PLAYING, due__lte=now)
    for match in due.order_by("pk")[:BROUGHT_UP]:
        apply_due(match)
    evening = evening_of(league)
    asked = number(request.GET.get("film")) - 1 if "film" in request.GET else None
    stage = _stage(evening, asked, now, max(number(request.GET.get("at")), 0)) if evening else {}
    if request.htmx:
        if not stage:
            raise Http404
        return render(request, "leagues/_tonight_film.html", {"league": league, **stage})
    coming = _coming(league, now)
    new_at = evening.begins if evening and now < evening.begins else coming and coming + LEAD
    return render(
        request,
        "leagues/tonight.html",
        {
            "league": league,
            "evening": evening,
            "films": _listed(evening) if evening else [],
            "is_over": bool(evening and evening.is_over(now)),
            "now": now,
            "coming": coming,
            "new_at": new_at,
            **_sealed(league),
            "drawn": templates_of(league.game_slug),
            "style": style_of(league.game_slug),
            "game": league.game,
            **stage,
        },
    )


def _listed(evening: Evening) -> list[dict[str, Any]]:
    return [
        {"match": match, "names": list(names_in(match.known_seats or ()).values())}
        for match in evening.matches
    ]


def _stage(evening: Evening, asked: int | None, now: datetime, step: int) -> dict[str, Any]:
    """Returns the template context of the film with index `asked`, or of the running one; {} if not ready."""
    at = asked if asked is not None else evening.film_at(now) or 0
    if not 0 <= at < len(evening.matches):
        raise Http404
    match = evening.matches[at]
    if not read_ahead([match], MOST_TURNS):
        return {}
    names: dict[Letter, str] = names_in(match.known_seats or ())
    assert match.revealed_turn is not None
    film = show_film(match, None, names, turn=match.revealed_turn, at=step)
    return {
        **BOARD,
        "match": match,
        "game": match.game,
        "names": names,
        "drawn": templates_of(match.game_slug),
        "number": at + 1,
        "count": len(evening.matches),
        "film": film,
        "frames": film.steps,
        "you": None,
    }


def _coming(league: League, now: datetime) -> datetime | None:
    if league.status != League.Status.PLAYING:
        return None
    playing = Match.objects.filter(fixture__league=league, status=Match.Status.PLAYING, due__gt=now)
    found: datetime | None = playing.order_by("due").values_list("due", flat=True).first()
    return found


def _sealed(league: League) -> dict[str, int]:
    playing = Match.objects.filter(fixture__league=league, status=Match.Status.PLAYING)
    wanted = sum(len(letters or "") for letters in playing.values_list("to_act", flat=True))
    sealed = Program.objects.filter(Q(turn=F("seat__match__turn")), seat__match__in=playing).exclude(seal="")
    return {"wanted": wanted, "sealed": sealed.count()}

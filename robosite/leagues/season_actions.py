"""POST views on a league's page for announcing the next season, and for taking part in a season."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect

from robosite.leagues import next_season
from robosite.leagues.actions import league_action, organisers
from robosite.leagues.league_page import own_place
from robosite.leagues.models import League
from robosite.people.models import Guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.play.decorators import Request


@league_action
@unless_restricted(Action.PLAY)
@organisers
def announce(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Announces the next season and redirects to its page.

    If the organiser is enrolled in the next season, and that season has not started, also confirms that the
    organiser plays in it. Unless the next season exists already, the status is 409 in these cases:

    - This season is not over, or a moderator has closed it.
    - Strangers may join the league (`listed`), and its organiser has too many open leagues of this kind.
    """
    following = next_season.announce(league)
    if guest and following.status == League.Status.OPEN and own_place(following, guest):
        next_season.stay(following, guest)
    return redirect(following)


@league_action
@unless_restricted(Action.PLAY)
def stay(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Confirms that the guest plays in this season, which has not started.

    A guest who had left the season rejoins. The status is 409 if the season has started or rejoining is
    impossible. It is 404 for guests without a place in this season who also have none in the season before
    with which they could rejoin.
    """
    if guest is None:
        raise Http404
    next_season.stay(league, guest)
    return redirect(league)


@league_action
def play_once(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Stores whether the guest plays in this season only (the form field `once`) or also in later seasons.

    The status is 409 if the next season is already announced, and 404 for guests without a place, or who have
    left their place.
    """
    if guest is None:
        raise Http404
    next_season.play_once(league, guest, once=bool(request.POST.get("once")))
    return redirect(f"{league.get_absolute_url()}#next-season")

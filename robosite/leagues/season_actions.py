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

    An organiser who is enrolled in the next season also confirms that they play in it, if it has not started.
    The status is 409 if the next season does not exist yet and cannot be made: this season is not over, a
    moderator has closed this season, or the league is listed and its organiser has too many open listed ones.
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
    impossible, and 404 for guests who have neither a place in the season nor one in the season before with
    which they can rejoin.
    """
    if guest is None:
        raise Http404
    next_season.stay(league, guest)
    return redirect(league)


@league_action
def play_once(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Stores that the guest plays in this season only, or, if the form field `once` is empty, also later.

    The status is 409 if the next season is already announced, and 404 for guests without a place, or who have
    left their place.
    """
    if guest is None:
        raise Http404
    next_season.play_once(league, guest, once=bool(request.POST.get("once")))
    return redirect(f"{league.get_absolute_url()}#next-season")

"""POST views of the forms on a league's page: starting, leaving, adding bots, new links.

A successful action redirects to the league's page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.players import PLAYERS
from robosite.leagues import flow
from robosite.leagues.league_page import league_page, league_with, organises_it, own_place
from robosite.leagues.models import League
from robosite.matches import flow as match_flow
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, number
from robosite.play.own_links import keep_links
from robosite.web.http import secret

View = Callable[..., HttpResponseBase]


def league_action(view: View) -> View:
    """Decorator for a POST view of a form on a league's page.

    The view gets the request, the league with the key in the URL, and the browser's guest (or None). If the
    view raises Refused, the league's page is shown with the reason (409). If the view raises SeatLost, or if
    there is no such league, the response is a 404.
    """

    @require_POST
    @secret
    @sent_once
    @wraps(view)
    def acted(request: Request, key: str) -> HttpResponseBase:
        try:
            return view(request, league_with(key), current_guest(request))
        except match_flow.SeatLost:
            raise Http404 from None
        except match_flow.Refused as refusal:
            return league_page(request, league_with(key), str(refusal), status=409)

    return acted


def organisers(view: View) -> View:
    """Decorator for a league action that only the organiser may use; anybody else gets a 404."""

    @wraps(view)
    def organised(request: Request, league: League, guest: Guest | None) -> HttpResponseBase:
        if not organises_it(request, league, guest):
            raise Http404
        return view(request, league, guest)

    return organised


@league_action
@unless_restricted(Action.PLAY)
@organisers
def start(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Starts the league; the status is 409 if too few players have joined, or if all of them are bots."""
    flow.start(league)
    return redirect(league)


@league_action
def leave(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Withdraws the guest from the league or, for the organiser, the participant whose number is in `place`.

    `place` and `status` are form fields. `place` is ignored if the guest is not the organiser. `status` is
    the league's status when the page was shown; if it has changed since, nothing happens, and the response is
    a 409. The response is a 404 if there is no such participant.
    """
    place = own = own_place(league, guest)
    if "place" in request.POST and organises_it(request, league, guest):
        place = league.places.filter(number=number(request.POST["place"])).first()
    if place is None:
        raise Http404
    flow.leave(place, removed=place != own, status=request.POST.get("status", league.status))
    return redirect(league)


@league_action
@unless_restricted(Action.PLAY)
@organisers
def add_bot(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Adds the bot whose key is in the form field `bot` to the league; 404 if there is no such bot.

    Redirects to the list of players on the league's page, with the form for the next bot open below it.
    """
    player = request.POST.get("bot", "")
    if player not in PLAYERS:
        raise Http404
    flow.add_bot(league, player, lambda fresh: organises_it(request, fresh, guest))
    return redirect(f"{league.get_absolute_url()}?more=bots#places-title")


@league_action
@unless_restricted(Action.PLAY)
@organisers
def new_invite(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new invite link and stores it in the organiser's browser; the old invite link stops working."""
    return _keeping(request, redirect(league), league, "league", flow.new_invite(league))


@league_action
def new_place_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new secret link to the guest's own place in the league, and stores the link in this browser.

    Whoever opens the link can play for the place. The old link stops working, and all other guests who used
    it can no longer play for the place. The response is a 404 if the guest has no place in the league.
    """
    place = own_place(league, guest)
    if place is None or guest is None:
        raise Http404
    back = redirect(f"{league.get_absolute_url()}#own-link")
    return _keeping(request, back, league, "place", flow.new_link(place, guest))


@league_action
def new_organiser_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new secret link for organising the league, and stores it in this browser.

    The old link stops working.
    """
    secret = flow.new_organiser_link(league, lambda fresh: organises_it(request, fresh, guest))
    back = redirect(f"{league.get_absolute_url()}#organiser-link")
    return _keeping(request, back, league, "organiser", secret)


@league_action
@unless_restricted(Action.PLAY)
def offer_place(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a link by which somebody can take over a vacant place, and stores the link in this browser.

    The form field `place` has the number of the place. The status is 404 if there is no such place, or if the
    guest does not organise the league. It is 409 if the place is not vacant or the league is not running.
    """
    at = number(request.POST.get("place"))
    secret = flow.offer(league, at, lambda fresh: organises_it(request, fresh, guest))
    back = redirect(f"{league.get_absolute_url()}#vacant")
    return _keeping(request, back, league, f"offer/{at}", secret)


def _keeping(
    request: Request, response: HttpResponse, league: League, kind: str, secret: str
) -> HttpResponse:
    """Stores a secret link of the league in this browser's cookie of links; returns the response.

    `kind` is the first part of the link's key in the cookie, such as "place" or "organiser". The second part
    is the league's key.
    """
    keep_links(request, response, {f"{kind}/{league.key}": secret})
    return response

"""The forms on a league's page: starting, leaving, new links. Each leads back to the page."""

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
    """A form of a league's page, sent: the view gets the league, and the guest of this browser.

    The page says why an action is refused (409); 404 for guests who have no such part in the league.
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
    """A view for the organiser of the league alone; 404 for anybody else."""

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
    """Starts a league; 409 while too few have joined."""
    flow.start(league)
    return redirect(league)


@league_action
def leave(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Gives up one's own place; an organiser may remove any other (`place`).

    409 where the league has another status by now than on the page (`status`): what leaving means depends on
    it.
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
    """Lets a bot of the site play; 404 for one that there is not."""
    player = request.POST.get("bot", "")
    if player not in PLAYERS:
        raise Http404
    flow.add_bot(league, player, lambda fresh: organises_it(request, fresh, guest))
    return redirect(league)


@league_action
@unless_restricted(Action.PLAY)
@organisers
def new_invite(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """A new invite, kept by the organiser's browser; the old one stops working."""
    return _keeping(request, redirect(league), league, "league", flow.new_invite(league))


@league_action
def new_place_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new link to one's own place, which this browser keeps; the old link and all other browsers are
    shut out."""
    place = own_place(league, guest)
    if place is None or guest is None:
        raise Http404
    back = redirect(f"{league.get_absolute_url()}#own-link")
    return _keeping(request, back, league, "place", flow.new_link(place, guest))


@league_action
def new_organiser_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """A new link for organising the league, kept by this browser; the old one organises nothing."""
    secret = flow.new_organiser_link(league, lambda fresh: organises_it(request, fresh, guest))
    back = redirect(f"{league.get_absolute_url()}#organiser-link")
    return _keeping(request, back, league, "organiser", secret)


@league_action
@unless_restricted(Action.PLAY)
def offer_place(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """A link to a place that nobody holds any more, for the organiser to hand to somebody."""
    at = number(request.POST.get("place"))
    secret = flow.offer(league, at, lambda fresh: organises_it(request, fresh, guest))
    back = redirect(f"{league.get_absolute_url()}#vacant")
    return _keeping(request, back, league, f"offer/{at}", secret)


def _keeping(
    request: Request, response: HttpResponse, league: League, kind: str, secret: str
) -> HttpResponse:
    """The response, by which this browser keeps a link of the league."""
    keep_links(request, response, {f"{kind}/{league.key}": secret})
    return response

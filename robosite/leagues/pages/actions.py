"""POST views of the forms on a league's page, which lead back to that page."""

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from games.players import PLAYERS
from robosite.leagues import flow, next_season
from robosite.leagues.forms import StartForm
from robosite.leagues.models import League
from robosite.leagues.pages.league_page import league_page, league_with, organises_it, own_place
from robosite.matches import flow as match_flow
from robosite.people import shares
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, number
from robosite.web.http import or_404, secret

View = Callable[..., HttpResponseBase]


def league_action(view: View) -> View:
    """Decorator for a form's POST view, with league and guest; SeatLost: 404; Refused: the page, 409."""

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


@league_action
@unless_restricted(Action.PLAY)
def start(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Starts the league; the status is 409 if too few players have joined, or if all of them are bots."""
    if not organises_it(request, league, guest):
        raise Http404
    if league.status == League.Status.OPEN:
        places = sum(place.taken and not place.is_asked for place in league.places.filter(gone=False))
        shares.take(request, *["places"] * places)
    flow.start(league, organises_in_lock(request, guest))
    return redirect(league)


@league_action
def leave(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Withdraws the guest or, for the organiser, the participant in `place`; 409 if `status` is out of date.

    With `vacate`, the guest's place is left to whoever waits for one.
    """
    place = own = own_place(league, guest)
    if "place" in request.POST and organises_it(request, league, guest):
        place = league.places.filter(number=number(request.POST["place"])).first()
    if place is None and guest and flow.stop_waiting(league, guest):
        return redirect(league)
    place = or_404(place)
    status = request.POST.get("status", league.status)
    if place == own and "vacate" in request.POST:
        flow.vacate(place, lambda fresh: own_place(fresh, guest) == place)
        return redirect(f"{league.get_absolute_url()}?left")
    elif place == own:
        flow.leave(place, lambda fresh: own_place(fresh, guest) == place, status=status)
    else:
        flow.remove(place, organises_in_lock(request, guest), by=guest, status=status)
    return redirect(league)


@league_action
@unless_restricted(Action.PLAY)
def add_bot(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Adds the bot in the form field `bot`; leads to the list of players, with the form for another one."""
    player = request.POST.get("bot", "")
    if player not in PLAYERS:
        raise Http404
    flow.add_bot(league, player, organises_in_lock(request, guest), instead=True)
    return redirect(f"{league.get_absolute_url()}?more=bots#places-title")


@league_action
@unless_restricted(Action.PLAY)
def new_invite(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new invite link and stores it in the organiser's browser; the old invite link stops working."""
    secret = flow.new_invite(league, organises_in_lock(request, guest))
    return keep_links(request, redirect(league), {f"league/{league.key}": secret})


@league_action
def new_place_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a new link to the guest's own place; other guests who used the old one lose the place."""
    place, guest = or_404(own_place(league, guest)), or_404(guest)
    back = redirect(f"{league.get_absolute_url()}?more=own-link#own-link")
    return keep_links(request, back, {f"place/{league.key}": flow.new_link(place, guest)})


@league_action
def new_organiser_link(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Replaces the secret link for organising the league, and stores the new one in this browser."""
    secret = flow.new_organiser_link(league, organises_in_lock(request, guest))
    back = redirect(f"{league.get_absolute_url()}?more=organiser-link#organiser-link")
    return keep_links(request, back, {f"organiser/{league.key}": secret})


@league_action
@unless_restricted(Action.PLAY)
def offer_place(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a link by which somebody can take over a vacant place, and stores the link in this browser."""
    at = number(request.POST.get("place"))
    secret = flow.offer(league, at, organises_in_lock(request, guest))
    back = redirect(f"{league.get_absolute_url()}#vacant")
    return keep_links(request, back, {f"offer/{at}/{league.key}": secret})


@league_action
@unless_restricted(Action.PLAY)
def hand_over(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Makes a link by which somebody can take over the guest's own place or, with `keep`, withdraws it."""
    own = or_404(own_place(league, guest))
    back = redirect(f"{league.get_absolute_url()}?more=hand-over#hand-over")
    if "keep" in request.POST:
        flow.keep(league, lambda fresh: own_place(fresh, guest))
        return back
    secret = flow.hand_over(league, lambda fresh: own_place(fresh, guest))
    return keep_links(request, back, {f"offer/{own.number}/{league.key}": secret})


@league_action
@unless_restricted(Action.PLAY)
def hand_on_organising(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Hands the organiser's role on to the player whose place has the number in the form field `place`."""
    flow.hand_on(league, number(request.POST.get("place")), organises_in_lock(request, guest))
    return redirect(league)


@league_action
@unless_restricted(Action.PLAY)
def choose_organiser(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Stores which player the guest wants as organiser, in place of one who is silent."""
    flow.choose(league, lambda fresh: own_place(fresh, guest), number(request.POST.get("place")))
    return redirect(league)


def organises_in_lock(request: Request, guest: Guest | None) -> Callable[[League], bool]:
    return lambda fresh: organises_it(request, fresh, guest)


@league_action
def nudge(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Nudges the player in the form field `place`, in all matches in which the guest waits for them."""
    flow.nudge(or_404(own_place(league, guest)), number(request.POST.get("place")))
    return redirect(league)


@league_action
@unless_restricted(Action.PLAY)
def announce(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    form = StartForm(request.POST)
    if not form.is_valid():
        return league_page(request, league, " ".join(map(str, form.errors["starts_at"])), status=422)
    following = next_season.announce(
        league, organises_in_lock(request, guest), starts_at=form.cleaned_data["starts_at"]
    )
    if guest and following.status == League.Status.OPEN and own_place(following, guest):
        next_season.stay(following, guest)
    return redirect(following)


@league_action
@unless_restricted(Action.PLAY)
def stay(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Confirms that the guest plays in this season, which has not started.

    A guest who waited for it joins; with the number of a vacant `place`, they take that one over.
    """
    guest, taken = or_404(guest), None
    try:
        if "place" in request.POST:
            taken = flow.take_vacant(league, number(request.POST["place"]), guest)
        elif league.waiting.filter(guest=guest).exists():
            taken = flow.join(league, guest.name, guest=guest)
    except RefusedName as refusal:
        return league_page(request, league, str(refusal), status=409)
    if taken:
        return keep_links(request, redirect(league), {f"place/{league.key}": taken.secret})
    next_season.stay(league, guest)
    return redirect(league)


@league_action
def play_once(request: Request, league: League, guest: Guest | None) -> HttpResponse:
    """Stores whether the guest plays in this season only (the form field `once`) or also in later seasons."""
    next_season.play_once(league, or_404(guest), once=bool(request.POST.get("once")))
    return redirect(f"{league.get_absolute_url()}?more=next-season#next-season")

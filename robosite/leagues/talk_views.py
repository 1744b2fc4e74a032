"""The page on which the players of a league talk to each other."""

from __future__ import annotations

import secrets
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from robosite.leagues import league_talk
from robosite.leagues.league_page import league_with
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches.flow import Refused, SeatLost
from robosite.matches.models import Seat
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.people.restrictions import Action, note_action, own_restriction
from robosite.people.sent_forms import once
from robosite.play.decorators import Request
from robosite.talk import messages
from robosite.talk.stock import stock_phrases
from robosite.talk.views import before_of
from robosite.web.http import secret


def hold_in(league: League, guest: Guest | None) -> PlaceHold | None:
    """Returns the guest's right to play for a place in a league; None if they have none.

    A guest whom the organiser has removed has none.
    """
    held = PlaceHold.objects.filter(
        place__league=league, place__gone=False, place__removed=False, guest=guest
    )
    return held.select_related("place__league", "guest").first() if guest else None


@require_http_methods(["GET", "HEAD", "POST"])
@secret
def talk(request: Request, key: str) -> HttpResponse:
    """The page with the messages of a league and a form to write one; a POST writes a message.

    The status is 403 for guests without a place in the league. For a POST, it is also 403 if moderators have
    barred the guest from writing, 422 for a message that cannot be sent, and 429 for too many messages. An
    htmx request gets the same pages with status 200, and without a place a request to load the page anew.
    """
    league = league_with(key)
    hold = hold_in(league, current_guest(request))
    if hold is None and request.htmx:
        return HttpResponseClientRefresh()
    if hold is None:
        return render(
            request, "leagues/talk.html", {"league": league, "seat": None, "seasons_heard": ()}, status=403
        )
    restriction = own_restriction(request, Action.SAY)
    if request.method != "POST" or restriction:
        return _talk_page(request, hold, {"restriction": restriction})
    text, phrase, mark = (request.POST.get(name, "") for name in ("text", "phrase", "once"))
    try:
        once(request, lambda: league_talk.say(hold, text, phrase, once=mark).pk)
    except SeatLost:
        return redirect(request.path)
    except Refused as refusal:
        return _talk_page(request, hold, {"error": str(refusal), "typed": text}, refusal)
    note_action(request)
    return redirect(request.path)


def _seasons_heard(hold: PlaceHold) -> list[League]:
    """Returns the previous and the next season of a hold's league, if the guest may read their messages.

    A hold is a guest's right to play for a place in a league.
    """
    league = hold.place.league
    beside = League.objects.filter(Q(following=league) | Q(previous=league)).order_by("pk")
    return [one for one in beside if hold_in(one, hold.guest)]


def _readers(league: League) -> QuerySet[Place]:
    """Returns the participants whom the page names as readers: all who have joined, except bots."""
    return league.places.filter(gone=False).exclude(taken_at=None).exclude(kind=Seat.Kind.BOT)


def _talk_page(
    request: Request, hold: PlaceHold, context: dict[str, Any], refusal: Refused | None = None
) -> HttpResponse:
    before = before_of(request)
    shown = league_talk.said_to(hold.place, before)
    if request.method == "GET":
        league_talk.note_heard(hold, shown)
    oldest = shown.messages[0].sent_at if shown.older else None
    league = hold.place.league
    known = {
        "league": league,
        "seat": hold.place,
        "others": _readers(league).exclude(pk=hold.place_id),
        "said": shown.messages,
        "earlier": (),
        "seasons_heard": _seasons_heard(hold),
        "older": round(oldest.timestamp() * 1_000_000) if oldest else "",
        "before": before,
        "here": request.path,
        "phrases": stock_phrases(),
        "longest": messages.LONGEST,
        "once": secrets.token_hex(8),
        "only_phrases": league_talk.only_phrases(league),
        "counts": False,
        "restriction": None,
        "error": "",
        "typed": "",
    }
    status = 403 if context.get("restriction") and request.method == "POST" else 200
    if refusal:
        status = 429 if isinstance(refusal, messages.TooMuch) else 422
    response = render(request, "leagues/talk.html", known | context, status=200 if request.htmx else status)
    if isinstance(refusal, messages.TooMuch):
        response["Retry-After"] = str(refusal.wait)
    return response

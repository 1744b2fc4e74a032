"""What the views of a match share: a request as they get it, the seat's own door, addresses."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from robosite import asked
from robosite.matches import flow, hotseat
from robosite.matches.models import Hold, Match, Seat
from robosite.people.here import guest_here

View = Callable[..., HttpResponseBase]


class Request(HttpRequest):
    """A request as the middlewares, and the seat's own door, have prepared it."""

    htmx: HtmxDetails
    hold: Hold
    mine: list[Seat]


private, secret, absolute = asked.private, asked.secret, asked.absolute


def own_seat(view: View) -> View:
    """A view of one's own seat: gets the seat if this browser holds it, else 403 with the way back."""

    @wraps(view)
    def with_seat(request: Request, key: str, letter: str, **more: Any) -> HttpResponseBase:
        guest = guest_here(request)
        match = flow.look(match_of(key))  # first of all: a lost seat may pass by it
        mine = Hold.objects.filter(guest=guest, seat__match=match).select_related("seat", "guest")
        holds = list(mine) if guest else []
        for one in holds:
            one.seat.match = match
        request.mine = [hold.seat for hold in holds]
        hold = next((hold for hold in holds if hold.seat.letter == letter), None)
        if hold is None:
            moved = next((hold.seat for hold in holds if hold.seat.was == letter), None)
            if moved:
                return go(request, moved.get_absolute_url())
            if not match.may_be_watched_by(guest):
                return among_players(request, match)
            context = {"match": match, "seat": get_object_or_404(Seat, match=match, letter=letter)}
            return private(render)(request, "matches/not_yours.html", context, status=403)
        request.hold = hold
        return view(request, hold.seat, **more)

    return with_seat


def seat_page(view: View) -> View:
    """A view of one's own seat, behind the curtain while somebody else at this browser holds the device."""

    @own_seat
    @wraps(view)
    def uncovered(request: Request, seat: Seat, **more: Any) -> HttpResponseBase:
        if not hotseat.is_covered(request, seat, request.mine):
            return view(request, seat, **more)
        if request.htmx or request.method not in ("GET", "HEAD"):
            return go(request, seat.get_absolute_url())
        return secret(render)(request, "matches/curtain.html", {"match": seat.match, "seat": seat})

    return uncovered


def public_page(view: View) -> View:
    """A view of a match that anybody may watch: gets the match, unless it is for its players only (403)."""

    @require_safe
    @private
    @wraps(view)
    def with_match(request: Request, key: str, **more: Any) -> HttpResponseBase:
        match = flow.look(match_of(key))
        if not match.may_be_watched_by(guest_here(request)):
            return among_players(request, match)
        return view(request, match, **more)

    return with_match


def among_players(request: Request, match: Match) -> HttpResponse:
    return private(render)(request, "matches/players_only.html", {"match": match}, status=403)


def match_of(key: str) -> Match:
    return get_object_or_404(Match, key=key)


def number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else -1


def go(request: Request, to: str) -> HttpResponse:
    """On to another page, also for a request that htmx made."""
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = to
        return response
    return redirect(to)


def only_here(request: Request) -> bool:
    """Whether links made here open on this computer only."""
    host = urlsplit(absolute(request, "/")).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

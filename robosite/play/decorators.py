"""Decorators and helpers shared by a match's views: seat checks, redirects, access for watchers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from robosite.matches import flow, reading
from robosite.matches.flow import seat_requests
from robosite.matches.models import Hold, Match, Seat
from robosite.people import offline
from robosite.people.current_guest import current_guest
from robosite.play import hot_seat
from robosite.web import http

View = Callable[..., HttpResponseBase]


class Request(HttpRequest):
    """A request with the attributes that the middlewares and `own_seat` add."""

    htmx: HtmxDetails
    hold: Hold
    mine: list[Seat]
    waiting: int
    """The number of matches that wait for the guest, if the view has counted them already."""
    noted: int
    """The number of turns that count as seen because this request sealed an order and showed them."""
    kept_seat: bool
    """Tell whether somebody had asked for the seat, and this request has ended those requests for it."""


TOO_EARLY = 425
"""The HTTP status for a page that a browser must not prefetch."""

private, secret, absolute = http.private, http.secret, http.absolute


def own_seat(view: View) -> View:
    """Decorator for a view of a reader's own seat, which the view gets in place of the match's key.

    Answers with 403 and a page on ways back if this browser does not hold the seat.
    """

    @wraps(view)
    def with_seat(request: Request, key: str, letter: str, **more: Any) -> HttpResponseBase:
        guest = current_guest(request)
        match = flow.apply_due(match_of(key))  # first, since a lost seat may pass to another guest by this
        request.mine = hot_seat.held(guest, match)
        seat = next((seat for seat in request.mine if seat.letter == letter), None)
        if seat is None or seat.hold is None:
            moved = next((seat for seat in request.mine if seat.was == letter), None)
            if moved:
                return go(request, moved.get_absolute_url())
            return _not_yours(request, match, letter)
        request.hold = seat.hold
        try:
            if is_early(request) and request.mine[1:]:
                return HttpResponse(status=TOO_EARLY)  # it might be shown behind another seat's curtain
            asked_for = _looks(request) and seat_requests.is_asked_for(match, seat)
            request.kept_seat = asked_for and seat_requests.end_requests(seat)
            response = view(request, seat, **more)
            return offline.mark(response, shared=True) if request.mine[1:] else response
        except flow.SeatLost:  # since it was read; it may have somebody else's secrets now
            return _not_yours(request, Match.objects.get(pk=match.pk), letter)

    return with_seat


def _not_yours(request: Request, match: Match, letter: str) -> HttpResponse:
    """The 403 page with ways back to the seat. In a match for its players only it does not mention the
    seat."""
    if not match.may_be_watched_by(current_guest(request)):
        return among_players(request, match)
    context = {"match": match, "seat": get_object_or_404(Seat, match=match, letter=letter)}
    return private(render)(request, "play/not_yours.html", context, status=403)


def is_early(request: Request) -> bool:
    """Tell whether a browser prefetches the page before the reader follows a link
    (`web.views.FETCHED_EARLY`)."""
    return "prefetch" in request.headers.get("Sec-Purpose", "")


def _looks(request: Request) -> bool:
    """Tell whether a person is looking at the page, so that the request is neither from htmx nor a
    prefetch."""
    early = is_early(request) or "prefetch" in request.headers.get("Purpose", "")
    return request.method == "POST" or (request.method == "GET" and not request.htmx and not early)


def seat_page(view: View) -> View:
    """Decorator like `own_seat` that shows the curtain instead while another player has the shared device."""

    @own_seat
    @wraps(view)
    def uncovered(request: Request, seat: Seat, **more: Any) -> HttpResponseBase:
        if not hot_seat.is_covered(request, seat, request.mine):
            return view(request, seat, **more)
        if request.htmx or request.method not in ("GET", "HEAD"):
            return go(request, seat.get_absolute_url())
        return secret(render)(request, "play/curtain.html", {"match": seat.match, "seat": seat})

    return uncovered


def public_page(view: View) -> View:
    """Decorator for a view of a match that anybody may watch, which the view gets in place of the key.

    Answers with 403 if the match is for its players only and the reader is not one of them.
    """

    @require_safe
    @private
    @wraps(view)
    def with_match(request: Request, key: str, **more: Any) -> HttpResponseBase:
        match = flow.apply_due(match_of(key))
        if not match.may_be_watched_by(current_guest(request)):
            return among_players(request, match)
        return view(request, match, **more)

    return with_match


def among_players(request: Request, match: Match) -> HttpResponse:
    return private(render)(request, "play/players_only.html", {"match": match}, status=403)


def match_of(key: str) -> Match:
    match = reading.match_by_key(key)
    if match is None:
        raise Http404
    return match


def number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else -1


def go(request: Request, to: str) -> HttpResponse:
    """Redirects to another page, also if the request came from htmx."""
    if request.htmx:
        return HttpResponseClientRedirect(to, status=204)
    return redirect(to)


def only_here(request: Request) -> bool:
    """Tell whether the site runs on the reader's own computer, so that links to it work nowhere else."""
    if request.META.get("REMOTE_ADDR") not in ("127.0.0.1", "::1") or "X-Forwarded-For" in request.headers:
        return False
    host = urlsplit(absolute(request, "/")).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

"""Decorators that check access to a match's views, and helpers of these: redirects, numbers, seat links."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from robosite.matches import flow, reading
from robosite.matches.flow import seat_requests
from robosite.matches.flow.lost_seats import wait_for
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.site_models import Asking
from robosite.people import offline
from robosite.people.browser_links import own_links
from robosite.people.current_guest import current_guest
from robosite.play import hot_seat
from robosite.web import http
from robosite.web.link_secrets import hash_secret, secret_behind

View = Callable[..., HttpResponseBase]


class Request(HttpRequest):
    """A request with the attributes that middlewares, `own_seat` and some views set."""

    htmx: HtmxDetails
    hold: Hold
    mine: list[Seat]
    waiting: int
    """The number of matches that wait for the guest, if a view has counted them."""
    noted: int
    """The number of turns played, if this request's seal caused a reveal that it marked as seen; else 0."""
    kept_seat: bool
    """In views of `own_seat`: True if this request has ended others' requests for the seat."""


TOO_EARLY = 425
"""The HTTP status for a prefetch of a page that must not be prefetched."""

private, secret, absolute = http.private, http.secret, http.absolute


def own_seat(view: View) -> View:
    """Decorator that applies what is due in a match, and gives the view the reader's `Seat` of it.

    A browser that held it under another letter is redirected; one that does not hold it, or loses it then,
    gets a 403; a prefetch for one of several held seats, TOO_EARLY. A visit ends others' requests for it.
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
            early = is_early(request) or "prefetch" in request.headers.get("Purpose", "")
            looks = request.method == "POST" or (request.method == "GET" and not request.htmx and not early)
            asked_for = looks and seat_requests.is_asked_for(match, seat)  # only a person's visit refuses it
            request.kept_seat = asked_for and seat_requests.end_requests(seat)
            response = view(request, seat, **more)
            return offline.mark(response, shared=True) if request.mine[1:] else response
        except flow.SeatLost:  # since it was read; it may have somebody else's secrets now
            return _not_yours(request, Match.objects.get(pk=match.pk), letter)

    return with_seat


def _not_yours(request: Request, match: Match, letter: str) -> HttpResponse:
    if request.htmx and request.htmx.trigger == "offered":
        return go(request, request.path)
    if not match.may_be_watched_by(current_guest(request)):
        return among_players(request, match)
    seat = get_object_or_404(Seat, match=match, letter=letter)
    lost = seat.taken and not seat.is_bot and match.status in flow.GOING_ON and not match.is_binding
    wait = wait_for(match, Asking(seat=seat)) if lost else None
    context = {"match": match, "seat": seat, "wait": wait}
    return private(render)(request, "play/not_yours.html", context, status=403)


def is_early(request: Request) -> bool:
    return "prefetch" in request.headers.get("Sec-Purpose", "")


def seat_page(view: View) -> View:
    """Decorator like `own_seat`, but shows the curtain while another player has the shared device."""

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
    """Decorator for a public view (GET, HEAD): passes the `Match`; 403 for a reader who may not watch it."""

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
    return http.or_404(reading.match_by_key(key))


def number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else -1


def go(request: Request, to: str) -> HttpResponse:
    """Redirects to the URL `to`; for an htmx request, by a client-side redirect that loads the whole page."""
    if request.htmx:
        return HttpResponseClientRedirect(to, status=204)
    return redirect(to)


def only_here(request: Request) -> bool:
    """Returns True if links to the site work only on the reader's own computer, on which the site runs."""
    if request.META.get("REMOTE_ADDR") not in ("127.0.0.1", "::1") or "X-Forwarded-For" in request.headers:
        return False
    host = urlsplit(absolute(request, "/")).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def own_link(request: HttpRequest, seat: Seat) -> str | None:
    """The secret of a seat's valid link, from this browser or (in a rematch) derived; None if unknown."""
    links = own_links(request).items()
    mine = [secret for what, secret in links if what.startswith(f"seat/{seat.match.key}/")]
    known = next((secret for secret in mine if hash_secret(secret) == seat.link_hash), None)
    if known is None and seat.match.rematch_of_id:
        return secret_behind(seat.link_hash, seat.match.key, seat.letter)
    return known


def link_key(seat: Seat) -> str:
    """The key, such as `seat/KEY/A`, under which a browser stores the secret link to a seat."""
    return f"seat/{seat.match.key}/{seat.letter}"

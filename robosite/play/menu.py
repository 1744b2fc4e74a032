"""The menu of a match (⋯), a page that htmx shows in a dialog: what is done less than once a match."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from robosite.matches.models import Match, Seat
from robosite.play.decorators import Request, public_page, seat_page, secret
from robosite.play.match_context import menu_context


@require_safe
@seat_page
@secret
def seat_menu(request: Request, seat: Seat) -> HttpResponse:
    return _menu(request, seat.match, seat)


@public_page
@vary_on_headers("HX-Request")
def match_menu(request: Request, match: Match) -> HttpResponse:
    return _menu(request, match, None)


def _menu(request: Request, match: Match, seat: Seat | None) -> HttpResponse:
    name = "play/_menu.html" if request.htmx else "play/menu.html"
    return render(request, name, menu_context(request, match, seat))

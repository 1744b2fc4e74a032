"""Before a match: the home page, making one, and finding one's own again."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from games.core import Game
from robosite.matches import flow
from robosite.matches.asked import Request, private
from robosite.matches.drawings import is_drawn
from robosite.matches.forms import NewMatchForm
from robosite.matches.links import keep_links, kept_as
from robosite.matches.models import Hold, Seat
from robosite.people.here import guest_here, welcome


@require_safe
@private
def home(request: Request) -> HttpResponse:
    guest = guest_here(request)
    form = NewMatchForm(initial={"name": guest.name if guest else ""})
    return render(request, "home.html", {"form": form, **_games()})


def _games() -> dict[str, list[Game]]:
    """The games to choose from: those with a drawn board, then those that are played in words so far."""
    games = [newest(slug) for slug in GAMES]
    drawn = [game for game in games if is_drawn(game.slug)]
    return {"games": drawn, "undrawn": [game for game in games if game not in drawn]}


@require_POST
def make(request: Request) -> HttpResponse:
    form = NewMatchForm(request.POST)
    if not form.is_valid():
        return render(request, "home.html", {"form": form, **_games()}, status=422)
    data = form.cleaned_data
    guest = welcome(request, data["name"])
    match, taken, invite = flow.create(
        data["rules"], data["options"], data["seats"], data["name"], guest=guest
    )
    response = redirect(taken.seat)
    keep_links(request, response, {kept_as(taken.seat): taken.secret, f"invite/{match.key}": invite})
    return response


@require_safe
@private
def my_games(request: Request) -> HttpResponse:
    guest = guest_here(request)
    holds = Hold.objects.filter(guest=guest).select_related("seat__match") if guest else Hold.objects.none()
    held = list(holds.prefetch_related("seat__match__seats").order_by("-seat__match__changed_at"))
    waits = flow.waiting_for([hold.seat for hold in held])
    games: list[dict[str, Any]] = [
        {
            "hold": hold,
            "match": hold.seat.match,
            "waits": hold.seat.pk in waits,
            "others": _others(hold.seat),
        }
        for hold in held
    ]
    games.sort(key=lambda game: (not game["waits"], game["match"].status in ("over", "aborted")))
    return render(request, "matches/my_games.html", {"games": games})


def waiting(request: Request) -> dict[str, int]:
    """How many matches wait for who is at this browser: in the header of every whole page."""
    if not hasattr(request, "session") or not request.session.get("guest") or request.htmx:
        return {}
    guest = guest_here(request)
    seats = Seat.objects.filter(holds__guest=guest, match__status__in=flow.GOING_ON).select_related("match")
    return {"waiting": len(flow.waiting_for(list(seats)))}


def _others(seat: Seat) -> list[str]:
    return [other.name for other in seat.match.seats.all() if other.pk != seat.pk and other.taken]

"""Before a match: the home page, making one, and finding one's own again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from games.core import Game
from robosite.matches import flow, hotseat, questions
from robosite.matches.asked import Request, private
from robosite.matches.drawings import is_drawn, style_of, templates_of
from robosite.matches.forms import NewMatchForm
from robosite.matches.links import keep_links, kept_as
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.page import Step
from robosite.matches.variants import preset_of, variant_words
from robosite.people.here import guest_here, welcome


@dataclass(frozen=True, slots=True)
class Shown:
    """A game on a page, with what draws it."""

    game: Game
    drawn: dict[str, list[str]]
    style: str
    is_drawn: bool


def show(slug: str) -> Shown:
    return Shown(newest(slug), templates_of(slug), style_of(slug), is_drawn(slug))


@require_safe
@private
def home(request: Request) -> HttpResponse:
    return render(request, "home.html", {"tables": [show(slug) for slug in GAMES]})


@require_safe
@private
def rules_of_all(request: Request) -> HttpResponse:
    """The way to each game's rules."""
    return render(request, "rules.html", {"tables": [show(slug) for slug in GAMES]})


@require_safe
@private
def new(request: Request, slug: str) -> HttpResponse:
    """What may be chosen for a match of a game; the address may carry answers already."""
    if slug not in GAMES:
        raise Http404
    guest = guest_here(request)
    form = NewMatchForm(initial={"name": guest.name if guest else ""})
    return _making(request, slug, form, request.GET)


@require_POST
def make(request: Request) -> HttpResponse:
    form = NewMatchForm(request.POST)
    slug = request.POST.get("game", "")
    if not form.is_valid():
        if slug not in GAMES:
            return render(request, "home.html", {"tables": [show(slug) for slug in GAMES]}, status=422)
        return _making(request, slug, form, request.POST, 422)
    data = form.cleaned_data
    guest = welcome(request, data["name"])
    with transaction.atomic():
        match, taken, invite = flow.create(
            data["rules"],
            data["chosen"].options,
            data["seats"],
            data["name"],
            wish=data["chosen"].wish,
            at=data["chosen"].at,
            deadline_hours=data["hours"],
            late=data["late"],
            watched=data["watched"] != "no",
            bots=data.get("bots"),
            guest=guest,
        )
        here = [taken, *hotseat.sit_down(match, invite, data["names"], guest)]
    if len(here) > 1:
        hotseat.take(request, taken.seat)
    response = redirect(taken.seat)
    links = {kept_as(one.seat): one.secret for one in here}
    keep_links(request, response, links | {f"invite/{match.key}": invite})
    return response


def _making(
    request: Request, slug: str, form: NewMatchForm, given: questions.Given, status: int = 200
) -> HttpResponse:
    shown = show(slug)
    variants = questions.variants(shown.game, given)
    by_hand = questions.HAND in {answer.value for answer in questions.all_answers(variants)}
    context = {
        "form": form,
        "by_hand": by_hand,
        "game": shown.game,
        "drawn": shown.drawn,
        "style": shown.style,
        "variants": variants,
        "frames": [_opening(shown.game)] if by_hand and shown.is_drawn else [],
    }
    return render(request, "matches/new.html", context, status=status)


def _opening(game: Game) -> Step:
    """The board before the first turn, to look at while something of it is set by hand."""
    options = game.read_options({})
    seats = game.seats(options)[0]
    state = game.state.start(options, seats, game.draw(options, seats, Random(0), {})).view(None)
    return Step(0, True, {**state.drawing(), "effects": []}, [], state.words(), True)


@require_safe
@private
def my_games(request: Request) -> HttpResponse:
    guest = guest_here(request)
    holds = Hold.objects.filter(guest=guest).select_related("seat__match") if guest else Hold.objects.none()
    held = list(holds.prefetch_related("seat__match__seats").order_by("-seat__match__changed_at"))
    waits = flow.waiting_for([seat for hold in held for seat in hold.seat.match.seats.all()])
    by_match: dict[Match, list[Seat]] = {}
    for hold in held:
        by_match.setdefault(hold.seat.match, []).append(hold.seat)
    games = [_mine(match, mine, waits) for match, mine in by_match.items()]
    games.sort(key=lambda game: (not game["waits"], game["match"].status in ("over", "aborted")))
    slugs = dict.fromkeys(game["match"].game_slug for game in games)
    context = {"games": games, "tables": [show(slug) for slug in slugs]}
    return render(request, "matches/my_games.html", context)


def _mine(match: Match, mine: list[Seat], waits: set[int]) -> dict[str, Any]:
    """A match as the list of one's own games shows it; who shares a device goes to the page for all."""
    seats = list(match.seats.all())
    preset = preset_of(match, len(seats))
    return {
        "match": match,
        "to": mine[0] if len(mine) == 1 else match,
        "mine": [seat.name for seat in mine] if len(mine) > 1 else [],
        "waits": any(seat.pk in waits for seat in mine),
        "just_now": timezone.now() - match.changed_at < timedelta(minutes=1),
        "waits_for": [seat.name for seat in seats if seat.taken and seat.pk in waits],
        "others": [other.name for other in seats if other.taken and other not in mine],
        "preset": preset,
        "words": [] if preset else variant_words(match),
    }


def waiting(request: Request) -> dict[str, int]:
    """How many matches wait for who is at this browser: in the header of every whole page."""
    if not hasattr(request, "session") or not request.session.get("guest") or request.htmx:
        return {}
    guest = guest_here(request)
    seats = Seat.objects.filter(holds__guest=guest, match__status__in=flow.GOING_ON).select_related("match")
    waits = flow.waiting_for(list(seats))
    return {"waiting": len({seat.match_id for seat in seats if seat.pk in waits})}

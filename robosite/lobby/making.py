"""Creating a match: the form with a game's choices, and the board that a creator may draw by hand.

A browser's last choices for each game are kept in a signed cookie, without names and boards. It is deleted
with the guest's other cookies.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import lru_cache
from random import Random, SystemRandom
from typing import Any, NamedTuple

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from games.core import Game
from robosite.lobby import questions
from robosite.lobby.forms import NewMatchForm
from robosite.lobby.game_lists import invitable
from robosite.lobby.home import home_context
from robosite.matches import flow
from robosite.matches.flow import listing
from robosite.matches.flow.series import first_series_entry, next_seat
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.people import shares
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import current_guest, name_here, welcome
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import lane_of, may_make
from robosite.people.zones import COOKIE, offered_zones, zone_here
from robosite.play import hot_seat
from robosite.play.decorators import Request, link_key, private
from robosite.play.drawings import BOARD, show, templates_of
from robosite.play.film import Step
from robosite.play.opponents import are_programs, offered
from robosite.play.plain_pages import plain_page
from robosite.web.http import own_cookie, set_own_cookie

FRIENDS = {"with": "link"}
"""The query of the link to a new match with friends. A form with only this query counts as not filled in."""
MOST_GAMES = 64
"""The maximum size of each cache in this module; larger than the number of games times languages."""
CHOICES_COOKIE = "chosen"
CHOICES_AGE = 366 * 24 * 3600
NOT_KEPT = ("csrfmiddlewaretoken", "game", "name", "here", "zone")
NOT_KEPT_KINDS = ("wish", "board")
MOST_FIELDS = 30
LONGEST = 40
"""The maximum length of a field's name or value; longer ones are not stored."""

Choices = dict[str, str]


@require_safe
@private
def new(request: Request, slug: str) -> HttpResponse:
    """The form for a new match, filled in from the query and from the browser's last choices for the game."""
    given = _last_choices(request).get(slug, {}) | request.GET.dict()
    guest = current_guest(request)
    friends = invitable(guest, slug) if guest else []
    if (given and given != FRIENDS) or friends:
        known = {"name": guest.name if guest else ""}
        form = NewMatchForm(given | known, checked=False, friends=friends)
        return _making(request, slug, form, given={} if given == FRIENDS else given)
    about = _About.reader(request, slug)
    return plain_page(
        request,
        "lobby/new.html",
        lambda name: _making_context(slug, NewMatchForm(initial={"name": name}), {}, about),
        about,
        settings.OPEN_TABLES,
    )


@require_POST
@unless_restricted(Action.PLAY)
@sent_once
def make(request: Request) -> HttpResponse:
    """Creates a match from the form, or shows the form again with its errors (status 422)."""
    known, slug = current_guest(request), request.POST.get("game", "")
    friends = invitable(known, slug) if known and request.POST.get("friend") else []
    form = NewMatchForm(request.POST, guest=known, friends=friends)
    if not form.is_valid():
        if slug not in GAMES:
            return render(request, "lobby/home.html", home_context(offered(None, list(GAMES))), status=422)
        return _making(request, slug, form, given=request.POST, status=422)
    data = form.cleaned_data
    may_make(request, bots=len(data.get("bots") or ()), matches=2 if data.get("series") == "pair" else 1)
    guest = welcome(request, data["name"])
    try:
        match, invite, here = _create(request, form, guest)
    except (RefusedName, flow.Refused) as refusal:  # the name was taken away meanwhile
        form.add_error("name" if isinstance(refusal, RefusedName) else None, str(refusal))
        return _making(request, slug, form, given=request.POST, status=422)
    taken = here[0]
    if len(here) > 1:
        hot_seat.take(request, taken.seat)
    invites = request.POST.get("with") == "program"
    response = redirect("invite-program", match.key, taken.seat.letter) if invites else redirect(taken.seat)
    links = {link_key(one.seat): one.secret for one in here}
    keep_links(request, response, links | {f"invite/{match.key}": invite})
    keep_choice(request, response, slug, request.POST.dict())
    return response


def _create(request: Request, form: NewMatchForm, guest: Guest) -> tuple[Match, str, list[flow.Taken]]:
    data, zone = form.cleaned_data, form.cleaned_data["zone"] or zone_here(request)
    times: dict[str, Any] = {
        "deadline_hours": data["hours"],
        "reserve_hours": data["reserve_hours"],
        "zone": zone,
    }
    if data["at_hour"]:
        times = form.hour_terms(zone)
    origin, flags = shares.origin_of(request), MatchFlag.KEPT_SEATS if data["kept"] else MatchFlag(0)
    with transaction.atomic(), ExitStack() as stack:
        if data["invited"]:
            before = stack.enter_context(flow.invited_from(data["invited"].seat))
            times |= {"rematch_of": before}
            flags |= _seat_as_invited(data["chosen"], data["invited"].seat, form.data)
            flags |= before.flags & MatchFlag.STRANGERS
        match, taken, invite = flow.create(
            data["game"],
            data["chosen"].options,
            data["seats"],
            data["name"] or name_here(request),
            wish=data["chosen"].wish,
            at=data["chosen"].at,
            listed=data["listed"],
            listed_from=origin.key if data["listed"] else "",
            late=data["late"],
            weekends_off=data["weekends"],
            watched=data["watched"] != "no",
            bots=data.get("bots"),
            flags=int(flags),
            series=first_series_entry(data.get("series", "")),
            guest=guest,
            lane=lane_of(request),
            **times,
        )
        if match.listed:
            listing.check_room(match, origin)
        return match, invite, [taken, *hot_seat.sit_down(match, invite, data["names"], guest)]


def _seat_as_invited(chosen: questions.Chosen, own: Seat, given: questions.Given) -> MatchFlag:
    """Decides the creator's seat in a match to which an opponent is invited; returns the flag for it.

    If the form asks for no seat, the two change seats.
    """
    other = next_seat(own.letter, 2)
    if not any(name.startswith("at-") for name in given):
        chosen.at = str(other)
    elif chosen.at == questions.LOT:
        chosen.at = SystemRandom().choice([own.letter, str(other)])
    return MatchFlag.SAME_SEATS if chosen.at == own.letter else MatchFlag(0)


@require_POST
@private
def draw_board(request: Request, slug: str) -> HttpResponse:
    """Handles a tap on the board drawn by hand; stores nothing. An htmx request gets only the drawing."""
    if not newest(slug).draws_boards:
        raise Http404
    if request.htmx:
        context = {**BOARD, "game": newest(slug), "drawn": templates_of(slug)}
        return render(request, "lobby/_own_board.html", context | _sketch(newest(slug), request.POST))
    form = NewMatchForm(request.POST, checked=False)
    return _making(request, slug, form, given=request.POST)


def _sketch(game: Game, given: questions.Given) -> dict[str, Any]:
    sketch = game.sketch(given) if given.get("board-own") else None
    if sketch is None:
        return {"draws_boards": game.draws_boards}
    frame = _first_frame(game, sketch.setup or {})
    return {"sketch": sketch, "sketch_frames": [frame], "mirrored": given.get("board-mirror")}


class _About(NamedTuple):
    """Data about the reader that the form for a new match depends on."""

    offered: str
    """The key of the bot that is offered as an opponent."""
    zone: str
    guess_zone: bool
    """A flag: True if the browser may fill in its own time zone, since no cookie has a time zone yet."""
    programs: bool
    """A flag: True if a program that somebody has written can be invited to this game."""

    @classmethod
    def reader(cls, request: Request, slug: str) -> _About:
        offers = offered(current_guest(request), [slug])
        return cls(offers[slug], zone_here(request), COOKIE not in request.COOKIES, are_programs(slug))


def _making(
    request: Request,
    slug: str,
    form: NewMatchForm,
    *,
    given: questions.Given,
    status: int = 200,
) -> HttpResponse:
    guest = current_guest(request)
    form.friends = form.friends or (invitable(guest, slug) if guest else [])
    context = _making_context(slug, form, given, _About.reader(request, slug))
    return render(request, "lobby/new.html", context, status=status)


def _making_context(slug: str, form: NewMatchForm, given: questions.Given, about: _About) -> dict[str, Any]:
    shown = show(slug)
    untouched = not given and not form.is_bound
    variants = _plain_variants(slug, get_language()) if untouched else questions.variants(shown.game, given)
    by_hand = questions.HAND in {answer.value for answer in questions.all_answers(variants)}
    return {
        **BOARD,
        "form": form,
        "by_hand": by_hand,
        "game": shown.game,
        "games": [show(one) for one in GAMES],
        "drawn": shown.drawn,
        "style": shown.style,
        "variants": variants,
        "untouched": f"new {slug}" if untouched else "",
        "offered": about.offered,
        "programs": about.programs,
        "zones": offered_zones(),
        "zone": form.data.get("zone") or about.zone,
        "open_tables": settings.OPEN_TABLES,
        "guess_zone": not form.data.get("zone") and about.guess_zone,
        "frames": [_opening(slug)] if by_hand and shown.is_drawn else [],
        **_sketch(shown.game, given),
    }


@lru_cache(MOST_GAMES)
def _plain_variants(slug: str, language: str | None) -> questions.Question:
    return questions.variants(newest(slug), {})


@lru_cache(MOST_GAMES)
def _opening(slug: str) -> Step:
    return _first_frame(newest(slug), {})


def _first_frame(game: Game, wish: dict[str, Any]) -> Step:
    options = game.read_options({})
    seats = game.seats(options)[0]
    state = game.state.start(options, seats, game.draw(options, seats, Random(0), wish)).view(None)
    return Step.still(state)


def keep_choice(request: HttpRequest, response: HttpResponse, slug: str, sent: Mapping[str, str]) -> None:
    """Stores in the cookie the form fields (`sent`) from which a match of the game `slug` was created."""
    choices = {
        name: value
        for name, value in sent.items()
        if value and name not in NOT_KEPT and name.partition("-")[0] not in NOT_KEPT_KINDS
        if len(name) <= LONGEST and len(value) <= LONGEST
    }
    chosen = {**_last_choices(request), slug: dict(list(choices.items())[:MOST_FIELDS])}
    value = signing.dumps(chosen, salt=CHOICES_COOKIE, compress=True)
    set_own_cookie(request, response, CHOICES_COOKIE, value, CHOICES_AGE)


def _last_choices(request: HttpRequest) -> dict[str, Choices]:
    try:
        value = request.COOKIES.get(own_cookie(request, CHOICES_COOKIE), "")
        by_game = signing.loads(value, salt=CHOICES_COOKIE)
    except signing.BadSignature:
        return {}
    return {slug: choices for slug, choices in by_game.items() if slug in GAMES}

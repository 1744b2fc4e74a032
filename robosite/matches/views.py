"""The pages of a match: one's seat and its deeds, watching, the record, the rules."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from random import SystemRandom

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from games.core import SEATS, IllegalOption, IllegalOrder
from robosite.matches import flow, hotseat, page, starting, takeback, whatif
from robosite.matches.answers import again, answer, planner_context
from robosite.matches.asked import (
    Request,
    View,
    go,
    number,
    own_seat,
    private,
    public_page,
    seat_page,
    secret,
)
from robosite.matches.drawings import style_of, templates_of
from robosite.matches.history import state_of
from robosite.matches.links import keep_links, kept_as
from robosite.matches.mine import waits_here
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.records import record_of
from robosite.people.bars import Deed, not_if_barred
from robosite.people.here import guest_here, may_make
from robosite.people.names import RefusedName
from robosite.words import told


@public_page
def watch(request: Request, match: Match) -> HttpResponse:
    """The public page: what a spectator may see, and where those who share a device look together."""
    guest = guest_here(request)
    mine = hotseat.held(guest, match)
    if len(mine) > 1 and request.method == "GET":
        Hold.objects.filter(guest=guest, seat__in=mine).update(seen_turn=match.turn)
    return answer(request, match, None, {"mine": mine})


@require_safe
@seat_page
@secret
def seat(request: Request, seat: Seat) -> HttpResponse:
    return answer(request, seat.match, seat)


@require_POST
@seat_page
@secret
def plan(request: Request, seat: Seat) -> HttpResponse:
    """A tap of the planner, a typed program, or the big button: each keeps the draft first.

    Who tapped the board (`?board`) and has no JavaScript comes back to it. What is guessed of others comes
    and goes with the form (`whatif`), and is kept nowhere.
    """
    match, post = seat.match, request.POST
    turn, line = number(post.get("turn")), _line(request)
    text = flow.draft_of(match, seat)
    guesses, error = whatif.NONE, ""
    try:
        if turn == match.turn:
            guesses = whatif.read(state_of(match).view(seat.at), seat.at, post)
        if "typed" in post and ("use" in post or post["typed"].strip() not in ("", text)):
            text = post["typed"] if "seal" in post else _readable(match, seat, post["typed"])
        if "choose" in post:
            text = page.show_plan(state_of(match), seat, text).choose(post["choose"], SystemRandom())
        if "seal" in post:
            made = page.show_plan(state_of(match), seat, text)
            text = text if text and made.missing else made.order  # a whole plan without its marks
            flow.seal(seat, turn, text, taken_back=line)
            return again(request, seat)
        if not whatif.is_about(post):
            flow.draft(seat, turn, text, post.get("tab", ""), taken_back=line)
    except (IllegalOrder, flow.Refused) as refusal:
        error = told(refusal.sentence)
        if isinstance(refusal, IllegalOrder) and "seal" in post:
            _keep(seat, turn, text, post.get("tab", ""), line)
    if not request.htmx and not error and not guesses.orders:
        return redirect(f"{seat.get_absolute_url()}#{'board' if 'board' in request.GET else 'planner'}")
    seat.refresh_from_db()
    typed, step = post.get("typed", "") if error else "", number(post.get("step"))
    if request.htmx and not error and match.turn == turn and ("choose" in post or whatif.is_about(post)):
        thrown = "sheet" in post and not guesses.orders
        context = planner_context(flow.standing(match), seat, text, guesses, step, thrown)
        return render(request, "matches/_planner.html", context)
    more = {"error": error, "typed": typed, "guesses": guesses, "step": step}
    return answer(request, match, seat, more, 422 if error else 200)


def _readable(match: Match, seat: Seat, typed: str) -> str:
    """What was typed, if the game can read it; else IllegalOrder, so that it does not replace the draft."""
    state = state_of(match)
    plan, empty = page.show_plan(state, seat, typed), page.show_plan(state, seat, "")
    if typed.strip() and plan.order == empty.order and plan.missing and plan.missing != empty.missing:
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed


def _line(request: Request) -> int | None:
    """How many turns were taken back when the page was made, None if it does not say so."""
    given = request.POST.get("taken_back")
    return None if given is None else number(given)


def _keep(seat: Seat, turn: int, text: str, tab: str, line: int | None) -> None:
    """Keeps as a draft what could not be sealed: refused input loses nothing."""
    with suppress(flow.Refused, IllegalOrder):
        flow.draft(seat, turn, _readable(seat.match, seat, text), tab, taken_back=line)


def deed(does: Callable[[Request, Seat], None]) -> View:
    """A button of the seat page that changes the match: done, then the page again; refused in words."""

    @require_POST
    @seat_page
    @secret
    @wraps(does)
    def view(request: Request, seat: Seat) -> HttpResponse:
        try:
            does(request, seat)
        except flow.Refused as refusal:
            return answer(request, seat.match, seat, {"error": str(refusal)}, 409)
        return again(request, seat)

    return view


@require_POST
@own_seat
@secret
def here(request: Request, seat: Seat) -> HttpResponse:
    """Who sits there has the device in hand now: the curtain is lifted."""
    hotseat.take(request, seat)
    return redirect(seat)


@deed
def start(request: Request, seat: Seat) -> None:
    starting.start_with_fewer(seat)


@deed
def reopen(request: Request, seat: Seat) -> None:
    flow.reopen(seat, number(request.POST.get("turn")))


@deed
def resign(request: Request, seat: Seat) -> None:
    flow.resign(seat)


@deed
def draw(request: Request, seat: Seat) -> None:
    _offer(request, seat, flow.Ending.DRAW)


@deed
def call_off(request: Request, seat: Seat) -> None:
    _offer(request, seat, flow.Ending.OFF)


def _offer(request: Request, seat: Seat, ending: flow.Ending) -> None:
    """`offer` is 1 to offer or to accept, 0 to take it back, "no" to decline."""
    offer = request.POST.get("offer")
    if offer == "no":
        flow.decline_ending(seat, ending)
    else:
        flow.offer_ending(seat, ending, offer != "0")


@deed
def take_back(request: Request, seat: Seat) -> None:
    turn, line = number(request.POST.get("turn")), _line(request)
    line = seat.match.taken_back if line is None else line
    match request.POST.get("do"):
        case "ask":
            takeback.ask(seat, turn, line)
        case "withdraw":
            takeback.withdraw(seat, turn, line)
        case "accept":
            takeback.answer(seat, turn, line, accept=True)
        case _:
            takeback.answer(seat, turn, line, accept=False)


@deed
def claim(request: Request, seat: Seat) -> None:
    at = request.POST.get("seat", "")
    flow.claim(seat, get_object_or_404(Seat, match=seat.match, letter=at if at in SEATS else ""))


@require_POST
@seat_page
@secret
def leave(request: Request, seat: Seat) -> HttpResponse:
    try:
        if "all" in request.POST:
            flow.call_off(seat)
        else:
            flow.leave(seat)
    except flow.Refused as refusal:
        return answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    return go(request, reverse("my-games"))


@require_POST
@not_if_barred(Deed.PLAY)
@seat_page
@secret
def rematch(request: Request, seat: Seat) -> HttpResponse:
    """The same people again, sides changed: the first to ask makes the match, the others sit down in it."""
    guest = guest_here(request)
    assert guest
    may_make(request)
    try:
        made = flow.rematch(seat.match, seat, guest)
        if made is None:
            after = Match.objects.get(rematch_of=seat.match)
            own = Hold.objects.filter(seat__match=after, guest=guest).select_related("seat__match").first()
            if own:
                return go(request, own.seat.get_absolute_url())
            taken = flow.rejoin(after, seat, guest)
            links: dict[str, str] = {}
        else:
            after, taken, _invite = made  # nobody needs it: the others' seats are kept for them
            links = {}
        for one in (taken, *hotseat.rejoin(after, seat, guest)):
            links[kept_as(one.seat)] = one.secret
    except IllegalOption as refusal:
        return answer(request, seat.match, seat, {"error": told(refusal.sentence)}, 409)
    except (flow.Refused, RefusedName) as refusal:
        return answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    response = go(request, taken.seat.get_absolute_url())
    keep_links(request, response, links)
    return response


@public_page
def version(request: Request, match: Match) -> JsonResponse:
    """What pages ask when their socket fails, and when somebody comes back to them."""
    return JsonResponse({"version": match.version, **waits_here(request)})


@public_page
def record(request: Request, match: Match) -> HttpResponse:
    """The record of all revealed turns, to keep and to check with `manage.py replay`."""
    try:
        data = record_of(match)
    except flow.Refused as refusal:
        return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")
    response = JsonResponse(data, json_dumps_params={"indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{match.game_slug}-{match.key}.json"'
    return response


@require_safe
@private
def rules(request: Request, slug: str) -> HttpResponse:
    if slug not in GAMES:
        raise Http404
    drawn = templates_of(slug)
    return render(request, drawn["rules"], {"game": newest(slug), "drawn": drawn, "style": style_of(slug)})

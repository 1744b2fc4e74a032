"""The views of a match, such as a seat's page and its buttons, the public page, the record and the rules."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from games import GAMES, newest
from games.core import SEATS, IllegalOption, IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import listing, series, signs, takeback
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, MatchFlag, Seat
from robosite.matches.records import record_text
from robosite.people import offline
from robosite.people.browser_links import keep_links
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestFlag
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import lane_of, may_make
from robosite.play import first_round, hot_seat, planning, shared_pages, what_if
from robosite.play.decorators import (
    Request,
    View,
    go,
    link_key,
    number,
    own_seat,
    private,
    public_page,
    seat_page,
    secret,
)
from robosite.play.drawings import style_of, templates_of
from robosite.play.match_context import again, menu_of, names_of, planner_of, respond
from robosite.play.page_state import Tried
from robosite.play.plain_pages import plain_page
from robosite.play.planner_form import PlanChanged, PlannerForm, Reading, taken_back
from robosite.play.waiting import match_behind, waits_here
from robosite.web import limits
from robosite.web.sentences import render_sentence

INDENTED = partial(json.dumps, indent=1)
"""The serializer of a downloaded record; a single object, since it is part of the cache key."""


@public_page
@vary_on_headers("HX-Request", "HX-Target")
def watch(request: Request, match: Match) -> HttpResponse:
    """The public page of a match, or a fragment; redirects a player to their own page, unless `?public`."""
    guest = current_guest(request)
    if guest is None:
        return shared_pages.shared(request, match, lambda: respond(request, match, None))
    mine = hot_seat.held(guest, match)
    if len(mine) == 1 and not request.htmx and "public" not in request.GET:
        query = request.META["QUERY_STRING"]
        return redirect(f"{mine[0].get_absolute_url()}{'?' if query else ''}{query}")
    if len(mine) > 1 and request.method == "GET":
        Hold.every.filter(guest=guest, seat__in=mine).update(seen_turn=match.turn)
    response = respond(request, match, None, mine=mine)
    return offline.mark(response, shared=True) if mine[1:] else response


@require_safe
@seat_page
@secret
def seat(request: Request, seat: Seat) -> HttpResponse:
    return offline.mark(respond(request, seat.match, seat), shared=False)


@require_POST
@seat_page
@secret
def plan(request: Request, seat: Seat) -> HttpResponse:
    """Handles the planner's form: changes and stores the draft (unfinished order), or seals the order.

    Guesses of others' orders are applied, too, but not stored (`what_if`). Taps that are in the draft already
    are skipped; the header Robosite-Taps tells htmx which are (`Reading.taps_header`).
    """
    form = PlannerForm(seat, request.POST)
    if form.seals or what_if.is_about(request.POST):
        standing, reading = None, form.read(seat.match, flow.kept_draft(seat.match, seat))
    else:
        standing, reading = form.keep()
        playing = standing.match if standing and standing.match.status == Match.Status.PLAYING else None
        keeps_bubbles = request.htmx and playing and playing.game.keeps_bubbles(playing.turn)
        if not reading.refusal and not keeps_bubbles:
            first_round.note_introduced(seat, current_guest(request))
    order = form.whole_order(reading) if form.seals and not reading.refusal else None
    if order is not None:
        first_round.note_introduced(seat, current_guest(request))
        reading = _seal(request, seat, form, reading, order)
    if form.seals and (_is_done(seat, reading, order) or form.was_played()):
        response = again(request, seat)
    else:
        response = _planned(request, seat, form, reading, standing=standing)
    if request.htmx:
        response[planning.TAPS_HEADER] = reading.taps_header
    return response


def _seal(request: Request, seat: Seat, form: PlannerForm, reading: Reading, order: str) -> Reading:
    """Seals the order and returns `reading`, with any refusal; a readable illegal order becomes the draft."""
    shows = bool(request.htmx) and "at" not in request.GET
    shown_to = request.hold if shows else None
    try:
        receipt = flow.seal(seat, form.turn, order, taken_back=form.taken_back, shown_to=shown_to)
    except IllegalOrder as refusal:
        draft = form.keep_refused(order)
        return replace(reading, text=order if draft.refusal else draft.text, refusal=refusal)
    except flow.Refused as refusal:
        return replace(reading, refusal=refusal)
    request.noted = seat.match.turn if shows and receipt.revealed else 0
    return reading


def _is_done(seat: Seat, reading: Reading, order: str | None) -> bool:
    if isinstance(reading.refusal, PlanChanged):
        return flow.order_of(seat.match, seat) is not None
    return order is not None and not reading.refusal


def _planned(
    request: Request, seat: Seat, form: PlannerForm, reading: Reading, *, standing: flow.Standing | None
) -> HttpResponse:
    """The response to a form of the planner with which no order was sealed.

    A tap, a guess or an incomplete order gets the planner alone, if htmx asks for it in the present turn and
    nothing is wrong; else htmx gets the live part. Without htmx, it is the seat's page where there is
    something to say or to undo, else a redirect.
    """
    post, match = request.POST, seat.match
    unfinished = form.seals and not reading.refusal
    stale = isinstance(reading.refusal, PlanChanged) and bool(request.htmx) and not form.seals
    error = render_sentence(reading.refusal.sentence) if reading.refusal and not stale else ""
    changes_little = not reading.guesses.orders and reading.former is None
    if not request.htmx and not error and not unfinished and changes_little:
        return redirect(f"{seat.get_absolute_url()}#{'board' if 'board' in request.GET else 'planner'}")
    if standing is None:
        flow.confirm_seat(seat)
    restored = form.restored is not None
    tapped = "choose" in post or restored or what_if.is_about(post) or unfinished or stale
    standing = standing or flow.standing_of(match)
    here = match.turn == form.turn and seat.at in standing.owing
    tried = Tried(
        error=error,
        refused=unfinished,
        former=reading.former,
        typed=form.typed if error else "",
        guesses=reading.guesses,
        step=number(post.get("step")),
    )
    if request.htmx and not error and here and tapped:
        thrown = "sheet" in post and not reading.guesses.orders
        planner = planner_of(standing, seat, reading.text, tried, stale=stale, thrown=thrown)
        return render(request, "play/_planner.html", planner.context())
    return respond(request, match, seat, tried, status=422 if error or unfinished else 200)


SeatAction = Callable[..., None]


def action_view(does: SeatAction, spot: str = "") -> View:
    """Decorator that turns a function, which changes a match for a seat, into a POST view.

    The response is the seat's page, at the element with the ID `spot`; if Refused, with the reason (409).
    """

    @require_POST
    @sent_once
    @seat_page
    @secret
    @wraps(does)
    def view(request: Request, seat: Seat, **more: Any) -> HttpResponse:
        try:
            does(request, seat, **more)
        except flow.Refused as refusal:
            return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
        response = again(request, seat)
        if spot and response.get("Location") == seat.get_absolute_url():
            response["Location"] += f"#{spot}"
        response.leads_to = seat.get_absolute_url()  # type: ignore[attr-defined]
        return response

    return view


@require_POST
@own_seat
@secret
def mark_present(request: Request, seat: Seat) -> HttpResponse:
    """Records that this seat's player has the shared device now, so that the seat's page is shown again."""
    hot_seat.take(request, seat)
    return redirect(seat)


@require_http_methods(["GET", "HEAD", "POST"])
@seat_page
@secret
@unless_restricted(Action.SAY)
def react(request: Request, seat: Seat) -> HttpResponse:
    """Stores the player's reaction to a step; a GET only offers the signs. Htmx gets the reactions."""
    sends = request.method == "POST"
    given = request.POST if sends else request.GET
    turn, step, sign = number(given.get("turn")), number(given.get("step")), given.get("sign", "")
    if sends:
        limits.take(("talk", f"seat {seat.pk}"))
        try:
            signs.react(seat, turn - 1, step, sign if sign in signs.REACTIONS else "")
        except flow.Refused as refusal:
            return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
    if not request.htmx:
        return redirect(f"{seat.get_absolute_url()}?at={turn}.{step}{'' if sends else '&react'}#film")
    names = names_of(flow.standing_of(seat.match))
    shown = {"match": seat.match, "seat": seat, "names": names, "number": turn, "step": step}
    return render(request, "play/_reactions.html", {**shown, "reacts": not sends})


@require_POST
@seat_page
@secret
def put_bubbles_away(request: Request, seat: Seat) -> HttpResponse:
    first_round.note_introduced(seat, current_guest(request))
    return HttpResponse() if request.htmx else redirect(seat)


@action_view
def start(request: Request, seat: Seat) -> None:
    listing.start_with_fewer(seat)


@action_view
def reopen(request: Request, seat: Seat) -> None:
    flow.reopen(seat, number(request.POST.get("turn")), taken_back=taken_back(request.POST))


@action_view
def resign(request: Request, seat: Seat) -> None:
    turn = seat.match.turn
    flow.resign(seat)
    match = Match.objects.get(pk=seat.match_id)
    if match.status == Match.Status.OVER and request.hold.seen_turn >= turn:  # they know the end
        flow.note_seen(request.hold, match.turn)


@action_view
def offer_ending(request: Request, seat: Seat, ending: flow.Ending) -> None:
    """Handles `offer`: "no" declines others', "0" withdraws one's own, else it offers or accepts."""
    offer = request.POST.get("offer")
    if offer == "no":
        flow.decline_ending(seat, ending)
    else:
        flow.offer_ending(seat, ending, offer != "0")


@action_view
def take_back(request: Request, seat: Seat) -> None:
    turn = number(request.POST.get("turn"))
    before = taken_back(request.POST)
    before = seat.match.taken_back if before is None else before
    match request.POST.get("do"):
        case "ask":
            takeback.ask(seat, turn, before)
        case "withdraw":
            takeback.withdraw(seat, turn, before)
        case "accept":
            takeback.answer_takeback(seat, turn, before, accept=True)
        case _:
            takeback.answer_takeback(seat, turn, before, accept=False)


@action_view
def claim(request: Request, seat: Seat) -> None:
    at = request.POST.get("seat", "")
    flow.claim(seat, get_object_or_404(Seat, match=seat.match, letter=at if at in SEATS else ""))


@action_view
def put_out(request: Request, seat: Seat) -> None:
    listing.put_out(seat, request.POST.get("seat", ""))


@require_POST
@sent_once
@seat_page
@secret
def leave(request: Request, seat: Seat) -> HttpResponse:
    """Gives up a seat before the match begins; with `all` in the form, its creator calls the match off."""
    try:
        if "all" in request.POST:
            flow.cancel_before_start(seat)
        else:
            flow.leave(seat)
    except flow.Refused as refusal:
        return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
    return go(request, reverse("my-games"))


@require_POST
@unless_restricted(Action.PLAY)
@seat_page
@secret
@sent_once
def rematch(request: Request, seat: Seat) -> HttpResponse:
    """Creates a rematch, in `another` game or with sides changed, or sits down in the one there is."""
    slug = request.POST.get("another", "")
    another = newest(slug) if slug in GAMES and slug != seat.match.game_slug else None
    guest = current_guest(request)
    assert guest
    bots = seat.match.seats.filter(kind=Seat.Kind.BOT).count()
    may_make(request, bots=bots, matches=series.matches_created_by_rematch(seat.match))
    try:
        decides = MatchFlag.DECIDER if seat.match.is_binding and not another else 0
        following = flow.rematch(
            seat.match, seat, guest, lane_of(request), another=another, more_flags=decides
        )
        if following is None and another:
            raise flow.Refused("This match already has a rematch. Look at that one first.")
        if following is None:
            after = Match.objects.get(rematch_of=seat.match)
            own = Hold.objects.filter(seat__match=after, guest=guest).select_related("seat__match").first()
            if own:
                return go(request, own.seat.get_absolute_url())
            taken = flow.rejoin(after, seat, guest)
        else:
            after, taken, _invite = following  # the invite is not needed: the others' seats are reserved
        others = hot_seat.rejoin(after, seat, guest) if after.status == Match.Status.OPEN else []
    except IllegalOption as refusal:
        return respond(request, seat.match, seat, Tried(error=render_sentence(refusal.sentence)), status=409)
    except (flow.Refused, RefusedName) as refusal:
        return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
    links = {link_key(one.seat): one.secret for one in (taken, *others)}
    return keep_links(request, go(request, taken.seat.get_absolute_url()), links)


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
    """The menu (⋯), a page that htmx shows in a dialog."""
    name = "play/_menu.html" if request.htmx else "play/menu.html"
    return render(request, name, menu_of(request, match, seat).context())


@require_POST
def presence(request: HttpRequest) -> HttpResponse:
    """Stores whether others may see that the guest has a match's page open; open pages apply it at once."""
    guest = current_guest(request)
    if guest is None:
        return redirect("me")
    shown = bool(request.POST.get("shown"))
    guest.set_flag(GuestFlag.UNSEEN, on=not shown)
    push.shown(guest.pk, shown=shown)
    return redirect(reverse("me") + "?settings=1&said=presence")


@public_page
def version(request: Request, match: Match) -> JsonResponse:
    """The match's version and, for a guest, the number of matches that wait for them, as JSON."""
    return JsonResponse({"version": match.version, **waits_here(request)})


@public_page
def record(request: Request, match: Match) -> HttpResponse:
    """The match's record (all revealed turns, JSON) as a download that `manage.py replay` can check."""
    try:
        text = record_text(match, INDENTED)
    except flow.Refused as refusal:
        return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")
    response = HttpResponse(text.text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{match.game_slug}-{match.key}.json"'
    return response


@require_safe
@private
def rules(request: Request, slug: str) -> HttpResponse:
    drawn = templates_of(slug)
    return plain_page(
        request,
        drawn["rules"],
        lambda _name: {
            "game": newest(slug),
            "drawn": drawn,
            "style": style_of(slug),
            "here": match_behind(request, slug),
        },
    )

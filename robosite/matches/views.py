"""The pages of a match: the invite, one's seat, watching."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from io import BytesIO
from random import SystemRandom
from typing import Any
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from games.core import SEATS, IllegalOption, IllegalOrder
from games.core import Seat as Letter
from robosite.matches import flow, page
from robosite.matches.asked import Request, private, secret
from robosite.matches.drawings import style_of, templates_of
from robosite.matches.forms import NameForm
from robosite.matches.history import state_of
from robosite.matches.links import keep_links, kept_as, own_links
from robosite.matches.models import Hold, Match, Seat, hash_secret
from robosite.matches.records import record_of
from robosite.people.here import guest_here, welcome
from robosite.people.names import RefusedName

View = Callable[..., HttpResponseBase]


# Secret links. Opening one changes nothing that anybody chose; taking what it offers is a POST.


@require_safe
@secret
def invited(request: Request, secret: str) -> HttpResponse:
    match = _invited_to(secret)
    return _invite_page(request, match, secret, _name_form(request))


def _invited_to(secret: str) -> Match:
    return flow.look(get_object_or_404(Match, invite_hash=hash_secret(secret)))


def _name_form(request: Request) -> NameForm:
    guest = guest_here(request)
    return NameForm(initial={"name": guest.name if guest else ""})


def _invite_page(
    request: Request, match: Match, secret: str, form: NameForm, status: int = 200
) -> HttpResponse:
    guest = guest_here(request)
    seats = list(match.seats.all())
    context = {
        "match": match,
        "secret": secret,
        "form": form,
        "seats": seats,
        "host": next((seat for seat in seats if seat.host), None),
        "mine": [seat for seat in seats if guest and Hold.objects.filter(seat=seat, guest=guest).exists()],
    }
    return render(request, "matches/invite.html", context, status=status)


@require_POST
@secret
def accept(request: Request, secret: str) -> HttpResponse:
    match = _invited_to(secret)
    others = tuple(seat.name for seat in match.seats.all() if seat.taken)
    form = NameForm(request.POST, others=others)
    if not form.is_valid():
        return _invite_page(request, match, secret, form, 422)
    guest = welcome(request, form.cleaned_data["name"])
    try:
        taken = flow.join(match, form.cleaned_data["name"], invite=secret, guest=guest)
    except (flow.Refused, RefusedName) as refusal:
        form.add_error(None, str(refusal))
        return _invite_page(request, match, secret, form, 409)
    return _seated(request, taken)


@require_POST
def opened(request: Request, secret: str) -> HttpResponse:
    """The invite page, open in a browser, says so; a preview or a mail scanner does not."""
    guest = guest_here(request)
    match = _invited_to(secret)
    if not (guest and Hold.objects.filter(seat__match=match, guest=guest).exists()):
        flow.note_opened(match, guest.name if guest else "")
    return HttpResponse(status=204)


@require_safe
@secret
def seat_link(request: Request, secret: str) -> HttpResponse:
    seat = get_object_or_404(Seat.objects.select_related("match"), link_hash=hash_secret(secret))
    return render(request, "matches/seat_link.html", {"seat": seat, "match": seat.match, "secret": secret})


@require_POST
@secret
def take_seat(request: Request, secret: str) -> HttpResponse:
    seat = get_object_or_404(Seat.objects.select_related("match"), link_hash=hash_secret(secret))
    guest = guest_here(request)
    guest = welcome(request, guest.name if guest and guest.name else seat.name)
    Hold.objects.get_or_create(seat=seat, guest=guest, defaults={"seen_turn": max(seat.match.turn - 1, 0)})
    return _seated(request, flow.Taken(seat, secret))


def _seated(request: Request, taken: flow.Taken) -> HttpResponse:
    response = redirect(f"{taken.seat.get_absolute_url()}?sat")
    keep_links(request, response, {kept_as(taken.seat): taken.secret})
    return response


# The page of a match


@require_safe
@private
def watch(request: Request, key: str) -> HttpResponse:
    """The public page: what a spectator may see."""
    match = flow.look(_match(key))
    guest = guest_here(request)
    mine = (
        [hold.seat for hold in guest.holds.filter(seat__match=match).select_related("seat")] if guest else []
    )
    return _answer(request, match, None, {"mine": mine})


def seat_page(view: View) -> View:
    """A view of one's own seat: gets the seat if this browser holds it, else 403 with the way back."""

    @wraps(view)
    def with_seat(request: Request, key: str, letter: str, **more: Any) -> HttpResponseBase:
        guest = guest_here(request)
        own = Hold.objects.filter(guest=guest, seat__match__key=key, seat__letter=letter)
        hold = own.select_related("seat__match").first() if guest else None
        if hold is None:
            match = flow.look(_match(key))
            context = {"match": match, "seat": get_object_or_404(Seat, match=match, letter=letter)}
            return private(render)(request, "matches/not_yours.html", context, status=403)
        flow.look(hold.seat.match)
        request.hold = hold
        return view(request, hold.seat, **more)

    return with_seat


@require_safe
@seat_page
@secret
def seat(request: Request, seat: Seat) -> HttpResponse:
    return _answer(request, seat.match, seat)


@require_POST
@seat_page
@secret
def plan(request: Request, seat: Seat) -> HttpResponse:
    """A tap of the planner, a typed program, or the big button: each keeps the draft first."""
    match, post = seat.match, request.POST
    turn = _number(post.get("turn"))
    text = flow.draft_of(match, seat)
    error = ""
    try:
        if "typed" in post and ("use" in post or post["typed"].strip() not in ("", text)):
            text = post["typed"] if "seal" in post else _readable(match, seat, post["typed"])
        if "choose" in post:
            text = page.show_plan(state_of(match), seat, text).choose(post["choose"], SystemRandom())
        if "seal" in post:
            text = text or page.show_plan(state_of(match), seat, text).order
            flow.seal(seat, turn, text)
            return _again(request, seat)
        flow.draft(seat, turn, text, post.get("tab", ""))
    except (IllegalOrder, flow.Refused) as refusal:
        error = str(refusal)
        if isinstance(refusal, IllegalOrder) and "seal" in post:
            _keep(seat, turn, text, post.get("tab", ""))
    if not request.htmx and not error:
        return redirect(f"{seat.get_absolute_url()}#planner")
    seat.refresh_from_db()
    typed = post.get("typed", "") if error else ""
    if "choose" in post and request.htmx and not error and match.turn == turn:
        return render(request, "matches/_planner.html", _planner_context(flow.standing(match), seat, text))
    return _answer(request, match, seat, {"error": error, "typed": typed}, 422 if error else 200)


def _readable(match: Match, seat: Seat, typed: str) -> str:
    """What was typed, if the game can read it; else IllegalOrder, so that it does not replace the draft."""
    state = state_of(match)
    plan, empty = page.show_plan(state, seat, typed), page.show_plan(state, seat, "")
    if typed.strip() and plan.order == empty.order and plan.missing and plan.missing != empty.missing:
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed


def _keep(seat: Seat, turn: int, text: str, tab: str) -> None:
    """Keeps as a draft what could not be sealed: refused input loses nothing."""
    with suppress(flow.Refused, IllegalOrder):
        flow.draft(seat, turn, _readable(seat.match, seat, text), tab)


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
            return _answer(request, seat.match, seat, {"error": str(refusal)}, 409)
        return _again(request, seat)

    return view


@deed
def reopen(request: Request, seat: Seat) -> None:
    flow.reopen(seat, _number(request.POST.get("turn")))


@deed
def resign(request: Request, seat: Seat) -> None:
    flow.resign(seat)


@deed
def draw(request: Request, seat: Seat) -> None:
    flow.offer_draw(seat, request.POST.get("offer") != "0")


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
        return _answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    return _go(request, reverse("my-games"))


@require_POST
@seat_page
@secret
def new_link(request: Request, seat: Seat) -> HttpResponse:
    guest = guest_here(request)
    assert guest
    made = flow.new_link(seat, guest)
    response = _go(request, f"{seat.get_absolute_url()}#own-link")
    keep_links(request, response, {kept_as(seat): made})
    return response


@require_POST
@seat_page
@secret
def new_invite(request: Request, seat: Seat) -> HttpResponse:
    try:
        made = flow.new_invite(seat)
    except flow.Refused as refusal:
        return _answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    response = _go(request, f"{seat.get_absolute_url()}#invite")
    keep_links(request, response, {f"invite/{seat.match.key}": made})
    return response


@require_POST
@seat_page
@secret
def rematch(request: Request, seat: Seat) -> HttpResponse:
    """The same people again, sides changed: the first to ask makes the match, the others sit down in it."""
    guest = guest_here(request)
    assert guest
    try:
        made = flow.rematch(seat.match, seat, guest)
        if made is None:
            after = Match.objects.get(rematch_of=seat.match)
            own = Hold.objects.filter(seat__match=after, guest=guest).select_related("seat__match").first()
            if own:
                return _go(request, own.seat.get_absolute_url())
            taken = flow.rejoin(after, seat, guest)
            links = {kept_as(taken.seat): taken.secret}
        else:
            match, taken, invite = made
            links = {kept_as(taken.seat): taken.secret, f"invite/{match.key}": invite}
    except (flow.Refused, RefusedName, IllegalOption) as refusal:
        return _answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    response = _go(request, taken.seat.get_absolute_url())
    keep_links(request, response, links)
    return response


@require_safe
@seat_page
@secret
def qr(request: Request, seat: Seat, what: str) -> HttpResponse:
    """One of this browser's own links as a QR code: the invite, or the seat's own."""
    view, kept = ("invite", f"invite/{seat.match.key}") if what == "invite" else ("seat-link", kept_as(seat))
    link = own_links(request).get(kept)
    if link is None:
        raise Http404
    drawing = BytesIO()
    code = segno.make(_absolute(request, reverse(view, args=[link])), error="m")
    code.save(drawing, kind="svg", xmldecl=False, border=2, scale=6, light="#fff")
    return HttpResponse(drawing.getvalue(), content_type="image/svg+xml")


@require_safe
@private
def version(request: Request, key: str) -> JsonResponse:
    """What pages ask when their socket fails."""
    return JsonResponse({"version": flow.look(_match(key)).version})


@require_safe
@private
def record(request: Request, key: str) -> HttpResponse:
    """The record of all revealed turns, to keep and to check with `manage.py replay`."""
    match = flow.look(_match(key))
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


def _match(key: str) -> Match:
    return get_object_or_404(Match, key=key)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else -1


def _go(request: Request, to: str) -> HttpResponse:
    """On to another page, also for a request that htmx made."""
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Redirect"] = to
        return response
    return redirect(to)


def _again(request: Request, seat: Seat) -> HttpResponse:
    """The seat's page after something was done: for htmx the live part, else by way of a redirect."""
    if not request.htmx:
        return redirect(seat)
    seat.refresh_from_db()
    return _answer(request, Match.objects.get(pk=seat.match_id), seat)


def _answer(
    request: Request,
    match: Match,
    seat: Seat | None,
    more: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page, or for htmx its live part only; htmx gets 200 where it is to show what was refused."""
    context = _context(request, match, seat, more or {})
    if request.htmx:
        response = render(request, "matches/_live.html", context)
        response["HX-Retarget"], response["HX-Reswap"] = "#live", "outerHTML"
        return response
    return render(request, "matches/page.html", context, status=status)


def _context(request: Request, match: Match, seat: Seat | None, more: dict[str, Any]) -> dict[str, Any]:
    now = flow.standing(match)
    names = _names(now)
    viewer = seat.at if seat else None
    turn, at = _asked_step(request, match)
    fresh = seat is not None and turn is None and _has_news(request, match)
    film = page.show_film(
        match, viewer, names, match.turn - 1 if turn is None else turn, 0 if fresh and at is None else at
    )
    players = page.show_players(now, seat)
    context: dict[str, Any] = {
        "match": match,
        "game": match.game,
        "seat": seat,
        "you": viewer,
        "names": names,
        "players": players,
        "others": [player for player in players if player.seat.taken and not player.you],
        "film": film,
        "frames": film.steps,
        "fresh": fresh,
        "past": turn is not None and turn != match.turn - 1,
        "owing": now.owing,
        "in_turn": len(now.state.to_act()) == 1,
        "result": page.result(match, names),
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
        "error": "",
        **more,
    }
    if match.status not in flow.GOING_ON:
        context["rematch"] = Match.objects.filter(rematch_of=match).first()
    if seat:
        context |= _own_context(request, now, seat)
    context["waits"] = match.status in flow.GOING_ON and not context.get("may_plan")
    return context


def _own_context(request: Request, now: flow.Standing, seat: Seat) -> dict[str, Any]:
    """What only this seat sees: its program, its links, its buttons."""
    match, links = now.match, own_links(request)
    text = flow.draft_of(match, seat, now)
    receipt = flow.order_of(match, seat, now) if match.status in flow.GOING_ON else None
    may_plan = seat.at in now.owing
    invite = links.get(f"invite/{match.key}") if seat.host and match.status == Match.Status.OPEN else None
    own_link = links.get(kept_as(seat))
    return {
        "receipt": receipt,
        "may_plan": may_plan,
        "draft": text,
        "draws": flow.standing_draw(seat, match),
        "claimable": now.claimable(seat.at),
        "invite": invite and _absolute(request, reverse("invite", args=[invite])),
        "own_link": own_link and _absolute(request, reverse("seat-link", args=[own_link])),
        "local": _only_here(request),
        "sat": "sat" in request.GET,
        **(_plan_context(now, seat, receipt.order if receipt else text) if receipt or may_plan else {}),
    }


def _plan_context(now: flow.Standing, seat: Seat, text: str) -> dict[str, Any]:
    plan = page.show_plan(now.state, seat, text)
    return {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}


def _planner_context(now: flow.Standing, seat: Seat, text: str) -> dict[str, Any]:
    """What the answer to a tap needs: the planner and its ghosts, nothing else of the page."""
    return {
        "match": now.match,
        "game": now.match.game,
        "you": seat.at,
        "names": _names(now),
        "owing": now.owing,
        "in_turn": len(now.state.to_act()) == 1,
        "drawn": templates_of(now.match.game_slug),
        "tapped": True,
        **_plan_context(now, seat, text),
    }


def _names(now: flow.Standing) -> dict[Letter, str]:
    return {seat.at: seat.name or _("Seat {letter}").format(letter=seat.letter) for seat in now.seats}


def _asked_step(request: Request, match: Match) -> tuple[int | None, int | None]:
    """`?at=3.2` is step 2 of the third turn."""
    turn, _dot, step = request.GET.get("at", "").partition(".")
    if not (0 < _number(turn) <= match.turn):
        return None, None
    return _number(turn) - 1, _number(step) if _number(step) >= 0 else None


def _has_news(request: Request, match: Match) -> bool:
    """Whether this browser has not seen the last turn yet; it has when this answer is read."""
    hold = request.hold
    if request.method not in ("GET", "HEAD") or hold.seen_turn >= match.turn:
        return False
    if request.method == "GET":
        Hold.objects.filter(pk=hold.pk).update(seen_turn=match.turn)
    return True


def _absolute(request: Request, path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def _only_here(request: Request) -> bool:
    """Whether links made here open on this computer only."""
    host = urlsplit(_absolute(request, "/")).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

"""The pages of a match: making one, the invite, one's seat, watching, one's own games."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from games import GAMES, newest
from games.core import IllegalOption, IllegalOrder
from games.core import Seat as Letter
from robosite.matches import flow, page
from robosite.matches.forms import NameForm, NewMatchForm
from robosite.matches.history import state_of
from robosite.matches.links import keep_links, own_links
from robosite.matches.models import Hold, Match, Seat, hash_secret
from robosite.matches.records import record_of
from robosite.people.here import guest_here, welcome
from robosite.people.names import RefusedName

View = Callable[..., HttpResponseBase]


class Request(HttpRequest):
    """A request as the middlewares, and the seat's own door, have prepared it."""

    htmx: HtmxDetails
    hold: Hold


private = cache_control(private=True, no_cache=True)
secret = cache_control(no_store=True, private=True)


# Home, and one's own games


@require_safe
def home(request: Request) -> HttpResponse:
    guest = guest_here(request)
    form = NewMatchForm(initial={"name": guest.name if guest else ""})
    return render(request, "home.html", {"form": form, "games": [newest(slug) for slug in GAMES]})


@require_POST
def make(request: Request) -> HttpResponse:
    form = NewMatchForm(request.POST)
    if not form.is_valid():
        context = {"form": form, "games": [newest(slug) for slug in GAMES]}
        return render(request, "home.html", context, status=422)
    data = form.cleaned_data
    guest = welcome(request, data["name"])
    match, taken, invite = flow.create(
        data["rules"], data["options"], data["seats"], data["name"], guest=guest
    )
    response = redirect(taken.seat)
    keep_links(request, response, {_seat_link(taken.seat): taken.secret, f"invite/{match.key}": invite})
    return response


@require_safe
@private
def my_games(request: Request) -> HttpResponse:
    guest = guest_here(request)
    held = _held(guest.pk) if guest else []
    games: list[dict[str, Any]] = [
        {"hold": hold, "match": hold.seat.match, "waits": _waits(hold), "others": _others(hold.seat)}
        for hold in held
    ]
    games.sort(key=lambda game: (not game["waits"], game["match"].status in ("over", "aborted")))
    return render(request, "matches/my_games.html", {"games": games})


def waiting(request: Request) -> dict[str, int]:
    """How many matches wait for who is at this browser: in the header of every page."""
    guest = guest_here(request) if hasattr(request, "session") and request.session.get("guest") else None
    return {"waiting": sum(map(_waits, _held(guest.pk)))} if guest else {}


def _held(guest: int) -> list[Hold]:
    holds = Hold.objects.filter(guest=guest).select_related("seat__match")
    return list(holds.prefetch_related("seat__match__seats").order_by("-seat__match__changed_at"))


def _waits(hold: Hold) -> bool:
    match = hold.seat.match
    return match.status in ("open", "playing") and hold.seat.at in flow.owing(match)


def _others(seat: Seat) -> list[str]:
    return [other.name for other in seat.match.seats.all() if other.pk != seat.pk and other.taken]


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
    keep_links(request, response, {_seat_link(taken.seat): taken.secret})
    return response


def _seat_link(seat: Seat) -> str:
    return f"seat/{seat.match.key}/{seat.letter}"


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
        match = flow.look(_match(key))
        seat = get_object_or_404(Seat, match=match, letter=letter)
        seat.match = match
        guest = guest_here(request)
        hold = Hold.objects.filter(seat=seat, guest=guest).first() if guest else None
        if hold is None:
            context = {"match": match, "seat": seat}
            return private(render)(request, "matches/not_yours.html", context, status=403)
        request.hold = hold
        return view(request, seat, **more)

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
            text = _readable(match, seat, post["typed"])
        if "choose" in post:
            text = page.show_plan(match, state_of(match), seat, text).choose(post["choose"])
        if "seal" in post:
            text = text or page.show_plan(match, state_of(match), seat, text).order
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
        return render(request, "matches/_planner.html", _context(request, match, seat, {"tapped": True}))
    return _answer(request, match, seat, {"error": error, "typed": typed}, 422 if error else 200)


def _readable(match: Match, seat: Seat, typed: str) -> str:
    """What was typed, if the game can read it; else IllegalOrder, so that it does not replace the draft."""
    state = state_of(match)
    plan, empty = page.show_plan(match, state, seat, typed), page.show_plan(match, state, seat, "")
    if typed.strip() and plan.order == empty.order and plan.missing and plan.missing != empty.missing:
        raise IllegalOrder(plan.missing.template, **plan.missing.facts)
    return typed


def _keep(seat: Seat, turn: int, text: str, tab: str) -> None:
    """Keeps as a draft what could not be sealed: refused input loses nothing."""
    try:
        flow.draft(seat, turn, text, tab)
    except flow.Refused:
        return


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
    flow.claim(seat, get_object_or_404(Seat, match=seat.match, letter=request.POST.get("seat", "")))


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
    keep_links(request, response, {_seat_link(seat): made})
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
            links = {_seat_link(taken.seat): taken.secret}
        else:
            match, taken, invite = made
            links = {_seat_link(taken.seat): taken.secret, f"invite/{match.key}": invite}
    except (flow.Refused, RefusedName, IllegalOption) as refusal:
        return _answer(request, seat.match, seat, {"error": str(refusal)}, 409)
    response = _go(request, taken.seat.get_absolute_url())
    keep_links(request, response, links)
    return response


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
def rules(request: Request, slug: str) -> HttpResponse:
    if slug not in GAMES:
        raise Http404
    return render(request, f"games/{slug}/rules.html", {"game": newest(slug)})


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
    state = state_of(match)
    seats = list(match.seats.all())
    names = {s.at: s.name or _("Seat {letter}").format(letter=s.letter) for s in seats}
    viewer = Letter(seat.letter) if seat else None
    turn, at = _asked_step(request, match)
    fresh = seat is not None and turn is None and _has_news(request, match)
    film = page.show_film(
        match, viewer, names, match.turn - 1 if turn is None else turn, 0 if fresh and at is None else at
    )
    players = page.show_players(match, state, seats, seat)
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
        "owing": flow.owing(match),
        "result": page.result(match, names),
        "watch_url": _absolute(request, match.get_absolute_url()),
        "board": f"games/{match.game_slug}/board.svg",
        "symbols": f"games/{match.game_slug}/symbols.svg",
        "board_parts": [f"games/{match.game_slug}/{part}.svg" for part in ("ghosts", "badges")],
        "table": f"games/{match.game_slug}/table.html",
        "error": "",
        **more,
    }
    if seat:
        context |= _own_context(request, match, seat, state)
    context["waits"] = match.status in ("open", "playing") and not context.get("may_plan")
    return context


def _own_context(request: Request, match: Match, seat: Seat, state: Any) -> dict[str, Any]:
    """What only this seat sees: its program, its links, its buttons."""
    links = own_links(request)
    receipt = flow.order_of(match, seat) if match.status in ("open", "playing") else None
    may_plan = seat.at in flow.owing(match)
    text = flow.draft_of(match, seat)
    invite = links.get(f"invite/{match.key}")
    own_link = links.get(_seat_link(seat))
    context: dict[str, Any] = {
        "receipt": receipt,
        "may_plan": may_plan,
        "draft": text,
        "plan": page.show_plan(match, state, seat, text) if may_plan else None,
        "planner": f"games/{match.game_slug}/plan.html",
        "draws": flow.standing_draw(seat, match),
        "claimable": flow.claimable(match, seat.at),
        "invite": _link(request, "invite", invite) if invite and seat.host else None,
        "own_link": _link(request, "seat-link", own_link) if own_link else None,
        "local": _only_here(request),
        "sat": "sat" in request.GET,
        "rematch": Match.objects.filter(rematch_of=match).first(),
    }
    context["ghosts"] = getattr(context["plan"], "ghosts", ()) if may_plan else ()
    return context


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


def _link(request: Request, view: str, secret: str) -> dict[str, str]:
    """A link to show: its address, and as a QR code."""
    address = _absolute(request, reverse(view, args=[secret]))
    code = segno.make(address, error="m")
    svg = code.svg_inline(border=2, omitsize=True, svgclass="qr", lineclass="qr-line")
    return {"address": address, "qr": svg}


def _absolute(request: Request, path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def _only_here(request: Request) -> bool:
    """Whether links made here open on this computer only."""
    host = urlsplit(_absolute(request, "/")).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

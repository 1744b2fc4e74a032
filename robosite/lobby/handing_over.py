"""The pages on which a seat is handed over: its player's, with the link for one use, and the link's own."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from robosite.lobby.forms import NameForm
from robosite.matches import flow
from robosite.matches.flow import handover
from robosite.matches.models import Hold, Seat
from robosite.people import shares
from robosite.people.browser_links import keep_links, own_links
from robosite.people.current_guest import become, current_guest, named_guest
from robosite.people.models import Guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, absolute, go, link_key, only_here, seat_page, secret
from robosite.play.match_context import respond
from robosite.play.page_state import Tried
from robosite.web.http import or_404
from robosite.web.link_secrets import hash_secret


@require_http_methods(["GET", "HEAD", "POST"])
@sent_once
@seat_page
@secret
def hand_over(request: Request, seat: Seat) -> HttpResponse:
    """The page on which a player hands their seat over; a POST makes the link, or takes it back (`keep`).

    With `bot` in the form, a bot plays on instead.
    """
    if request.method != "POST":
        return render(request, "lobby/hand_over.html", _context(request, seat))
    link = ""
    try:
        if "bot" in request.POST:
            handover.give_to_bot(seat)
            return go(request, seat.match.get_absolute_url())
        if "keep" in request.POST:
            handover.withdraw(seat)
        else:
            link = handover.offer(seat)
    except flow.Refused as refusal:
        return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
    back = go(request, reverse("hand-over", args=[seat.match.key, seat.letter]))
    return keep_links(request, back, {offer_key(seat): link})


def offer_key(seat: Seat) -> str:
    """The key under which a browser stores the link that hands this seat over."""
    return f"offer/{seat.match.key}/{seat.letter}"


def offer_link(request: Request, seat: Seat) -> str:
    """The secret of the valid link that hands this seat over; "" if this browser does not have it."""
    known = own_links(request).get(offer_key(seat), "")
    return known if known and hash_secret(known) == seat.offer_hash else ""


def _context(request: Request, seat: Seat) -> dict[str, object]:
    known = offer_link(request, seat)
    return {
        "match": seat.match,
        "seat": seat,
        "you": seat.at,
        "may_offer": handover.may_offer(seat.match),
        "offered": bool(seat.offer_hash),
        "offer_link": absolute(request, reverse("handed-over", args=[known])) if known else "",
        "local": only_here(request),
    }


@require_safe
@secret
def handed_over(request: Request, secret: str) -> HttpResponse:
    """The page of the link that hands a seat over: a field for the new player's name, and one button."""
    return _offer_page(request, _offered(secret), secret, NameForm.for_guest(current_guest(request)))


def _offered(secret: str) -> Seat:
    seat = or_404(handover.offered(secret))
    flow.apply_due(seat.match)
    return seat


def _offer_page(request: Request, seat: Seat, secret: str, form: NameForm, status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    context = {
        "match": seat.match,
        "seat": seat,
        "secret": secret,
        "form": form,
        "over": seat.match.status not in flow.GOING_ON,
        "mine": guest and Hold.objects.filter(seat__match=seat.match, guest=guest).exists(),
    }
    return render(request, "lobby/handed_over.html", context, status=status)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_over(request: Request, secret: str) -> HttpResponse:
    """Gives the seat of the link to this browser's guest, under the name in the form, and opens its page."""
    seat = _offered(secret)
    match = seat.match
    others = tuple(one.name for one in match.seats.all() if one.taken and one.pk != seat.pk)
    form = NameForm(request.POST, others=others, guest=current_guest(request), table=match.pk)

    def take(name: str, guest: Guest) -> tuple[Seat, str, str]:
        taken, _guest = handover.accept(secret, name, lambda: guest)
        return taken.seat, link_key(taken.seat), taken.secret

    return sit_down(request, form, partial(_offer_page, request, seat, secret), take)


def sit_down(
    request: Request,
    form: NameForm,
    page: Callable[..., HttpResponse],
    take: Callable[[str, Guest], tuple[Any, str, str]],
    *,
    name: str = "",
) -> HttpResponse:
    """Takes a seat or place under the name in a form, or `name`, and leads to it; the browser keeps its link.

    `take` returns what to lead to, and the link's key and secret. `page` shows the form again: with a 422 for
    a name that cannot be used, and with a 409 if `take` raises Refused. SeatLost becomes a 404.
    A browser that gets no seat keeps its session key; a guest created for it is deleted.
    """
    if not name and not form.is_valid():
        return page(form, status=422)
    shares.take(request, "seat")
    name = name or form.cleaned_data["name"]
    known, guest = current_guest(request), named_guest(request, name)
    try:
        to, key, secret = take(name, guest)
    except (flow.SeatLost, flow.Refused, RefusedName) as refusal:
        if known is None:
            guest.delete()
        if isinstance(refusal, flow.SeatLost):
            raise Http404 from None
        form.add_error(None, str(refusal))
        return page(form, status=409)
    return enter(request, guest, to, key, secret)


def enter(request: Request, guest: Guest, to: Any, key: str, secret: str) -> HttpResponse:
    """Signs the browser in as a guest, with a new session key, and leads to `to`, whose link it keeps."""
    become(request, guest)
    return keep_links(request, redirect(to), {key: secret})

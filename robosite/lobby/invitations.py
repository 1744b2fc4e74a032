"""Secret links: the invite to a match, and the link to a player's own seat.

Opening a link takes no seat; a POST from the page that the link opens does.
"""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import NamedTuple

import segno
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from robosite.lobby.forms import NameForm
from robosite.lobby.handing_over import enter, offer_link, sit_down
from robosite.matches import flow
from robosite.matches.models import Hold, Match, Seat
from robosite.people.browser_links import keep_links, own_links
from robosite.people.current_guest import current_guest, named_guest
from robosite.people.models import Guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, absolute, go, link_key, own_link, seat_page, secret
from robosite.play.drawings import style_of, templates_of
from robosite.play.match_context import respond
from robosite.play.page_state import Tried
from robosite.play.variants import preset_of, variant_words
from robosite.web.link_secrets import hash_secret


class NewLink(NamedTuple):
    """A new secret link to a seat in a match, or to a player's place in a league.

    `link_key` is the key under which a browser keeps the secret; `page` shows the link.
    """

    secret: str
    link_key: str
    page: str


LinkMaker = Callable[[Seat, Guest], NewLink | None]
link_makers: list[LinkMaker] = []
"""Functions of apps above that make new links for seats that share a link."""


@require_safe
@secret
def invited(request: Request, secret: str) -> HttpResponse:
    return _invite_page(request, _invited_to(secret), secret, NameForm.for_guest(current_guest(request)))


def _invited_to(secret: str) -> Match:
    return flow.apply_due(get_object_or_404(Match, invite_hash=hash_secret(secret)))


def _invite_page(
    request: Request, match: Match, secret: str, form: NameForm, status: int = 200
) -> HttpResponse:
    guest = current_guest(request)
    seats = list(match.seats.all())
    context = {
        "match": match,
        "secret": secret,
        "form": form,
        "seats": seats,
        "host": next((seat for seat in seats if seat.host), None),
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
        "preset": preset_of(match, len(seats)),
        "words": variant_words(match),
        "mine": [seat for seat in seats if guest and Hold.objects.filter(seat=seat, guest=guest).exists()],
    }
    return render(request, "lobby/invite.html", context, status=status)


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def accept(request: Request, secret: str) -> HttpResponse:
    match = _invited_to(secret)
    others = tuple(seat.name for seat in match.seats.all() if seat.taken)
    form = NameForm(request.POST, others=others, guest=current_guest(request), table=match.pk)

    def take(name: str, guest: Guest) -> tuple[Seat, str, str]:
        taken = flow.join(match, name, invite=secret, guest=guest)
        return taken.seat, link_key(taken.seat), taken.secret

    return sit_down(request, form, partial(_invite_page, request, match, secret), take)


@require_POST
def opened(request: Request, secret: str) -> HttpResponse:
    """Records that the invite was opened, unless a guest who has a seat in the match opened it.

    The page sends this request by script, so that previews and mail scanners do not count.
    """
    guest = current_guest(request)
    match = _invited_to(secret)
    if not (guest and Hold.objects.filter(seat__match=match, guest=guest).exists()):
        flow.note_opened(match, guest.name if guest else "")
    return HttpResponse(status=204)


@require_safe
@secret
def seat_link(request: Request, secret: str) -> HttpResponse:
    seat = get_object_or_404(Seat.objects.select_related("match"), link_hash=hash_secret(secret))
    return render(request, "lobby/seat_link.html", {"seat": seat, "match": seat.match, "secret": secret})


@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def take_seat(request: Request, secret: str) -> HttpResponse:
    here = current_guest(request)
    try:
        taken, guest = flow.take(secret, lambda name: named_guest(request, (here and here.name) or name))
    except flow.SeatLost:
        raise Http404 from None
    return enter(request, guest, taken.seat, link_key(taken.seat), taken.secret)


@require_POST
@seat_page
@secret
@sent_once
def new_link(request: Request, seat: Seat) -> HttpResponse:
    """Creates a new link to the seat or, in a league, to the player's place; the old one stops working."""
    guest = current_guest(request)
    assert guest
    link = next((link for make in link_makers if (link := make(seat, guest))), None)
    if link is None:
        secret = flow.new_link(seat, guest)
        menu = reverse("seat-menu", args=[seat.match.key, seat.letter])
        link = NewLink(secret, link_key(seat), f"{menu}?link#own-link")
    return keep_links(request, go(request, link.page), {link.link_key: link.secret})


@require_POST
@seat_page
@secret
@sent_once
def new_invite(request: Request, seat: Seat) -> HttpResponse:
    """Replaces the match's invite by a new one, which this browser keeps; the old invite stops working."""
    try:
        invite = flow.new_invite(seat)
    except flow.Refused as refusal:
        return respond(request, seat.match, seat, Tried(error=str(refusal)), status=409)
    back = go(request, f"{seat.get_absolute_url()}#invite")
    return keep_links(request, back, {f"invite/{seat.match.key}": invite})


@require_safe
@seat_page
@secret
def qr(request: Request, seat: Seat, what: str) -> HttpResponse:
    """One of this browser's links as a QR code: the seat's link, unless `what` names another one."""
    views = {"invite": "invite", "offer": "handed-over"}
    link = (
        own_link(request, seat) if what not in views else own_links(request).get(f"invite/{seat.match.key}")
    )
    if what == "offer":
        link = offer_link(request, seat)
    if not link:
        raise Http404
    drawing = BytesIO()
    code = segno.make(absolute(request, reverse(views.get(what, "seat-link"), args=[link])), error="m")
    code.save(drawing, kind="svg", xmldecl=False, border=2, scale=6, light="#fff")
    return HttpResponse(drawing.getvalue(), content_type="image/svg+xml")

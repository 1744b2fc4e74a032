"""The pages on which a lost seat is asked for, and the answer to it at the table (`asking.py`)."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from robosite.matches import asking, flow
from robosite.matches.asked import Request, among_players, go, match_of, number, private
from robosite.matches.models import Asking, Hold, Match, Seat
from robosite.matches.phrases import listed
from robosite.matches.views import deed
from robosite.people.bars import Deed, not_if_barred
from robosite.people.here import guest_here, welcome
from robosite.people.tries import Tries, too_many

ASKING = Tries("asking")


@require_http_methods(["GET", "HEAD", "POST"])
@private
@not_if_barred(Deed.PLAY)
def ask(request: Request, key: str, letter: str) -> HttpResponse:
    """ "I am Ben": asks for the seat, and shows how that stands. Who holds it already goes there."""
    match = flow.look(match_of(key))
    guest = guest_here(request)
    invited = flow.invite_opens(match, request.POST.get("invite", ""))
    if not (invited or match.may_be_watched_by(guest) or asking.asks_at(guest, match)):
        return among_players(request, match)
    seat = get_object_or_404(Seat.objects.select_related("match"), match=match, letter=letter)
    if guest and Hold.objects.filter(seat=seat, guest=guest).exists():
        return go(request, seat.get_absolute_url())
    if request.method != "POST":
        return _page(request, match, seat)
    try:
        if "withdraw" in request.POST:
            if guest:
                asking.withdraw(seat, guest)
        else:
            if seconds := ASKING.wait(request):
                response = _page(request, match, seat, too_many(seconds), 429)
                response["Retry-After"] = str(seconds)
                return response
            asking.may_be_asked_for(match, seat)
            asking.ask(seat, welcome(request, guest.name if guest and guest.name else seat.name))
    except flow.Refused as refusal:
        return _page(request, match, seat, str(refusal), 409)
    return redirect("ask", key, letter)


def _page(request: Request, match: Match, seat: Seat, error: str = "", status: int = 200) -> HttpResponse:
    own = asking.of(guest_here(request), seat)
    deciders = asking.deciders(match.seats.all(), own or Asking(seat=seat))
    context = {
        "match": match,
        "seat": seat,
        "asking": own,
        "deciders": listed([other.name for other in deciders]),
        "error": error,
    }
    return render(request, "matches/lost_seat.html", context, status=status)


@deed
def asked(request: Request, seat: Seat) -> None:
    """What somebody at the table says to an asking: yes, no, or that he is here himself."""
    about = number(request.POST.get("asking"))
    if request.POST.get("say") == "here":
        asking.object_to(seat, about)
    else:
        asking.answer(seat, about, yes=request.POST.get("say") == "yes")

"""The page on which a guest asks for a lost seat, and a player's answer (`flow/seat_requests.py`)."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.flow.lost_seats import is_for_one_to_say, wait_for
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.site_models import Asking
from robosite.matches.wording import listed
from robosite.people.current_guest import current_guest, welcome
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.people.shares import Tries, too_many
from robosite.play.decorators import Request, among_players, go, match_of, number, private
from robosite.play.views import action_view
from robosite.web import limits
from robosite.web.link_secrets import opens

ASKING = Tries("asking")


@require_http_methods(["GET", "HEAD", "POST"])
@private
@unless_restricted(Action.PLAY)
@sent_once
def ask(request: Request, key: str, letter: str) -> HttpResponse:
    """The page on which a guest asks for a seat (“I am Ben”), sees the request's state, or withdraws it.

    In a match without watchers, only players, and guests with its invite or a request, may open the page.
    """
    match = flow.apply_due(match_of(key))
    guest = current_guest(request)
    invited = opens(request.POST.get("invite", ""), match.invite_hash)
    asks = guest is not None and Asking.objects.filter(guest=guest, seat__match=match).exists()
    if not (invited or asks or match.may_be_watched_by(guest)):
        return among_players(request, match)
    seat = get_object_or_404(Seat.objects.select_related("match"), match=match, letter=letter)
    if guest and Hold.objects.filter(seat=seat, guest=guest).exists():
        return go(request, seat.get_absolute_url())
    if request.method != "POST":
        return _page(request, match, seat)
    try:
        if "withdraw" in request.POST:
            if guest:
                seat_requests.withdraw(seat, guest)
        else:
            if seconds := ASKING.wait(request, ("asking/table", f"{key} {limits.address(request)}")):
                response = _page(request, match, seat, error=too_many(seconds), status=429)
                response["Retry-After"] = str(seconds)
                return response
            seat_requests.check_may_be_asked_for(match, seat)
            guest = welcome(request, guest.name if guest and guest.name else seat.name)
            seat_requests.ask(seat, guest, limits.address(request))
    except flow.Refused as refusal:
        return _page(request, match, seat, error=str(refusal), status=409)
    return redirect("ask", key, letter)


def _page(request: Request, match: Match, seat: Seat, *, error: str = "", status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    askings = Asking.objects.filter(guest=guest, seat=seat).select_related("answered_by")
    own = askings.first() if guest else None
    deciders = seat_requests.deciders(match.seats.all(), own or Asking(seat=seat))
    context = {
        "match": match,
        "seat": seat,
        "asking": own,
        "deciders": listed([other.shown_name for other in deciders]),
        "error": error,
        "wait": wait_for(match, own or Asking(seat=seat)),
        "passes_at_once": not is_for_one_to_say(own or Asking(seat=seat)),
    }
    return render(request, "play/lost_seat.html", context, status=status)


@action_view
def asked(request: Request, seat: Seat) -> None:
    """Records a player's answer (`say`): "yes", "no" or, to a request for the player's own seat, "here"."""
    about = number(request.POST.get("asking"))
    if request.POST.get("say") == "here":
        seat_requests.object_to(seat, about)
    else:
        yes = request.POST.get("say") == "yes"
        seat_requests.answer_request(seat, about, yes=yes, address=limits.address(request))

"""The page of results: with all friends, with a match's players (`?with=KEY`), or with one (`&seat=B`)."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from robosite.matches.models import Hold, Match, Seat
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request, number, private, seat_page, secret
from robosite.standings.friends import context_of_two
from robosite.standings.results import LISTED, friends_of
from robosite.web.written_names import Name


@require_safe
@private
def results(request: Request) -> HttpResponse:
    """The page of results with friends; 404 for matches and players that are not the reader's."""
    guest = current_guest(request)
    key, letter = request.GET.get("with", ""), request.GET.get("seat", "")
    if letter:
        two = context_of_two(guest, key, letter) if guest else None
        if two is None:
            raise Http404
        return render(request, "standings/friend.html", two)
    match = _own_match(guest, key) if key else None
    page = max(number(request.GET.get("page")), 1)
    friends = friends_of(guest, match, page) if guest else []
    context = {
        "friends": friends[:LISTED],
        "own": Name(guest.name) if guest else "",
        "match_only": match,
        "before": page - 1 if friends and page > 1 else None,
        "after": page + 1 if len(friends) > LISTED else None,
    }
    return render(request, "standings/results.html", context)


def _own_match(guest: Guest | None, key: str) -> Match:
    hold = Hold.objects.filter(guest=guest, seat__match__key=key[:16]).select_related("seat__match").first()
    if guest is None or hold is None:
        raise Http404
    return hold.seat.match


@require_safe
@private
def friend(request: Request, key: str, letter: str) -> HttpResponse:
    """Redirects from the former URL of the page about two friends to the page of results."""
    return HttpResponsePermanentRedirect(f"{reverse('results')}?{urlencode({'with': key, 'seat': letter})}")


@require_safe
@seat_page
@secret
def results_here(request: Request, seat: Seat) -> HttpResponse:
    """Redirects from the former URL of the results in a match to the page of results."""
    return HttpResponsePermanentRedirect(f"{reverse('results')}?{urlencode({'with': seat.match.key})}")

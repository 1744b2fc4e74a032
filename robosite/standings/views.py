"""The page about two friends, whose URL (`?with=KEY&seat=B`) names a player of a match."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from robosite.matches.models import Seat
from robosite.people.current_guest import current_guest
from robosite.play.decorators import Request, private, seat_page, secret
from robosite.standings.friends import context_of_two


@require_safe
@private
def results(request: Request) -> HttpResponse:
    """The page about the reader and the player at `&seat=` of the match `?with=`; else redirects to You."""
    guest = current_guest(request)
    key, letter = request.GET.get("with", ""), request.GET.get("seat", "")
    if not letter:
        return HttpResponsePermanentRedirect(f"{reverse('me')}?{request.GET.urlencode()}".rstrip("?"))
    two = context_of_two(guest, key, letter) if guest else None
    if two is None:
        raise Http404
    return render(request, "standings/friend.html", two)


@require_safe
@private
def friend(request: Request, key: str, letter: str) -> HttpResponse:
    """Redirects from the former URL of the page about two friends."""
    return HttpResponsePermanentRedirect(f"{reverse('results')}?{urlencode({'with': key, 'seat': letter})}")


@require_safe
@seat_page
@secret
def results_here(request: Request, seat: Seat) -> HttpResponse:
    """Redirects from the former URL of the results in a match to You."""
    return HttpResponsePermanentRedirect(f"{reverse('me')}?{urlencode({'with': seat.match.key})}")

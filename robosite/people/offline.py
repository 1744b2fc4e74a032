"""Lets a browser keep cookies for scripts and, if its guest has asked for that, board pages for use offline.

Session and cookie hold the wish with a tag of the guest, so that it counts for nobody else. The service
worker (templates/notices/sw.js) keeps a page only if the header HEADER says so, and erases all if that names
another guest, or nobody; without it (a network's sign-in page) it does nothing.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import http_date
from django.views.decorators.http import require_POST

from robosite.people.current_guest import current_guest
from robosite.people.models import Guest

COOKIE = "offline"
HEADER = "Robosite-Offline"
KEEP, NEVER = "keep", "never"
NOBODY = "nobody"

Response = TypeVar("Response", bound=HttpResponseBase)


def tag_of(guest: Guest) -> str:
    """The text that stands for a guest in the cookie and the header about offline pages."""
    return salted_hmac("robosite.offline", str(guest.pk)).hexdigest()[:24]


def mark(response: Response, *, shared: bool) -> Response:
    """Sets HEADER on a page's response: the service worker keeps the page or, if `shared`, never does."""
    response[HEADER] = NEVER if shared else KEEP
    return response


def wish(request: HttpRequest, response: HttpResponse, guest: Guest, *, kept: bool) -> None:
    """Stores in session and cookie whether this browser may keep the guest's boards."""
    tag = tag_of(guest) if kept else ""
    if kept:
        request.session[COOKIE] = tag
    else:
        request.session.pop(COOKIE, None)
    set_readable_cookie(request, response, COOKIE, tag)


def wished(request: HttpRequest, guest: Guest | None) -> bool:
    """Returns True if the guest has asked for kept boards in this browser, by the session or the cookie."""
    if guest is None:
        return False
    tags = (request.session.get(COOKIE, ""), request.COOKIES.get(COOKIE, ""))
    return any(constant_time_compare(tag, tag_of(guest)) for tag in tags)


def name_owner(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that sets HEADER, if the guest or the browser's cookie has asked, and renews a lost cookie.

    The header's value is the guest's tag and what `mark` has set, or NOBODY.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        does = response.get(HEADER, "")
        del response[HEADER]
        if "public" in response.get("Cache-Control", ""):  # a proxy may show it to somebody else
            return response
        if response.status_code >= 500:  # the database may be away: its session is not to be read again
            return response
        asked = COOKIE in request.COOKIES
        known = request.session.accessed and COOKIE in request.session
        if not (asked or known):
            return response
        guest = current_guest(request)
        own = wished(request, guest)
        response[HEADER] = f"{tag_of(guest)} {does}".strip() if guest and own else NOBODY
        response["Date"] = http_date()  # when a kept page was true, whatever clock the device has
        if guest and own and not (asked and known) and COOKIE not in response.cookies:
            wish(request, response, guest, kept=True)
        return response

    return middleware


CHOICES = ("theme", "keys", "sounds", "vibration", "speed", "words")
"""The cookies with choices about this device, which stay when a guest signs out of a browser."""
NAMES = (*CHOICES, "puzzles", "push")
VALUE = re.compile(r"[\w.~%-]{0,3000}", re.ASCII)
"""Matches the values that a script may keep: percent-encoded text, or nothing."""
AGE = 366 * 24 * 3600


def set_readable_cookie(request: HttpRequest, response: HttpResponse, name: str, value: str) -> None:
    """Sets a cookie that scripts of this site can read; an empty value deletes the cookie."""
    if not value:
        return response.delete_cookie(name, samesite="Lax")
    response.set_cookie(name, value, max_age=AGE, secure=request.is_secure(), samesite="Lax")


@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """View: sets the cookie `name` to `value`; 400 if scripts may not keep that."""
    name, value = request.POST.get("name", ""), request.POST.get("value", "")
    if name not in NAMES or not VALUE.fullmatch(value):
        return HttpResponse(status=400)
    response = HttpResponse(status=204)
    set_readable_cookie(request, response, name, value)
    return response

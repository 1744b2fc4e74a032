"""Lets a browser keep board pages for use offline, if the guest at this browser has asked for that.

The wish is stored in a cookie that names the guest, so it does not count for another guest at the same
browser. The service worker (templates/notices/sw.js) keeps a page only if the response's HEADER says so, and
erases all kept pages when the header names another guest, or nobody. A response without the header was not
made by the site, but by a proxy or a wireless network's sign-in page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from robosite.people.current_guest import current_guest
from robosite.people.models import Guest

COOKIE = "offline"
HEADER = "Robosite-Offline"
KEEP, NEVER = "keep", "never"
NOBODY = "nobody"

Response = TypeVar("Response", bound=HttpResponseBase)


def tag_of(guest: Guest) -> str:
    """The text that stands for a guest in the cookie and the header. It gives no access to anything."""
    return salted_hmac("robosite.offline", str(guest.pk)).hexdigest()[:24]


def mark(response: Response, *, shared: bool) -> Response:
    """Sets HEADER on a page's response, and returns the response.

    If `shared` is False, HEADER says that the page is to be kept for use offline. If `shared` is True
    (several players share the device), HEADER says that the page must never be kept.
    """
    response[HEADER] = NEVER if shared else KEEP
    return response


def name_owner(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that sets HEADER on responses to browsers with the cookie.

    The value is the tag of the guest at this browser, followed by the mark of the page (`mark`) if there is
    one. If the cookie is not the tag of the guest at this browser, the value is NOBODY. HEADER is set neither
    on server errors nor on public responses, which a proxy may show to somebody else.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        does = response.get(HEADER, "")
        del response[HEADER]
        if "public" in response.get("Cache-Control", ""):  # a proxy may show it to somebody else
            return response
        asked = request.COOKIES.get(COOKIE)
        if asked and response.status_code < 500:
            guest = current_guest(request)
            own = guest is not None and constant_time_compare(asked, tag_of(guest))
            response[HEADER] = f"{asked} {does}".strip() if own else NOBODY
        return response

    return middleware

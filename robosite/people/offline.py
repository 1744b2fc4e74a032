"""Lets a browser keep board pages for use offline, if the guest at this browser has asked for that.

The guest's choice is stored in a cookie with a tag of the guest (`tag_of`), so it does not count for another
guest at the same browser. The service worker (templates/notices/sw.js) keeps a page only if the response's
header HEADER says so. The worker erases all kept pages when HEADER names another guest, or nobody. A response
without HEADER, such as a wireless network's sign-in page, is ignored.
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
    """The text that stands for a guest in the cookie and the header about offline pages.

    The text gives no access to anything.
    """
    return salted_hmac("robosite.offline", str(guest.pk)).hexdigest()[:24]


def mark(response: Response, *, shared: bool) -> Response:
    """Sets HEADER on a page's response so that the service worker keeps the page for use offline.

    Returns the response. With `shared` (several players share the device), HEADER says instead that the page
    must never be kept.
    """
    response[HEADER] = NEVER if shared else KEEP
    return response


def name_owner(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that sets HEADER, which tells the service worker whose pages it may keep for use offline.

    HEADER is set only for browsers with the cookie, and not on server errors and public responses. If the
    cookie is the tag of the guest at this browser, the header's value is this tag, followed by the value that
    `mark` has set, if any. Otherwise, the header's value is NOBODY.
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

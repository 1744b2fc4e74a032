"""Boards that a browser keeps for when it is offline, where its guest has asked for that.

The wish is a cookie that names its guest: another guest at the same browser has asked for nothing. The
service worker (templates/notices/sw.js) keeps a page only if its answer says so, and erases all that it has
kept when an answer is for somebody else, or for nobody. An answer that says nothing is not the site's: a
proxy gave it, or the page on which a wireless network asks its guests to sign in.
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
    """The tag by which the browser knows its guest; it opens nothing."""
    return salted_hmac("robosite.offline", str(guest.pk)).hexdigest()[:24]


def mark(response: Response, *, shared: bool) -> Response:
    """Marks a seat's page as one to keep offline; if `shared` (by several players here), never to keep."""
    response[HEADER] = NEVER if shared else KEEP
    return response


def name_owner(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that marks whose an answer is, and whether to keep it, if the browser has the cookie."""

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

"""Lets pages of other sites call the API (CORS): all reads, and all writes that need a token.

Cookies give no rights in the API, so a page can act only with a token that it was given. Writes that need no
token, such as making a match, are refused to pages of other sites, because such a page could make matches in
its visitors' names.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from robosite.api.calls import Call

ASKED = "Access-Control-Request-Method"
MAY_SEND = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"
MAY_READ = "ETag, RateLimit, RateLimit-Policy, Retry-After"
A_DAY = 24 * 3600


def preflight(request: HttpRequest, here: Mapping[str, Call]) -> HttpResponse | None:
    """Returns the response to a browser's preflight request; None for any other request.

    `here` maps the path's HTTP methods to their calls.
    """
    if request.method != "OPTIONS" or ASKED not in request.headers:
        return None
    response = HttpResponse(status=204)
    del response["Content-Type"]
    patch_vary_headers(response, [ASKED])
    if request.headers[ASKED] in _open(here):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Allow-Methods"] = ", ".join(_open(here))
        response["Access-Control-Allow-Headers"] = MAY_SEND
        response["Access-Control-Max-Age"] = str(A_DAY)
    return response


def open_to_pages(request: HttpRequest, here: Mapping[str, Call], response: HttpResponseBase) -> None:
    """Adds CORS headers to the response if pages of other sites may make this API call.

    `here` maps the path's HTTP methods to their calls.
    """
    if request.method in _open(here):
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = MAY_READ


def _open(here: Mapping[str, Call]) -> list[str]:
    methods = [method for method, one in here.items() if method == "GET" or one.by != "anyone"]
    return [*methods, "HEAD"] if "GET" in methods else methods

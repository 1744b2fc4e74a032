"""Caches a match's page for browsers without a guest: a page is rendered once for all watchers of a step.

All browsers without a guest get the same page, except for the CSRF token of forms, if they request the same
URL in the same language and time zone and have seen the same number of turns. A rendered page is used for
SECONDS seconds. Pages for a known guest or for a seat are never cached here, since they may hold secrets or
personal data.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import NamedTuple

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from robosite.matches.models import Match
from robosite.people.current_guest import current_guest
from robosite.play import seen_turns
from robosite.play.decorators import Request, is_early
from robosite.web.caches import BoundedCache
from robosite.web.http import TOKEN, given_token, tagged

MOST_KEPT = 16_000_000
"""The maximum size of the cache, in characters per process."""
SECONDS = 2.0
"""Seconds for which a cached page may be sent again.

A change of the match shows at once. Other changes, such as a new name or a holiday, may show only after this
time.
"""
ASKED = frozenset({"at", "better"})
"""The query parameters that do not prevent a page from being cached."""
HEADERS = ("Content-Type", "HX-Retarget", "HX-Reswap")


class Page(NamedTuple):
    """A cached response, with placeholders for the CSRF token.

    `until` is the time after which the response is not sent any more, on the clock of `time.monotonic`.
    """

    text: str
    headers: dict[str, str]
    cookies: SimpleCookie
    """The response's cookie with the number of turns seen.

    That number is part of the cache key, so the cookie is right for every browser that gets the page. Other
    cookies are set later, in each reader's own response.
    """
    until: float


_pages: BoundedCache[tuple[object, ...], Page] = BoundedCache(MOST_KEPT, lambda page: len(page.text))


def shared(request: Request, match: Match, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The response of `make` or, for a browser without a guest, a cached response.

    Only a GET that is not a prefetch, and has no query parameters besides those in ASKED, is answered from
    the cache. Only responses with status 200 are cached.
    """
    if request.method != "GET" or is_early(request) or not set(request.GET) <= ASKED:
        return make()
    if current_guest(request) is not None:
        return make()
    key = _key(request, match)
    shared_page = _pages.get(key)
    if shared_page is None or shared_page.until < time.monotonic():
        response = make()
        if response.status_code != 200:
            return response
        _pages[key] = shared_page = _without_token(request, response)
    response = tagged(request, shared_page.text, headers=shared_page.headers)
    response.cookies.load(shared_page.cookies)
    return response


def _key(request: Request, match: Match) -> tuple[object, ...]:
    """The cache key of a match's page for watchers.

    The key leaves out data that may be a few seconds out of date on a cached page.
    """
    return (
        match.key,
        match.version,
        get_language(),
        timezone.get_current_timezone_name(),
        request.build_absolute_uri(),
        request.htmx.target if request.htmx else None,
        bool(request.htmx),
        seen_turns.seen(request, match, None),
    )


def _without_token(request: Request, response: HttpResponse) -> Page:
    token, text = given_token(request), response.content.decode()
    headers = {name: response[name] for name in HEADERS if name in response}
    cookies = SimpleCookie(response.cookies)
    return Page(text.replace(token, TOKEN) if token else text, headers, cookies, time.monotonic() + SECONDS)

"""Caches a match's page for browsers without a guest: rendered once for all watchers of a step.

Pages for a known guest or for a seat are never cached here, since they may hold secrets or personal data.
"""

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
"""The most characters of pages that a process caches."""
SECONDS = 2.0
"""Seconds for which a page is used; a change of the match shows at once, a new name after this."""
ASKED = frozenset({"at", "better"})
HEADERS = ("Content-Type", "HX-Retarget", "HX-Reswap")


class Page(NamedTuple):
    """A cached response, with a placeholder for the CSRF token; `until` is a time of `time.monotonic`."""

    text: str
    headers: dict[str, str]
    cookies: SimpleCookie
    """The cookie with the number of turns seen, which is part of the cache key, and so right for all."""
    until: float


_pages: BoundedCache[tuple[object, ...], Page] = BoundedCache(MOST_KEPT, lambda page: len(page.text))


def shared(request: Request, match: Match, make: Callable[[], HttpResponse]) -> HttpResponse:
    """The response of `make` or, for a GET of a browser without a guest, a cached one."""
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

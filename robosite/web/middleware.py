"""Middleware of the whole site, such as for headers, languages, limits and a busy database."""

import logging
import time
from collections.abc import Callable

from csp.utils import build_policy
from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.middleware.locale import LocaleMiddleware
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from robosite.web import later, limits, transactions
from robosite.web.http import (
    MONITORING,
    SAFE,
    is_call,
    is_page,
    length_of,
    nul_in_address,
    nul_in_form,
    route_of,
)
from robosite.web.views import busy, too_long, too_many, unreadable

Handler = Callable[[HttpRequest], HttpResponse]

log = logging.getLogger("robosite")


NO_DOCUMENTS = (".css", ".js", ".svg", ".woff2")
"""Suffixes of files that load nothing, for which the full content security policy would be too long."""


NO_PAGE = "default-src 'none'"
"""The policy of files and fragments: what a script inserts is subject to the page's own."""
FOR_DOCUMENTS = ("Cross-Origin-Opener-Policy", "Referrer-Policy")
"""Headers that are removed from static files, since only documents open windows or contain links."""
FOR_PAGES = (
    "Content-Language",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Resource-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "Vary",
    "X-Frame-Options",
    "X-Robots-Tag",
)
"""Headers that mean nothing to a response that only a script reads."""


NO_PATH = "strict-origin"
"""Tells other sites the origin alone; with `no-referrer`, Django would refuse forms (`Origin: null`)."""


UNINDEXED = ("/m/", "/s/", "/l/")
"""Prefixes of paths that search engines should not index: matches, secret links, and leagues."""


def answer_headers(get_response: Handler) -> Handler:
    """Middleware for headers about security, search engines and prefetching; removes useless ones."""
    policy = build_policy()
    rules_path = reverse("speculation-rules")
    rules = f'"{rules_path}"'

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if "/s/" in request.path.lower():
            response["Referrer-Policy"] = NO_PATH
        if request.path_info.lower().startswith(UNINDEXED):
            response["X-Robots-Tag"] = "noindex"
        is_file = request.path.startswith(settings.STATIC_URL) and request.path.endswith(NO_DOCUMENTS)
        if is_file or request.path == rules_path:
            response.setdefault("Content-Security-Policy", NO_PAGE)
            unchanging = "immutable" in response.get("Cache-Control", "")  # never requested a second time
            for name in (*FOR_DOCUMENTS, "ETag", "Last-Modified") if unchanging else FOR_DOCUMENTS:
                response.headers.pop(name, None)
            return response
        if "HX-Request" in request.headers and "no-store" in response.get("Cache-Control", ""):
            response.setdefault("Content-Security-Policy", NO_PAGE)
            for name in FOR_PAGES:
                response.headers.pop(name, None)
            return response
        if not (
            settings.DEBUG and response.status_code in (404, 500)
        ):  # Django's own pages have styles in them
            response.setdefault("Content-Security-Policy", policy)
        response.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if is_page(request, response):
            response["Speculation-Rules"] = rules
        return response

    return middleware


class Compression(GZipMiddleware):
    """Django's GZipMiddleware, which skips responses whose attribute `as_it_is` is true (of the API)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if getattr(response, "as_it_is", False):
            return response
        return super().process_response(request, response)


class Language(LocaleMiddleware):
    """Django's LocaleMiddleware, for a site whose URLs contain no language."""

    def process_request(self, request: HttpRequest) -> None:
        translation.activate(translation.get_language_from_request(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        return response


class Common(CommonMiddleware):
    """Django's CommonMiddleware, but without its check of the host on the routes for monitoring."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        return None if route_of(request) in MONITORING else super().process_request(request)


def waits(get_response: Handler) -> Handler:
    """Middleware that lets requests wait for slow work (`later.py`), if they came through `asgi.whole`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        scope = getattr(request, "scope", {})
        if not scope.get("may_wait"):
            return get_response(request)
        began = time.thread_time()
        try:
            return later.waiting_for(lambda: get_response(request))
        except later.Later:
            scope["took"] += time.thread_time() - began
            raise

    return middleware


def bounded(get_response: Handler) -> Handler:
    """Middleware that refuses a form that is too large (413) or sent too often (429); not the API's."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in SAFE or is_call(request):
            return get_response(request)
        if max(length_of(request), getattr(request, "scope", {}).get("came", 0)) > settings.MOST["body"]:
            return too_long()
        if seconds := _wait_to_post(request):
            return too_many(seconds)
        return get_response(request)

    return middleware


def _wait_to_post(request: HttpRequest) -> int:
    player, address = getattr(request, "player", None), limits.address(request)
    if player is None or not player.plays:
        return limits.wait("post", address)
    return limits.wait("post", f"guest {player.guest}") or limits.wait("post/players", address)


def refuse_nul(get_response: Handler) -> Handler:
    """Middleware that refuses the character NUL in URLs and forms (400); the API checks itself."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            return get_response(request)
        if nul_in_address(request) or (request.method not in SAFE and nul_in_form(request)):
            return unreadable()
        return get_response(request)

    return middleware


class Busy(MiddlewareMixin):
    """Middleware that answers 503 to OperationalError (locked, full …) and 429 to TooMany."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, limits.TooMany):
            return too_many(exception.seconds)
        if not isinstance(exception, OperationalError):
            return None
        if transactions.is_lock_timeout(exception) and "took" in getattr(request, "scope", {}):
            request.scope["took"] += transactions.BRIEFLY / 1000  # type: ignore[attr-defined]
        log.exception("the database did not answer: %s %s", request.method, request.path)
        return busy()

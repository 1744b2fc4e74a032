"""Views of the whole site, such as health checks, robots.txt, and error pages without database queries."""

import sys
from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import http_date
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from robosite.web import health
from robosite.web.http import public


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answers 200 as long as the process runs. Scripts learn the time from it (static/js/clock.js)."""
    return HttpResponse("ok\n", content_type="text/plain", headers={"Date": http_date()})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Reports whether this process can serve: 200, perhaps with warnings, or 503 with the reasons."""
    try:
        if _migrations() - MigrationRecorder(connection).applied_migrations().keys():
            found = health.Report(["migrations are missing: run manage.py migrate"], [])
        else:
            found = health.report()
    except OperationalError:
        found = health.Report(["the database does not answer"], [])
    health.log_changes(found)
    lines = "".join(f"{line}\n" for line in (*(found.faults or ["ready"]), *found.warnings))
    answer = HttpResponse(lines, status=503 if found.faults else 200, content_type="text/plain")
    if found.faults:
        answer["Retry-After"] = "5"
    return answer


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.nodes)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """The robots.txt, which forbids only the admin."""
    return HttpResponse("User-agent: *\nDisallow: /admin/\n", content_type="text/plain")


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """The security.txt (RFC 9116) with the contact for security problems; a 404 without SECURITY_CONTACT."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    until = (timezone.now() + timedelta(days=180)).strftime("%Y-%m-%dT00:00:00Z")
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {until}",
        f"Preferred-Languages: {', '.join(code for code, _ in settings.LANGUAGES)}",
    ]
    if settings.PUBLIC_URL:
        lines.append(f"Canonical: {settings.PUBLIC_URL}{request.path}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest, which a browser reads before it adds the site to a home screen."""
    text = render_to_string("web/manifest.webmanifest")
    return HttpResponse(text, content_type="application/manifest+json")


FETCHED_EARLY = ("/", "/mine/", "/next/", "/rules/*", *(f"/m/:key/{letter}/" for letter in "ABCDEFGH"))
"""URL patterns that a browser may prefetch: that has no effect, and counts no page as seen."""


@require_safe
@public(24 * 3600)
def speculation_rules(request: HttpRequest) -> JsonResponse:
    """The rules for prefetching pages, to which the header Speculation-Rules of each page refers."""
    pages = [{"href_matches": one} for one in FETCHED_EARLY]
    rule = {"where": {"or": pages}, "eagerness": "moderate"}
    kind = "application/speculationrules+json"
    return JsonResponse({"prefetch": [rule]}, json_dumps_params={"separators": (",", ":")}, content_type=kind)


@require_safe
@cache_control(no_cache=True)
def offline(request: HttpRequest) -> HttpResponse:
    """The page that the service worker shows without a network; it contains nothing about any guest."""
    return HttpResponse(render_to_string("web/offline.html"))


def _say(status: int, **facts: Any) -> HttpResponse:
    """The error page for this `status`; `facts` go to its template."""
    return HttpResponse(render_to_string("error.html", {"status": status, "own": "", **facts}), status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _say(404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The response to a request that cannot be read (400) or is longer than allowed (413)."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return too_long()
    return unreadable()


def unreadable() -> HttpResponse:
    return _say(400)


def too_long() -> HttpResponse:
    return _say(413)


def too_many(seconds: int) -> HttpResponse:
    """The response (429) if an address or guest has exhausted a limit; `seconds` is the time to wait."""
    response = _say(429, seconds=seconds, minutes=-(-seconds // 60))
    response["Retry-After"] = str(seconds)
    return response


def failed(request: HttpRequest) -> HttpResponse:
    """The response to an uncaught exception: 503 if the database has failed, otherwise 500."""
    if isinstance(sys.exc_info()[1], OperationalError):
        return busy()
    return _say(500)


def busy() -> HttpResponse:
    """The response (503) if the database is locked or the disk is full; clients may retry."""
    response = _say(503)  # makes no database query
    response["Retry-After"] = "5"
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The response (403) to a form that has no valid CSRF token, or was sent from another origin."""
    origin, own = request.headers.get("Origin", "null"), settings.PUBLIC_URL
    return _say(403, origin=origin, own=own if origin not in ("null", own) else "")

"""Pages that belong to no match: health, and what is shown when something is wrong. Error pages ask the
database nothing: it may be what is wrong."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The process can serve matches: its database answers and has the tables of this version."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        return HttpResponse(
            "migrations are missing: run manage.py migrate\n", status=503, content_type="text/plain"
        )
    return HttpResponse("ready\n", content_type="text/plain")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        "User-agent: *\nDisallow: /m/\nDisallow: /s/\nDisallow: /admin/\n", content_type="text/plain"
    )


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """What a browser asks before it puts the site on a home screen."""
    text = render_to_string("manifest.webmanifest")
    return HttpResponse(text, content_type="application/manifest+json")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return HttpResponse(render_to_string("404.html"), status=404)


def failed(request: HttpRequest) -> HttpResponse:
    return HttpResponse(render_to_string("500.html"), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return HttpResponse(render_to_string("403_csrf.html"), status=403)

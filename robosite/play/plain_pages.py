"""Caches pages that differ between readers only in the reader's name and tag, and the CSRF token of forms.

A cached page cannot hold anybody's secret: its template gets placeholders for these, an anonymous request,
and nothing about the reader except the number of matches that wait for them.
"""

from collections.abc import Callable, Hashable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import engines
from django.template.loader import get_template, select_template
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from robosite.play.decorators import Request
from robosite.web.caches import once_made
from robosite.web.http import SIGN, TOKEN, TOKEN_FIELD, tagged
from robosite.web.written_names import in_elements

NAME = SafeString(f"-{SIGN}-name-")
TAG = SafeString(f"-{SIGN}-tag-")


class AnonymousRequest(HttpRequest):
    """A request without cookies for the same URL, with which pages for the shared cache are rendered."""

    htmx = False

    def __init__(self, request: HttpRequest) -> None:
        super().__init__()
        self.method, self.path, self.path_info = "GET", request.path, request.path_info
        self.META = {"HTTP_HOST": request.get_host()}
        self._scheme = request.scheme or "http"

    def _get_scheme(self) -> str:
        return self._scheme


def plain_page(
    request: Request, template: str | list[str], make: Callable[[str], dict[str, Any]], *parts: Hashable
) -> HttpResponse:
    """Renders a page that shows nothing of the reader but the name, or takes it from the cache.

    `make` returns the context for a name. The page may depend only on the URL, language, time zone, name,
    number of waiting matches, and `parts`. Only a GET without a query, not from htmx, is cached; not for a
    reader with a message from moderators.
    """
    frame = _frame(request)
    name = frame.get("called") or ""
    if request.method != "GET" or request.GET or request.htmx or frame.get("moderated") or settings.DEBUG:
        return render(request, template, make(name))
    waiting = frame.get("waiting", 0)
    key = (
        "page",
        str(template),
        request.build_absolute_uri(),
        settings.PUBLIC_URL,
        get_language(),
        timezone.get_current_timezone_name(),
        waiting,
        "called" in frame,
        bool(name),
        *parts,
    )

    def render_plain() -> str:
        stand_in = NAME if name else ""
        known = {**frame, "called": stand_in, "guest_tag": TAG} if "called" in frame else frame
        return _rendered(request, template, make(stand_in) | known)

    page = once_made(key, render_plain)
    return tagged(request, page, {NAME: escape(name), TAG: frame.get("guest_tag", "")})


def _frame(request: Request) -> dict[str, Any]:
    frame: dict[str, Any] = {}
    engine: Any = engines["jinja2"]
    for processor in engine.template_context_processors:
        frame |= processor(request)
    return {name: value for name, value in frame.items() if not name.startswith("csrf_")}


def _rendered(request: Request, template: str | list[str], context: dict[str, Any]) -> str:
    found: Any = get_template(template) if isinstance(template, str) else select_template(template)
    frame = {"request": AnonymousRequest(request), "csrf_token": TOKEN, "csrf_input": TOKEN_FIELD}
    page: str = found.template.render({**context, **frame})
    return in_elements(page)

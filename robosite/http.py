"""What the views of all apps share: how long an answer may be kept, whole addresses, the token of forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.middleware.csrf import get_token
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html
from django.views.decorators.cache import cache_control

private = cache_control(private=True, no_cache=True)
"""For a page that is one reader's: it may be kept, and is asked for again before it is shown."""
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def secret(view: View) -> View:
    """For a page with a secret: it is kept nowhere, and says back nothing of what its address asks.

    It is compressed: what stands beside a secret and comes from somebody else would tell, by the page's
    length, what they have in common.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *given: Any, **more: Any) -> HttpResponseBase:
        request.here = request.path  # type: ignore[attr-defined]
        return view(request, *given, **more)

    return cast(View, cache_control(no_store=True, private=True)(guarded))


def absolute(request: HttpRequest, path: str) -> str:
    """A path of this site as a whole address, of PUBLIC_URL if it is set."""
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def one_token(request: HttpRequest) -> dict[str, Any]:
    """The token of forms, the same in all of a page: Django's own for Jinja2 masks it anew each time."""
    token = SimpleLazyObject(lambda: form_token(request))
    field = SimpleLazyObject(
        lambda: format_html('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', token)
    )
    return {"csrf_token": token, "csrf_input": field}


def form_token(request: HttpRequest) -> str:
    """Django's token, one for a request. Whole pages renew its cookie; parts of a page do not, and are
    150 bytes lighter.
    """
    token = given_token(request)
    if not token:
        kept = request.headers.get("HX-Request") == "true" and "CSRF_COOKIE" in request.META
        token = request.form_token = get_token(request)  # type: ignore[attr-defined]
        if kept:
            request.META["CSRF_COOKIE_NEEDS_UPDATE"] = False
    return token


def given_token(request: HttpRequest) -> str:
    """The token that the page of this request has been given so far, or ""."""
    return getattr(request, "form_token", "")

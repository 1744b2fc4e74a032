"""Helpers for the views of all apps, such as for routes, cache headers, URLs, CSRF tokens and ETags."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.views.decorators.cache import cache_control

private = cache_control(private=True, no_cache=True)
"""Decorator for a view whose page is for one reader: browsers may store it, but must revalidate it."""
SIGN = secrets.token_hex(8)
"""A random string in each placeholder, so that nobody can imitate one in a name or a message."""
TOKEN = SafeString(f"-{SIGN}-token-")
TOKEN_FIELD = SafeString(f'<input type="hidden" name="csrfmiddlewaretoken" value="{TOKEN}">')
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
"""The HTTP methods that change nothing."""
View = TypeVar("View", bound=Callable[..., HttpResponseBase])
Found = TypeVar("Found")


def or_404(found: Found | None) -> Found:
    if found is None:
        raise Http404
    return found


def secret(view: View) -> View:
    """Decorator for a view whose page contains a secret, so that no cache stores it.

    Its page must not contain its query string, which anybody can choose: the compressed length would tell
    how like the secret it is. So `request.here` is the path alone.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *given: Any, **more: Any) -> HttpResponseBase:
        request.here = request.path  # type: ignore[attr-defined]
        return view(request, *given, **more)

    return cast(View, cache_control(no_store=True, private=True)(guarded))


def route_of(request: HttpRequest) -> str:
    """The URL route that matches the request, such as `api/v1/games`; "" if no route matches."""
    if not hasattr(request, "route"):
        try:
            request.route = resolve(request.path_info).route  # type: ignore[attr-defined]
        except Resolver404:
            request.route = ""  # type: ignore[attr-defined]
    return cast(str, request.route)  # type: ignore[attr-defined]


MONITORING = ("healthz", "readyz", "metrics")
"""The names of the routes for monitoring; requests for these routes may have any host name."""


def is_call(request: HttpRequest) -> bool:
    """Returns True if the request is for the JSON API."""
    return route_of(request).startswith("api/")


def is_page(request: HttpRequest, response: HttpResponse) -> bool:
    """Returns True if the response is a whole page with status 200, not of the admin or for embedding."""
    is_html = response.get("Content-Type", "").startswith("text/html") and response.status_code == 200
    apart = request.path.startswith("/admin/") or request.path.endswith("/embed/")
    return is_html and not apart and "HX-Request" not in request.headers


def public(seconds: int) -> Callable[[View], View]:
    """Decorator for a view with one response for all readers of a language; proxies keep it for `seconds`."""

    def alike(view: View) -> View:
        @wraps(view)
        def without_cookies(request: HttpRequest, *given: Any, **more: Any) -> HttpResponseBase:
            request.COOKIES = {}
            translation.activate(translation.get_language_from_request(request))
            with timezone.override(None):
                return view(request, *given, **more)

        return cast(View, cache_control(public=True, max_age=seconds)(without_cookies))

    return alike


def render_form(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int, seconds: int = 0
) -> HttpResponse:
    """Renders the page of a form; `seconds` is the time to wait before it may be sent again."""
    response = render(request, template, context, status=status)
    if seconds:
        response["Retry-After"] = str(seconds)
    return response


def absolute(request: HttpRequest, path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)


def own_cookie(request: HttpRequest, name: str) -> str:
    """The name of a cookie that, over HTTPS, no other site of the same domain can set."""
    return f"__Host-{name}" if request.is_secure() else name


def set_own_cookie(request: HttpRequest, response: HttpResponse, name: str, value: str, age: int) -> None:
    """Sets a cookie (`own_cookie`) that scripts cannot read, for `age` seconds."""
    secure = request.is_secure()
    response.set_cookie(
        own_cookie(request, name), value, max_age=age, httponly=True, samesite="Lax", secure=secure
    )


def time_of(number: str) -> datetime | None:
    """Returns the time that a text gives in microseconds since 1970; None if it is no such number."""
    if not (number.isascii() and number.isdigit() and len(number) <= 16):
        return None
    return datetime.fromtimestamp(int(number) / 1_000_000, UTC)


def one_token(request: HttpRequest) -> dict[str, Any]:
    """Context processor that adds placeholders for the CSRF token, which `with_token` replaces later."""
    return {"csrf_token": TOKEN, "csrf_input": TOKEN_FIELD}


def with_token(page: str, request: HttpRequest) -> str:
    """Returns the page with this reader's CSRF token in place of the token's placeholders."""
    return page.replace(TOKEN, form_token(request)) if TOKEN in page else page


def tagged(
    request: HttpRequest, page: str, own: Mapping[str, str] | None = None, *, headers: Mapping[str, str] = {}
) -> HttpResponse:
    """Responds to one reader with a page rendered for all, with `own` HTML for its placeholders; or with 304.

    The ETag depends on both; with a form in it also on the CSRF secret and the session, which changes
    when a form has created something.
    """
    own = own or {}
    digest = hashlib.sha256(page.replace(SIGN, "").encode())  # so that every process computes the same tag
    for text in own.values():
        digest.update(f"{len(text)} {text}".encode())
    if TOKEN in page:
        if "CSRF_COOKIE" not in request.META:
            form_token(request)
        digest.update(request.META["CSRF_COOKIE"].encode())
        digest.update(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "").encode())
    tag = f'"{digest.hexdigest()[:22]}"'
    known: HttpResponse | None = get_conditional_response(request, etag=tag)
    if known is not None:
        known["ETag"] = tag
        return known
    for stand_in, text in own.items():
        page = page.replace(stand_in, text)
    return HttpResponse(with_token(page, request), headers={**headers, "ETag": tag})


def form_token(request: HttpRequest) -> str:
    """Returns the CSRF token, the same throughout a request; an htmx request does not renew its cookie."""
    token = given_token(request)
    if not token:
        known = bool(request.META.get("CSRF_COOKIE"))
        token = get_token(request)
        if known and request.headers.get("HX-Request") == "true":
            request.META["CSRF_COOKIE_NEEDS_UPDATE"] = False
        request.form_token = token  # type: ignore[attr-defined]
    return token


def given_token(request: HttpRequest) -> str:
    """The CSRF token that `form_token` returned for this request; "" if `form_token` was not called yet."""
    return getattr(request, "form_token", "")


def path_of(name: str, /, *args: object) -> str:
    """The path of a named URL, with positional arguments."""
    return reverse(name, args=args)


NO_ADDRESS = urlsplit("")


def split_url(text: str) -> SplitResult:
    """The parts of a URL; empty parts if it cannot be parsed, such as `http://[` or `http://x:y/`."""
    try:
        found = urlsplit(text)
        _ = found.port
    except ValueError:
        return NO_ADDRESS
    return found


def next_page(request: HttpRequest, otherwise: str = "") -> str:
    """The field `next` of a form, if it is the path of a page of this site; else `otherwise`."""
    to = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(to, {request.get_host()}, require_https=request.is_secure())
    return to if ours and to.startswith("/") else otherwise


def length_of(request: HttpRequest) -> int:
    """The length of the body as the request announces it, in bytes; 0 if it announces none."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    return int(announced) if announced.isdecimal() else 0


def nul_in_address(request: HttpRequest) -> bool:
    """Returns True if the URL of a request contains the character NUL, which no database accepts."""
    query = request.META.get("QUERY_STRING", "")
    return "\0" in request.path_info or "%00" in query or "\0" in query


def nul_in_form(request: HttpRequest) -> bool:
    return any("\0" in name or any("\0" in one for one in given) for name, given in request.POST.lists())

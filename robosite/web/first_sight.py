"""Inlines style sheets and the theme's script into the first page of a browser, which saves a round trip.

Later pages link to the files, which the browser then has; a cookie with their version says so.
"""

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from csp.utils import build_policy
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.templatetags.static import static
from django.utils.cache import patch_vary_headers

from robosite.web.http import is_page, own_cookie, set_own_cookie

FILES = re.compile(
    r'<link rel="stylesheet" href="(?P<css>/static/[^"?]+\.css)">'
    r'|<script src="(?P<js>/static/js/theme\.[^"?]+\.js)"></script>'
)
"""Matches the elements in a page's head that load style sheets or the script of the theme."""
RELATIVE = re.compile(r'url\("\.\./')
COOKIE, AGE = "styles", 366 * 24 * 3600
HOLDS = {"css": "style", "js": "script"}


class Inlined(NamedTuple):
    """A file that is inlined as `html`; `source` is its hash for the content security policy."""

    element: str
    html: str
    source: str


def first_sight(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Middleware that inlines styles and the theme's script, without ETag, for a browser that lacks them."""
    if not settings.STYLES_IN_FIRST_PAGE:
        raise MiddlewareNotUsed
    policy = build_policy()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not isinstance(response, HttpResponse) or request.method != "GET":
            return response
        if not is_page(request, response):
            return response
        patch_vary_headers(response, ("Cookie",))
        version = _version()
        if request.COOKIES.get(own_cookie(request, COOKIE)) == version:
            return response
        page, sources = _with_files(response.content.decode())
        if not sources:
            return response
        response.content = page
        if response.has_header("Content-Length"):  # set by CommonMiddleware for the original page
            response["Content-Length"] = str(len(response.content))
        response["Content-Security-Policy"] = _policy_with(policy, sources)
        response.headers.pop("ETag", None)
        set_own_cookie(request, response, COOKIE, version, AGE)
        return response

    return middleware


def _with_files(page: str) -> tuple[str, list[Inlined]]:
    head, end, body = page.partition("</head>")
    files: list[Inlined] = []

    def inline(link: re.Match[str]) -> str:
        file = _inlined(link.lastgroup or "", link[link.lastgroup or 0])
        if file is None:
            return link[0]
        files.append(file)
        return file.html

    return FILES.sub(inline, head) + end + body, files


def _policy_with(policy: str, files: list[Inlined]) -> str:
    for element in HOLDS.values():
        sources = sorted({file.source for file in files if file.element == element})
        policy = policy.replace(f"{element}-src 'self'", " ".join([f"{element}-src 'self'", *sources]))
    return policy


@cache
def _version() -> str:
    """The hash in the name of the site's style sheet."""
    return static("css/site.css").split(".")[-2]


@lru_cache(maxsize=100)
def _inlined(kind: str, url: str) -> Inlined | None:
    root = Path(settings.STATIC_ROOT).resolve()
    path = Path(root, url.removeprefix(settings.STATIC_URL)).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return None
    text = RELATIVE.sub(f'url("{settings.STATIC_URL}', path.read_text(encoding="utf-8"))
    element = HOLDS[kind]
    assert f"</{element}" not in text.lower()
    source = f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
    return Inlined(element, f'<{element} data-file="{url}">{text}</{element}>', source)
